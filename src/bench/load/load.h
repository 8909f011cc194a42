/*
 * A load test: requests go out when they are due, however many are open, and what comes of each is counted by
 * bench/load/stats.h. Nothing is tried twice: a retry would be load that nobody asked for. Sending is led by a timer of
 * the system with nanoseconds (timerfd), since libuv's have milliseconds, and the next question is made before it is
 * due.
 *
 * Requests beyond `max_open` at once are not sent and counted as such. An answer that takes longer than the timeout is
 * given up and counted as such.
 */
#ifndef BENCH_LOAD_LOAD_H
#define BENCH_LOAD_LOAD_H

#include "bench/load/arrivals.h"
#include "bench/load/stats.h"
#include "bench/run/target.h"
#include "bench/suite/suite.h"

#define LOAD_MAX_OPEN 10000u

struct load_progress {
	uint64_t due, open, ok, failed, not_sent; /* requests; due: so far */
	uint64_t elapsed_ns;                      /* 0 before the first is due */
	size_t stage;
	uint64_t output_tokens;
};

struct load_options {
	const struct target *target;
	const struct provider_options *provider;
	const struct arrivals_options *arrivals;
	const struct suite *suite; /* NULL: questions are made (bench/load/prompt.h) */
	bool by_chance;            /* prompts of the suite as the seed has it, not in turn */
	uint32_t input_tokens;     /* of questions that are made, when the recording does not say */
	uint32_t max_tokens;       /* 0: as the recording says, which may be nothing */
	double temperature;        /* negative: the provider's own */
	struct str system;
	bool whole;                /* answers are not streamed: there is no first token */
	uint64_t timeout_ns, max_open, seed; /* timeout from the asking, not from when it was due */
	bool no_pauses;            /* the server is in this process, and would pause too */
	/* Whole lines of requests.jsonl, some times a second. False ends the test. */
	bool (*write)(void *own, struct str lines, struct err *err);
	void (*progress)(void *own, const struct load_progress *p); /* ten times a second */
	void *own;
};

struct load_run {
	struct str address;
	uint64_t wall_ns;       /* from the start to the last answer */
	double cpu_seconds;     /* of this process meanwhile */
	bool stopped;           /* by a signal: stop_signal() says which */
	uint64_t most_open;     /* requests at once */
};

/*
 * Runs the test to its end, or to a signal, which is no failure (out->stopped). `stats` has its slos, nothing else;
 * free it afterwards whatever came of it. False and *err when there is no loop or timer (ERR_IO), the target's address
 * is none, or `write` failed: figures until then are in `stats`. Requests that fail are counted, never an error.
 * Blocks; one test at a time in a thread. The address is in the arena.
 */
bool load_run(const struct load_options *o, struct arena *a, struct load_stats *stats, struct load_run *out,
	      struct err *err);

#endif
