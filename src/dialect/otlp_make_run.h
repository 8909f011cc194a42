/* What the parts of otlp_make share: otlp_make.c (runs and calls), otlp_make_span.c (what all spans have). */
#ifndef DIALECT_OTLP_MAKE_RUN_H
#define DIALECT_OTLP_MAKE_RUN_H

#include "base/id.h"
#include "base/map.h"
#include "dialect/otlp_make.h"

/* A call that waits for its result. */
struct open_call {
	struct arena arena;
	struct event *e; /* NULL: the slot is free */
	uint32_t seq;
	size_t number, next; /* its place; free: the number + 1 of the next free one, 0 for none */
};

struct otlp_make {
	struct losses *losses;
	void (*span)(void *context, struct str json);
	void *context;
	struct arena run;
	struct id run_id;
	struct event *start; /* RUN_START */
	struct map calls;    /* id to slot + 1 */
	struct open_call **slots;
	size_t slot_count, slot_cap, free; /* free: the number + 1 of a free slot */
	struct arena held; /* of the step */
	struct event *step;
	struct buf input, output, events; /* messages for the next step; parts of the answer; events of the root */
	struct buf text;
	struct event *cost; /* of the step */
	struct usage total; /* that no step has */
	uint64_t steps;
	uint32_t seq, step_seq, cost_seq; /* places in the run: of the event at hand, of the step, of its cost */
	int64_t first, last;
};

/* ---- otlp_make_span.c ---- */

void otlp_make_add(struct buf *out, const char *text);
void otlp_make_text(struct buf *out, const char *key, struct str text);
void otlp_make_seq(struct buf *out, const char *key, uint32_t seq);

/* A span in m->text, from its beginning to the list of its attributes; in this order. */
void otlp_make_ids(struct otlp_make *m, struct str name, struct str parent);
void otlp_make_name(struct otlp_make *m, const char *operation, struct str name);
void otlp_make_times(struct otlp_make *m, const char *kind, int64_t start, int64_t end);

/* Attributes. */
void otlp_make_common(struct otlp_make *m, const char *operation, const char *kind, uint32_t seq);
void otlp_make_usage(struct otlp_make *m, const struct usage *u);
void otlp_make_other_time(struct otlp_make *m, const char *key, int64_t ns, int64_t span);

/* It is complete, and given away. */
void otlp_make_end(struct otlp_make *m, bool error, struct str message);

/* By these names spans get their ids: that of a call, and that of what stands around an event inside a call. */
struct str otlp_make_call_name(struct arena *a, struct str id);
struct str otlp_make_parent(struct otlp_make *m, struct arena *a, struct str call);

#endif
