/*
 * How many questions may be open at one provider at a time. Pure: it knows only what it is told.
 *
 * A fixed number is just that. With `auto` the number is found by trying:
 *
 *	Answers are counted in rounds: as many as the limit, six at least, each of a question that was sent when as many
 *	were open as may be. What a limit is worth is its throughput by Little's law: limit / mean latency.
 *
 *	At first the limit doubles after each round, as long as that pays: half of the growth that was hoped for must
 *	be there (150 % for twice as many). A server that only puts questions in a queue shows none; then the limit
 *	goes back to where it was and rests for 8 rounds. After a rest it is tried with a quarter more, or a quarter
 *	fewer, which are kept unless they cost more than half of what was to be feared. More that has paid is followed
 *	by more at once; what has not is undone, and the other way is tried after the next rest, which is twice as
 *	long (64 rounds at most). So latencies of a benchmark are the model's, not those of a queue that we have made,
 *	and what a lucky round gave is taken back.
 *
 *	429 and 503 halve it, down to 1. What was sent before the halving tells the same news once more and does not
 *	halve again: once in a round trip. From then on the limit grows by one a round, and rests below the number
 *	that was refused before that is tried again. (Chiu and Jain, 1989: adding and halving ends at a fair and
 *	stable share.)
 *
 *	Where waiting is asked for (Retry-After), all wait: a limit is that of an account, not of the row that met it.
 *	This goes for a fixed number too.
 */
#ifndef BENCH_RUN_LIMITER_H
#define BENCH_RUN_LIMITER_H

#include <stdbool.h>
#include <stdint.h>

#define LIMITER_CAP 64
#define LIMITER_START 4       /* of a service elsewhere */
#define LIMITER_START_LOCAL 2 /* of a server on this machine, which has one accelerator, or none */

struct limiter_options {
	unsigned fixed; /* 0: auto */
	unsigned start; /* of auto; 0: LIMITER_START */
	unsigned cap;   /* of auto; 0: LIMITER_CAP */
};

enum limiter_outcome {
	LIMITER_ANSWERED, /* an answer, whatever it says */
	LIMITER_REFUSED,  /* 429, 503 */
	LIMITER_LOST,     /* nothing that tells of load: no connection, cut off, timed out */
};

struct limiter {
	unsigned limit, fixed, cap;
	uint64_t paused_until; /* 0: not */
	uint64_t set_at;       /* when the limit was set: what was sent before does not count in its rounds */
	uint64_t cut_at;       /* the last halving */
	unsigned refused_at;   /* so many were refused; 0: not that we know */
	unsigned before;       /* what a trial goes back to; 0: no trial is on */
	double before_worth;   /* throughput at `before` */
	bool found;            /* doubling is over */
	bool down;             /* the next trial is with fewer */
	bool rested;           /* there was a rest below refused_at */
	unsigned next_rest;    /* rounds */
	/* of the round */
	unsigned rounds;       /* its length: 1, more for a rest */
	unsigned answers;
	double latency_sum;
};

/*
 * Begins with the fixed number, else with the options' start or their cap, whichever is less; without a pause. Nothing
 * is to be freed.
 */
void limiter_init(struct limiter *l, const struct limiter_options *o);

/* How many may be open now; never 0. And the most that this can ever be. */
unsigned limiter_limit(const struct limiter *l);
unsigned limiter_most(const struct limiter *l);

/* Nothing is to be sent before this time; 0 when nobody asked to wait. A pause is never made shorter. */
uint64_t limiter_paused_until(const struct limiter *l);
void limiter_pause(struct limiter *l, uint64_t until);

/*
 * A question that was sent at `sent`, when with it `open` questions were under way, ended at `now`. Times are
 * nanoseconds of one clock. May change the limit, which is then at least 1 and at most limiter_most; a fixed one never
 * changes.
 */
void limiter_answered(struct limiter *l, enum limiter_outcome outcome, uint64_t sent, unsigned open, uint64_t now);

#endif
