/*
 * Inside the runner: what its files share. runner.c has the loop, runner_row.c makes rows of answers, runner_ask.c
 * sends questions and takes answers, runner_target.c is what surrounds a target's rows, runner_tell.c what people and
 * events.jsonl are told. All of it runs on one thread; what may take long (a GPU that is asked, a program that
 * judges) is done by a thread of libuv's pool, on memory of its own.
 */
#ifndef BENCH_RUN_RUNNER_PRIVATE_H
#define BENCH_RUN_RUNNER_PRIVATE_H

#include "base/clock.h"
#include "bench/run/runner_lanes.h"
#include "bench/run/runner_log.h"
#include "bench/run/runner_row.h"
#include "transform/quantile.h"

#define RUNNER_NS_PER_MS UINT64_C(1000000)
#define RUNNER_FAILURE_MAX 64

struct runner_target {
	bool runs;     /* its turn has come, and is not over */
	bool was_good; /* it has answered */
	bool lost;     /* it cannot be asked any more; the rest of its rows ends as the two below say */
	enum provider_status status;
	char failure[RUNNER_FAILURE_MAX];
	int refused_with;  /* its last HTTP status */
	unsigned refusals; /* how often in a row it was this one */
	uint64_t skipped, warmed; /* rows; questions that warmed it up */
};

struct runner_call {
	struct runner *runner;
	struct runner_call *next, *before; /* of those under way */
	struct provider_call *call;
	size_t target;
	uint64_t row;
	uint64_t asked_ns;
	double ceiling; /* the most it can cost */
	bool warms;     /* its answer is no row */
	bool answered;
};

struct runner {
	const struct runner_options *o;
	struct runner_report *report;
	struct err *err;
	struct arena keep, work; /* of the run; of a row */
	uv_loop_t loop;
	uv_timer_t tick, wake;
	struct provider_pool *pool;
	struct runner_lanes lanes;
	unsigned *limits; /* of each lane, as last told; and until when it pauses */
	uint64_t *pauses;
	struct schedule *schedule;
	struct runner_target *targets;
	struct runner_call *open, *spare;
	struct clock_line line;
	struct runner_log log;
	struct quantile late, latency;
	struct runner_progress progress;
	uint64_t began_ns, done_before;
	double used_usd, reserved_usd; /* against the budget: what is not known counts as much as it can be */
	bool told_price;
	size_t threads; /* that do something for us */
	bool over;      /* nothing more is begun */
};

/* Ends the run, from any place: what is open is given up from the loop, not from within somebody's call. */
void runner_finish(struct runner *r, enum runner_end end);

/* Does all that can be done now, then sets the timer for what is next. */
void runner_pump(struct runner *r);

/* What was to be written, was it? A disk that is full ends the run. */
void runner_check(struct runner *r, bool written);

/* Where the error of a write goes: the first is the one to tell. */
struct err *runner_err(struct runner *r, struct err *other);

/* ---- runner_ask.c ---- */

/* Sends a row's question, unless the budget forbids it: then the schedule is held, or stopped for good. */
void runner_send(struct runner *r, const struct schedule_step *step);

/* Gives up a row that is under way for too long, and takes what came of it so far as its answer. */
void runner_expire(struct runner *r, uint64_t row);

/* Writes the row of a question that is not sent, because its target is lost. */
void runner_skip(struct runner *r, const struct schedule_step *step, uint64_t now);

/* Sends the suite's first prompt to a target; its answer is no row. */
void runner_warm(struct runner *r, size_t target);

/* Gives up warm-up calls that take too long: the schedule knows nothing of them. */
void runner_expire_warming(struct runner *r);

/* Counts a row in the progress. */
void runner_count(struct runner_progress *p, const struct result *row);

/* ---- runner_target.c ---- */

/* Log where a target's rows begin and end, and look at the machine on a thread; warming up or the first row follows. */
void runner_target_begin(struct runner *r, size_t target);
void runner_target_warmed(struct runner *r, size_t target); /* once more: the next of them, or the first row */
void runner_target_end(struct runner *r, size_t target);
void runner_target_stopped(struct runner *r); /* or over: the loop has run dry */

/* ---- runner_tell.c. None of them fails: an event that cannot be written ends the run, by runner_check ---- */

/* provider:model@thinking, until r->work is reset. */
struct str runner_name(struct runner *r, size_t target);
void runner_tell(struct runner *r, struct str line);
void runner_tell_progress(struct runner *r); /* works out what is open and the time left, then tells the caller */
void runner_tell_target(struct runner *r, size_t target);   /* begins an event about it */
void runner_tell_row(struct runner *r, uint64_t row);       /* the same, about a row */
void runner_tell_end(struct runner *r, const char *event);  /* ends one */
void runner_tell_retry(struct runner *r, const struct runner_call *c, const struct provider_answer *answer,
		       uint64_t ended, const struct schedule_fate *fate);
void runner_tell_waited(struct runner *r, uint64_t row, unsigned attempts, uint64_t waited_ns);
void runner_tell_pause(struct runner *r, size_t target, int64_t retry_after_ms);
void runner_tell_limit(struct runner *r, size_t target);    /* when it has changed */
void runner_tell_lost(struct runner *r, size_t target, struct str message);

#endif
