/*
 * Reads the four spellings of a conversation: lists of messages, one attribute per member, span events of the
 * conventions before, and our own messages, which come back as they were.
 */
#include "dialect/otlp/message.h"

#include "dialect/otlp/own.h"
#include "dialect/otlp/part.h"
#include "model/history.h"

#define MESSAGES_MAX 100000 /* of one request; the rest of them stays in the record */

static const struct str none;

/* ---- span events ---- */

/* What a span may leave to its events. */
static const uint8_t shared[] = { OTLP_MESSAGES_IN, OTLP_MESSAGES_OUT, OTLP_SYSTEM, OTLP_TOOL_ARGS, OTLP_TOOL_RESULT };

/* Fills slots that the span's own attributes left empty, never others. */
static void use_event(struct otlp_span *s, struct val event, bool tool)
{
	struct otlp_attrs more = { .flat = false };
	struct val name = val_get_either(event, STR("name"), STR("event_name"));

	otlp_attr_gather(&more, val_get_either(event, STR("attributes"), STR("fields")), s->shape);
	for (size_t i = 0; i < COUNT(shared); i++)
		if (!otlp_attr_has(&s->attrs, shared[i]))
			s->attrs.slots[shared[i]] = more.slots[shared[i]];
	if (tool && val_text_is(name, STR("gen_ai.tool.message")) && !otlp_attr_has(&s->attrs, OTLP_TOOL_ARGS))
		s->attrs.slots[OTLP_TOOL_ARGS] = otlp_attr_of_event(event, s->shape, "content");
	if (tool && val_text_is(name, STR("gen_ai.choice")) && !otlp_attr_has(&s->attrs, OTLP_TOOL_RESULT))
		s->attrs.slots[OTLP_TOOL_RESULT] = otlp_attr_of_event(event, s->shape, "message");
}

void otlp_message_use_events(struct otlp_span *s)
{
	struct val_iter it = val_begin(s->events);
	bool tool = otlp_span_role(s) == OTLP_TOOL;
	struct val event;

	while (val_next(&it, &event))
		use_event(s, event, tool);
}

/* ---- what a message holds ---- */

struct answer {
	struct buf text, reasoning;
	struct str finish;
	bool has_text, has_reasoning;
};

static void otlp_message_add_text(struct reading *r, struct buf *b, bool *has, struct val v)
{
	struct str text = val_is(v, JSON_STRING) ? reading_text_of(r, v) : none;

	if (!text.p)
		return;
	*has = true;
	buf_add_str(b, text);
}

/* The id of a call that the answer asks for; its span, which comes apart, has the rest. */
static void otlp_message_add_call(struct reading *r, struct str id)
{
	struct event *e;

	if (!id.n)
		return;
	e = reading_add(r, EVENT_CALL);
	e->flags = EVENT_HISTORY;
	e->call = id;
}

/* Other kinds of parts (images, files) are no text; they stay in the record. */
static void read_part(struct reading *r, struct answer *a, struct val part)
{
	struct val type = val_get(part, STR("type")), content = val_get_either(part, STR("content"), STR("text"));

	if (val_text_is(type, STR("text")))
		otlp_message_add_text(r, &a->text, &a->has_text, content);
	else if (val_text_is(type, STR("reasoning")) || val_text_is(type, STR("thinking")))
		otlp_message_add_text(r, &a->reasoning, &a->has_reasoning, content);
	else if (val_text_is(type, STR("tool_call")) || val_text_is(type, STR("tool_use")))
		otlp_message_add_call(r, reading_text(r, part, STR("id")));
}

static void otlp_message_read_parts(struct reading *r, struct answer *a, struct val parts)
{
	struct val_iter it = val_begin(parts);
	struct val part;

	if (val_is(parts, JSON_STRING))
		otlp_message_add_text(r, &a->text, &a->has_text, parts);
	while (val_next(&it, &part))
		read_part(r, a, part);
}

static void otlp_message_read_calls(struct reading *r, struct val calls)
{
	struct val_iter it = val_begin(calls);
	struct val call;

	while (val_next(&it, &call))
		otlp_message_add_call(r, reading_text(r, call, STR("id")));
}

static void otlp_message_read_message(struct reading *r, struct answer *a, struct val m)
{
	otlp_message_read_parts(r, a, val_get_either(m, STR("parts"), STR("content")));
	otlp_message_read_calls(r, val_get(m, STR("tool_calls")));
	if (!a->finish.p)
		a->finish = reading_text(r, m, STR("finish_reason"));
}

/* ---- requests ---- */

/* A message given to the model has its content; one of the others only its digest. */
static void otlp_message_add_message(struct reading *r, uint32_t *position, struct str role, struct str content,
				     struct str digest)
{
	bool given = str_eq(role, STR("system")) || str_eq(role, STR("user")) || str_eq(role, STR("developer"));
	struct event *e = reading_add(r, EVENT_MESSAGE);

	e->flags = EVENT_HISTORY;
	e->role = role;
	e->position = (*position)++;
	e->digest = history_digest(digest);
	if (given)
		e->content = content;
}

/* What a message of ours was before it became a list of parts. */
static struct str own_content(struct reading *r, struct event *e, struct val kind, struct val parts)
{
	struct val_iter it = val_begin(parts);
	struct val part, parsed;
	struct str json;
	struct buf text = { 0 };

	if (val_text_is(kind, STR("null")))
		return STR("null");
	if (val_text_is(kind, STR("single"))) {
		part = val_next(&it, &part) ? val_get(part, STR("content")) : VAL_NONE;
		return reading_json_of(r, e, "content", part);
	}
	if (val_text_is(kind, STR("json"))) {
		if (val_next(&it, &part) && val_is(val_get(part, STR("content")), JSON_STRING))
			buf_add_str(&text, reading_text_of(r, val_get(part, STR("content"))));
	} else {
		buf_add_byte(&text, '[');
		while (val_next(&it, &part)) {
			buf_add_str(&text, text.n > 1 ? STR(",") : STR(""));
			otlp_part_back(&text, part, r->arena);
		}
		buf_add_byte(&text, ']');
	}
	parsed = reading_parse(r, buf_str(&text));
	json = reading_json_of(r, e, "content", val_is_none(parsed) ? parts : parsed);
	if (!val_is_none(parsed))
		reading_release(r, parsed);
	buf_free(&text);
	return json;
}

/* A message that we wrote: as it was, whoever said it. */
static void add_own(struct reading *r, uint32_t *position, struct val m)
{
	struct val kind = val_get(m, STR("trackway.content"));
	int64_t at = otlp_span_time(val_get(m, STR("trackway.time")), 1);
	struct event *e;

	if (val_is(val_get(m, STR("trackway.result")), JSON_TRUE))
		return; /* a result, which its call has */
	e = reading_add(r, EVENT_MESSAGE);
	e->flags = EVENT_HISTORY;
	e->position = (*position)++;
	e->role = reading_text(r, m, STR("role"));
	e->branch = reading_text(r, m, STR("trackway.branch"));
	e->call = reading_text(r, m, STR("trackway.call"));
	e->step = reading_text(r, m, STR("trackway.step"));
	if (!val_text_is(kind, STR("none")))
		e->content = own_content(r, e, kind, val_get(m, STR("parts")));
	if (at)
		e->ts = reading_moment(r, at, otlp_own_moment(reading_text(r, m, STR("trackway.time_source"))));
	if (e->ts.source == MOMENT_LAID_OUT)
		e->ts = (struct moment){ .source = MOMENT_NONE };
}

/* Messages beyond MESSAGES_MAX are not told; the span's record still has them. */
static void add_list(struct reading *r, uint32_t *position, struct val list, bool own)
{
	struct val_iter it = val_begin(list);
	struct val m;

	while (val_next(&it, &m) && *position < MESSAGES_MAX) {
		struct val parts = val_get_either(m, STR("parts"), STR("content"));

		if (val_is(m, JSON_OBJECT) && own)
			add_own(r, position, m);
		else if (val_is(m, JSON_OBJECT))
			otlp_message_add_message(r, position, reading_text(r, m, STR("role")),
						 reading_json_of(r, NULL, "content", parts),
						 reading_json_of(r, NULL, "content", m));
	}
}

/* A list, or the text of one. */
static struct val open_list(struct reading *r, struct val v, struct val *parsed)
{
	struct str plain = val_is(v, JSON_STRING) ? reading_text_of(r, v) : otlp_attr_plain(r->arena, v);

	*parsed = VAL_NONE;
	if (!plain.p)
		return v;
	*parsed = reading_parse(r, plain);
	return *parsed;
}

/* The system prompt, which newer conventions keep apart from the messages, as the first of them. */
static void add_instructions(struct reading *r, uint32_t *position, struct val v)
{
	struct val parsed, list = open_list(r, v, &parsed);
	struct str json;

	if (val_is_none(v))
		return;
	json = reading_json_of(r, NULL, "content", val_is_none(list) ? v : list);
	otlp_message_add_message(r, position, STR("system"), json, json);
	if (!val_is_none(parsed))
		reading_release(r, parsed);
}

/* ---- flat attributes: a message is several of them ---- */

/* Whole names, behind the number of the message: OpenLLMetry's, then OpenInference's. */
static bool is_member(struct str rest, const char *name)
{
	if (str_starts(rest, STR("message.")))
		rest = str_of(rest.p + 8, rest.n - 8);
	return str_eq(rest, str_from(name));
}

struct flat {
	uint32_t at; /* the message at hand */
	bool open;
	struct str role, content, digest;
	struct buf texts; /* of its parts */
};

/* Gives the message at hand away, if there is one. */
static void close_flat(struct reading *r, struct flat *f, uint32_t *position)
{
	if (f->texts.n && !f->content.p)
		f->content = f->digest = reading_quote(r, buf_str(&f->texts));
	buf_free(&f->texts);
	if (f->open && *position < MESSAGES_MAX)
		otlp_message_add_message(r, position, f->role, f->content, f->digest);
	*f = (struct flat){ .open = false };
}

static void otlp_message_add_line(struct buf *b, struct str text)
{
	if (b->n)
		buf_add_byte(b, '\n');
	buf_add_str(b, text);
}

/* Attributes of one message stand together; one that comes back later is a message of its own. */
static void add_flat(struct reading *r, struct otlp_span *s, uint32_t *position, struct str prefix)
{
	struct otlp_attr_iter it = otlp_attr_begin(s->attributes, s->shape);
	struct flat f = { .open = false };
	struct val key, value;
	struct str rest;
	uint32_t n;

	while (otlp_attr_next(&it, &key, &value)) {
		if (!otlp_attr_indexed(val_raw(key), prefix, &n, &rest) || otlp_attr_is_null(value))
			continue;
		if (f.open && n != f.at)
			close_flat(r, &f, position);
		f.open = true;
		f.at = n;
		if (is_member(rest, "role"))
			f.role = reading_text_of(r, value);
		else if (is_member(rest, "content"))
			f.content = f.digest = reading_json_of(r, NULL, "content", value);
		else if (str_ends(rest, STR(".message_content.text")))
			otlp_message_add_line(&f.texts, reading_text_of(r, value));
		else if (!f.digest.p)
			f.digest = reading_json_of(r, NULL, "content", value);
	}
	close_flat(r, &f, position);
}

/* Texts of several choices are joined; the first finish_reason counts. */
static void read_flat_answer(struct reading *r, struct otlp_span *s, struct answer *a, struct str prefix)
{
	struct otlp_attr_iter it = otlp_attr_begin(s->attributes, s->shape);
	struct val key, value;
	struct str rest;
	uint32_t n;

	while (otlp_attr_next(&it, &key, &value)) {
		if (!otlp_attr_indexed(val_raw(key), prefix, &n, &rest))
			continue;
		if (is_member(rest, "content") || str_ends(rest, STR(".message_content.text")))
			otlp_message_add_text(r, &a->text, &a->has_text, value);
		else if (is_member(rest, "finish_reason") && !a->finish.p)
			a->finish = reading_text_of(r, value);
		else if (str_ends(rest, STR("tool_call.id")) ||
			 (str_starts(rest, STR("tool_calls.")) && str_ends(rest, STR(".id"))))
			otlp_message_add_call(r, reading_text_of(r, value));
	}
}

/* ---- events of the conventions before: one message each ---- */

/* One message for each event of a known name, in the order of the events. */
static void add_old_events(struct reading *r, struct otlp_span *s, uint32_t *position)
{
	static const struct {
		const char *name, *role;
	} kinds[] = {
		{ "gen_ai.system.message", "system" },       { "gen_ai.user.message", "user" },
		{ "gen_ai.assistant.message", "assistant" }, { "gen_ai.tool.message", "tool" },
	};
	struct val_iter it = val_begin(s->events);
	struct val event;

	while (val_next(&it, &event) && *position < MESSAGES_MAX) {
		for (size_t i = 0; i < COUNT(kinds); i++) {
			struct str content;

			if (!val_text_is(val_get_either(event, STR("name"), STR("event_name")),
					 str_from(kinds[i].name)))
				continue;
			content = reading_json_of(r, NULL, "content", otlp_attr_of_event(event, s->shape, "content"));
			otlp_message_add_message(r, position, str_from(kinds[i].role), content, content);
		}
	}
}

/* The message of a choice may be JSON, a text with JSON in it, or plain text. */
static void otlp_message_read_choice(struct reading *r, struct answer *a, struct val message)
{
	struct val parsed, list = open_list(r, message, &parsed);

	if (val_is_none(list))
		otlp_message_add_text(r, &a->text, &a->has_text, message);
	else if (val_is(list, JSON_OBJECT))
		otlp_message_read_message(r, a, list);
	else
		otlp_message_read_parts(r, a, list);
	if (!val_is_none(parsed))
		reading_release(r, parsed);
}

/* Texts of several choices are joined; the first finish_reason counts. */
static void read_old_answer(struct reading *r, struct otlp_span *s, struct answer *a)
{
	struct val_iter it = val_begin(s->events);
	struct val event;

	while (val_next(&it, &event)) {
		struct val message;

		if (!val_text_is(val_get_either(event, STR("name"), STR("event_name")), STR("gen_ai.choice")))
			continue;
		message = otlp_attr_of_event(event, s->shape, "message");
		if (val_is_none(message))
			message = otlp_attr_of_event(event, s->shape, "content");
		if (!val_is_none(message))
			otlp_message_read_choice(r, a, message);
		if (!a->finish.p)
			a->finish = reading_text_of(r, otlp_attr_of_event(event, s->shape, "finish_reason"));
	}
}

/* ---- public ---- */

void otlp_message_add_input(struct reading *r, struct otlp_span *s)
{
	struct val parsed, list = open_list(r, s->attrs.slots[OTLP_MESSAGES_IN], &parsed);
	uint32_t position = 0;

	add_instructions(r, &position, s->attrs.slots[OTLP_SYSTEM]);
	if (!val_is_none(list))
		add_list(r, &position, list, s->place > 0);
	if (!val_is_none(parsed))
		reading_release(r, parsed);
	if (otlp_attr_has(&s->attrs, OTLP_MESSAGES_IN))
		return;
	if (s->attrs.flat) {
		add_flat(r, s, &position, STR("gen_ai.prompt."));
		add_flat(r, s, &position, STR("llm.input_messages."));
	} else {
		add_old_events(r, s, &position);
	}
}

/* Copies the text to the batch and frees the buffer. An empty text that was said is not an absent one. */
static struct str otlp_message_keep(struct reading *r, struct buf *b, bool has)
{
	struct str s = has ? arena_copy(r->arena, buf_str(b)) : none;

	buf_free(b);
	return s;
}

struct otlp_answer otlp_message_read_output(struct reading *r, struct otlp_span *s)
{
	struct val parsed, list = open_list(r, s->attrs.slots[OTLP_MESSAGES_OUT], &parsed), m;
	struct val_iter it = val_begin(list);
	struct answer a = { .finish = none };
	struct otlp_answer out;

	if (val_is(list, JSON_ARRAY)) {
		while (val_next(&it, &m))
			otlp_message_read_message(r, &a, m);
	} else if (s->attrs.flat) {
		read_flat_answer(r, s, &a, STR("gen_ai.completion."));
		read_flat_answer(r, s, &a, STR("llm.output_messages."));
	} else {
		read_old_answer(r, s, &a);
	}
	if (!val_is_none(parsed))
		reading_release(r, parsed);
	out.finish = a.finish;
	out.text = otlp_message_keep(r, &a.text, a.has_text);
	out.reasoning = otlp_message_keep(r, &a.reasoning, a.has_reasoning);
	return out;
}
