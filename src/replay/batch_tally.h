/*
 * What the rows of a batch come to: groups with the share of runs that did the same again and its interval, failures by
 * class, and the gates, conditions on the batch as a whole. Pure: rows in, figures out.
 *
 * There are two shares. `judged` is what could be replayed and was; runs that are NOT_REPLAYABLE, could not be run or
 * were interrupted are not in it. `runs` has them all. A run that was not judged is a failure of neither class.
 */
#ifndef REPLAY_BATCH_TALLY_H
#define REPLAY_BATCH_TALLY_H

#include "replay/batch.h"
#include "transform/stats.h"

enum batch_by { BATCH_BY_VENDOR, BATCH_BY_AGENT, BATCH_BY_MODEL };

struct batch_group {
	struct str name;          /* "openai chat completions"; p NULL: not known */
	uint64_t runs, judged, replayed; /* replayed: EXACT or EQUIVALENT */
	uint64_t verdicts[VERDICT_NOT_REPLAYABLE + 1];
	uint64_t unable, interrupted;    /* interrupted: those that were not begun, too */
	uint64_t covered;         /* runs whose coverage is known */
	double coverage;          /* the mean of theirs; NaN: of none */
	struct interval interval; /* of replayed / judged, Wilson, 95 %; NaN without any */
};

struct batch_class {
	struct str name; /* of a divergence class */
	uint64_t runs;   /* whose first divergence it is */
};

enum batch_gate_kind {
	BATCH_GATE_SERVED,   /* a run that did the same again was answered at least once */
	BATCH_GATE_CASSETTE, /* a cassette is the one that its run's meta.json names */
	BATCH_GATE_AGE,      /* no cassette is older than it may be */
	BATCH_GATE_SAME,     /* the runs are those of another batch */
	BATCH_GATES,
};

/* "served", "cassette", "age", "same_runs"; a constant. */
const char *batch_gate_name(enum batch_gate_kind k);

struct batch_gate {
	bool asked;
	struct str *failed; /* names of the runs at fault */
	size_t count, cap;
};

struct batch_tally {
	struct batch_group all;
	struct batch_group *groups; /* by name */
	size_t group_count, group_cap;
	struct batch_class *classes; /* the most frequent first */
	size_t class_count, class_cap;
	struct batch_gate gates[BATCH_GATES];
	uint64_t online;  /* judged runs that had a network */
	double seconds;   /* of all replays, added up */
};

struct batch_tally_options {
	enum batch_by by;
	int64_t oldest_us;            /* a cassette recorded before is stale; 0: nobody asks */
	const struct str *same_as;    /* ids of the runs that are to be covered; NULL: nobody asks */
	size_t same_count;
};

/* Everything is in the arena or points into the rows. */
void batch_tally_rows(struct arena *a, const struct batch_tally_options *o, const struct batch_row *rows, size_t count,
		      struct batch_tally *out);

/* Whether all gates that were asked for hold. */
bool batch_tally_holds(const struct batch_tally *t);

/*
 * The ids of the runs of an earlier batch, from its JSON document (`trackway.replay-batch/1`), for same_as. False and
 * *err (ERR_DATA) when the text is none.
 */
bool batch_tally_read_runs(struct arena *a, struct str text, const struct str **out, size_t *count, struct err *err);

#endif
