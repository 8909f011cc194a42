/* Traces as texts for tests: spans, their attributes, and what they are converted to. */
#ifndef UNIT_DIALECT_OTLP_FEED_H
#define UNIT_DIALECT_OTLP_FEED_H

#include "harness/convert.h"
#include "harness/test.h"

#define OTLP_S(key, text) "{\"key\":\"" key "\",\"value\":{\"stringValue\":\"" text "\"}}"
#define OTLP_I(key, n) "{\"key\":\"" key "\",\"value\":{\"intValue\":\"" #n "\"}}"

/* Ids are a digit or letter of hexadecimal, repeated; times are seconds after 2023-11-14T22:13:20Z. */
#define OTLP_TRACE "0123456789abcdef0123456789abcdef"
#define OTLP_ID(x) x x x x x x x x x x x x x x x x
#define OTLP_TIME(name, s) "\"" name "TimeUnixNano\":\"17000000" s "000000000\""
#define OTLP_SPAN_OF(trace, id, parent, name, start, end, attributes, more)                                    \
	"{\"traceId\":\"" trace "\",\"spanId\":\"" OTLP_ID(id) "\",\"parentSpanId\":\"" OTLP_ID(parent)        \
	"\",\"name\":\"" name "\",\"kind\":3," OTLP_TIME("start", start) "," OTLP_TIME("end", end)             \
	",\"attributes\":[" attributes "]" more "}"
#define OTLP_SPAN(id, parent, name, start, end, attributes) \
	OTLP_SPAN_OF(OTLP_TRACE, id, parent, name, start, end, attributes, "")
#define OTLP_FAILED ",\"status\":{\"code\":2,\"message\":\"it broke\"}"
#define OTLP_DOCUMENT(spans)                                                                                      \
	"{\"resourceSpans\":[{\"resource\":{\"attributes\":[" OTLP_S("service.name", "x") "]},\"scopeSpans\":[{" \
	"\"scope\":{\"name\":\"t\",\"version\":\"1\"},\"spans\":[" spans "]}]}]}\n"

#define OTLP_CHAT(in, out)                                                                       \
	OTLP_S("gen_ai.operation.name", "chat") "," OTLP_S("gen_ai.request.model", "m") ","      \
	OTLP_I("gen_ai.usage.input_tokens", in) "," OTLP_I("gen_ai.usage.output_tokens", out)
#define OTLP_CALL(name, id)                                                                  \
	OTLP_S("gen_ai.operation.name", "execute_tool") "," OTLP_S("gen_ai.tool.name", name) \
	"," OTLP_S("gen_ai.tool.call.id", id)
#define OTLP_AGENT_OF(name) OTLP_S("gen_ai.operation.name", "invoke_agent") "," OTLP_S("gen_ai.agent.name", name)

static struct arena otlp_arena;

/* As OTUTL, which must be valid. */
static inline struct str otlp_convert(const char *text)
{
	return convert_valid(&otlp_arena, "otlp-json", str_from(text), "otutl");
}

/* And back, by way of OTUTL. */
static inline struct str otlp_return(const char *text)
{
	return convert_text(&otlp_arena, "otutl", otlp_convert(text), "otlp-json");
}

static inline struct str otlp_get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&otlp_arena, convert_record(out, type, n), pointer);
}

/* The types of the records, a letter each: < > for the run, s c r $ ! for step, call, result, cost, error. */
static inline struct str otlp_order(struct str out)
{
	static const struct { const char *type; char letter; } letters[] = {
		{ "run_start", '<' }, { "model_step", 's' }, { "tool_call", 'c' }, { "tool_result", 'r' },
		{ "cost", '$' },      { "error", '!' },      { "run_end", '>' },
	};
	char *order = test_alloc(out.n);
	size_t n = 0;

	while (out.n) {
		struct str line = str_cut(out, '\n', &out), type = convert_get(&otlp_arena, line, "/type");

		for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
			if (str_eq(type, str_from(letters[i].type)))
				order[n++] = letters[i].letter;
	}
	return str_of(order, n);
}

#endif
