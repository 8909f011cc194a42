/*
 * The tables follow the order of the spec's text. Additive fields are the last rows of each, so that one offset
 * finds them.
 */
#include "dialect/agent_trace/fields.h"

#include "dialect/agent_trace/agent_trace.h"
#include "dialect/agent_trace/trace_line.h"

const struct str agent_trace_kinds[AT_KINDS] = {
	WORD("model_call"), WORD("tool_call"), WORD("branch"), WORD("retry"), WORD("user_input"), WORD("system"),
};

#define ID { NULL, T_STRING, FIELD_REQUIRED, CHECK_NOT_EMPTY, .rule = AT022 }
#define SECONDS CHECK_NOT_NEGATIVE, .rule = AT040
#define TOKENS CHECK_NOT_NEGATIVE, .rule = AT041

#define ADDED(member) FIELD_AT(struct trace_added, member), .unknown = UNKNOWN_ABSENT

const struct str agent_trace_layers[SIGHT_LAYERS] = {
	[SIGHT_PROXY] = WORD("proxy"), [SIGHT_HOOK] = WORD("hook"),   [SIGHT_OTLP] = WORD("otlp"),
	[SIGHT_MCP] = WORD("mcp"),     [SIGHT_SHELL] = WORD("shell"),
};

#define KNOWN_BY CHECK_WORD, .rule = AT030, .words = &(const struct words){ agent_trace_layers, SIGHT_LAYERS }

static const struct field known_by_word = { NULL, T_STRING, FIELD_REQUIRED, KNOWN_BY };

/* Known everywhere, never required: what this project and others add. */
#define ADDITIVE_FIELDS \
	{ "ttfb_seconds", T_NUMBER, FIELD_EXTRA, SECONDS, ADDED(ttfb), .about = "request to first byte" }, \
	{ "ttfc_seconds", T_NUMBER, FIELD_EXTRA, SECONDS, ADDED(ttfc), .about = "request to first visible content" }, \
	{ "cache_read_tokens", T_INTEGER, FIELD_EXTRA, TOKENS, ADDED(usage.cache_read), \
	  .about = "of input_tokens, read from a cache" }, \
	{ "cache_write_tokens", T_INTEGER, FIELD_EXTRA, TOKENS, ADDED(usage.cache_write), \
	  .about = "of input_tokens, written to a cache" }, \
	{ "reasoning_tokens", T_INTEGER, FIELD_EXTRA, TOKENS, ADDED(usage.reasoning), \
	  .about = "of output_tokens, spent on reasoning" }, \
	{ "estimated_cost_usd", T_NUMBER, FIELD_EXTRA, .about = "price of the call" }, \
	{ "partial", T_BOOL, FIELD_EXTRA, ADDED(partial), .about = "the stream was cut off" }, \
	{ "inferred", T_ANY, FIELD_EXTRA, FIELD_AS(KIND_JSON, struct trace_added, concluded), \
	  .unknown = UNKNOWN_ABSENT, .about = "not observed, concluded" }, \
	{ "wall_time_source", T_STRING, FIELD_EXTRA, ADDED(wall_source), \
	  .about = "where wall_time_seconds comes from" }, \
	{ "agent_id", T_STRING, FIELD_EXTRA, ADDED(agent), .about = "which agent of several" }, \
	{ "call_id", T_STRING, FIELD_EXTRA, ADDED(call), .about = "the provider's id of the tool call" }, \
	{ "hash_ids", T_ARRAY, FIELD_EXTRA, FIELD_AS(KIND_JSON, struct trace_added, hash_ids), \
	  .unknown = UNKNOWN_ABSENT, .about = "hashed blocks of the prompt" }, \
	{ "response_id", T_STRING, FIELD_EXTRA, ADDED(response_id), .about = "the id in the answer's body" }, \
	{ "cost_source", T_STRING, FIELD_EXTRA, CHECK_WORD, .rule = AT030, \
	  .words = WORDS(WORD("api"), WORD("estimated")), .about = "who says the price" }, \
	{ "known_by", T_ARRAY | T_STRING, FIELD_EXTRA, KNOWN_BY, .each = &known_by_word, \
	  FIELD_AS(KIND_JSON, struct trace_added, known_by), .unknown = UNKNOWN_ABSENT, \
	  .about = "the layers that saw it, most exact first" }, \
	{ "total_only", T_BOOL, FIELD_EXTRA, ADDED(total_only), \
	  .about = "the node carries what a log states only in total" }, \
	{ "refused", T_BOOL, FIELD_EXTRA, ADDED(refused), .about = "a filter or the model's refusal ended the answer" }

/* The structs begin with the same members, so that one row is right for all of them. */
#define SAME_HEAD(struct_) \
	_Static_assert(offsetof(struct_, agent) == 0 && \
			       offsetof(struct_, hash_ids) == offsetof(struct trace_added, hash_ids), "the same head")
SAME_HEAD(struct trace_node);
SAME_HEAD(struct trace_model);
SAME_HEAD(struct trace_tool);

#define AT(member) FIELD_AT(struct trace_model, member)
#define AS(kind, member) FIELD_AS(kind, struct trace_model, member)

static const struct field model_call_fields[] = {
	[MC_ENDPOINT] = { "endpoint", T_STRING, FIELD_REQUIRED, AT(endpoint), .about = "where the request went" },
	[MC_MODEL] = { "model", T_STRING, FIELD_REQUIRED, AT(model), .about = "the model asked for" },
	[MC_INPUT] = { "input_tokens", T_INTEGER, FIELD_REQUIRED, TOKENS, AT(usage.input), .about = "the full prompt" },
	[MC_OUTPUT] = { "output_tokens", T_INTEGER, FIELD_REQUIRED, TOKENS, AT(usage.output),
			.about = "what was generated" },
	[MC_INPUT_SOURCE] = { "input_tokens_source", T_STRING, FIELD_REQUIRED, CHECK_WORD, .rule = AT030,
			      AS(KIND_SOURCE, usage.input), .words = WORDS(WORD("api"), WORD("estimated")) },
	[MC_OUTPUT_SOURCE] = { "output_tokens_source", T_STRING, FIELD_REQUIRED, CHECK_WORD, .rule = AT030,
			       AS(KIND_SOURCE, usage.output), .words = WORDS(WORD("api"), WORD("estimated")) },
	[MC_TTFT] = { "ttft_seconds", T_NUMBER, FIELD_OPTIONAL, SECONDS, AT(ttft), .about = "request to first token" },
	[MC_TPOT] = { "tpot_seconds", T_NUMBER, FIELD_OPTIONAL, SECONDS, AT(tpot),
		      .about = "time for each further token" },
	[MC_LATENCY] = { "latency_seconds", T_NUMBER, FIELD_REQUIRED, SECONDS, AT(latency),
			 .about = "request to last token" },
	[MC_TOOL_CHOICE] = { "tool_choice", T_STRING, FIELD_OPTIONAL, CHECK_WORD, .rule = AT030, AT(tool_choice),
			     .words = WORDS(WORD("auto"), WORD("required"), WORD("none")) },
	[MC_STREAM] = { "stream", T_BOOL, FIELD_REQUIRED, AT(stream), .about = "whether the answer was streamed" },
	[MC_STOP] = { "stop_reason", T_STRING, FIELD_OPTIONAL, CHECK_WORD, .rule = AT030, AT(stop_reason),
		      .words = WORDS(WORD("tool_use"), WORD("end_turn"), WORD("length"), WORD("error")) },
	[MC_REQUEST_ID] = { "request_id", T_STRING, FIELD_OPTIONAL, AT(request_id),
			    .about = "the provider's id of the request" },
	[MC_KV] = { "kv_pressure_label", T_STRING, FIELD_OPTIONAL, CHECK_WORD, .rule = AT030, AT(kv_pressure),
		    .words = WORDS(WORD("measured"), WORD("inferred_without_engine_metrics")) },
	ADDITIVE_FIELDS,
};

/* The price comes last, and not by its row: it may not be known yet when the rest is written. */
static const uint8_t model_call_order[] = {
	MC_ENDPOINT, MC_MODEL, MC_INPUT, MC_INPUT_SOURCE, MC_OUTPUT, MC_OUTPUT_SOURCE, MC_TTFT, MC_TPOT, MC_LATENCY,
	MC_TOOL_CHOICE, MC_STREAM, MC_STOP, MC_REQUEST_ID, MC_KV, MC_FIELDS + AF_RESPONSE_ID, MC_FIELDS + AF_TTFB,
	MC_FIELDS + AF_TTFC, MC_FIELDS + AF_CACHE_READ, MC_FIELDS + AF_CACHE_WRITE, MC_FIELDS + AF_REASONING,
	MC_FIELDS + AF_PARTIAL, MC_FIELDS + AF_REFUSED, MC_FIELDS + AF_INFERRED, MC_FIELDS + AF_HASH_IDS,
	MC_FIELDS + AF_USD,
};

#undef AT
#undef AS

const struct record_type at_model_call = {
	.name = "model_call", RECORD_TYPE(model_call_fields), .about = "one request to a model",
	RECORD_ORDER(model_call_order),
};

#define AT(member) FIELD_AT(struct trace_tool, member)

static const struct field tool_call_fields[] = {
	[TC_NAME] = { "name", T_STRING, FIELD_REQUIRED, AT(name), .about = "the tool, without arguments" },
	[TC_WALL] = { "wall_time_seconds", T_NUMBER, FIELD_REQUIRED, SECONDS, AT(wall), .about = "how long it took" },
	[TC_STALL] = { "stall_seconds", T_NUMBER, FIELD_OPTIONAL, SECONDS, AT(stall), .about = "of that, waiting" },
	[TC_SIZE] = { "result_size_bytes", T_INTEGER, FIELD_OPTIONAL, CHECK_NOT_NEGATIVE, .rule = AT042, AT(size),
		      .about = "size of the result" },
	[TC_KIND] = { "result_kind", T_STRING, FIELD_OPTIONAL, CHECK_WORD, .rule = AT030, AT(result_kind),
		      .words = WORDS(WORD("text"), WORD("json"), WORD("image"), WORD("binary")) },
	[TC_EXTERNAL] = { "is_external", T_BOOL, FIELD_REQUIRED, AT(external), .about = "touches an external system" },
	[TC_IO] = { "is_io_bound", T_BOOL, FIELD_REQUIRED, AT(external), .about = "mostly waits" },
	ADDITIVE_FIELDS,
};

static const uint8_t tool_call_order[] = {
	TC_NAME, TC_WALL, TC_STALL, TC_SIZE, TC_KIND, TC_EXTERNAL, TC_IO, TC_FIELDS + AF_WALL_SOURCE,
	TC_FIELDS + AF_CALL_ID, TC_FIELDS + AF_PARTIAL,
};

const struct record_type at_tool_call = {
	.name = "tool_call", RECORD_TYPE(tool_call_fields), .about = "one call of a tool",
	RECORD_ORDER(tool_call_order),
};

#undef AT

const struct field at_id_field = ID;

static const struct field branch_fields[] = {
	[BR_KIND] = { "branch_kind", T_STRING, FIELD_REQUIRED, CHECK_WORD, .rule = AT030,
		      FIELD_AT(struct trace_branch, kind),
		      .words = WORDS(WORD("speculative"), WORD("retry"), WORD("fan_out")) },
	[BR_SIBLINGS] = { "siblings", T_ARRAY, FIELD_REQUIRED, .each = &at_id_field, .by_hand = true,
			  FIELD_LIST(KIND_IDS, struct trace_branch, siblings, count),
			  .about = "the nodes of the branch" },
	ADDITIVE_FIELDS,
};

const struct record_type at_branch = {
	.name = "branch", RECORD_TYPE(branch_fields), .about = "where a run forks",
};

#define VERSION_FIELD \
	{ "schema_version", T_STRING, FIELD_REQUIRED, CHECK_WORD, .rule = AT010, .by_hand = true, \
	  .kind = KIND_CONST, .words = WORDS(WORD("agent-trace/v1")) }

#define AT(member) FIELD_AT(struct trace_node, member)

static const struct field node_fields[] = {
	[ND_VERSION] = VERSION_FIELD,
	[ND_EVENT] = { "event_type", T_STRING, FIELD_REQUIRED, CHECK_WORD, .rule = AT011, .words = WORDS(WORD("node")),
		       .kind = KIND_CONST, .by_hand = true },
	[ND_TRACE] = { "trace_id", T_STRING, FIELD_REQUIRED, CHECK_NOT_EMPTY, .rule = AT022, AT(trace_id),
		       .about = "the run" },
	[ND_ID] = { "node_id", T_STRING, FIELD_REQUIRED, CHECK_NOT_EMPTY, .rule = AT022, AT(id), .about = "this node" },
	[ND_PARENTS] = { "parent_node_ids", T_ARRAY, FIELD_REQUIRED, .each = &at_id_field, .by_hand = true,
			 FIELD_LIST(KIND_IDS, struct trace_node, parents, parent_count),
			 .about = "what led to it; empty for the first" },
	[ND_START] = { "timestamp_start", T_NUMBER, FIELD_REQUIRED, FIELD_AS(KIND_MICROS, struct trace_node, from_us),
		       .about = "seconds since 1970" },
	[ND_END] = { "timestamp_end", T_NUMBER, FIELD_REQUIRED, FIELD_AS(KIND_MICROS, struct trace_node, to_us),
		     .about = "seconds since 1970" },
	[ND_KIND] = { "kind", T_STRING, FIELD_REQUIRED, CHECK_WORD, .rule = AT030, AT(kind),
		      .words = &(const struct words){ agent_trace_kinds, AT_KINDS } },
	[ND_FRAMEWORK] = { "framework", T_STRING, FIELD_REQUIRED, CHECK_WORD, .rule = AT030, AT(framework),
			   .words = WORDS(WORD("langgraph"), WORD("crewai"), WORD("autogen"), WORD("claude_code"),
				 WORD("cursor_sdk"), WORD("raw_openai"), WORD("unknown")) },
	[ND_MODEL_CALL] = { "model_call", T_OBJECT, FIELD_EXTRA, .object = &at_model_call, .by_hand = true },
	[ND_TOOL_CALL] = { "tool_call", T_OBJECT, FIELD_EXTRA, .object = &at_tool_call, .by_hand = true },
	[ND_BRANCH] = { "branch", T_OBJECT, FIELD_EXTRA, .object = &at_branch, .by_hand = true },
	ADDITIVE_FIELDS,
};

/* The object of its kind comes last, and not by its row: it is another struct. */
static const uint8_t node_order[] = {
	ND_VERSION, ND_EVENT, ND_TRACE, ND_ID, ND_PARENTS, ND_START, ND_END, ND_KIND, ND_FRAMEWORK,
	ND_FIELDS + AF_AGENT_ID, ND_FIELDS + AF_INFERRED, ND_FIELDS + AF_TOTAL_ONLY, ND_FIELDS + AF_KNOWN_BY,
	ND_MODEL_CALL, ND_TOOL_CALL, ND_BRANCH,
};

#undef AT

#define OTHER_KIND(name) "\"" name "\":{\"type\":\"null\"}"
#define WHEN_KIND(kind, then) \
	"{\"$comment\":\"AT031 AT032\",\"if\":{\"properties\":{\"kind\":{\"const\":\"" kind "\"}}," \
	"\"required\":[\"kind\"]},\"then\":{" then "}}"

const struct record_type at_node = {
	.name = "node",
	RECORD_TYPE(node_fields),
	RECORD_ORDER(node_order),
	.about = "a model call, a tool call or another step of the run",
	.schema = "\"allOf\":["
		  WHEN_KIND("model_call", "\"required\":[\"model_call\"],\"properties\":{\"model_call\":{\"type\":"
			    "\"object\"}," OTHER_KIND("tool_call") "," OTHER_KIND("branch") "}") ","
		  WHEN_KIND("tool_call", "\"required\":[\"tool_call\"],\"properties\":{\"tool_call\":{\"type\":"
			    "\"object\"}," OTHER_KIND("model_call") "," OTHER_KIND("branch") "}") ","
		  WHEN_KIND("branch", "\"required\":[\"branch\"],\"properties\":{\"branch\":{\"type\":"
			    "\"object\"}," OTHER_KIND("model_call") "," OTHER_KIND("tool_call") "}") ","
		  "{\"$comment\":\"AT032\",\"if\":{\"properties\":{\"kind\":{\"enum\":[\"retry\",\"user_input\","
		  "\"system\"]}},\"required\":[\"kind\"]},"
		  "\"then\":{\"properties\":{" OTHER_KIND("model_call") "," OTHER_KIND("tool_call") ","
		  OTHER_KIND("branch") "}}}]",
};

static const struct field count_field = { NULL, T_INTEGER, FIELD_REQUIRED, CHECK_NOT_NEGATIVE, .rule = AT044 };

static const struct field total_tokens_fields[] = {
	[TT_INPUT] = { "input", T_INTEGER, FIELD_REQUIRED, TOKENS },
	[TT_OUTPUT] = { "output", T_INTEGER, FIELD_REQUIRED, TOKENS },
};

const struct record_type at_total_tokens = { .name = "total_tokens", RECORD_TYPE(total_tokens_fields),
					      .on_missing = AT054 };

static const struct field redaction_fields[] = {
	[RD_PROMPTS] = { "prompts_redacted", T_BOOL, FIELD_REQUIRED, .about = "no prompt is in the file" },
	[RD_ARGS] = { "tool_args_redacted", T_BOOL, FIELD_REQUIRED, .about = "no argument is in the file" },
};

const struct record_type at_redaction = { .name = "redaction", RECORD_TYPE(redaction_fields), .on_missing = AT054 };

static const struct field summary_fields[] = {
	[SM_VERSION] = VERSION_FIELD,
	[SM_EVENT] = { "event_type", T_STRING, FIELD_REQUIRED, CHECK_WORD, .rule = AT011, .by_hand = true,
		       .words = WORDS(WORD("summary")) },
	[SM_TRACE] = { "trace_id", T_STRING, FIELD_REQUIRED, CHECK_NOT_EMPTY, .rule = AT022, .about = "the run" },
	[SM_STARTED] = { "started_at", T_STRING, FIELD_REQUIRED, CHECK_STAMP, .rule = AT043 },
	[SM_COMPLETED] = { "completed_at", T_STRING, FIELD_REQUIRED, CHECK_STAMP, .rule = AT043 },
	[SM_TOTAL] = { "total_seconds", T_NUMBER, FIELD_REQUIRED, SECONDS, .about = "wall-clock length of the run" },
	[SM_COUNTS] = { "node_counts", T_OBJECT, FIELD_REQUIRED, .each = &count_field, .about = "nodes by kind" },
	[SM_TOKENS] = { "total_tokens", T_OBJECT, FIELD_REQUIRED, .object = &at_total_tokens, .by_hand = true },
	[SM_STALL] = { "tool_stall_total_seconds", T_NUMBER, FIELD_OPTIONAL, SECONDS, .about = "sum of all stalls" },
	[SM_STALL_PCT] = { "tool_stall_pct", T_NUMBER, FIELD_OPTIONAL, .about = "stalls / total_seconds" },
	[SM_EXIT] = { "exit_status", T_STRING, FIELD_REQUIRED, CHECK_WORD, .rule = AT030,
		      .words = WORDS(WORD("success"), WORD("error"), WORD("interrupted")) },
	[SM_ERROR] = { "error_message", T_STRING, FIELD_OPTIONAL, .about = "a fixed phrase, no content" },
	[SM_FRAMEWORK] = { "framework_version", T_OBJECT, FIELD_OPTIONAL, .about = "versions by framework" },
	[SM_RIG] = { "rig_label", T_STRING, FIELD_OPTIONAL, CHECK_WORD, .rule = AT030,
		     .words = WORDS(WORD("h200"), WORD("b200"), WORD("gb200"), WORD("h100"), WORD("auto")) },
	[SM_ENGINE] = { "engine", T_STRING, FIELD_OPTIONAL, CHECK_WORD, .rule = AT030,
			.words = WORDS(WORD("vllm"), WORD("sglang"), WORD("dynamo-vllm")) },
	[SM_REDACTION] = { "redaction", T_OBJECT, FIELD_REQUIRED, .object = &at_redaction, .by_hand = true },
	[SM_STALL_UNKNOWN] = { "tool_stall_unknown", T_INTEGER, FIELD_EXTRA, CHECK_NOT_NEGATIVE, .rule = AT044,
			       .about = "tool calls whose stall is not known" },
	ADDITIVE_FIELDS,
};

const struct record_type at_summary = {
	.name = "summary", RECORD_TYPE(summary_fields), .about = "what the run came to",
};

_Static_assert(COUNT(summary_fields) <= AT_FIELDS, "room for places");
_Static_assert(COUNT(model_call_fields) <= AT_FIELDS, "room for places");

bool at_list_names(struct val list, struct str name)
{
	struct val_iter it = val_begin(list);
	struct val v;

	while (val_next(&it, &v))
		if (val_text_is(v, name))
			return true;
	return false;
}
