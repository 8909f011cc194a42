/*
 * Any log as what an audit counts. Every use gets the seq of its record: the one that an OTUTL log has, or the one that
 * `trackway convert --to otutl` would give it. To know that one, the events go through the OTUTL writer on the way.
 */
#ifndef FLOW_AUDIT_LOAD_H
#define FLOW_AUDIT_LOAD_H

#include "flow/trace_load.h"
#include "transform/audit.h"

struct audit_list {
	struct arena *arena; /* of everything */
	struct audit_run **runs;
	size_t count, cap;
};

/*
 * Adds every run of the inputs to the list. `f` says what is read and how; its `input` is not used. False, with *err,
 * as event_load without `input`.
 */
bool audit_load(struct log_flow *f, struct audit_list *out, struct err *err);

#endif
