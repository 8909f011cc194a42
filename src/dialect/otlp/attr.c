/* Names are found by binary search in one sorted table; several names share a slot, and their rank decides. */
#include "dialect/otlp/attr.h"

#include <stdlib.h>

#include "dialect/record/field.h"

/* In byte order, for the search. */
static const struct otlp_attr_name names[] = {
	{ WORD("agent.name"), OTLP_AGENT, 2 },
	{ WORD("agent_trace.cost.source"), OTLP_USD_SOURCE, 0 },
	{ WORD("ai.finishReason"), OTLP_FINISH, 4 },
	{ WORD("ai.model.id"), OTLP_REQUEST_MODEL, 4 },
	{ WORD("ai.model.provider"), OTLP_PROVIDER, 4 },
	{ WORD("ai.operationId"), OTLP_AI_OPERATION, 0 },
	{ WORD("ai.response.finishReason"), OTLP_FINISH, 3 },
	{ WORD("ai.response.id"), OTLP_RESPONSE_ID, 1 },
	{ WORD("ai.response.model"), OTLP_RESPONSE_MODEL, 2 },
	{ WORD("ai.response.msToFirstChunk"), OTLP_TTFT_MS, 0 },
	{ WORD("ai.response.reasoning"), OTLP_ANSWER_REASONING, 0 },
	{ WORD("ai.response.text"), OTLP_ANSWER, 0 },
	{ WORD("ai.result.text"), OTLP_ANSWER, 1 },
	{ WORD("ai.toolCall.args"), OTLP_TOOL_ARGS, 2 },
	{ WORD("ai.toolCall.id"), OTLP_TOOL_ID, 2 },
	{ WORD("ai.toolCall.name"), OTLP_TOOL_NAME, 2 },
	{ WORD("ai.toolCall.result"), OTLP_TOOL_RESULT, 2 },
	{ WORD("ai.usage.cachedInputTokens"), OTLP_CACHE_READ, 4 },
	{ WORD("ai.usage.completionTokens"), OTLP_OUTPUT, 4 },
	{ WORD("ai.usage.inputTokenDetails.cacheReadTokens"), OTLP_CACHE_READ, 5 },
	{ WORD("ai.usage.inputTokenDetails.cacheWriteTokens"), OTLP_CACHE_WRITE, 6 },
	{ WORD("ai.usage.inputTokens"), OTLP_INPUT, 5 },
	{ WORD("ai.usage.outputTokenDetails.reasoningTokens"), OTLP_REASONING, 6 },
	{ WORD("ai.usage.outputTokens"), OTLP_OUTPUT, 5 },
	{ WORD("ai.usage.promptTokens"), OTLP_INPUT, 4 },
	{ WORD("ai.usage.reasoningTokens"), OTLP_REASONING, 5 },
	{ WORD("embedding.model_name"), OTLP_REQUEST_MODEL, 3 },
	{ WORD("error"), OTLP_ERROR_FLAG, 0 },
	{ WORD("error.type"), OTLP_ERROR, 0 },
	{ WORD("gcp.vertex.agent.tool_call_args"), OTLP_TOOL_ARGS, 1 },
	{ WORD("gcp.vertex.agent.tool_response"), OTLP_TOOL_RESULT, 1 },
	{ WORD("gen_ai.agent.id"), OTLP_AGENT_ID, 0 },
	{ WORD("gen_ai.agent.name"), OTLP_AGENT, 0 },
	{ WORD("gen_ai.agent.version"), OTLP_AGENT_VERSION, 0 },
	{ WORD("gen_ai.conversation.id"), OTLP_CONVERSATION, 0 },
	{ WORD("gen_ai.data_source.id"), OTLP_SOURCE, 0 },
	{ WORD("gen_ai.input.messages"), OTLP_MESSAGES_IN, 0 },
	{ WORD("gen_ai.is_streaming"), OTLP_STREAM, 1 },
	{ WORD("gen_ai.openai.api_base"), OTLP_BASE, 0 },
	{ WORD("gen_ai.operation.name"), OTLP_OPERATION, 0 },
	{ WORD("gen_ai.output.messages"), OTLP_MESSAGES_OUT, 0 },
	{ WORD("gen_ai.provider.name"), OTLP_PROVIDER, 0 },
	{ WORD("gen_ai.request.model"), OTLP_REQUEST_MODEL, 0 },
	{ WORD("gen_ai.request.stream"), OTLP_STREAM, 0 },
	{ WORD("gen_ai.response.finish_reasons"), OTLP_FINISH, 0 },
	{ WORD("gen_ai.response.id"), OTLP_RESPONSE_ID, 0 },
	{ WORD("gen_ai.response.model"), OTLP_RESPONSE_MODEL, 0 },
	{ WORD("gen_ai.response.time_to_first_chunk"), OTLP_TTFT, 0 },
	{ WORD("gen_ai.retrieval.documents"), OTLP_DOCUMENTS, 0 },
	{ WORD("gen_ai.retrieval.query.text"), OTLP_QUERY, 0 },
	{ WORD("gen_ai.system"), OTLP_PROVIDER, 1 },
	{ WORD("gen_ai.system_instructions"), OTLP_SYSTEM, 0 },
	{ WORD("gen_ai.tool.call.arguments"), OTLP_TOOL_ARGS, 0 },
	{ WORD("gen_ai.tool.call.id"), OTLP_TOOL_ID, 0 },
	{ WORD("gen_ai.tool.call.result"), OTLP_TOOL_RESULT, 0 },
	{ WORD("gen_ai.tool.definitions"), OTLP_TOOLS, 0 },
	{ WORD("gen_ai.tool.name"), OTLP_TOOL_NAME, 0 },
	{ WORD("gen_ai.usage.cache_creation.input_tokens"), OTLP_CACHE_WRITE, 0 },
	{ WORD("gen_ai.usage.cache_creation_input_tokens"), OTLP_CACHE_WRITE, 2 },
	{ WORD("gen_ai.usage.cache_read.input_tokens"), OTLP_CACHE_READ, 0 },
	{ WORD("gen_ai.usage.cache_read_input_tokens"), OTLP_CACHE_READ, 1 },
	{ WORD("gen_ai.usage.cache_write.input_tokens"), OTLP_CACHE_WRITE, 1 },
	{ WORD("gen_ai.usage.cache_write_input_tokens"), OTLP_CACHE_WRITE, 3 },
	{ WORD("gen_ai.usage.completion_tokens"), OTLP_OUTPUT, 1 },
	{ WORD("gen_ai.usage.cost"), OTLP_USD, 1 },
	{ WORD("gen_ai.usage.details.cache_read_tokens"), OTLP_CACHE_READ, 3 },
	{ WORD("gen_ai.usage.details.cache_write_tokens"), OTLP_CACHE_WRITE, 5 },
	{ WORD("gen_ai.usage.details.reasoning_tokens"), OTLP_REASONING, 3 },
	{ WORD("gen_ai.usage.input_tokens"), OTLP_INPUT, 0 },
	{ WORD("gen_ai.usage.output_tokens"), OTLP_OUTPUT, 0 },
	{ WORD("gen_ai.usage.prompt_tokens"), OTLP_INPUT, 1 },
	{ WORD("gen_ai.usage.reasoning.output_tokens"), OTLP_REASONING, 0 },
	{ WORD("gen_ai.usage.reasoning_tokens"), OTLP_REASONING, 1 },
	{ WORD("gen_ai.usage.total_cost"), OTLP_USD, 2 },
	{ WORD("input.value"), OTLP_TOOL_ARGS, 3 },
	{ WORD("llm.cost.total"), OTLP_USD, 0 },
	{ WORD("llm.finish_reason"), OTLP_FINISH, 1 },
	{ WORD("llm.is_streaming"), OTLP_STREAM, 2 },
	{ WORD("llm.model_name"), OTLP_REQUEST_MODEL, 2 },
	{ WORD("llm.provider"), OTLP_PROVIDER, 2 },
	{ WORD("llm.request.model_name"), OTLP_REQUEST_MODEL, 1 },
	{ WORD("llm.request.type"), OTLP_REQUEST_TYPE, 0 },
	{ WORD("llm.response.model_name"), OTLP_RESPONSE_MODEL, 1 },
	{ WORD("llm.system"), OTLP_PROVIDER, 3 },
	{ WORD("llm.token_count.completion"), OTLP_OUTPUT, 2 },
	{ WORD("llm.token_count.completion_details.reasoning"), OTLP_REASONING, 2 },
	{ WORD("llm.token_count.prompt"), OTLP_INPUT, 2 },
	{ WORD("llm.token_count.prompt_details.cache_read"), OTLP_CACHE_READ, 2 },
	{ WORD("llm.token_count.prompt_details.cache_write"), OTLP_CACHE_WRITE, 4 },
	{ WORD("llm.usage.completion_tokens"), OTLP_OUTPUT, 3 },
	{ WORD("llm.usage.prompt_tokens"), OTLP_INPUT, 3 },
	{ WORD("llm.usage.reasoning_tokens"), OTLP_REASONING, 4 },
	{ WORD("mcp.method.name"), OTLP_MCP_METHOD, 0 },
	{ WORD("mcp.request.argument"), OTLP_TOOL_ARGS, 6 },
	{ WORD("mcp.response.value"), OTLP_TOOL_RESULT, 5 },
	{ WORD("mcp.server.name"), OTLP_SERVER, 0 },
	{ WORD("openinference.span.kind"), OTLP_KIND, 0 },
	{ WORD("operation.cost"), OTLP_USD, 3 },
	{ WORD("otel.status_code"), OTLP_STATUS_CODE, 0 },
	{ WORD("otel.status_description"), OTLP_STATUS_TEXT, 0 },
	{ WORD("output.value"), OTLP_TOOL_RESULT, 3 },
	{ WORD("server.address"), OTLP_ADDRESS, 0 },
	{ WORD("server.port"), OTLP_PORT, 0 },
	{ WORD("tool.id"), OTLP_TOOL_ID, 1 },
	{ WORD("tool.name"), OTLP_TOOL_NAME, 1 },
	{ WORD("tool.parameters"), OTLP_TOOL_ARGS, 4 },
	{ WORD("tool_call.id"), OTLP_TOOL_ID, 3 },
	{ WORD("traceloop.entity.input"), OTLP_TOOL_ARGS, 5 },
	{ WORD("traceloop.entity.name"), OTLP_TOOL_NAME, 4 },
	{ WORD("traceloop.entity.output"), OTLP_TOOL_RESULT, 4 },
	{ WORD("traceloop.span.kind"), OTLP_ENTITY, 0 },
	{ WORD("trackway.call.time"), OTLP_CALL_TIME, 0 },
	{ WORD("trackway.cost.seq"), OTLP_COST_SEQ, 0 },
	{ WORD("trackway.end.time"), OTLP_END_TIME, 0 },
	{ WORD("trackway.endpoint.path"), OTLP_OWN_PATH, 0 },
	{ WORD("trackway.endpoint.scheme"), OTLP_OWN_SCHEME, 0 },
	{ WORD("trackway.provider"), OTLP_OWN_PROVIDER, 0 },
	{ WORD("trackway.result.encoding"), OTLP_RESULT_ENCODING, 0 },
	{ WORD("trackway.result.seq"), OTLP_RESULT_SEQ, 0 },
	{ WORD("trackway.result.time"), OTLP_RESULT_TIME, 0 },
	{ WORD("trackway.seq"), OTLP_SEQ, 0 },
	{ WORD("trackway.start.time"), OTLP_START_TIME, 0 },
	{ WORD("trackway.start.time_source"), OTLP_TIME_SOURCE, 0 },
	{ WORD("trackway.stop_reason"), OTLP_OWN_STOP, 0 },
	{ WORD("trackway.time_source"), OTLP_TIME_SOURCE, 1 },
};

const struct otlp_attr_name *otlp_attr_names(size_t *count)
{
	*count = COUNT(names);
	return names;
}

/* What OTLP wraps a value in; protojson may keep the names of the fields. */
static const struct str wrappings[] = {
	WORD("stringValue"), WORD("intValue"), WORD("doubleValue"), WORD("boolValue"), WORD("arrayValue"),
	WORD("kvlistValue"), WORD("bytesValue"), WORD("string_value"), WORD("int_value"), WORD("double_value"),
	WORD("bool_value"), WORD("array_value"), WORD("kvlist_value"), WORD("bytes_value"),
};

struct otlp_attr_iter otlp_attr_begin(struct val attributes, enum otlp_shape shape)
{
	/* Some writers of OTLP give an object, and some flat dumps a list: what it is decides. */
	if (val_is(attributes, JSON_OBJECT))
		shape = OTLP_SDK;
	else if (shape == OTLP_SDK)
		shape = OTLP_NATIVE;
	return (struct otlp_attr_iter){ val_begin(attributes), shape };
}

struct val otlp_attr_unwrap(struct val v)
{
	struct val_iter it = val_begin(v);
	struct val key, inner, values;

	if (!val_is(v, JSON_OBJECT) || !val_next_member(&it, &key, &inner))
		return v;
	for (size_t i = 0; i < COUNT(wrappings); i++) {
		if (!val_text_is(key, wrappings[i]))
			continue;
		values = val_is(inner, JSON_OBJECT) ? val_get(inner, STR("values")) : VAL_NONE;
		return val_is_none(values) ? inner : values;
	}
	return v;
}

/* ---- wrapped values inside wrapped values ---- */

#define PLAIN_DEPTH 64

/* A list that is open: of values, or of {key, value}. */
struct level {
	struct val_iter it;
	bool members, begun;
};

/* What {"kvlistValue":{"values":[...]}} and its like hold; VAL_NONE for all else. */
static struct val open_wrapped(struct val v, bool *members)
{
	struct val list = val_get_either(v, STR("arrayValue"), STR("array_value"));

	*members = val_is_none(list);
	return *members ? val_get_either(v, STR("kvlistValue"), STR("kvlist_value")) : list;
}

/* {} is null, and an intValue in quotes is a number again; a stringValue of digits stays a text. */
static void otlp_attr_put_scalar(struct buf *out, struct val v)
{
	struct val inner = otlp_attr_unwrap(v);
	int64_t n;

	if (inner.at == v.at && val_is(v, JSON_OBJECT) && val_count(v) == 0)
		buf_add_str(out, STR("null"));
	else if (val_is(inner, JSON_STRING) && inner.at != v.at && num_parse_i64(val_raw(inner), &n) &&
		 !val_has(v, STR("stringValue")) && !val_has(v, STR("string_value")))
		buf_add_str(out, val_raw(inner)); /* integers are spelled as texts */
	else
		buf_add_str(out, val_source(inner));
}

/* The next value of the innermost list; false when the list is over. */
static bool next_inside(struct buf *out, struct level *l, struct val *v)
{
	struct val element, key;

	while (val_next(&l->it, &element)) {
		key = l->members ? val_get(element, STR("key")) : VAL_NONE;
		*v = l->members ? val_get(element, STR("value")) : element;
		if (val_is_none(*v) || (l->members && !val_is(key, JSON_STRING)))
			continue;
		if (l->begun)
			buf_add_byte(out, ',');
		l->begun = true;
		if (l->members) {
			buf_add_str(out, val_source(key));
			buf_add_byte(out, ':');
		}
		return true;
	}
	buf_add_byte(out, l->members ? '}' : ']');
	return false;
}

static bool otlp_attr_is_wrapped(struct val v)
{
	return val_is(v, JSON_OBJECT) && otlp_attr_unwrap(v).at != v.at;
}

/* The outermost wrapping is gone already: a list of values, or of members. */
static bool begin_plain(struct val v, struct level *l)
{
	struct val_iter it = val_begin(v);
	struct val first;

	if (!val_is(v, JSON_ARRAY) || !val_next(&it, &first) || !val_is(first, JSON_OBJECT))
		return false;
	*l = (struct level){ .it = val_begin(v), .members = !otlp_attr_is_wrapped(first) };
	return !l->members || (val_is(val_get(first, STR("key")), JSON_STRING) &&
			       otlp_attr_is_wrapped(val_get(first, STR("value"))));
}

struct str otlp_attr_plain(struct arena *a, struct val v)
{
	struct level levels[PLAIN_DEPTH];
	struct str text = { NULL, 0 };
	size_t depth = 1;
	struct buf out = { 0 };

	if (!begin_plain(v, &levels[0]))
		return text;
	buf_add_byte(&out, levels[0].members ? '{' : '[');
	while (depth) {
		struct val inner, list;
		bool members;

		if (!next_inside(&out, &levels[depth - 1], &inner)) {
			depth--;
			continue;
		}
		list = open_wrapped(inner, &members);
		if (val_is_none(list)) {
			otlp_attr_put_scalar(&out, inner);
			continue;
		}
		if (depth == PLAIN_DEPTH)
			break;
		list = val_is(list, JSON_OBJECT) ? val_get(list, STR("values")) : list;
		levels[depth++] = (struct level){ .it = val_begin(list), .members = members };
		buf_add_byte(&out, members ? '{' : '[');
	}
	if (!depth)
		text = arena_copy(a, buf_str(&out));
	buf_free(&out);
	return text;
}

/* ---- one by one ---- */

bool otlp_attr_next(struct otlp_attr_iter *it, struct val *key, struct val *value)
{
	struct val element;

	if (it->shape == OTLP_SDK) {
		if (!val_next_member(&it->it, key, value))
			return false;
		*value = otlp_attr_unwrap(*value);
		return true;
	}
	while (val_next(&it->it, &element)) {
		*key = val_get(element, STR("key"));
		*value = val_get(element, STR("value"));
		if (!val_is(*key, JSON_STRING) || val_is_none(*value))
			continue;
		if (it->shape == OTLP_NATIVE)
			*value = otlp_attr_unwrap(*value);
		return true;
	}
	return false;
}

struct val otlp_attr_of_event(struct val event, enum otlp_shape shape, const char *name)
{
	struct otlp_attr_iter it = otlp_attr_begin(val_get_either(event, STR("attributes"), STR("fields")), shape);
	struct val key, value;

	while (otlp_attr_next(&it, &key, &value))
		if (str_eq(val_raw(key), str_from(name)))
			return value;
	return VAL_NONE;
}

bool otlp_attr_is_flat(struct str key)
{
	return str_starts(key, STR("gen_ai.prompt.")) || str_starts(key, STR("gen_ai.completion.")) ||
	       str_starts(key, STR("llm.input_messages.")) || str_starts(key, STR("llm.output_messages."));
}

void otlp_attr_gather(struct otlp_attrs *a, struct val attributes, enum otlp_shape shape)
{
	struct otlp_attr_iter it = otlp_attr_begin(attributes, shape);
	struct val key, value;

	while (otlp_attr_next(&it, &key, &value)) {
		struct str text = val_raw(key); /* none of the names has a character to escape */
		const struct otlp_attr_name *n = bsearch(&text, names, COUNT(names), sizeof(names[0]), str_cmp_first);

		a->flat |= otlp_attr_is_flat(text); /* so that spans without them are not searched again */
		if (!n || (otlp_attr_has(a, n->slot) && a->ranks[n->slot] <= n->rank))
			continue;
		a->slots[n->slot] = value;
		a->ranks[n->slot] = n->rank;
	}
}

struct str otlp_attr_text(struct reading *r, const struct otlp_attrs *a, enum otlp_slot slot)
{
	return reading_text_of(r, reading_take(r, a->slots[slot]));
}

bool otlp_attr_is_null(struct val v)
{
	return val_is(v, JSON_NULL) || (val_is(v, JSON_OBJECT) && val_count(v) == 0);
}

bool otlp_attr_integer(struct val v, int64_t *n)
{
	if (val_is(v, JSON_NUMBER))
		return num_integral(val_raw(v), n);
	return val_is(v, JSON_STRING) && num_parse_i64(val_raw(v), n);
}

struct figure otlp_attr_count(struct reading *r, const struct otlp_attrs *a, enum otlp_slot slot)
{
	struct val v = a->slots[slot];
	int64_t n;

	if (otlp_attr_is_null(v))
		return (struct figure){ FIGURE_NULL, FIGURE_API, 0 };
	if (!otlp_attr_integer(v, &n) || n < 0 || n >= (int64_t)1 << 53)
		return (struct figure){ FIGURE_ABSENT, FIGURE_API, 0 };
	reading_take(r, v);
	return FIGURE((uint64_t)n);
}

struct str otlp_attr_first(struct reading *r, const struct otlp_attrs *a, enum otlp_slot slot)
{
	struct val v = a->slots[slot], parsed = VAL_NONE, first;
	struct val_iter it;
	struct str text = { NULL, 0 };

	if (val_is(v, JSON_STRING)) {
		text = otlp_attr_text(r, a, slot);
		if (!str_starts(text, STR("[")))
			return text;
		parsed = v = reading_parse(r, text);
	}
	it = val_begin(v);
	if (val_is(v, JSON_ARRAY) && val_next(&it, &first))
		text = reading_text_of(r, reading_take(r, otlp_attr_unwrap(first)));
	if (!val_is_none(parsed))
		reading_release(r, parsed);
	return text;
}

bool otlp_attr_is_true(const struct otlp_attrs *a, enum otlp_slot slot)
{
	struct val v = a->slots[slot];

	return val_is(v, JSON_TRUE) || val_text_is(v, STR("true"));
}

bool otlp_attr_indexed(struct str key, struct str prefix, uint32_t *index, struct str *rest)
{
	uint64_t n;

	if (!str_starts(key, prefix))
		return false;
	key = str_of(key.p + prefix.n, key.n - prefix.n);
	if (!num_parse_u64(str_cut(key, '.', rest), &n) || n > UINT32_MAX)
		return false;
	*index = (uint32_t)n;
	return true;
}
