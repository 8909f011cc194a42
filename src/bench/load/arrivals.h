/*
 * When the requests of a load test are due, and how large they are: at a constant rate, by chance (a Poisson process,
 * as from many users who know nothing of each other), or as they once came (bench/run/recorded.h). Times count from the
 * start of the test and nothing here looks at a clock: whether a request can be sent when it is due is not asked.
 *
 * Several rates make stages, one after the other. A stage is over when its time or its number of requests is reached;
 * without a time the next begins when its own next request would have been due.
 */
#ifndef BENCH_LOAD_ARRIVALS_H
#define BENCH_LOAD_ARRIVALS_H

#include "base/err.h"
#include "bench/run/recorded.h"
#include "transform/stats.h"

#define ARRIVALS_STAGES 64
#define ARRIVALS_RATE_LEAST 0.001  /* requests per second */
#define ARRIVALS_RATE_MOST 1000000.0
#define ARRIVALS_LONGEST_NS (UINT64_C(31) * 24 * 3600 * 1000000000) /* a month: no test is meant to be longer */
#define ARRIVALS_NO_END UINT64_MAX

enum arrivals_kind { ARRIVALS_POISSON, ARRIVALS_CONSTANT, ARRIVALS_RECORDED, ARRIVALS_KINDS };

/* "poisson", "constant" or "recorded"; a constant. */
const char *arrivals_kind_name(enum arrivals_kind kind);

struct arrivals_options {
	enum arrivals_kind kind;
	const double *rates; /* of the stages, each per second; none when it is recorded */
	size_t rate_count;
	const struct recorded *recorded;
	double speed;         /* of a recording: 2 is twice as fast. More than 0 */
	uint64_t duration_ns; /* of each stage; ARRIVALS_NO_END for none */
	uint64_t requests;    /* of each stage; ARRIVALS_NO_END for none */
	uint64_t seed;
};

struct arrival {
	uint64_t number; /* from 0 */
	uint64_t due_ns;
	size_t stage;
	uint32_t input_tokens, output_tokens; /* as recorded; 0 for nothing said */
	const uint64_t *blocks;               /* what it shares with others; NULL for nothing */
	size_t block_count;
	const uint32_t *block_sizes;          /* tokens of each; NULL: RECORDED_BLOCK */
};

struct arrivals {
	struct arrivals_options options;
	struct stats_random random;
	size_t stage;
	uint64_t number, in_stage; /* of the next request */
	uint64_t stage_ns;         /* when the stage began */
	double gaps;               /* by chance: since then, in seconds */
	uint64_t begins[ARRIVALS_STAGES], lengths[ARRIVALS_STAGES]; /* of the stages that are over,
		or all of them at the end */
};

/* Begins before the first request. What `options` points to stays the caller's and must outlive the arrivals. */
void arrivals_init(struct arrivals *a, const struct arrivals_options *options);

/* Gives the next request, due no earlier than the one before it. False, and *out untouched, when there is none. */
bool arrivals_next(struct arrivals *a, struct arrival *out);

/*
 * How many requests there will be; ARRIVALS_NO_END when that is not known before (by chance, within a time). Goes
 * through a recording to count.
 */
uint64_t arrivals_count(const struct arrivals_options *options);

/*
 * Nanoseconds until the last request is due, as far as it is known before; by chance it is what to expect. For people.
 * At most ARRIVALS_LONGEST_NS.
 */
uint64_t arrivals_length_ns(const struct arrivals_options *options);

#endif
