/* The tables of a cassette's lines. What older recorders did not write may be absent in every mode. */
#include "dialect/exchange/cassette_types.h"

#include "dialect/exchange/cassette_check_rules.h"
#include "dialect/otutl/otutl.h"

#define NEEDED(type_, ...) { .types = (type_), .need = FIELD_REQUIRED, .name = __VA_ARGS__ }
#define MAY(type_, ...) { .types = (type_), .need = FIELD_EXTRA, .name = __VA_ARGS__ }
#define NUMBER_MOST 9e15 /* also of microseconds, which nanoseconds must hold */
#define AMOUNT_OF(need_, ...) \
	{ .types = T_INTEGER, .need = FIELD_##need_, .check = CHECK_RANGE, .rule = CASSETTE_NEGATIVE, \
	  .max = NUMBER_MOST, .name = __VA_ARGS__ }
#define ONE_OF(need_, rule_, words_, ...) \
	{ .types = T_STRING, .need = FIELD_##need_, .check = CHECK_WORD, .rule = (rule_), .words = (words_), \
	  .name = __VA_ARGS__ }
#define INSIDE(need_, type_, ...) { .types = T_OBJECT, .need = FIELD_##need_, .object = &(type_), .name = __VA_ARGS__ }

/* What no row can say, for the schema; cassette_check.c has the same in code. */
#define HEX "[0-9A-Fa-f]"
#define DIGEST "^" HEX "{64}$"
#define OR_TOKEN "|\\\\[tw:[a-z0-9]{8}:" /* of redaction */
#define BASE64 "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]([A-Za-z0-9+/][AEIMQUYcgkosw048]|[AQgw]=)=)?$"
#define PATTERN(name, pattern) "\"properties\":{\"" name "\":{\"pattern\":\"" pattern "\"}}"
#define IS(name, type) "{\"required\":[\"" name "\"],\"properties\":{\"" name "\":{\"type\":\"" type "\"}}}"
#define NATURAL "{\"type\":\"integer\",\"minimum\":0,\"maximum\":9223372036854775807}"
#define TEXT_OR_BASE64 \
	"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"object\",\"required\":[\"base64\"],\"properties\":{" \
	"\"base64\":{\"type\":\"string\",\"pattern\":\"" BASE64 "\"}}}]}"

/* Lanes and members tell lines apart, as cassette_type_of has it: what is wrong as one is not right as another. */
#define HEAD "{\"required\":[\"v\"]}"
#define LANE(lanes, others) \
	"\"not\":" others ",\"allOf\":[{\"$comment\":\"CS018\"," PATTERN("lane", lanes) "}]"

#define LINE_FIELDS \
	AMOUNT_OF(REQUIRED, "x", .about = "the number of the exchange, from 0 in the order of requests"), \
	NEEDED(T_STRING, "lane", .about = "model, shell, mcp or mcp:NAME"), \
	AMOUNT_OF(EXTRA, "group", .about = "the ordinal of the model step it belongs to"), \
	AMOUNT_OF(REQUIRED, "t_us", .about = "microseconds since 1970"), \
	AMOUNT_OF(EXTRA, "dur_us")

static const struct field cassette_text = { .name = "a value", .types = T_STRING, .need = FIELD_REQUIRED };

static const struct field cassette_normalize_fields[] = {
	MAY(T_STRING, "profile"),
	MAY(T_STRING, "rules_sha256"),
};
static const struct record_type cassette_normalize_type = {
	.name = "normalize", RECORD_TYPE(cassette_normalize_fields),
	.schema = "\"allOf\":[{\"$comment\":\"CS014\"," PATTERN("rules_sha256", DIGEST) "}]",
};

static const struct field cassette_forked_fields[] = {
	NEEDED(T_STRING, "run_hash"),
	AMOUNT_OF(REQUIRED, "seq"),
};
static const struct record_type cassette_forked_type = {
	.name = "forked_from", RECORD_TYPE(cassette_forked_fields),
	.schema = "\"allOf\":[{\"$comment\":\"CS030\","
		  PATTERN("run_hash", "^" OTUTL_LABEL_RUN HEX "{64}$" OR_TOKEN) "}]",
};

static const struct field cassette_head_fields[] = {
	ONE_OF(REQUIRED, CASSETTE_VERSION, WORDS(WORD(CASSETTE_V1)), "v"),
	NEEDED(T_STRING, "run_id"),
	MAY(T_STRING, "recorder"),
	{ .name = "started", .types = T_STRING, .need = FIELD_EXTRA, .check = CHECK_STAMP, .rule = CASSETTE_CLOCK },
	AMOUNT_OF(EXTRA, "clock0_us", .about = "when the run began, in microseconds since 1970"),
	INSIDE(EXTRA, cassette_normalize_type, "normalize"),
	MAY(T_BOOL | T_OBJECT, "redacted"),
	MAY(T_STRING, "redacted_with", .about = "the id of the key"),
	MAY(T_STRING, "redacted_what", .about = "secrets, where only those were replaced"),
	MAY(T_BOOL, "local_only"),
	MAY(T_BOOL, "content_saved"),
	INSIDE(EXTRA, cassette_forked_type, "forked_from"),
	MAY(T_BOOL, "end_line", .about = "a last line follows that says how the run ended"),
};
const struct record_type cassette_head_type = {
	.name = "header", RECORD_TYPE(cassette_head_fields), .about = "the first line",
	.schema = "\"allOf\":[{\"$comment\":\"CS012\","
		  PATTERN("run_id", "^" HEX "{8}(-" HEX "{4}){3}-" HEX "{12}$") "},"
		  "{\"$comment\":\"CS013\",\"anyOf\":[" IS("clock0_us", "integer") "," IS("started", "string") "]},"
		  "{\"$comment\":\"CS031\",\"if\":" IS("redacted_with", "string") ",\"then\":{"
		  "\"required\":[\"redacted\"],\"properties\":{\"redacted\":{\"not\":{\"enum\":[false,null]}}}}}]",
};

static const struct field cassette_body_fields[] = {
	MAY(T_STRING, "sha256"),
	AMOUNT_OF(EXTRA, "size"),
	MAY(T_BOOL, "lost"),
	MAY(T_STRING, "packing"),
	ONE_OF(EXTRA, CASSETTE_ENC, WORDS(WORD("json"), WORD("utf8"), WORD("base64")), "enc"),
	MAY(T_ANY, "inline"),
};
static const struct record_type cassette_body_type = {
	.name = "body", RECORD_TYPE(cassette_body_fields),
	.schema = "\"allOf\":[{\"$comment\":\"CS014\"," PATTERN("sha256", DIGEST) "},"
		  "{\"$comment\":\"CS006 CS019 CS020\",\"if\":{\"required\":[\"inline\"]},"
		  "\"then\":{\"allOf\":[" IS("enc", "string") "," IS("sha256", "string") "]},"
		  "\"else\":{\"required\":[\"lost\"],\"properties\":{\"lost\":{\"const\":true}}}},"
		  "{\"$comment\":\"CS020\",\"if\":{\"properties\":{\"enc\":{\"enum\":[\"utf8\",\"base64\"]}}},"
		  "\"then\":{\"properties\":{\"inline\":{\"type\":\"string\"}}}},"
		  "{\"$comment\":\"CS020\",\"if\":{\"properties\":{\"enc\":{\"const\":\"base64\"}}},"
		  "\"then\":{" PATTERN("inline", BASE64) "}}]",
};

static const struct field cassette_ask_fields[] = {
	MAY(T_STRING, "method"),
	MAY(T_STRING, "target"),
	MAY(T_OBJECT, "headers", .each = &cassette_text),
	INSIDE(EXTRA, cassette_body_type, "body"),
};
static const struct record_type cassette_ask_type = { .name = "request", RECORD_TYPE(cassette_ask_fields) };

static const struct field cassette_answer_fields[] = {
	{ .name = "status", .types = T_INTEGER, .need = FIELD_EXTRA, .check = CHECK_RANGE, .rule = CASSETTE_STATUS,
	  .min = 100, .max = 999 },
	MAY(T_OBJECT, "headers", .each = &cassette_text),
	INSIDE(EXTRA, cassette_body_type, "body"),
	MAY(T_ARRAY, "chunks", .about = "[offset, delay_us] of each"),
	ONE_OF(REQUIRED, CASSETTE_END, WORDS(WORD("eof"), WORD("cut"), WORD("client_left"), WORD("refused")), "end"),
};
static const struct record_type cassette_answer_type = {
	.name = "answer", RECORD_TYPE(cassette_answer_fields),
	.schema = "\"allOf\":[{\"$comment\":\"CS023\",\"properties\":{\"chunks\":{\"items\":{\"type\":\"array\","
		  "\"minItems\":2,\"maxItems\":2,\"items\":" NATURAL "}}}}]",
};

static const struct field cassette_exchange_fields[] = {
	LINE_FIELDS,
	AMOUNT_OF(EXTRA, "socket", .about = "the exchange whose WebSocket it came through"),
	MAY(T_STRING, "provider"),
	MAY(T_STRING, "endpoint"),
	MAY(T_STRING, "base"),
	INSIDE(REQUIRED, cassette_ask_type, "req"),
	INSIDE(REQUIRED, cassette_answer_type, "resp"),
};
const struct record_type cassette_exchange_type = {
	.name = "exchange", RECORD_TYPE(cassette_exchange_fields), .about = "an exchange over HTTP",
	.schema = LANE("^(model$|mcp$|mcp:)", HEAD),
};

static const struct field cassette_message_fields[] = {
	LINE_FIELDS,
	MAY(T_STRING, "server"),
	MAY(T_STRING, "instance"),
	ONE_OF(REQUIRED, CASSETTE_FROM, WORDS(WORD("client"), WORD("server")), "from"),
	AMOUNT_OF(EXTRA, "delay_us"),
	INSIDE(EXTRA, cassette_body_type, "body"),
	MAY(T_ARRAY, "progress_us"),
};
const struct record_type cassette_message_type = {
	.name = "message", RECORD_TYPE(cassette_message_fields), .about = "a message of MCP on standard streams",
	.schema = LANE("^mcp($|:)", "{\"anyOf\":[" HEAD ",{\"required\":[\"req\"]}]}"),
};

static const struct field cassette_call_fields[] = {
	NEEDED(T_ARRAY, "argv"),
	MAY(T_STRING | T_OBJECT, "cwd"),
	MAY(T_STRING, "stdin_sha256"),
	MAY(T_OBJECT, "env"),
};
static const struct record_type cassette_call_type = {
	.name = "call", RECORD_TYPE(cassette_call_fields),
	.schema = "\"allOf\":[{\"$comment\":\"CS014\"," PATTERN("stdin_sha256", DIGEST OR_TOKEN) "},"
		  "{\"$comment\":\"CS027\",\"properties\":{\"argv\":{\"minItems\":1,\"items\":" TEXT_OR_BASE64 "}}}]",
};

static const struct field cassette_outcome_fields[] = {
	MAY(T_ARRAY, "io", .about = "[stream, text, delay_us] of each piece"),
	AMOUNT_OF(EXTRA, "stdout_size"),
	AMOUNT_OF(EXTRA, "stderr_size"),
	MAY(T_BOOL, "cut"),
	AMOUNT_OF(EXTRA, "exit"),
	AMOUNT_OF(EXTRA, "signal"),
};
static const struct record_type cassette_outcome_type = {
	.name = "outcome", RECORD_TYPE(cassette_outcome_fields),
	.schema = "\"allOf\":[{\"$comment\":\"CS028\",\"properties\":{\"io\":{\"items\":{\"type\":\"array\","
		  "\"minItems\":2,\"prefixItems\":[{\"enum\":[\"o\",\"e\"]}," TEXT_OR_BASE64 "," NATURAL "]}}}},"
		  "{\"$comment\":\"CS029\",\"oneOf\":[" IS("exit", "integer") "," IS("signal", "integer") "]}]",
};

static const struct field cassette_command_fields[] = {
	LINE_FIELDS,
	MAY(T_STRING, "command"),
	MAY(T_STRING, "parent"),
	INSIDE(REQUIRED, cassette_call_type, "req"),
	INSIDE(REQUIRED, cassette_outcome_type, "resp"),
	AMOUNT_OF(EXTRA, "cpu_us"),
	MAY(T_BOOL, "masked"),
};
const struct record_type cassette_command_type = {
	.name = "command", RECORD_TYPE(cassette_command_fields), .about = "a command that ran",
	.schema = LANE("^shell$", HEAD),
};

static const struct field cassette_stdout_fields[] = {
	MAY(T_STRING, "sha256"),
	AMOUNT_OF(EXTRA, "size"),
	MAY(T_BOOL, "terminal"),
	MAY(T_BOOL, "cut"),
};
static const struct record_type cassette_stdout_type = {
	.name = "stdout", RECORD_TYPE(cassette_stdout_fields),
	.schema = "\"allOf\":[{\"$comment\":\"CS014\"," PATTERN("sha256", DIGEST OR_TOKEN) "},"
		  "{\"$comment\":\"CS036\",\"if\":" IS("sha256", "string") ",\"then\":" IS("size", "integer")
		  ",\"else\":{\"properties\":{\"size\":{\"type\":\"null\"}}}}]",
};

static const struct field cassette_end_fields[] = {
	{ .name = "ended", .types = T_STRING, .need = FIELD_EXTRA, .check = CHECK_STAMP, .rule = CASSETTE_CLOCK },
	ONE_OF(REQUIRED, CASSETTE_EXIT_STATUS, WORDS(WORD("success"), WORD("error"), WORD("interrupted")),
	       "exit_status"),
	MAY(T_STRING, "error_message"),
	AMOUNT_OF(EXTRA, "exit_code"),
	INSIDE(EXTRA, cassette_stdout_type, "stdout"),
};
const struct record_type cassette_end_type = {
	.name = "end", RECORD_TYPE(cassette_end_fields), .about = "the last line",
	.schema = "\"not\":{\"anyOf\":[" HEAD ",{\"required\":[\"x\"]}]}",
};

/* A line of an unknown lane. */
static const struct field cassette_line_fields[] = { LINE_FIELDS };
const struct record_type cassette_line_type = { .name = "line", RECORD_TYPE(cassette_line_fields) };

const struct record_type *const cassette_roots[] = {
	&cassette_head_type, &cassette_exchange_type, &cassette_message_type, &cassette_command_type,
	&cassette_end_type, NULL,
};
