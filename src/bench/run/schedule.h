/*
 * What is sent when: a state machine without a clock, which is told the time with every call. It knows rows, targets
 * and lanes by their numbers only; what they ask, and of whom, is the runner's affair.
 *
 * Rows are numbered target by target, in a target repetition by repetition, in a repetition prompt by prompt; in this
 * order they are sent first. A lane is what must not be asked for two things at once: its targets come one after the
 * other, those of different lanes side by side. A lane has as many places as its limiter says. A row takes a place
 * when it is sent first and keeps it until it is over, also while it waits to be tried again: so no more rows than
 * places are ever begun, a provider in trouble is not handed more work, and memory does not grow with the number of
 * rows but for a bit of each. A row that is to be tried again goes before one that was never sent.
 *
 * When a row is due. In a closed loop nothing has a time of its own: a row's turn comes when the place that it takes
 * becomes free, by the end of the row before, by a limit that grows, or by the beginning of its target. From that
 * moment on it would be sent, had the service not asked us to wait and were we never late; so the time between then
 * and the send is a part of the latency that a user of the service would have met. A row that is tried again stays
 * due when it was first. (What is left out is the service's slowness itself, which makes turns come later: only
 * arrivals that do not depend on answers show that, see `trackway bench load`.)
 *
 * Tries. 429, 503 and a connection that was not made are tried again, with the waits of backoff.h; nothing else is, a
 * timeout neither. A row is lost, and with it all the rest of its target, when no connection can be made in all of its
 * tries and nobody else was answered meanwhile; when a wait is asked for that is longer than anybody would wait; or
 * when the caller says that the target cannot be asked at all (no such model, no key). The rest of a lost target comes
 * out as rows to be skipped; those that are under way may still be answered. The next target of the lane is tried anew.
 */
#ifndef BENCH_RUN_SCHEDULE_H
#define BENCH_RUN_SCHEDULE_H

#include "base/arena.h"
#include "bench/run/limiter.h"
#include "transform/backoff.h"

#define SCHEDULE_NEVER UINT64_MAX

struct schedule_options {
	const uint32_t *lanes;  /* of each target */
	size_t target_count, lane_count;
	uint64_t prompts, repeat;
	const struct limiter_options *limits; /* of each lane */
	unsigned retries; /* after the first attempt */
	uint64_t retry_delay_ms, timeout_ms; /* timeout 0: none */
	uint64_t seed;
};

struct schedule;

/* A schedule of all rows, none of them sent; in the arena. Rows are counted from 0. */
struct schedule *schedule_new(struct arena *a, const struct schedule_options *o);

/* How many rows there are: targets by repetitions by prompts. */
uint64_t schedule_count(const struct schedule *s);

/* Marks a row that was done before this run: it never comes out. Only before the first step. */
void schedule_mark_done(struct schedule *s, uint64_t row);

/* Tells which target, repetition (from 0) and prompt a row is. */
void schedule_row(const struct schedule *s, uint64_t row, size_t *target, uint64_t *repetition, uint64_t *prompt);

enum schedule_what {
	SCHEDULE_BEGIN,  /* a target's turn has come: no row of it before schedule_begun */
	SCHEDULE_SEND,   /* may be sent now: schedule_sent says that it was */
	SCHEDULE_EXPIRE, /* under way for too long: give it up, and say so by schedule_answered */
	SCHEDULE_SKIP,   /* its target is lost: it is over, and is not sent (again) */
	SCHEDULE_END,    /* all rows of a target are over */
	SCHEDULE_WAIT,   /* nothing to do before `until`, or an answer */
	SCHEDULE_OVER,   /* nothing is left */
};

struct schedule_step {
	enum schedule_what what;
	size_t target;
	uint64_t row;
	unsigned attempts;   /* made before */
	uint64_t due;        /* SEND, EXPIRE, SKIP */
	uint64_t first_sent; /* 0: never */
	uint64_t waited;     /* between its tries */
	uint64_t until;      /* WAIT: SCHEDULE_NEVER when only an answer can help */
};

/*
 * What is to be done now; to be called again until it says WAIT or OVER. SEND comes out again until schedule_sent was
 * called, or the schedule is held or stopped. Every time given to a schedule is of one monotonic clock, in nanoseconds,
 * and never less than the one before.
 */
struct schedule_step schedule_next(struct schedule *s, uint64_t now);

/* Says that a target is ready (SCHEDULE_BEGIN): from now on its rows are due. */
void schedule_begun(struct schedule *s, size_t target, uint64_t now);

/* Says that a row was sent (SCHEDULE_SEND). */
void schedule_sent(struct schedule *s, uint64_t row, uint64_t now);

enum schedule_outcome {
	SCHEDULE_ANSWERED,  /* over, well or not */
	SCHEDULE_BROKEN,    /* over without an answer: cut off, timed out */
	SCHEDULE_BUSY,      /* 429, 503 */
	SCHEDULE_UNREACHED, /* no connection */
	SCHEDULE_IMPOSSIBLE, /* over, and so is its target */
};

/* What becomes of a row, and what was known of it. */
struct schedule_fate {
	bool again;          /* it will be tried again, at `at` */
	bool lost;           /* the target is, by this answer */
	bool asks_too_much;  /* not again: Retry-After is longer than anybody would wait */
	uint64_t at, delay_ms;
	unsigned attempts;
	uint64_t due, first_sent, last_sent;
	uint64_t waited;     /* between its tries */
};

/*
 * Says how a row that was sent, and is under way, has ended; retry_after_ms is negative when the service said nothing
 * of it. Gives what becomes of the row: over, or to be tried again, which schedule_next will tell.
 */
struct schedule_fate schedule_answered(struct schedule *s, uint64_t row, enum schedule_outcome outcome,
				       int64_t retry_after_ms, uint64_t now);

/* While a schedule is held nothing is sent; everything else goes on. */
void schedule_hold(struct schedule *s, bool held);

/* Nothing is sent any more: over when what is under way is. Rows that wait are not done. */
void schedule_stop(struct schedule *s);

/* Rows under way, and rows that wait to be tried again. */
void schedule_load(const struct schedule *s, uint64_t *open, uint64_t *waiting);

/* How many questions a lane may have open, and until when it pauses (0: it does not). */
unsigned schedule_limit(const struct schedule *s, size_t lane, uint64_t *paused_until);

#endif
