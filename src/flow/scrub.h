/* What a trace without content leaves out of the events it is made of: how much of each class, and which names, ids and
 * addresses were not fit to stand in it. Counts only. */
#ifndef FLOW_SCRUB_H
#define FLOW_SCRUB_H

#include "model/event.h"
#include "transform/redact.h"

enum scrub_name { SCRUB_MODELS, SCRUB_TOOLS, SCRUB_IDS, SCRUB_ENDPOINTS, SCRUB_NAMES };

struct scrub {
	struct redact_sum left_out[REDACT_CLASSES];
	struct redact_sum cleaned[SCRUB_NAMES]; /* `bytes` is 0 */
};

void scrub_init(struct scrub *s);

/* Adds an event of a run; `scrub` is a struct scrub, so that it can be a sink's `seen`. */
void scrub_add(void *scrub, const struct event *e);

#endif
