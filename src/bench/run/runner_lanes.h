/*
 * Inside the runner: which targets share a client, and which share a lane. A lane is a server: the same host and
 * port, whatever API it is asked by, or the same program. (Ollama by its own API and by OpenAI's is one server with
 * one memory.)
 */
#ifndef BENCH_RUN_RUNNER_LANES_H
#define BENCH_RUN_RUNNER_LANES_H

#include "bench/run/limiter.h"
#include "bench/run/target.h"

struct runner_lanes {
	struct provider_client **clients; /* of each target; the same for the same provider and options */
	uint32_t *lanes;                  /* of each target */
	size_t count;                     /* lanes */
	struct limiter_options *limits;   /* of each lane */
	struct str *names;                /* of each lane: the provider of its first target, for events */
};

/*
 * Opens a client for each target, which the pool owns; the lists are in the arena. `concurrency` 0: auto. False and
 * *err when an address is none; clients opened before it are the pool's to close.
 */
bool runner_lanes_open(struct runner_lanes *l, struct arena *a, struct provider_pool *pool,
		       const struct target *targets, const struct provider_options *options, size_t count,
		       uint64_t concurrency, struct err *err);

/* What a lane is known by: "host:port" of an address, all of anything else; and whether that is this machine. */
struct str runner_lane_key(struct arena *a, struct str address, bool *local);

#endif
