/*
 * The id of a run whose source has none. It is made of what the run holds, as its OTUTL log has it; whatever it is
 * converted to, it is the same. So its first events are kept until the id is known: at the end of the run, or after a
 * mebibyte of the log.
 */
#ifndef FLOW_RUN_NAME_H
#define FLOW_RUN_NAME_H

#include "base/err.h"
#include "model/event.h"

struct run_name;

/* One for a conversion: a run that comes twice has two ids. `chunks` as it is for the output. */
struct run_name *run_name_open(bool chunks);
void run_name_close(struct run_name *n);

/*
 * Takes the next event of such a run, RUN_START first, and copies it. False, with *err, when the log of the id cannot
 * be made.
 */
bool run_name_add(struct run_name *n, const struct event *e, struct err *err);

/* Whether the id of the run is known; then the events are to be taken back. */
bool run_name_is_known(const struct run_name *n);

/*
 * What was kept, in order, with the id as a member `run_id` of RUN_START, as an OTUTL log has it. Only when the id is
 * known. Events last for the call of `put`; its false, with *err, ends the giving. Ready for another run afterwards.
 */
bool run_name_give(struct run_name *n, bool (*put)(void *context, const struct event *e, struct err *err),
		   void *context, struct err *err);

#endif
