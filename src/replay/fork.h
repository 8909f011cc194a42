/*
 * Where a replay leaves the recorded run: everything before a seq of its log comes from the tape, and from the first
 * request at or behind it on the model is asked itself.
 */
#ifndef REPLAY_FORK_H
#define REPLAY_FORK_H

#include "replay/origin.h"
#include "replay/tape.h"

struct fork {
	const struct origin *recorded;
	const struct tape *tape;
	uint64_t seq;
	int64_t first_us; /* when the first request to a model at or behind it was made; INT64_MAX: there is none */
	uint64_t waiting; /* recorded requests to models before it that were not made yet */
	uint64_t live;    /* requests that were asked of their services */
	bool is_parted;   /* the first of them was made */
};

/* Log and tape must live as long. False and *err (ERR_USAGE) when the log has no such seq. */
bool fork_init(struct fork *f, const struct origin *recorded, const struct tape *t, uint64_t seq, struct err *err);

/* Whether this line of the tape is before the fork: a request to a model by its seq, a tool by when it began. */
bool fork_is_before(const struct fork *f, uint64_t x);

/* A recorded request to a model was made again. */
void fork_take(struct fork *f, uint64_t x);

/* Whether all requests before the fork were made, so that the next one is asked of its service. */
bool fork_is_reached(const struct fork *f);

#endif
