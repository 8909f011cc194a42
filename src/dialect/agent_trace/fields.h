/* The fields of agent-trace/v1: the tables of the text, and the place of each field in them. */
#ifndef DIALECT_AGENT_TRACE_FIELDS_H
#define DIALECT_AGENT_TRACE_FIELDS_H

#include "dialect/record/field.h"

enum model_call_field {
	MC_ENDPOINT,
	MC_MODEL,
	MC_INPUT,
	MC_OUTPUT,
	MC_INPUT_SOURCE,
	MC_OUTPUT_SOURCE,
	MC_TTFT,
	MC_TPOT,
	MC_LATENCY,
	MC_TOOL_CHOICE,
	MC_STREAM,
	MC_STOP,
	MC_REQUEST_ID,
	MC_KV,
	MC_FIELDS,
};

enum tool_call_field { TC_NAME, TC_WALL, TC_STALL, TC_SIZE, TC_KIND, TC_EXTERNAL, TC_IO, TC_FIELDS };

enum branch_field { BR_KIND, BR_SIBLINGS, BR_FIELDS };

enum node_field {
	ND_VERSION,
	ND_EVENT,
	ND_TRACE,
	ND_ID,
	ND_PARENTS,
	ND_START,
	ND_END,
	ND_KIND,
	ND_FRAMEWORK,
	ND_MODEL_CALL,
	ND_TOOL_CALL,
	ND_BRANCH,
	ND_FIELDS,
};

enum tokens_field { TT_INPUT, TT_OUTPUT };

enum redaction_field { RD_PROMPTS, RD_ARGS };

enum summary_field {
	SM_VERSION,
	SM_EVENT,
	SM_TRACE,
	SM_STARTED,
	SM_COMPLETED,
	SM_TOTAL,
	SM_COUNTS,
	SM_TOKENS,
	SM_STALL,
	SM_STALL_PCT,
	SM_EXIT,
	SM_ERROR,
	SM_FRAMEWORK,
	SM_RIG,
	SM_ENGINE,
	SM_REDACTION,
	SM_STALL_UNKNOWN,
	SM_FIELDS,
};

/* Fields known everywhere and never required: the last rows of every large table. */
enum additive_field {
	AF_TTFB,
	AF_TTFC,
	AF_CACHE_READ,
	AF_CACHE_WRITE,
	AF_REASONING,
	AF_USD,
	AF_PARTIAL,
	AF_INFERRED,
	AF_WALL_SOURCE,
	AF_AGENT_ID,
	AF_CALL_ID,
	AF_HASH_IDS,
	AF_RESPONSE_ID,
	AF_COST_SOURCE,
	AF_KNOWN_BY,
	AF_TOTAL_ONLY,
	AF_REFUSED,
	AT_ADDITIVE,
};

#define AT_FIELDS 40 /* at most, in any of them */

extern const struct record_type at_node, at_summary;
extern const struct record_type at_model_call, at_tool_call, at_branch;
extern const struct record_type at_total_tokens, at_redaction;

/* An element of parent_node_ids and siblings. */
extern const struct field at_id_field;

/* Whether `inferred`, the list of members that nobody said, has this one. False when it is no list. */
bool at_list_names(struct val list, struct str name);

#endif
