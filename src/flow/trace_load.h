/*
 * The door for whoever wants whole runs: any log that can be read, as runs in memory. An agent-trace is taken as it is,
 * digit by digit; every other format is converted to one on the way, as `trackway convert --to agent-trace` would, each
 * run by itself. And the same for whoever wants events: any log, as finished events one after the other.
 *
 * Inputs that cannot be read are told to the caller, and the others go on.
 */
#ifndef FLOW_TRACE_LOAD_H
#define FLOW_TRACE_LOAD_H

#include "dialect/agent_trace/trace.h"
#include "flow/convert.h"

/* How a log is read, and who hears about it. All callbacks get the context. */
struct log_flow {
	struct source *from;        /* opened with SOURCE_CONTENT and file_groups */
	const struct dialect *as;   /* NULL: by content */
	unsigned jobs;
	bool permissive;            /* other versions of agent-trace are read as if they were v1 */
	const struct prices *prices; /* NULL: nothing is priced that the log does not price */
	struct price_gaps *unpriced; /* trace_load: gets the models that had no price; may be NULL */
	bool hashes; /* trace_load: tool calls get digests of their arguments and results, where the log has these */
	/*
	 * An input is over; NULL: one that fails ends everything with its error. `unreadable` and `torn` are filled in
	 * for agent-traces too. False, with *err, stops.
	 */
	bool (*input)(void *context, const struct convert_input *input, struct err *err);
	/*
	 * trace_load only: the agent-trace that runs are read from, as it stands or as it was converted; may be NULL. A
	 * new one begins with `begins`, before any of its runs are in the list. False, with *err, stops.
	 */
	bool (*bytes)(void *context, bool begins, struct str bytes, struct err *err);
	void (*tick)(void *context, const struct source *from); /* may be NULL */
	void (*see)(void *context, struct str bytes); /* of each input that is read, in order; may be NULL */
	void (*begin)(void *context, const struct dialect *from); /* its events follow; may be NULL */
	/* trace_load, trace_visit: each event of a log that is converted, as event_load gives them; may be NULL */
	void (*event)(void *context, const struct event *e);
	/*
	 * Formats whose events are wanted as each line gives them, neither paired nor completed; ended by
	 * NULL, or NULL for none.
	 */
	const struct dialect *const *as_read;
	void *context;
};

/*
 * Adds every run of the inputs to the list and finishes it. False, with *err, when a callback stops it, when we are to
 * stop, or (without `input`) when an input cannot be read.
 */
bool trace_load(struct log_flow *f, struct trace_list *out, struct err *err);

/*
 * The same line by line, in memory that does not grow with the runs: each node and each summary to `entry`, which lives
 * for the call. Runs of one input may alternate; trace ids tell them apart. Fails as trace_load does.
 */
bool trace_visit(struct log_flow *f, void (*entry)(void *context, const struct trace_entry *e), struct err *err);

/* Finished events of every run to `event`, as model/assemble.h promises them. Fails as trace_load does. */
bool event_load(struct log_flow *f, bool (*event)(void *context, const struct event *e, struct err *err),
		struct err *err);

/* The error for an input that is no log or could not be read; false. For callers without more to say. */
bool log_refuse(const struct convert_input *input, struct err *err);

#endif
