/* The sums behind a profile, as rows of a trace are added one after the other. */
#ifndef FLOW_PROFILE_FOLD_H
#define FLOW_PROFILE_FOLD_H

#include "base/map.h"
#include "flow/profile.h"

struct profile_fold {
	struct profile *out;
	struct map models, tools; /* from a name to its place in the groups */
	struct spans spans[UNIONS];
	struct buf rows; /* struct profile_row; a heap with the shortest on top when there is a limit */
	size_t row_limit;
	struct profile_group bound[UNIONS]; /* only its bounds: of models, and of tools */
	bool has_time, last_failed;
	int64_t first_us, last_us; /* of the nodes */
	struct trace_row summary;  /* its times */
	struct amount summary_usd;
};

/* Sums of nothing, for *out, which must have its arena. profile_fold_free leaves *out alone. */
void profile_fold_init(struct profile_fold *f, struct profile *out, size_t row_limit);
void profile_fold_free(struct profile_fold *f);

/* A node or a summary, in the order of the file; its texts are copied. */
void profile_fold_add(struct profile_fold *f, const struct trace_row *r);

/* That was all of them: totals, gaps, waits and rows of *out are filled in. Nothing may be added after it. */
void profile_fold_finish(struct profile_fold *f);

/* The rows in the order in which they began, each with its level. */
void profile_rows_finish(struct profile_fold *f);

/* A row for the waterfall, copied if it is among the row_limit longest; a shorter one goes for it. */
void profile_rows_add(struct profile_fold *f, const struct profile_row *row);

#endif
