/*
 * One line of an agent-trace with everything it says, for whoever keeps a whole run in memory (flow/trace_load.h).
 * trace_row.h reads the figures; here are the ids, the edges and the exact times beside them. As tolerant as that.
 */
#ifndef DIALECT_AGENT_TRACE_TRACE_ENTRY_H
#define DIALECT_AGENT_TRACE_TRACE_ENTRY_H

#include "dialect/agent_trace/trace_row.h"

/* What a line says beside its row. Texts point into the line or the arena; p is NULL when there is none. */
struct trace_entry {
	struct trace_row row;
	int64_t from_ns, to_ns; /* the digits of the line: a double has no nanoseconds. `to` may be before `from` */
	const struct str *parents, *siblings; /* texts only; row.parent_count counts what stands there */
	uint32_t parent_count, sibling_count;
	/* a model call */
	struct str endpoint, request_id, response_id, stop_reason, tool_choice, cost_source;
	struct str hash_ids; /* JSON, an array */
	double tpot, ttfb, ttfc; /* seconds; negative when not known */
	uint8_t stream;          /* enum truth */
	bool measured;           /* kv_pressure_label */
	bool refused;
	/* a tool call */
	struct str call_id, result_kind, wall_source;
	struct str args_hash, result_hash; /* "sha256:...", by who saw the content (flow/trace_load.h) */
	struct figure size;
	uint8_t external, io_bound; /* enum truth */
	/* the summary */
	struct str framework_version; /* JSON, an object */
	uint8_t prompts_redacted, args_redacted; /* enum truth */
	double stall_total, stall_share;         /* negative when not known */
};

/* Fills in *e as trace_row_read does its row. */
void trace_entry_read(struct trace_entry *e, struct arena *a, struct val line, bool any_version);

#endif
