/*
 * The trials of a ledger as numbers: what each record says that a report needs, and what later entries say about it.
 * One pass over the entries of both logs; of a trial some hundred bytes are kept, its text is not.
 *
 * Every entry is hashed on the way and the root is held against the signed checkpoint, and every record against the
 * digest that was sealed: a report is of the ledger that its head names, or there is none.
 */
#ifndef TRIAL_REPORT_TALLY_H
#define TRIAL_REPORT_TALLY_H

#include "base/map.h"
#include "ledger/ledger.h"

/* How a trial ended, as its runner says: `outputs.agent_result.trackway.class`. */
enum trial_class {
	CLASS_UNKNOWN, /* nothing is said */
	CLASS_COMPLETED,
	CLASS_AGENT_FAILED,
	CLASS_AGENT_TIMEOUT,
	CLASS_VERIFIER_FAILED,
	CLASS_INFRASTRUCTURE,
	CLASS_COUNT,
};

/* What becomes of a trial in reports; the first that holds. */
enum trial_standing {
	STANDING_ERASED,
	STANDING_SUPERSEDED,
	STANDING_REGRADED,       /* a later verdict on the same work takes its place */
	STANDING_COMPLETED_LATER, /* a partial record of a trial that has a complete one too */
	STANDING_INFRASTRUCTURE,
	STANDING_PARTIAL,
	STANDING_COUNTED, /* complete: backs a figure */
	STANDING_COUNT,
};

enum trial_figure {
	FIGURE_USD,
	FIGURE_SECONDS,
	FIGURE_TOKENS_IN, /* cached ones among them */
	FIGURE_TOKENS_OUT,
	FIGURE_TOKENS_CACHED,
	FIGURE_ADVISOR_CALLS,
	FIGURE_ADVISOR_IN,
	FIGURE_ADVISOR_OUT,
	FIGURE_COUNT,
};

enum trial_name {
	NAME_EXPERIMENT,
	NAME_TRIAL,
	NAME_DATASET,
	NAME_TASK,
	NAME_REVISION,
	NAME_ADAPTER,
	NAME_ADAPTER_REVISION,
	NAME_MODEL,
	NAME_VERIFIER,  /* SHA-256 of the verifier, from the lock */
	NAME_ISOLATION,
	NAME_PRICES,    /* digest of the prices by which its cost was worked out */
	NAME_REGRADE_OF,
	NAME_COUNT,
};

struct trial_fact {
	uint64_t index;           /* in its log */
	struct digest record;
	enum ledger_part part;
	uint32_t names[NAME_COUNT]; /* numbers of struct tally.names; 0: not said */
	uint32_t replaced_by;     /* place + 1 of the regrade that takes its place; 0: none */
	uint8_t class, standing;  /* enum trial_class, trial_standing */
	bool is_partial, superseded, erased, was_read;
	bool has_reward, verifier_completed, is_registered; /* registered: it cites a plan */
	bool has_time;
	uint32_t errors, findings, denied; /* validity.errors; of the runner */
	int64_t seconds_1970;     /* its timestamp */
	double reward;
	double figures[FIGURE_COUNT]; /* NaN: not known */
};

enum review_kind { REVIEW_ANNOTATION, REVIEW_ADJUDICATION, REVIEW_FEEDBACK, REVIEW_OTHER };
enum review_judgment { JUDGMENT_PASS, JUDGMENT_FAIL, JUDGMENT_DEFER, JUDGMENT_NONE };

struct review_fact {
	uint32_t trial; /* place in struct tally.trials */
	uint32_t reviewer, discipline; /* numbers of names; 0: not said */
	uint8_t kind, judgment;
	uint64_t index; /* of its entry: the order in which they were sealed */
};

/* A file that was sealed with a trial. */
struct artifact_fact {
	uint32_t trial;   /* place in struct tally.trials */
	uint64_t name;    /* the first bytes of the SHA-256 of its name */
	struct digest digest;
};

struct tally_head {
	bool given;
	struct str origin;
	uint64_t size;
	struct digest root;
};

struct tally {
	struct arena *arena;
	struct map numbers;     /* text to its number */
	struct str *names;      /* names[0] is absent */
	uint32_t *ranks;        /* of each name in the order of bytes; made by tally_read */
	size_t name_count, name_cap;
	struct map idents;      /* experiment, NUL, trial: place + 1 of the complete one, else the partial one */
	struct trial_fact *trials; /* main log first, each in the order of its entries */
	size_t count, cap;
	struct review_fact *reviews;
	size_t review_count, review_cap;
	struct artifact_fact *artifacts; /* by trial; none unless they were asked for */
	size_t artifact_count, artifact_cap;
	struct tally_head heads[LEDGER_PARTS];
};

struct tally_how {
	void (*tick)(void *context, uint64_t done, uint64_t of); /* may be NULL */
	void *context;
	bool artifacts; /* keep the digests of the files that were sealed with trials */
};

/*
 * Reads all of a ledger that is published. Everything lives in the arena. ERR_DATA when a log is not what its
 * checkpoint says, a record is not what was sealed, or one is gone without an erasure; ERR_IO when it cannot be read.
 */
bool tally_read(struct tally *t, struct arena *a, struct ledger *l, const struct tally_how *how, struct err *err);

/* A name of a trial; p NULL when it is not said. Lives as long as the tally. */
struct str tally_name(const struct tally *t, const struct trial_fact *f, enum trial_name which);

/* What was sealed with the trial under this name; NULL: nothing. Needs struct tally_how.artifacts. */
const struct digest *tally_find_artifact(const struct tally *t, const struct trial_fact *f, struct str name);

/*
 * Whether both are of the same revision of their task and were judged by the same verifier. Two that do not say it are
 * taken to be, one alone is not.
 */
bool tally_is_alike(const struct trial_fact *a, const struct trial_fact *b);

/* Compares by the texts of a name: absent ones first. */
int tally_compare(const struct tally *t, const struct trial_fact *a, const struct trial_fact *b, enum trial_name which);

/*
 * A seed that everybody can make again: the first eight bytes, the highest first, of the SHA-256 over the ids in the
 * order of their bytes, each with a line end. Sorts the list.
 */
uint64_t tally_seed(struct str *ids, size_t count);

const char *trial_class_word(enum trial_class c);       /* "agent_timeout"; NULL for CLASS_UNKNOWN */
const char *trial_standing_word(enum trial_standing s); /* "completed later" */

/* Which trials a report is about. */
struct tally_filter {
	struct str experiment, task_prefix, model, adapter; /* p NULL: any */
	bool has_since;
	int64_t since; /* seconds since 1970; a trial without a readable time is left out then */
};

/*
 * Leaves out what the filter does not let through, for good: places change, so reviews and artifacts are moved along. A
 * trial whose regrades are all left out stands for itself.
 */
void tally_select(struct tally *t, const struct tally_filter *f);

#endif
