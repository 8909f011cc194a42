/* The fields of agent-trace/v1: the tables of the text, and the place of each field in them. */
#ifndef DIALECT_AGENT_TRACE_FIELDS_H
#define DIALECT_AGENT_TRACE_FIELDS_H

#include "dialect/field.h"

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
	SM_FIELDS,
};

#define AT_ADDITIVE 12 /* fields known everywhere and never required: the last rows of every large table */
#define AT_FIELDS 40   /* at most, in any of them */

extern const struct record_type at_node, at_summary;
extern const struct record_type at_model_call, at_tool_call, at_branch;
extern const struct record_type at_total_tokens, at_redaction;

/* An element of parent_node_ids and siblings. */
extern const struct field at_id_field;

#endif
