/*
 * Messages as LangChain, its serialized constructors and the providers write them: what was said to a model, and what
 * it answered.
 */
#include "dialect/exchange/common.h"
#include "dialect/langsmith/private.h"
#include "dialect/record/field.h"
#include "model/history.h"

#define MESSAGES_MAX 100000 /* of one request; the others stay in ext */

/* ---- one message ---- */

/* {"lc":1,"type":"constructor","id":[...],"kwargs":{...}} and {"type":"human","data":{...}}. */
struct val langsmith_unwrap(struct val v)
{
	struct val kwargs = val_get(v, STR("kwargs")), data = val_get(v, STR("data"));

	if (val_has(v, STR("lc")) && val_is(kwargs, JSON_OBJECT))
		return kwargs;
	return val_is(data, JSON_OBJECT) && val_has(data, STR("content")) && !val_has(v, STR("content")) ? data : v;
}

/* LangChain's words, and the names of its classes, for the roles that everybody else has. */
static const struct {
	struct str word, role;
} roles[] = {
	{ WORD("human"), WORD("user") },           { WORD("HumanMessage"), WORD("user") },
	{ WORD("HumanMessageChunk"), WORD("user") }, { WORD("ai"), WORD("assistant") },
	{ WORD("AIMessage"), WORD("assistant") },  { WORD("AIMessageChunk"), WORD("assistant") },
	{ WORD("system"), WORD("system") },        { WORD("SystemMessage"), WORD("system") },
	{ WORD("SystemMessageChunk"), WORD("system") }, { WORD("tool"), WORD("tool") },
	{ WORD("ToolMessage"), WORD("tool") },     { WORD("ToolMessageChunk"), WORD("tool") },
	{ WORD("function"), WORD("tool") },        { WORD("FunctionMessage"), WORD("tool") },
	{ WORD("developer"), WORD("developer") },  { WORD("model"), WORD("assistant") },
	{ WORD("user"), WORD("user") },            { WORD("assistant"), WORD("assistant") },
};

static struct str message_fold_role(struct val word)
{
	for (size_t i = 0; i < COUNT(roles); i++)
		if (val_text_is(word, roles[i].word))
			return roles[i].role;
	return str_of(NULL, 0);
}

/* The last word of a constructor's id is the name of its class. */
static struct val message_class(struct val v)
{
	struct val last = VAL_NONE;

	if (val_has(v, STR("lc")))
		VALUES_EACH(word, val_get(v, STR("id")))
			last = word;
	return last;
}

/* One of the words above, or p NULL: it is no message. */
static struct str message_role(struct val v)
{
	struct val body = langsmith_unwrap(v);
	struct val words[] = { message_class(v), val_get(body, STR("role")), val_get(v, STR("type")),
			       val_get(body, STR("type")) };

	for (size_t i = 0; i < COUNT(words); i++) {
		struct str role = message_fold_role(words[i]);

		if (role.p)
			return role;
	}
	return str_of(NULL, 0);
}

/* ---- what was said to the model ---- */

/* Content is taken where it is told here; what the model and tools said is told by their own runs. */
static void message_add_sent(struct reading *r, struct str role, struct val content, struct val call, uint32_t position)
{
	bool given = !str_eq(role, STR("assistant")) && !str_eq(role, STR("tool"));
	struct event *e = reading_add(r, EVENT_MESSAGE);

	e->flags = EVENT_HISTORY;
	e->role = role;
	e->position = position;
	e->digest = history_digest(role);
	if (val_is(call, JSON_STRING))
		exchange_digest_add(&e->digest, val_text(call, r->arena));
	if (!val_is_none(content))
		exchange_digest_add(&e->digest, val_source(content));
	if (given)
		e->content = reading_json_of(r, e, "content", content);
}

/* A message in any of its spellings; ["user", "hi"] and "hi" too. Anything else is passed over. */
static void message_read(struct reading *r, struct val v, uint32_t position)
{
	struct val body = langsmith_unwrap(v);
	struct str role = message_role(v);

	if (val_is(v, JSON_STRING)) {
		message_add_sent(r, STR("user"), v, VAL_NONE, position);
	} else if (val_is(v, JSON_ARRAY) && val_count(v) == 2) {
		role = message_fold_role(values_first(v));
		if (role.p)
			message_add_sent(r, role, val_at(v, STR("/1")), VAL_NONE, position);
	} else if (val_is(v, JSON_OBJECT) && role.p && val_has(body, STR("content"))) {
		message_add_sent(r, role, val_get(body, STR("content")), val_get(body, STR("tool_call_id")), position);
		if (val_text_is(val_get(body, STR("role")), role))
			reading_take(r, val_get(body, STR("role")));
	}
}

/* A list of messages, or of lists of them, of which the first is told: a model answers each of those apart. */
static void message_read_list(struct reading *r, struct val list)
{
	struct val first = values_first(list);
	uint32_t position = 0;

	if (val_is(first, JSON_ARRAY) && !val_is(values_first(first), JSON_STRING))
		list = first;
	VALUES_EACH(v, list) {
		if (position == MESSAGES_MAX)
			break;
		message_read(r, v, position++);
	}
}

/* By the names of LangChain and of the providers whose clients are wrapped. */
void langsmith_read_request(struct reading *r, struct val inputs)
{
	static const struct str fronts[] = { WORD("system"), WORD("instructions") };
	static const struct str lists[] = { WORD("messages"), WORD("input"), WORD("prompts"), WORD("prompt") };

	for (size_t i = 0; i < COUNT(fronts); i++) {
		struct val v = val_get(inputs, fronts[i]);

		if (val_is(v, JSON_STRING) || val_is(v, JSON_ARRAY))
			message_add_sent(r, STR("system"), v, VAL_NONE, 0);
	}
	for (size_t i = 0; i < COUNT(lists); i++) {
		struct val v = val_get(inputs, lists[i]);

		if (val_is_none(v))
			continue;
		if (val_is(v, JSON_ARRAY))
			message_read_list(r, v);
		else
			message_read(r, v, 0);
		return;
	}
}

/* ---- what it answered ---- */

struct said {
	struct buf text, reasoning, calls;
	bool has_text;
};

/* A call that is asked for: only its id counts here, since its own run tells the rest. */
static void message_add_call(struct reading *r, struct said *s, struct val id)
{
	struct event *e;

	if (!val_is(id, JSON_STRING) || !val_text(id, r->arena).n)
		return;
	e = reading_add(r, EVENT_CALL);
	e->flags = EVENT_HISTORY;
	e->call = val_text(id, r->arena);
	buf_add_byte(&s->calls, s->calls.n ? ',' : '[');
	buf_add_str(&s->calls, reading_quote(r, e->call));
}

static void message_add_text(struct reading *r, struct buf *to, struct val v)
{
	buf_add_str(to, reading_text_of(r, v));
}

static void message_read_content(struct reading *r, struct said *s, struct val content, bool calls);

/* A block of a content: text, what was thought, a call; of anything else nothing is taken. */
static void message_read_block(struct reading *r, struct said *s, struct val block, bool calls)
{
	static const struct str texts[] = { WORD("text"), WORD("output_text"), WORD("text_delta") };
	static const struct str asks[] = { WORD("tool_use"), WORD("tool_call"), WORD("function_call") };
	struct val type = val_get(block, STR("type")), text = val_get(block, STR("text"));
	struct val thought = val_get_either(block, STR("thinking"), STR("reasoning"));

	if (val_is(block, JSON_STRING)) {
		message_add_text(r, &s->text, block);
		s->has_text = true;
	} else if (val_is(text, JSON_STRING) && values_is_word(type, texts, COUNT(texts))) {
		message_add_text(r, &s->text, text);
		reading_take(r, type);
		s->has_text = true;
	} else if (val_is(thought, JSON_STRING)) {
		message_add_text(r, &s->reasoning, thought);
		reading_take(r, type);
	} else if (calls && values_is_word(type, asks, COUNT(asks))) {
		message_add_call(r, s, val_has(block, STR("call_id")) ? val_get(block, STR("call_id"))
								       : val_get(block, STR("id")));
	} else if (val_text_is(type, STR("message"))) { /* of OpenAI's Responses */
		message_read_content(r, s, val_get(block, STR("content")), calls);
	}
}

/* `calls`: blocks may ask for calls; not where a list beside the content does. */
static void message_read_content(struct reading *r, struct said *s, struct val content, bool calls)
{
	if (val_is(content, JSON_STRING))
		message_read_block(r, s, content, calls);
	VALUES_EACH(block, content)
		message_read_block(r, s, block, calls);
}

/* What the answer says of itself, beside its words; the first that tells counts. */
static void message_read_about(struct reading *r, struct langsmith_answer *a, struct val about)
{
	struct val stop = val_get_either(about, STR("finish_reason"), STR("stop_reason"));
	struct val model = val_get_either(about, STR("model_name"), STR("model"));
	static const struct str usages[] = { WORD("usage_metadata"), WORD("token_usage"), WORD("usage") };

	if (val_is(stop, JSON_OBJECT)) /* the SDK for JavaScript once put all of the choice there */
		stop = val_get(stop, STR("finish_reason"));
	if (!a->stop.n)
		a->stop = reading_text_of(r, stop);
	else if (val_text_is(stop, a->stop))
		reading_take(r, stop);
	if (!a->model.n)
		a->model = reading_text_of(r, model);
	else if (val_text_is(model, a->model))
		reading_take(r, model);
	for (size_t i = 0; i < COUNT(usages) && val_is_none(a->usage); i++) {
		struct val v = val_get(about, usages[i]);

		if (val_is(v, JSON_OBJECT) && val_count(v) > 0)
			a->usage = v;
	}
}

/* Words, calls and figures of one message of the model. */
static void message_read_answer(struct reading *r, struct said *s, struct langsmith_answer *a, struct val message)
{
	struct val body = langsmith_unwrap(message), id = val_get(body, STR("id"));
	struct val kwargs = val_get(body, STR("additional_kwargs")), calls = val_get(body, STR("tool_calls"));
	struct val thought = val_get_either(body, STR("reasoning_content"), STR("reasoning"));

	if (val_is(body, JSON_STRING)) {
		message_read_content(r, s, body, true);
		return;
	}
	if (!val_is(thought, JSON_STRING))
		thought = val_get(kwargs, STR("reasoning_content"));
	if (!val_is(calls, JSON_ARRAY) || val_count(calls) == 0)
		calls = val_get(kwargs, STR("tool_calls"));
	message_read_content(r, s, val_get(body, STR("content")), val_count(calls) == 0);
	if (val_is(thought, JSON_STRING))
		message_add_text(r, &s->reasoning, thought);
	VALUES_EACH(call, calls)
		message_add_call(r, s, val_get(call, STR("id")));
	message_read_about(r, a, body);
	message_read_about(r, a, val_get(body, STR("response_metadata")));
	if (val_is(val_get(body, STR("role")), JSON_STRING))
		reading_take(r, val_get(body, STR("role")));
	/* LangChain makes an id of the run's where the service gave none */
	if (!a->id.n && val_is(id, JSON_STRING) && !str_starts(val_text(id, r->arena), STR("run-")) &&
	    !str_starts(val_text(id, r->arena), STR("lc_run-")))
		a->id = reading_text_of(r, id);
	if (val_is_none(a->message))
		a->message = body;
}

/* [[g]] or [g]; each is {"text","message","generation_info"}. The first is told. */
static void message_read_generations(struct reading *r, struct said *s, struct langsmith_answer *a, struct val list)
{
	struct val g = values_first(list), message;

	if (val_is(g, JSON_ARRAY))
		g = values_first(g);
	message = val_get(g, STR("message"));
	if (val_is(message, JSON_OBJECT)) {
		message_read_answer(r, s, a, message);
		if (val_is(val_get(g, STR("text")), JSON_STRING) &&
		    val_text_is(val_get(g, STR("text")), buf_str(&s->text)))
			reading_take(r, val_get(g, STR("text")));
	} else {
		message_read_content(r, s, val_get(g, STR("text")), false);
	}
	message_read_about(r, a, val_get(g, STR("generation_info")));
}

/* A choice of OpenAI's, whole or a piece of a stream. */
static void message_read_choice(struct reading *r, struct said *s, struct langsmith_answer *a, struct val choice)
{
	struct val message = val_get_either(choice, STR("message"), STR("delta"));

	if (val_is(message, JSON_OBJECT))
		message_read_answer(r, s, a, message);
	else if (val_is(val_get(choice, STR("text")), JSON_STRING))
		message_read_content(r, s, val_get(choice, STR("text")), false);
	message_read_about(r, a, choice);
}

/* The last message of a list that the model said. */
static struct val message_find_last(struct val list)
{
	struct val last = VAL_NONE;

	VALUES_EACH(v, list)
		if (str_eq(message_role(v), STR("assistant")))
			last = v;
	return last;
}

/* A list under `output`: items of OpenAI's Responses, pieces of a stream, or messages. */
static void message_read_items(struct reading *r, struct said *s, struct langsmith_answer *a, struct val list)
{
	VALUES_EACH(v, list) {
		struct val choice = values_first(val_get(v, STR("choices")));

		if (!val_is_none(choice)) {
			message_read_choice(r, s, a, choice);
			message_read_about(r, a, v);
		} else if (val_has(v, STR("lc")) || val_text_is(val_get(v, STR("type")), STR("AIMessageChunk"))) {
			message_read_answer(r, s, a, v);
		} else {
			message_read_block(r, s, v, true);
		}
	}
}

bool langsmith_is_answer(struct val outputs)
{
	return val_is(val_get(outputs, STR("generations")), JSON_ARRAY) ||
	       val_is(val_get(outputs, STR("choices")), JSON_ARRAY) ||
	       val_is(val_get(outputs, STR("llm_output")), JSON_OBJECT) ||
	       (val_has(outputs, STR("content")) && str_eq(message_role(outputs), STR("assistant")));
}

/* Where the answer stands, by the names of LangChain and of wrapped clients. */
static void message_read_outputs(struct reading *r, struct said *s, struct langsmith_answer *a, struct val outputs)
{
	struct val body = langsmith_unwrap(outputs), output = val_get(body, STR("output"));
	struct val message = val_get(body, STR("message"));

	if (val_is(val_get(body, STR("generations")), JSON_ARRAY))
		message_read_generations(r, s, a, val_get(body, STR("generations")));
	else if (val_count(val_get(body, STR("choices"))) > 0)
		message_read_choice(r, s, a, values_first(val_get(body, STR("choices"))));
	else if (val_has(body, STR("content")))
		message_read_answer(r, s, a, outputs);
	else if (val_is(message, JSON_OBJECT))
		message_read_answer(r, s, a, message);
	else if (val_is(output, JSON_ARRAY))
		message_read_items(r, s, a, output);
	else if (val_is(output, JSON_OBJECT))
		message_read_answer(r, s, a, output);
	else if (val_is(output, JSON_STRING))
		message_read_content(r, s, output, false);
	else
		message_read_answer(r, s, a, message_find_last(val_get(body, STR("messages"))));
	message_read_about(r, a, body);
	message_read_about(r, a, val_get(body, STR("llm_output")));
}

void langsmith_read_answer(struct reading *r, struct val outputs, struct langsmith_answer *a)
{
	struct said s = { .has_text = false };

	*a = (struct langsmith_answer){ .usage = VAL_NONE };
	if (val_is(outputs, JSON_OBJECT))
		message_read_outputs(r, &s, a, outputs);
	if (s.has_text)
		a->text = arena_copy(r->arena, buf_str(&s.text));
	if (s.reasoning.n)
		a->reasoning = arena_copy(r->arena, buf_str(&s.reasoning));
	if (s.calls.n) {
		buf_add_byte(&s.calls, ']');
		a->calls = arena_copy(r->arena, buf_str(&s.calls));
	}
	buf_free(&s.text);
	buf_free(&s.reasoning);
	buf_free(&s.calls);
}
