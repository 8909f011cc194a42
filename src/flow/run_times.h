/*
 * Times for formats in which nothing can be without one. A run that has no times at all is laid out from a time that
 * the user gives, in the order of its events and as long as what is known of them took, or it is left out.
 */
#ifndef FLOW_RUN_TIMES_H
#define FLOW_RUN_TIMES_H

#include "base/err.h"
#include "model/event.h"

struct run_times {
	int64_t start_ns; /* of runs without times; 0: they are left out */
	struct str own; /* what the target's reader keeps in ext: such runs come back as they were */
	uint64_t refused; /* runs that were left out */
	/* the rest is run_times.c's */
	struct arena arena;
	struct event *held; /* RUN_START, until the next event shows whether the run has times */
	bool laid_out, skipping;
	int64_t clock;
	char text[36];
};

/* Ready for the first run; until run_times_free. `own` is a constant, or has p NULL. */
void run_times_init(struct run_times *t, int64_t start_ns, struct str own);
void run_times_free(struct run_times *t);

/*
 * The next finished event, on to `put`: as it is, or with a time of the source MOMENT_LAID_OUT. Nothing goes on of a
 * run that is left out, not even its start. False only when `put` was.
 */
bool run_times_add(struct run_times *t, const struct event *e,
		   bool (*put)(void *context, const struct event *e, struct err *err), void *context, struct err *err);

#endif
