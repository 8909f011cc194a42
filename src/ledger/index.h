/*
 * A table of what is in a ledger, for questions about a million records: SQLite, made from the logs and their objects,
 * and never a second truth. It is brought up to the published logs when it is opened; one that is damaged, of another
 * version or of another log (its root does not fit) is thrown away and made anew.
 */
#ifndef LEDGER_INDEX_H
#define LEDGER_INDEX_H

#include "ledger/ledger.h"

struct index;

/* What a trial, run or benchmark took, as its record says. */
enum index_figure {
	INDEX_TOKENS_IN,
	INDEX_TOKENS_OUT,
	INDEX_COST, /* US dollars */
	INDEX_ADVISOR_CALLS,
	INDEX_SECONDS, /* from beginning to end */
	INDEX_FIGURES,
};

struct index_row {
	enum ledger_part part;
	uint64_t index;
	enum entry_kind kind;
	struct str experiment, id, sealed_at;
	struct digest digest; /* of the object; zero without one */
	struct digest leaf;
	uint64_t size;        /* of the object */
	/* Out of the records of trials, runs and benchmarks; p is NULL when it is not known (erased, or not there). */
	struct str dataset, task, adapter, model, completeness, timestamp;
	bool has_reward; /* else `reward` means nothing */
	double reward;
	unsigned known; /* 1 << enum index_figure for each that is known */
	double figures[INDEX_FIGURES];
	/* What later entries say about it. */
	bool superseded, erased;
	uint64_t reviews; /* how many there are of it */
	uint64_t ref; /* of what refers to a trial: its index; UINT64_MAX otherwise */
};

struct index_filter {
	int kind;  /* enum entry_kind, or -1 for all */
	int part;  /* enum ledger_part, or -1 */
	struct str experiment, dataset, task, task_prefix, adapter, model, completeness; /* p NULL: any */
	struct str id; /* of a trial, an artifact ("trial/name"), a review */
	uint64_t ref_of; /* entries that refer to this index; UINT64_MAX: any */
	double reward_min, reward_max; /* NAN: any */
	bool hide_superseded;
	uint64_t limit;  /* 0: all */
	bool newest_first;
};

#define INDEX_ANY ((struct index_filter){ .kind = -1, .part = -1, .ref_of = UINT64_MAX, .reward_min = NAN, \
					  .reward_max = NAN })

/*
 * Opens the index and takes in what was published since. `tick` (may be NULL) is told how many entries of how many of
 * a log are taken in. An index whose file cannot be written is made in memory. Entries that cannot be read are passed
 * over; the ledger's `warn` is told of the first ten and of how many more there are. NULL with *err when a log cannot
 * be read or trusted, or SQLite fails (ERR_IO). The ledger must outlive it. index_close takes NULL too.
 */
struct index *index_open(struct ledger *l, void (*tick)(void *context, uint64_t done, uint64_t of), void *context,
			 struct err *err);
void index_close(struct index *x);

/*
 * Throws away what there is, so that index_open makes it anew; no index is fine. False with ERR_IO when the file
 * stays.
 */
bool index_remove(struct ledger *l, struct err *err);

/*
 * Rows in log order, main before diagnostic (the other way round with newest_first); text lives during the call.
 * `each` gives false to stop, which is no failure. index_count counts the rows that the filter lets through, whatever
 * its limit. False with ERR_IO when SQLite fails; *out is 0 or untouched then.
 */
bool index_list(struct index *x, const struct index_filter *f, bool (*each)(void *context, const struct index_row *row),
		void *context, struct err *err);
bool index_count(struct index *x, const struct index_filter *f, uint64_t *out, struct err *err);

/*
 * The one trial that a name means: trial_id when it is unique, else experiment/trial_id; when there is no such trial,
 * the run or benchmark of this id. Of a trial that was partial before it was complete, the complete one. ERR_DATA when
 * there is none, ERR_USAGE with what to write instead when there are several, and *out is untouched. Text is copied to
 * the arena.
 */
bool index_find_trial(struct index *x, struct arena *a, struct str name, struct index_row *out, struct err *err);

/*
 * How many entries of a log that are not erased have this object; artifacts of an erased trial are erased with it.
 * False with ERR_IO when SQLite fails.
 */
bool index_count_object(struct index *x, enum ledger_part p, struct digest d, uint64_t *out, struct err *err);

#endif
