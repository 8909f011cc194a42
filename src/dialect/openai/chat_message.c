/*
 * Reads messages of OpenAI's chat, as requests and transcripts tell them, and digests each so that the fold knows it
 * again.
 */
#include "dialect/exchange/common.h"
#include "dialect/openai/chat.h"
#include "dialect/record/field.h"
#include "model/history.h"

/* ---- content ---- */

static struct str openai_chat_message_joined(struct reading *r, struct str a, struct str b)
{
	if (!a.n)
		return b.p ? b : a;
	return b.n ? ARENA_JOIN(r->arena, a, b) : a;
}

/* Texts of a list, put together in one go: a list of many parts must not be copied for each. */
struct pieces {
	struct buf buf;
	size_t count;
	struct str first;
};

/* The first text is only referred to: most lists have one, and it need not be copied. */
static void pieces_add(struct pieces *p, struct str text)
{
	if (!text.p)
		return;
	if (p->count++ == 0) {
		p->first = text;
		return;
	}
	if (p->count == 2)
		buf_add_str(&p->buf, p->first);
	buf_add_str(&p->buf, text);
}

/* The text of all of them, in the batch; absent when there was none. Frees the buffer. */
static struct str pieces_end(struct reading *r, struct pieces *p)
{
	struct str all = p->count > 1 ? arena_copy(r->arena, buf_str(&p->buf)) : p->first;

	buf_free(&p->buf);
	return all;
}

/* {"type":"thinking","thinking":"..."} or, with Mistral, a list of text parts. */
static void add_thinking(struct reading *r, struct val part, struct pieces *thought)
{
	struct val thinking = val_get(part, STR("thinking"));

	if (val_is(thinking, JSON_STRING))
		pieces_add(thought, reading_text_of(r, thinking));
	VALUES_EACH(inner, thinking) {
		if (!val_is(val_get(inner, STR("text")), JSON_STRING))
			continue;
		pieces_add(thought, reading_text(r, inner, STR("text")));
		reading_take(r, val_get(inner, STR("type")));
	}
}

/* Type and text of a part are taken only when the text is, so that other parts stay whole in the rest. */
void openai_chat_read_content(struct reading *r, struct val content, struct openai_chat_said *said)
{
	struct pieces text = { .count = 0 }, thought = { .count = 0 };

	if (val_is(content, JSON_STRING)) {
		said->text = reading_text_of(r, content);
		return;
	}
	if (!val_is(content, JSON_ARRAY))
		return;
	VALUES_EACH(part, content) {
		struct val type = val_get(part, STR("type")), words = val_get(part, STR("text"));

		if (val_text_is(type, STR("text")) && val_is(words, JSON_STRING)) {
			pieces_add(&text, reading_text_of(r, words));
			reading_take(r, type);
		} else if (val_text_is(type, STR("thinking"))) {
			add_thinking(r, part, &thought);
			reading_take(r, type);
		} else if (val_is(part, JSON_STRING)) {
			pieces_add(&text, reading_text_of(r, part));
		}
	}
	said->text = pieces_end(r, &text);
	said->reasoning = pieces_end(r, &thought);
}

/* A null says that there is nothing, as absence does, in a message whose members are fixed. */
static void take_null(struct reading *r, struct val object, struct str name)
{
	struct val v;

	if (r->lean) /* nothing is marked */
		return;
	v = val_get(object, name);
	if (val_is(v, JSON_NULL))
		reading_take(r, v);
}

/* Members that are null are taken: in a message of fixed members they say nothing. */
void openai_chat_read_said(struct reading *r, struct val message, struct openai_chat_said *said)
{
	static const struct str thoughts[] = { WORD("reasoning_content"), WORD("reasoning"), WORD("thinking") };
	struct val refusal = val_get(message, STR("refusal"));
	struct str thought = { NULL, 0 };

	openai_chat_read_content(r, val_get(message, STR("content")), said);
	take_null(r, message, STR("content"));
	take_null(r, message, STR("tool_calls"));
	take_null(r, message, STR("function_call"));
	for (size_t i = 0; i < COUNT(thoughts); i++) {
		struct val v = val_get(message, thoughts[i]);

		/* some servers say the same under two names */
		if (val_is(v, JSON_STRING) && !thought.n)
			thought = reading_text_of(r, v);
		else if (val_is(v, JSON_NULL) || val_text_is(v, thought))
			reading_take(r, v);
	}
	said->reasoning = openai_chat_message_joined(r, said->reasoning, thought);
	/* a refusal is what the model said; the member itself stays, so that one can tell */
	if (!said->text.n && val_is(refusal, JSON_STRING))
		said->text = val_text(refusal, r->arena);
	else
		take_null(r, message, STR("refusal"));
	if (val_is(refusal, JSON_STRING) && said->text.p)
		said->text = arena_copy(r->arena, said->text);
}

/* ---- calls ---- */

static void take_word(struct reading *r, struct val object, struct str name, struct str word)
{
	struct val v = val_get(object, name);

	if (val_text_is(v, word))
		reading_take(r, v);
}

/*
 * Arguments are a text of JSON by contract, and stay text for the assembler to parse; some servers send the object.
 */
static void openai_chat_message_read_args(struct reading *r, struct event *e, struct val object, struct str name)
{
	struct val args = val_get(object, name);

	if (val_is(args, JSON_STRING))
		e->args_text = reading_text_of(r, args);
	else if (val_is(args, JSON_OBJECT) || val_is(args, JSON_ARRAY))
		e->args = reading_json_of(r, e, "args", args);
}

/*
 * {id, type, function:{name, arguments}} or {id, type:"custom", custom:{name, input}}. Some logs have name and
 * arguments in the call itself.
 */
static void openai_chat_message_read_call(struct reading *r, struct val call, struct str step, unsigned flags,
					  int place)
{
	struct event *e = reading_add(r, EVENT_CALL);
	struct val function = val_get(call, STR("function")), custom = val_get(call, STR("custom"));
	struct figure index = reading_count(r, call, STR("index"));

	if (!val_is(function, JSON_OBJECT) && val_is(val_get(call, STR("name")), JSON_STRING))
		function = call;
	e->flags = flags;
	e->step = step;
	e->index = figure_is_known(index) && index.n < 1 << 20 ? (int)index.n : flags & EVENT_PIECE ? -1 : place;
	e->call = text_or_none(reading_text(r, call, STR("id")));
	take_null(r, call, STR("id"));
	take_null(r, call, STR("type"));
	take_word(r, call, STR("type"), STR("function"));
	if (val_is(custom, JSON_OBJECT)) {
		e->tool = reading_text(r, custom, STR("name"));
		openai_chat_message_read_args(r, e, custom, STR("input"));
		if (!(flags & EVENT_PIECE) && e->args_text.p) {
			e->args = reading_quote(r, e->args_text);
			e->args_text = str_of(NULL, 0);
			e->flags |= EVENT_RAW_ARGS;
		}
	} else {
		e->tool = reading_text(r, function, STR("name"));
		take_null(r, function, STR("name"));
		openai_chat_message_read_args(r, e, function, STR("arguments"));
	}
	reading_rest(r, e, call);
}

/* A call that was written as text, as some exports do. False when it is none. */
static bool openai_chat_message_read_call_text(struct reading *r, struct val text, struct str step, unsigned flags,
					       int place)
{
	struct val call = val_is(text, JSON_STRING) ? reading_parse(r, val_text_copy(text, r->arena)) : VAL_NONE;
	bool good = val_is(call, JSON_OBJECT);

	if (good) {
		openai_chat_message_read_call(r, call, step, flags, place);
		reading_take(r, text);
	}
	if (!val_is_none(call))
		reading_release(r, call);
	return good;
}

/* Calls get their index from the message, else (in a whole message) from their place in the list. */
void openai_chat_read_calls(struct reading *r, struct val message, struct str step, unsigned flags)
{
	struct val legacy = val_get(message, STR("function_call"));
	int n = 0;

	VALUES_EACH(call, val_get(message, STR("tool_calls")))
		if (val_is(call, JSON_OBJECT))
			openai_chat_message_read_call(r, call, step, flags, n++);
		else if (openai_chat_message_read_call_text(r, call, step, flags, n))
			n++;
	if (val_is(legacy, JSON_OBJECT)) {
		struct event *e = reading_add(r, EVENT_CALL);

		e->flags = flags;
		e->step = step;
		e->index = 0;
		e->tool = reading_text(r, legacy, STR("name"));
		openai_chat_message_read_args(r, e, legacy, STR("arguments"));
		reading_rest(r, e, legacy);
	}
}

/* ---- digests: what a message is, whatever changes from request to request ---- */

/* A string and a list of one text part are the same; cache_control beside it does not count. */
static uint64_t openai_chat_message_digest_content(struct reading *r, uint64_t digest, struct val content)
{
	struct val_iter it = val_begin(content);
	struct val part;

	if (val_is(content, JSON_STRING))
		exchange_digest_add(&digest, val_text(content, r->arena));
	if (!val_is(content, JSON_ARRAY))
		return digest;
	while (val_next(&it, &part)) {
		struct val text = val_get(part, STR("text"));

		exchange_digest_add(&digest, val_is(text, JSON_STRING) ? val_text(text, r->arena)
										  : val_source(part));
	}
	return digest;
}

/* A call is known by its id and its arguments, as they are written; the name of its tool does not count. */
static uint64_t digest_calls(struct reading *r, uint64_t digest, struct val calls)
{
	VALUES_EACH(call, calls) {
		struct val function = val_get(call, STR("function")), v;

		v = val_get(call, STR("id"));
		exchange_digest_add(&digest, val_is(v, JSON_STRING) ? val_text(v, r->arena) : STR(""));
		v = val_get(function, STR("arguments"));
		exchange_digest_add(&digest, val_is(v, JSON_STRING) ? val_text(v, r->arena)
							: val_is_none(v)       ? STR("")
									       : val_source(v));
	}
	return digest;
}

/* A message by its role, its content, and its calls' ids and arguments. */
static uint64_t digest_message(struct reading *r, struct val message, struct str role)
{
	struct val id = val_get(message, STR("tool_call_id"));
	uint64_t digest = history_digest(role);

	if (val_is(id, JSON_STRING))
		exchange_digest_add(&digest, val_text(id, r->arena));
	digest = openai_chat_message_digest_content(r, digest, val_get(message, STR("content")));
	return digest_calls(r, digest, val_get(message, STR("tool_calls")));
}

/* ---- messages ---- */

/* What the model said earlier: a STEP with its CALLs. */
static void openai_chat_message_read_assistant(struct reading *r, struct val message, unsigned flags)
{
	struct openai_chat_said said = { .text = { NULL, 0 } };
	size_t at = r->count;
	struct event *e;

	openai_chat_read_said(r, message, &said);
	e = reading_add(r, EVENT_STEP);
	e->flags = flags;
	e->text = said.text;
	e->reasoning = said.reasoning;
	e->model = reading_text(r, message, STR("model"));
	e->stop_reason = reading_text(r, message, STR("finish_reason"));
	openai_chat_read_calls(r, message, str_of(NULL, 0), flags);
	reading_rest(r, &r->events[at], message);
}

/* Whose result it is, where there are no ids: looked at only. */
static struct str tool_of(struct reading *r, struct val message)
{
	struct val name = val_get(message, STR("tool_name"));

	if (!val_is(name, JSON_STRING))
		name = val_get(message, STR("name"));
	return val_text_copy(name, r->arena);
}

/* A RESULT; without ids it is joined by its tool. */
static void openai_chat_message_read_tool(struct reading *r, struct val message, unsigned flags)
{
	struct event *e = reading_add(r, EVENT_RESULT);

	e->flags = flags;
	e->call = text_or_none(reading_text(r, message, STR("tool_call_id")));
	e->tool = tool_of(r, message);
	e->content = reading_json(r, e, "result", message, STR("content"));
	reading_rest(r, e, message);
}

/* What is neither the model's nor a tool's: a MESSAGE, or a NOTE when the role is none of the API's. */
static void openai_chat_message_read_other(struct reading *r, struct val message, struct str role, unsigned flags)
{
	static const struct str given[] = { WORD("system"), WORD("developer"), WORD("user") };
	bool known = values_is_word(val_get(message, STR("role")), given, COUNT(given));
	struct event *e = reading_add(r, known ? EVENT_MESSAGE : EVENT_NOTE);

	e->flags = flags;
	e->role = role.n ? role : STR("message");
	e->content = reading_json(r, e, "content", message, STR("content"));
	take_null(r, message, STR("tool_calls"));
	take_null(r, message, STR("tool_call_id"));
	reading_rest(r, e, message);
}

/* The digest is made before anything is taken, and only where the fold will ask for it. */
void openai_chat_read_message(struct reading *r, struct val message, uint32_t position, unsigned flags)
{
	struct str role = reading_text(r, message, STR("role"));
	uint64_t digest = flags & EVENT_HISTORY ? digest_message(r, message, role) : 0;
	struct moment ts = reading_time(r, message, STR("timestamp"));
	size_t from = r->count;

	if (str_eq(role, STR("assistant")))
		openai_chat_message_read_assistant(r, message, flags);
	else if (str_eq(role, STR("tool")) || str_eq(role, STR("function")))
		openai_chat_message_read_tool(r, message, flags);
	else
		openai_chat_message_read_other(r, message, role, flags);
	exchange_mark_message(r, from, position, digest);
	for (size_t i = from; i < r->count && ts.text.p; i++)
		r->events[i].ts = ts;
}

bool openai_chat_is_messages(struct val list)
{
	struct val first = values_first(list);

	return val_is(val_get(first, STR("role")), JSON_STRING) && !val_has(first, STR("parts"));
}

void openai_chat_read_request(struct reading *r, struct val body, struct val list)
{
	struct val tools = val_get(body, STR("tools"));
	uint32_t position = 0;

	if (!val_is(tools, JSON_ARRAY))
		tools = val_get(body, STR("functions"));
	exchange_read_tools(r, tools);
	VALUES_EACH(message, list)
		if (val_is(message, JSON_OBJECT))
			openai_chat_read_message(r, message, position++, EVENT_HISTORY);
}
