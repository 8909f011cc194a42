/*
 * One line of an agent-trace, read for its figures: what a look at a run needs. Tolerant: whatever is missing is
 * not known, and only a line that says neither what nor when is of no use. Whether the trace is right is for
 * `validate` to say.
 */
#ifndef DIALECT_AGENT_TRACE_TRACE_ROW_H
#define DIALECT_AGENT_TRACE_TRACE_ROW_H

#include "dialect/agent_trace/agent_trace.h"
#include "model/event.h"

enum trace_row_type {
	TRACE_ROW_NODE,
	TRACE_ROW_SUMMARY,
	TRACE_ROW_VERSION, /* an event of another version than agent-trace/v1, or one that names none */
	TRACE_ROW_OTHER,   /* JSON, but no event of a trace that could be used */
};

/* How sure a length of time is, from sure to least sure. */
enum trace_length {
	TRACE_LENGTH_MEASURED,
	TRACE_LENGTH_ABOUT,   /* worked out from times that stand in a log */
	TRACE_LENGTH_AT_MOST, /* the time between two other things: it took no longer */
};

/* Texts point into the line or the arena; p is NULL when there is none. Seconds are negative when not known. */
struct trace_row {
	enum trace_row_type type;
	struct str trace, framework;
	/* a node */
	enum at_kind kind;
	struct str id, parent, agent; /* parent: the first one */
	size_t parent_count;
	int64_t from_us, to_us; /* since 1970; never before `from` */
	bool partial, inferred;
	unsigned layers; /* known_by: a bit for each enum sight_layer */
	enum trace_length length;
	bool untimed;    /* nobody knows when it was, or how long it took */
	bool total_only; /* a model call that is none: what a log states only in total */
	bool failed; /* a model call whose stop_reason is "error", and no refusal */
	/* a model call */
	struct str model;
	struct usage usage;
	struct amount usd;
	double latency, ttft;
	/* a tool call */
	struct str tool;
	double wall, stall;
	bool external;
	/* a branch */
	struct str branch;
	size_t siblings;
	/* the summary: from_us and to_us are its own */
	/* TRACE_ROW_VERSION: what it says, "" for nothing; also of a node that was read all the same */
	struct str version;
	struct str exit_status, error, rig, engine;
	double total; /* seconds */
};

/*
 * Fills in *r from one parsed line, whatever it is: one that is neither a node nor a summary is TRACE_ROW_OTHER, and
 * what a line does not say is negative, absent or false. Texts are in the input or the arena. `any_version`: lines of
 * other versions are read as if they were v1.
 */
void trace_row_read(struct trace_row *r, struct arena *a, struct val line, bool any_version);

#endif
