/* Inside the runner: an answer, and what is known of when it was asked for, become a row of results.jsonl. Pure. */
#ifndef BENCH_RUN_RUNNER_ROW_H
#define BENCH_RUN_RUNNER_ROW_H

#include "bench/run/schedule.h"
#include "bench/run/target.h"
#include "bench/validate/judge.h"
#include "transform/price.h"

/* Times are of clock_mono_ns; `offset` added to them is the time since 1970. */
struct runner_times {
	int64_t offset;
	uint64_t due; /* when its turn came: schedule.h */
	uint64_t first_sent, last_sent; /* 0: it was not sent */
	uint64_t ended;
	unsigned attempts;
};

#define RUNNER_REFUSALS 3 /* in a row with the same status (401, 403, 404): the target is given up */

/*
 * What the schedule is to make of an answer. `was_good`: this target has given an answer before; `refusals`: so often
 * in a row it has refused with this status, this time among them.
 */
enum schedule_outcome runner_outcome(const struct provider_answer *answer, bool was_good, unsigned refusals);

/* Who, what and when; nothing of an answer. Skipped rows and rows that were not sent take no time. */
void runner_row_begin(struct result *r, const struct target *t, const struct suite_prompt *p, uint64_t repetition,
		      enum provider_status status, struct str failure, const struct runner_times *times);

/*
 * What came: text, tokens, times within the attempt, cost. `answer` has a status already, which is not looked at. The
 * text is the answer's and not copied. What is not known is -1; a cost by `prices` (NULL: none) is marked as estimated.
 */
void runner_row_answer(struct result *r, const struct target *t, const struct provider_answer *answer,
		       const struct prices *prices, const struct runner_times *times);

/* Whether there is nothing in it: no text but blanks, and no call. */
bool runner_is_empty(const struct provider_answer *answer);

#endif
