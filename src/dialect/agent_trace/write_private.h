/* What the parts of the writer of traces share: write.c, node.c, keep.c, sum.c and total.c. */
#ifndef DIALECT_AGENT_TRACE_WRITE_PRIVATE_H
#define DIALECT_AGENT_TRACE_WRITE_PRIVATE_H

#include "dialect/agent_trace/agent_trace.h"
#include "dialect/agent_trace/dag.h"
#include "dialect/agent_trace/trace_line.h"
#include "dialect/reading/waiting.h"
#include "dialect/writing.h"
#include "json/write.h"
#include "model/money.h"

#define AT_KEY "agent-trace/1" /* what a trace had beyond the model */

/* What the nodes written so far come to. */
struct at_sums {
	uint64_t counts[AT_KINDS];
	int64_t input, output;
	double stall;          /* seconds */
	uint64_t stalls;       /* calls whose stall is known */
	struct money money;
	bool has_from, has_to; /* times that a log gave, not made up ones */
	int64_t from_us, to_us;
};

/* What a model of the run used: as the log states it in all, and as its calls tell it. */
struct at_total {
	struct at_total *next;
	struct str model; /* p NULL: of no model that is named */
	bool is_stated;
	struct usage stated, told;
	struct amount usd; /* stated, and no call's */
};

#define AT_MODELS 64 /* told apart; the others are one */

struct at_totals {
	struct arena arena; /* of the run */
	struct at_total *first, **last;
	size_t count;
	double stated_ms, told_ms; /* how long the calls took */
	bool is_told;              /* some calls tell what they used */
};

struct at_trace {
	struct writing *w;
	struct json_parser *parser;
	struct arena arena; /* of one event */
	struct dag dag;
	struct id run;
	struct buf trace_id, version, model; /* of the run, or the output */
	struct str framework;
	uint64_t runs, nodes;
	bool kept;          /* the run was a trace before: its nodes are written as they were */
	bool has_summary;
	struct buf summary; /* as it was */
	enum run_status status;
	struct at_sums sums;
	struct at_totals totals;
	struct waiting waiting; /* nodes, by their ends */
	struct buf line;
	/* the step at hand, which may still get its price, and the calls it asked for */
	struct buf step;
	struct json_writer step_json;
	bool step_open;
	int64_t step_us;
	struct amount usd;
	struct dag_call *group, **group_end;
	size_t group_count;
	struct dag_line *group_line;
	int64_t group_us;
};

/* ---- nodes ---- */

/* A new id for a node of this kind that ends at `us`: the same for the same run and number of nodes before it. */
struct id at_new_id(struct at_trace *t, enum at_kind kind, int64_t us);

/*
 * Begins the line of a node in `out` and leaves its object open. The parents go into n->parents. `dated`: its times are
 * the log's, and count for the summary.
 */
void at_begin_node(struct at_trace *t, struct json_writer *j, struct buf *out, const struct trace_node *n, bool dated);

/* Its line is complete: it is written when its turn comes, and the buffer is empty again. */
void at_end_node(struct at_trace *t, struct json_writer *j, int64_t to_us);

/* How long a call took; 0 seconds when nobody knows. */
struct at_length {
	double seconds;
	bool inferred;
};

/* Writes "model_call" of a step and leaves its object open, for the price that may still come (at_write_usd). */
void at_write_model_call(struct at_trace *t, struct json_writer *j, const struct event *e, struct at_length latency,
			 bool failed);

/* Adds a price to others; the sum is an estimate when any of them is. */
void at_add_usd(struct amount *sum, struct amount more);

/* Adds estimated_cost_usd and cost_source to the object that is open; nothing when the price is not known. */
void at_write_usd(struct at_trace *t, struct json_writer *j, struct amount usd);

/* What a call ended with. */
struct at_finish {
	const struct event *e; /* RESULT or ERROR */
	bool result;           /* there was one */
};

/* Writes "tool_call" of a call that ended at `to` (microseconds), and adds its stall to the sums. */
void at_write_tool_call(struct at_trace *t, struct json_writer *j, const struct dag_call *c, const struct at_finish *f,
			int64_t to);

/* Whether a moment is the log's own, or computed from such. */
bool at_is_timed(struct moment m);

/* Whether an amount of milliseconds can be a length: known, finite, not negative, and below 1e15. */
bool at_is_length(struct amount a);

/* ---- the summary ---- */

/* Nanoseconds to microseconds, rounded down, also before 1970. */
int64_t at_us(int64_t ns);

/* A time of a node, for the summary. */
void at_sum_time(struct at_sums *s, int64_t from_us, int64_t to_us);

/* Adds the tokens of a node, as far as they are known. Sums stop at INT64_MAX. */
void at_sum_tokens(struct at_sums *s, const struct usage *u);

/*
 * Writes the line of the summary, as the sums have it, to the output. The status that is not known is "interrupted".
 */
void at_write_summary(struct at_trace *t);

/* ---- what a log states only in total ---- */

/* Sets up what is empty, as after at_total_reset. Its arena is the caller's to free. */
void at_total_init(struct at_totals *all);

/* A run begins: nothing is stated and nothing told. */
void at_total_reset(struct at_totals *all);

/* Whether a COST is said of a whole run or turn, by its flag or its scope. */
bool at_is_total(const struct event *e);

/* A model call that is a node; a COST. The COSTs of a run add up to its totals (assemble.h). */
void at_total_tell(struct at_trace *t, const struct event *step, double latency);
void at_total_state(struct at_trace *t, const struct event *cost);

/*
 * The run is over: writes a node for each model of which more is stated than its calls tell, and resets the totals.
 * `end` gives the time.
 */
void at_total_write(struct at_trace *t, const struct event *end);

/* An event that was a node of a trace before: written as it was. False when it was none. */
bool at_keep_node(struct at_trace *t, const struct event *e);

/* The same of a summary, into t->summary. */
bool at_keep_summary(struct at_trace *t, const struct event *e);

#endif
