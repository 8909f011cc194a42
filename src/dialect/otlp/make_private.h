/* What the parts of otlp_make share: otlp/make.c (runs and calls), otlp/make_step.c, otlp/make_span.c (any span). */
#ifndef DIALECT_OTLP_MAKE_PRIVATE_H
#define DIALECT_OTLP_MAKE_PRIVATE_H

#include "base/id.h"
#include "base/map.h"
#include "dialect/otlp/make.h"

/* A call that waits for its result. */
struct open_call {
	struct arena arena;
	struct event *e; /* NULL: the slot is free */
	struct event *end; /* its RESULT or ERROR, when that came; the span waits for the calls inside it */
	uint32_t seq, end_seq;
	size_t number, next; /* its place; free: the number + 1 of the next free one, 0 for none */
	size_t range;        /* its place in the maker's ranges */
	size_t around;       /* that of the call it is inside, plus 1; 0 for none that is open */
};

/* From when to when the span of a call is; wider than the call when something inside is. */
struct otlp_range {
	int64_t from, to;
	size_t open; /* calls inside it that have not ended */
	size_t slot; /* of the call, while it is open */
	bool done;   /* the span was given away */
};

#define OTLP_OPEN_STEPS 64 /* the oldest goes when there are more */

/* A step that may still be told of calls. */
struct otlp_step {
	struct arena arena;
	struct event *e, *cost;
	struct buf input, output; /* messages to it; parts of the answer */
	uint64_t number;          /* of the run's steps */
	size_t awaited, asked;    /* calls: that it lists, 0 when it does not say; that have come */
	uint32_t seq, cost_seq;   /* places in the run */
};

struct otlp_make {
	struct losses *losses;
	void (*span)(void *context, struct str json);
	void *context;
	struct arena run, all; /* lasts for the run; for all of them */
	struct map runs;       /* ids of traces that there are */
	struct id run_id;
	struct event *start; /* RUN_START */
	struct map calls;    /* id to slot + 1 */
	struct map ranged;   /* id of a call to its range + 1 */
	struct otlp_range *ranges;
	size_t range_count, range_cap;
	struct map branches; /* name of a branch to its results + 1 */
	struct buf *results; /* of each branch: those that its next step is told of, as messages */
	size_t result_count, result_cap;
	struct open_call **slots;
	size_t slot_count, slot_cap, free; /* free: the number + 1 of a free slot */
	struct otlp_step *open[OTLP_OPEN_STEPS]; /* in the order they began */
	size_t open_count;
	struct json_parser *parser;
	struct buf input, events; /* messages for the next step; events of the root */
	struct buf text;
	struct usage total; /* that no step has */
	uint64_t steps;
	uint32_t seq; /* the place in the run of the event at hand */
	int64_t first, last;
};

/* ---- otlp/make_step.c ---- */

/* STEP: those before it in its branch are complete, unless they list calls that are still to come. */
void otlp_make_step(struct otlp_make *m, const struct event *e);

/* CALL: a part of what the step that asked for it said, if that is still open. */
void otlp_make_asked(struct otlp_make *m, const struct event *call);

/* COST: true when it only repeats what the step before it says of itself; it is kept with that step. */
bool otlp_make_step_cost(struct otlp_make *m, const struct event *e);

/* Those that list their calls and have them are complete; all that are open are; or are forgotten. */
void otlp_make_end_told_steps(struct otlp_make *m);
void otlp_make_end_steps(struct otlp_make *m);
void otlp_make_forget_steps(struct otlp_make *m);

/*
 * Messages to a model, as an attribute; nothing when there are none. `messages` lacks its closing bracket, and is empty
 * afterwards.
 */
void otlp_make_input(struct otlp_make *m, struct buf *messages);

/* RESULT of this call: the next step of its branch is told of it. */
void otlp_make_told_result(struct otlp_make *m, const struct event *call, const struct event *result);

/* ---- otlp/make_span.c ---- */

/* A new call's range, or that of the call of this id, or NULL. */
size_t otlp_make_range_add(struct otlp_make *m, struct str call, int64_t at);
struct otlp_range *otlp_make_range_of(struct otlp_make *m, struct str call);

/* Something is inside a call (n 0: none that is known), or inside the root: both become as wide as that. */
void otlp_make_widen(struct otlp_make *m, struct str call, int64_t from, int64_t to);

/*
 * A span in m->text, from its beginning to the list of its attributes; in this order. For otlp_make_ids,
 * `name` and `parent` are names as below, not ids; a parent with p NULL is none. Times are nanoseconds: without a
 * start (0) neither is written, and an end before the start is the start.
 */
void otlp_make_ids(struct otlp_make *m, struct str name, struct str parent);
void otlp_make_name(struct otlp_make *m, const char *operation, struct str name);
void otlp_make_times(struct otlp_make *m, const char *kind, int64_t start, int64_t end);

/*
 * Attributes, behind those that are there. otlp_make_other_time writes a time only when there is one (above 0) and
 * it is not the span's.
 */
void otlp_make_common(struct otlp_make *m, const char *operation, const char *kind, uint32_t seq);
void otlp_make_usage(struct otlp_make *m, const struct usage *u);
void otlp_make_other_time(struct otlp_make *m, const char *key, int64_t ns, int64_t span);

/*
 * Who answered a step, by the conventions' word: what the step says, its server, the run, the vendor of the log.
 * `step` NULL: the run. "unknown" when nothing tells. A constant, or a text of the event.
 */
struct str otlp_make_provider(const struct otlp_make *m, const struct event *step);

/* The span is complete: closes its attributes, adds a status if it failed (message.n 0: none), and gives it away. */
void otlp_make_end(struct otlp_make *m, bool error, struct str message);

/*
 * By these names spans get their ids: that of a call, and that of what stands around an event inside a call: "root"
 * when no such call is known, and when its span was given away and does not reach from `from` to `to`: readers cut off
 * what is outside. Then *moved is true. In the arena or a constant.
 */
struct str otlp_make_call_name(struct arena *a, struct str id);
struct str otlp_make_parent(struct otlp_make *m, struct arena *a, struct str call, int64_t from, int64_t to,
			    bool *moved);

#endif
