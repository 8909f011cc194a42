/* The tables repeat what scan.c checks in code, as far as JSON Schema can say it. */
#include "dialect/otutl/schema.h"

#include "dialect/otutl/rules.h"

#define SEQ_MAX 9007199254740991.0

/* What every record begins with. */
#define COMMON(type_)                                                                                            \
	{ "type", T_STRING, FIELD_REQUIRED, CHECK_WORD, OTUTL_E_TYPE, .words = WORDS(WORD(type_)),               \
	  .about = "what the record is" },                                                                       \
	{ "ts", T_STRING, FIELD_REQUIRED, CHECK_STAMP, OTUTL_E_TS,                                               \
	  .about = "when, as in RFC 3339 with three digits of fraction or more" },                               \
	{ "run_id", T_STRING, FIELD_REQUIRED, CHECK_NONE, 0, .about = "the run: a UUIDv7 in lower case" },       \
	{ "seq", T_INTEGER, FIELD_REQUIRED, CHECK_RANGE, OTUTL_E_SEQ_TYPE, .min = 0, .max = SEQ_MAX,             \
	  .about = "place in the run, from 0 or 1 on, written with digits only" }

#define ANY(name_, about_) { (name_), T_ANY, FIELD_EXTRA, CHECK_NONE, 0, .about = (about_) }
#define CALL_ID                                                                     \
	{ "call_id", T_STRING, FIELD_REQUIRED, CHECK_NOT_EMPTY, OTUTL_E_CALL_ID, \
	  .about = "the call, repeated in its result" }
#define EXT ANY("ext", "what other programs add, under versioned names")

#define LOWER_HEX "[0-9a-f]"
#define COMMON_PATTERNS                                                                                       \
	"\"ts\":{\"pattern\":\"\\\\.[0-9][0-9][0-9]\"},"                                                       \
	"\"ext\":{\"type\":[\"object\",\"null\"]},\"duration_ms\":{\"minimum\":0},"                            \
	"\"latency_ms\":{\"minimum\":0},\"ttft_ms\":{\"minimum\":0},\"chunks\":{\"type\":[\"array\",\"null\"],"     \
	"\"items\":{\"type\":\"object\",\"required\":[\"data\"]}},"                                             \
	"\"run_id\":{\"pattern\":\"^" LOWER_HEX "{8}-" LOWER_HEX "{4}-7" LOWER_HEX "{3}-[89ab]" LOWER_HEX "{3}-" \
	LOWER_HEX "{12}$\"}"
#define COMMON_SCHEMA                                                                        \
	"\"allOf\":[{\"$comment\":\"E_TS E_UUID7 E_FIELD E_NOT_OBJECT\",\"properties\":{" COMMON_PATTERNS "}}]"

/* What it cost, as check_cost of scan.c has it. */
#define COST_SCHEMA                                                                                                \
	"\"allOf\":[{\"$comment\":\"E_TS E_UUID7 E_FIELD E_NOT_OBJECT\",\"properties\":{" COMMON_PATTERNS              \
	",\"cost_source\":{\"enum\":[\"api\",\"estimated\",\"vendor\",\"computed\",null]},"                            \
	"\"estimated_cost_usd\":{\"minimum\":0}}}]"

/* What a run declares, as check_declared of scan.c has it. */
#define RUN_START_SCHEMA                                                                                           \
	"\"allOf\":[{\"$comment\":\"E_TS E_UUID7 E_FIELD E_NOT_OBJECT\",\"properties\":{" COMMON_PATTERNS          \
	",\"budget\":{\"type\":[\"object\",\"null\"]},\"retrieval_set\":{\"type\":[\"array\",\"null\"],"         \
	"\"items\":{\"type\":\"string\"}}}}]"

/* RFC 3986 with a scheme, as otutl_check_tool reads it. */
#define PERCENT "|%[0-9A-Fa-f][0-9A-Fa-f])"
#define PLAIN "A-Za-z0-9._~!$&'()*+,;="
#define NAMES "([" PLAIN "-]" PERCENT
#define USER "([" PLAIN ":-]" PERCENT
#define SEGMENT "([" PLAIN ":@-]" PERCENT
#define PATH "([" PLAIN ":@/-]" PERCENT "*"
#define MORE "([" PLAIN ":@/?-]" PERCENT "*"
#define HOST "(\\\\[" USER "*\\\\]|" NAMES "*)(:[0-9]*)?"
#define TOOL_URI                                                                                              \
	"^[A-Za-z][A-Za-z0-9+.-]*:(//(" USER "*@)?" HOST "(/" PATH ")?|/|(/?" SEGMENT PATH ")?)([?]" MORE ")?(#" MORE \
	")?$"
#define TOOL_CALL_SCHEMA                                                                                     \
	"\"allOf\":[{\"$comment\":\"E_TS E_UUID7 E_FIELD E_TOOL_URI E_ARGS_MISSING\",\"properties\":{" COMMON_PATTERNS \
	",\"tool\":{\"pattern\":\"" TOOL_URI "\"}}}]"

static const struct field run_start_fields[] = {
	COMMON("run_start"),
	ANY("otutl", "version of the format"),
	ANY("agent", "who runs: a name, or {name, version}"),
	ANY("framework", "what the agent is made with"),
	ANY("source", "what the log was made from: {format, file_sha256}"),
	ANY("budget", "what the run may use: calls, tools, cost, tokens"),
	ANY("retrieval_set", "URIs the run may read"),
	ANY("seed", "of what is random"),
	EXT,
};

static const struct field model_step_fields[] = {
	COMMON("model_step"),
	ANY("step_id", "the step"),
	ANY("model", "the model's name"),
	ANY("provider", "who serves it"),
	ANY("request", "what was sent, or its digest"),
	ANY("response", "what came back, or its digest"),
	ANY("text", "the answer's text"),
	ANY("usage", "tokens"),
	ANY("stop_reason", "why the model stopped"),
	ANY("latency_ms", "duration"),
	ANY("ttft_ms", "until the first token"),
	ANY("call_ids", "the calls the model asked for"),
	EXT,
};

static const struct field tool_call_fields[] = {
	COMMON("tool_call"),
	CALL_ID,
	{ "tool", T_STRING, FIELD_REQUIRED, CHECK_NONE, 0, .about = "the tool, as a URI with a scheme" },
	{ "args", T_ANY, FIELD_REQUIRED, CHECK_NONE, 0, .about = "its arguments, a JSON value" },
	ANY("args_withheld", "true: the source had no arguments to give, and args is null"),
	ANY("parent_call_id", "the call that this one is made in"),
	ANY("step_id", "the step that asked for it"),
	EXT,
};

static const struct field tool_result_fields[] = {
	COMMON("tool_result"),
	CALL_ID,
	ANY("result", "what the tool gave, in one piece"),
	ANY("is_error", "whether the tool failed"),
	ANY("exit_code", "of a program"),
	ANY("duration_ms", "duration"),
	ANY("chunks", "the result as it came: [{data, t_ms}]"),
	ANY("media", "files beside the text"),
	EXT,
};

static const struct field cost_fields[] = {
	COMMON("cost"),
	ANY("model", "the model's name"),
	ANY("tokens_in", "tokens sent"),
	ANY("tokens_out", "tokens received"),
	ANY("estimated_cost_usd", "what it cost"),
	ANY("cost_source", "api when the service stated it, else estimated"),
	ANY("service_tier", "by which it is billed, where that is not the ordinary price"),
	ANY("price_table", "digest of the prices"),
	ANY("call_id", "the call it belongs to"),
	ANY("step_id", "the step it belongs to"),
	EXT,
};

static const struct field error_fields[] = {
	COMMON("error"),
	ANY("message", "what went wrong"),
	ANY("class", "what kind of error"),
	ANY("call_id", "the call that ended with it"),
	ANY("retryable", "whether to try again"),
	EXT,
};

static const struct field run_end_fields[] = {
	COMMON("run_end"),
	ANY("status", "success, error or interrupted"),
	ANY("output", "what the run gave"),
	ANY("output_sha256", "its digest"),
	ANY("totals", "sums over the run"),
	EXT,
};

#define TYPE(name_, fields_, schema_, about_) \
	static const struct record_type name_##_type = { .name = #name_, RECORD_TYPE(fields_), .schema = (schema_), \
							 .about = (about_) }

TYPE(run_start, run_start_fields, RUN_START_SCHEMA, "the first record of a run");
TYPE(model_step, model_step_fields, COMMON_SCHEMA, "one answer of a model");
TYPE(tool_call, tool_call_fields, TOOL_CALL_SCHEMA, "a tool is called");
TYPE(tool_result, tool_result_fields, COMMON_SCHEMA, "what a call gave");
TYPE(cost, cost_fields, COST_SCHEMA, "what a step or call cost");
TYPE(error, error_fields, COMMON_SCHEMA, "something failed");
TYPE(run_end, run_end_fields, COMMON_SCHEMA, "the last record of a run");

const struct record_type *const otutl_roots[] = {
	&run_start_type, &model_step_type, &tool_call_type, &tool_result_type,
	&cost_type,      &error_type,      &run_end_type,   NULL,
};
