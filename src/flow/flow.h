/*
 * The one loop that joins the rooms, and the only worker threads. A flow takes chunks from a source,
 * lets `work` turn each into a result, and hands the results to `emit` in input order.
 *
 * `work` runs on any thread, one call per worker at a time, and sees nothing but its worker's own
 * state, the chunk and the result. `emit` runs on the calling thread only, in order. With one job
 * everything happens on the calling thread; with more it reads, emits and, when there is nothing to
 * emit or read, works like the others. At most jobs + 2 chunks are in flight, so memory is bounded by
 * the chunk size and not by the input.
 */
#ifndef FLOW_FLOW_H
#define FLOW_FLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "source/source.h"

struct flow {
	struct source *from;
	unsigned jobs; /* threads in all, the calling one among them; 0 means one per core */

	size_t worker_size; /* bytes of one worker's state, zeroed before worker_init */
	void (*worker_init)(void *worker, void *context);
	void (*worker_free)(void *worker);

	size_t result_size; /* bytes of one result, zeroed before result_init; reused from chunk to chunk */
	void (*result_init)(void *result);
	void (*result_free)(void *result);

	bool (*work)(void *worker, const struct chunk *in, void *result, struct err *err);
	bool (*emit)(void *context, const struct chunk *in, void *result, struct err *err);
	/* An input that could not be read to its end, told in its place; false stops, true goes on. NULL stops. */
	bool (*input_failed)(void *context, const struct input *input, const struct err *why);
	void *context;
};

/*
 * True when the source ended and every callback was content. The first failure in input order stops
 * the flow and is the one reported: results before it were emitted, none after it. A wish to stop
 * (base/stop.h) ends it too, after what was already read. Threads are gone on return either way.
 */
bool flow_run(struct flow *f, struct err *err);

#endif
