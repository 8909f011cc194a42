/* Opens a span in each of its three spellings, and tells by a table of words what it is in a run. */
#include "dialect/otlp/span.h"

#include "base/clock.h"
#include "base/crypto/hex.h"
#include "dialect/otlp/own.h"

static const struct str none;

/* ---- ids and times ---- */

/* 0 to 63, or -1. Only the standard alphabet: protojson writes no other. */
static int base64_digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Exactly `bytes` bytes, with the = that belong to it. */
static bool decode_base64(struct str text, uint8_t *out, size_t bytes)
{
	size_t digits = (bytes * 8 + 5) / 6, n = 0;
	uint32_t bits = 0, have = 0;

	if (text.n != (bytes + 2) / 3 * 4)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		int d = base64_digit(text.p[i]);

		if (i >= digits ? text.p[i] != '=' : d < 0)
			return false;
		if (i >= digits)
			continue;
		bits = bits << 6 | (uint32_t)d;
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[n++] = (uint8_t)(bits >> have);
		}
	}
	return n == bytes;
}

static bool is_zeros(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '0')
			return false;
	return true;
}

struct str otlp_span_id(struct arena *a, struct str text, size_t bytes)
{
	uint8_t raw[16];
	char *out;

	if (str_starts(text, STR("0x")))
		text = str_of(text.p + 2, text.n - 2);
	if (is_zeros(text))
		return none;
	if (decode_base64(text, raw, bytes)) {
		out = arena_array(a, char, bytes * 2);
		hex_format(out, raw, bytes);
		return is_zeros(str_of(out, bytes * 2)) ? none : str_of(out, bytes * 2);
	}
	if (text.n > 2 * sizeof(raw) || text.n % 2 || !hex_parse(text, raw, text.n / 2))
		return text;
	out = arena_array(a, char, text.n);
	hex_format(out, raw, text.n / 2);
	return str_of(out, text.n);
}

/* [seconds, nanoseconds], as Node's clock gives it. */
static int64_t pair_time(struct val v)
{
	struct val_iter it = val_begin(v);
	struct val part;
	int64_t seconds, ns;

	if (val_count(v) != 2 || !val_next(&it, &part) || !val_i64(part, &seconds) || !val_next(&it, &part) ||
	    !val_i64(part, &ns) || seconds < 0 || seconds > 9000000000 || ns < 0 || ns > 999999999)
		return 0;
	return seconds * 1000000000 + ns;
}

int64_t otlp_span_time(struct val v, int64_t scale)
{
	struct stamp s;
	int64_t n = 0;

	if (val_is(v, JSON_ARRAY))
		return pair_time(v);
	if (val_is(v, JSON_NUMBER) && !num_integral(val_raw(v), &n)) {
		double d;

		return val_double(v, &d) && d > 0 && d * (double)scale < 9e18 ? (int64_t)(d * (double)scale) : 0;
	}
	if (val_is(v, JSON_STRING) && !num_parse_i64(val_raw(v), &n))
		return stamp_parse(val_raw(v), &s) && stamp_ns(&s, &n) && n > 0 ? n : 0;
	return n > 0 && n <= INT64_MAX / scale ? n * scale : 0;
}

/* ---- the three spellings ---- */

/* The first member that is there, of those names; VAL_NONE when none is. */
static struct val first_of(struct val v, const struct str *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (val_has(v, names[i]))
			return val_get(v, names[i]);
	return VAL_NONE;
}

#define FIRST_OF(v, ...) \
	first_of((v), (const struct str[]){ __VA_ARGS__ }, COUNT(((const struct str[]){ __VA_ARGS__ })))

/*
 * As an SDK of JavaScript has it: the span itself, with times in pairs, or what its exporter to the console prints,
 * with an id, a time and a length in microseconds.
 */
static bool is_js_span(struct val v)
{
	struct val context = FIRST_OF(v, STR("_spanContext"), STR("spanContext"));

	if (!val_is(val_get(v, STR("name")), JSON_STRING) || !val_is(val_get(v, STR("attributes")), JSON_OBJECT))
		return false;
	if (val_is(val_get(v, STR("startTime")), JSON_ARRAY))
		return val_has(context, STR("spanId")) || val_has(v, STR("spanId")) || val_has(v, STR("id"));
	return val_has(v, STR("traceId")) && val_has(v, STR("id")) && val_has(v, STR("duration")) &&
	       val_is(val_get(v, STR("timestamp")), JSON_NUMBER);
}

/* The ids stand in a context or in the span itself. */
struct otlp_flat otlp_span_flat(struct val v)
{
	struct val context = FIRST_OF(v, STR("context"), STR("_spanContext"), STR("spanContext"));
	struct val length = val_get(v, STR("duration"));
	struct otlp_flat f;
	int64_t ns;

	if (!val_has(context, STR("span_id")) && !val_has(context, STR("spanId")))
		context = v;
	f.trace = val_get_either(context, STR("trace_id"), STR("traceId"));
	f.id = FIRST_OF(context, STR("span_id"), STR("spanId"), STR("id"));
	f.parent = FIRST_OF(v, STR("parent_span_id"), STR("parent_id"), STR("parentSpanId"), STR("parentId"));
	if (val_is_none(f.parent))
		f.parent = val_get(val_get(v, STR("parentSpanContext")), STR("spanId"));
	f.start_at = val_get_either(v, STR("start_time"), STR("startTime"));
	f.end_at = val_get_either(v, STR("end_time"), STR("endTime"));
	f.start = otlp_span_time(f.start_at, 1);
	f.end = otlp_span_time(f.end_at, 1);
	if (val_is_none(f.start_at)) {
		f.start_at = val_get(v, STR("timestamp"));
		f.start = otlp_span_time(f.start_at, 1000);
	}
	if (val_is_none(f.end_at) && !val_is_none(length) && f.start) {
		f.end_at = length;
		ns = otlp_span_time(length, 1000);
		f.end = ns < INT64_MAX - f.start ? f.start + ns : 0;
	}
	return f;
}

bool otlp_span_is(struct val v, enum otlp_shape *shape)
{
	if (!val_is(v, JSON_OBJECT))
		return false;
	if (val_has(v, STR("operationName")) && val_has(v, STR("spanID")))
		*shape = OTLP_JAEGER;
	else if (is_js_span(v))
		*shape = OTLP_SDK;
	else if (!val_is_none(val_get_either(v, STR("startTimeUnixNano"), STR("start_time_unix_nano"))) ||
		 val_has(v, STR("spanId")))
		*shape = OTLP_NATIVE;
	else if (val_has(v, STR("start_time")) && val_has(v, STR("name")) && (val_has(v, STR("span_id")) ||
		  val_has(val_get(v, STR("context")), STR("span_id"))))
		*shape = OTLP_SDK;
	else
		return false;
	return true;
}

static struct str take_id(struct reading *r, struct val v, size_t bytes)
{
	struct str text = reading_text_of(r, v);

	return text.n ? otlp_span_id(r->arena, text, bytes) : none;
}

/* The first CHILD_OF is the parent; FOLLOWS_FROM is no parent. */
static struct str parent_of_references(struct reading *r, struct val references)
{
	struct val_iter it = val_begin(references);
	struct val reference;

	while (val_next(&it, &reference))
		if (val_text_is(val_get(reference, STR("refType")), STR("CHILD_OF")))
			return take_id(r, val_get(reference, STR("spanID")), 8);
	return none;
}

/* Times and lengths are microseconds here. Without a duration the span has no end. */
static void open_jaeger(struct reading *r, struct otlp_span *s)
{
	int64_t length = otlp_span_time(reading_take(r, val_get(s->v, STR("duration"))), 1000);

	s->trace = take_id(r, val_get(s->v, STR("traceID")), 16);
	s->id = take_id(r, val_get(s->v, STR("spanID")), 8);
	s->parent = parent_of_references(r, val_get(s->v, STR("references")));
	if (!s->parent.p)
		s->parent = take_id(r, val_get(s->v, STR("parentSpanID")), 8);
	s->name = reading_text(r, s->v, STR("operationName"));
	s->start = otlp_span_time(reading_take(r, val_get(s->v, STR("startTime"))), 1000);
	s->end = s->start && length < INT64_MAX - s->start ? s->start + length : 0;
	if (!val_has(s->v, STR("duration")))
		s->end = 0;
	s->attributes = val_get(s->v, STR("tags"));
	s->events = val_get(s->v, STR("logs"));
}

/* Both spellings of protojson: camel case, and the names of the fields. */
static void open_native(struct reading *r, struct otlp_span *s)
{
	struct val start = val_get_either(s->v, STR("startTimeUnixNano"), STR("start_time_unix_nano"));
	struct val end = val_get_either(s->v, STR("endTimeUnixNano"), STR("end_time_unix_nano"));

	s->trace = take_id(r, val_get_either(s->v, STR("traceId"), STR("trace_id")), 16);
	s->id = take_id(r, val_get_either(s->v, STR("spanId"), STR("span_id")), 8);
	s->parent = take_id(r, val_get_either(s->v, STR("parentSpanId"), STR("parent_span_id")), 8);
	s->name = reading_text(r, s->v, STR("name"));
	s->start = otlp_span_time(reading_take(r, start), 1);
	s->end = otlp_span_time(reading_take(r, end), 1);
	s->attributes = val_get(s->v, STR("attributes"));
	s->events = val_get(s->v, STR("events"));
}

static void open_sdk(struct reading *r, struct otlp_span *s)
{
	struct otlp_flat f = otlp_span_flat(s->v);

	s->trace = take_id(r, f.trace, 16);
	s->id = take_id(r, f.id, 8);
	s->parent = take_id(r, f.parent, 8);
	s->name = reading_text(r, s->v, STR("name"));
	s->start = f.start;
	s->end = f.end;
	reading_take(r, f.start_at);
	reading_take(r, f.end_at);
	s->attributes = val_get(s->v, STR("attributes"));
	s->events = val_get_either(s->v, STR("span_events"), STR("events"));
}

/* ---- status ---- */

/* Whether a status is that: error, or ok. */
static bool is_status(struct val code, bool error)
{
	static const char *const words[2][4] = {
		{ "ERROR", "STATUS_CODE_ERROR", "StatusCode.ERROR", "Error" },
		{ "OK", "STATUS_CODE_OK", "StatusCode.OK", "Ok" },
	};
	int64_t n;

	if (val_i64(code, &n))
		return n == (error ? 2 : 1);
	for (size_t i = 0; i < 4; i++)
		if (val_text_is(code, str_from(words[error ? 0 : 1][i])))
			return true;
	return false;
}

/* The message of an exception among the events. */
static struct str exception_text(struct reading *r, const struct otlp_span *s)
{
	struct val_iter it = val_begin(s->events);
	struct val event;

	while (val_next(&it, &event)) {
		struct val message = otlp_attr_of_event(event, s->shape, "exception.message");

		if (val_is(message, JSON_STRING))
			return reading_text_of(r, message);
	}
	return none;
}

/* The status of the span, else that of Jaeger's tags. A failed span without a message has that of its exception. */
static void otlp_span_read_status(struct reading *r, struct otlp_span *s)
{
	struct val status = val_get(s->v, STR("status"));
	struct val code = val_get_either(status, STR("code"), STR("status_code"));

	if (val_is(status, JSON_STRING))
		code = status;
	s->error = is_status(code, true) || is_status(s->attrs.slots[OTLP_STATUS_CODE], true);
	s->ok = is_status(code, false) || is_status(s->attrs.slots[OTLP_STATUS_CODE], false);
	if (s->shape == OTLP_JAEGER)
		s->error |= otlp_attr_is_true(&s->attrs, OTLP_ERROR_FLAG);
	reading_take(r, code);
	s->error_text = reading_text_of(r, val_get_either(status, STR("message"), STR("description")));
	if (!s->error_text.n)
		s->error_text = otlp_attr_text(r, &s->attrs, OTLP_STATUS_TEXT);
	if (s->error && !s->error_text.n)
		s->error_text = exception_text(r, s);
}

void otlp_span_open(struct reading *r, struct otlp_span *s, struct val v, enum otlp_shape shape)
{
	*s = (struct otlp_span){ .v = v, .shape = shape };
	if (shape == OTLP_JAEGER)
		open_jaeger(r, s);
	else if (shape == OTLP_SDK)
		open_sdk(r, s);
	else
		open_native(r, s);
	otlp_attr_gather(&s->attrs, s->attributes, shape);
	s->place = otlp_own_place(&s->attrs, OTLP_SEQ);
	if (s->place && val_text_is(s->attrs.slots[OTLP_TIME_SOURCE], STR("laid_out")))
		s->start = s->end = 0; /* made up: the run had no times */
	otlp_span_read_status(r, s);
}

/* ---- roles ---- */

/* The first row that fits decides: what a span says of itself in the newest words comes first. */
static const struct otlp_role_word roles[] = {
	{ OTLP_OPERATION, "chat", OTLP_MODEL },
	{ OTLP_OPERATION, "generate_content", OTLP_MODEL },
	{ OTLP_OPERATION, "text_completion", OTLP_MODEL },
	{ OTLP_OPERATION, "completion", OTLP_MODEL },
	{ OTLP_OPERATION, "execute_tool", OTLP_TOOL },
	{ OTLP_OPERATION, "embeddings", OTLP_RETRIEVER },
	{ OTLP_OPERATION, "retrieval", OTLP_RETRIEVER },
	{ OTLP_OPERATION, "invoke_agent", OTLP_AGENT_SPAN },
	{ OTLP_OPERATION, "create_agent", OTLP_AGENT_SPAN },
	{ OTLP_OPERATION, "invoke_workflow", OTLP_AGENT_SPAN },
	{ OTLP_KIND, "LLM", OTLP_MODEL },
	{ OTLP_KIND, "TOOL", OTLP_TOOL },
	{ OTLP_KIND, "RETRIEVER", OTLP_RETRIEVER },
	{ OTLP_KIND, "RERANKER", OTLP_RETRIEVER },
	{ OTLP_KIND, "EMBEDDING", OTLP_RETRIEVER },
	{ OTLP_KIND, "AGENT", OTLP_AGENT_SPAN },
	{ OTLP_KIND, "CHAIN", OTLP_OTHER },
	{ OTLP_KIND, "GUARDRAIL", OTLP_OTHER },
	{ OTLP_KIND, "EVALUATOR", OTLP_OTHER },
	{ OTLP_REQUEST_TYPE, "embedding", OTLP_RETRIEVER },
	{ OTLP_REQUEST_TYPE, "rerank", OTLP_RETRIEVER },
	{ OTLP_REQUEST_TYPE, NULL, OTLP_MODEL },
	{ OTLP_ENTITY, "tool", OTLP_TOOL },
	{ OTLP_ENTITY, "agent", OTLP_AGENT_SPAN },
	{ OTLP_ENTITY, "workflow", OTLP_AGENT_SPAN },
	{ OTLP_ENTITY, "task", OTLP_OTHER },
	{ OTLP_AI_OPERATION, "ai.toolCall", OTLP_TOOL },
	{ OTLP_AI_OPERATION, "ai.embed.doEmbed", OTLP_RETRIEVER },
	{ OTLP_AI_OPERATION, "ai.embedMany.doEmbed", OTLP_RETRIEVER },
	{ OTLP_AI_OPERATION, "ai.embed", OTLP_OTHER },
	{ OTLP_AI_OPERATION, "ai.embedMany", OTLP_OTHER },
	{ OTLP_MCP_METHOD, "tools/call", OTLP_TOOL },
	/* No word at all, but tokens: kagent's call_llm and its like. */
	{ OTLP_INPUT, NULL, OTLP_MODEL },
	{ OTLP_OUTPUT, NULL, OTLP_MODEL },
};

const struct otlp_role_word *otlp_role_words(size_t *count)
{
	*count = COUNT(roles);
	return roles;
}

enum otlp_role otlp_span_role(const struct otlp_span *s)
{
	for (size_t i = 0; i < COUNT(roles); i++) {
		struct val v = s->attrs.slots[roles[i].slot];

		if (val_is_none(v))
			continue;
		if (!roles[i].word || val_text_is(v, str_from(roles[i].word)))
			return roles[i].role;
	}
	return OTLP_OTHER;
}
