/*
 * What was said in a sample: prompt, then completion, as lines of messages in the form of OpenAI's chat API. Calls of
 * tools come as objects or as text that holds one, and are written as objects.
 */
#include "json/put.h"
#include "trial/import_private.h"

#define ANSWER "submit_answer"
#define ANSWER_NAME "output.md"

struct str prime_content(struct arena *a, struct val content)
{
	struct val_iter it = val_begin(content);
	struct str all = { NULL, 0 };
	struct val part;
	struct buf text;

	if (!val_is(content, JSON_ARRAY))
		return import_text(a, content);
	buf_init(&text);
	while (val_next(&it, &part)) {
		struct str one = import_text(a, val_is(part, JSON_STRING) ? part : val_get(part, STR("text")));

		if (one.p && text.n)
			buf_add_byte(&text, '\n');
		if (one.p)
			buf_add_str(&text, one);
	}
	if (text.n)
		all = arena_copy(a, buf_str(&text));
	buf_free(&text);
	return all;
}

/* ---- calls ---- */

/* The call, which may be text; VAL_NONE for what is neither. Lives until the next call is read. */
static struct val read_call(struct prime_sample *s, struct val call)
{
	struct val inner;

	if (val_is(call, JSON_STRING) &&
	    json_parse_copy(s->prime->parsers[PRIME_CALL], val_text(call, s->arena), &inner, NULL))
		call = inner;
	return val_is(call, JSON_OBJECT) ? call : VAL_NONE;
}

static struct str strip_dots(struct str path)
{
	while (str_starts(path, STR("./")))
		path = str_skip(path, 2);
	return path;
}

/* The first answer that has content is the one that counts. */
static void look_for_answer(struct prime_sample *s, struct val call)
{
	struct val function = val_get(call, STR("function")), arguments, content, inner;
	struct str path;

	if (s->submitted.p || s->why.p)
		return;
	if (!val_is(function, JSON_OBJECT))
		function = call;
	if (!val_is(val_get(function, STR("name")), JSON_STRING) ||
	    !val_text_is(val_get(function, STR("name")), STR(ANSWER)))
		return;
	arguments = val_get(function, STR("arguments"));
	if (val_is(arguments, JSON_STRING) &&
	    json_parse_copy(s->prime->parsers[PRIME_ARGUMENTS], val_text(arguments, s->arena), &inner, NULL))
		arguments = inner;
	content = val_get(arguments, STR("content"));
	if (!val_is(content, JSON_STRING) || val_raw(content).n == 0)
		return;
	path = import_text(s->arena, val_get(arguments, STR("path")));
	path = strip_dots(arena_copy(s->arena, path.p ? path : STR(ANSWER_NAME)));
	if (!seal_is_artifact_name(path)) {
		s->why = ARENA_JOIN(s->arena,
				    STR("the path of what it submitted is absolute, has '..' or is not a path: "), path,
				    STR("; give it a name below its directory"));
		return;
	}
	s->submitted_name = path;
	s->submitted = arena_copy(s->arena, val_text(content, s->arena));
}

/* verifiers' own form is {"id", "name", "arguments"}. */
static void write_call(struct json_writer *w, struct val call)
{
	struct val name = val_get(call, STR("name"));

	if (val_has(call, STR("function")) || !val_is(name, JSON_STRING)) {
		import_write(w, call);
		return;
	}
	json_write_begin_object(w);
	import_write_member(w, "id", val_get(call, STR("id")));
	json_put_text(w, "type", STR("function"));
	json_put_object(w, "function");
	import_write_member(w, "name", name);
	import_write_member(w, "arguments", val_get(call, STR("arguments")));
	json_write_end_object(w);
	json_write_end_object(w);
}

/* A call that is neither an object nor the text of one is left out; without calls there is no member. */
static void write_calls(struct prime_sample *s, struct json_writer *w, struct val calls)
{
	struct val_iter it = val_begin(calls);
	bool begun = false;
	struct val call;

	if (!val_is(calls, JSON_ARRAY))
		return;
	while (val_next(&it, &call)) {
		call = read_call(s, call);
		if (val_is_none(call))
			continue;
		if (!begun)
			json_put_array(w, "tool_calls");
		begun = true;
		write_call(w, call);
		look_for_answer(s, call);
	}
	if (begun)
		json_write_end_array(w);
}

/* ---- messages ---- */

/* Keeps role, content, calls, tool_call_id and name; the rest is in the sample, which is kept whole. */
static void write_message(struct prime_sample *s, struct buf *out, struct val message)
{
	struct val content = val_get(message, STR("content"));
	struct str role = import_text(s->arena, val_get(message, STR("role")));
	struct str id = import_text(s->arena, val_get(message, STR("tool_call_id")));
	struct str name = import_text(s->arena, val_get(message, STR("name")));
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text_or_null(&w, "role", role.p ? role : STR(""));
	json_write_key(&w, STR("content"));
	if (val_is_unset(content))
		json_write_string(&w, STR(""));
	else
		import_write(&w, content);
	write_calls(s, &w, val_get(message, STR("tool_calls")));
	if (id.p)
		json_put_text_or_null(&w, "tool_call_id", id);
	if (name.p)
		json_put_text_or_null(&w, "name", name);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}

/* Messages, or a text alone, as models without a chat template have it. */
static void write_messages(struct prime_sample *s, struct buf *out, struct val messages, struct str role)
{
	struct val_iter it = val_begin(messages);
	struct val message;

	if (val_is(messages, JSON_STRING)) {
		struct json_writer w;

		json_write_init(&w, out, JSON_COMPACT);
		json_write_begin_object(&w);
		json_put_text_or_null(&w, "role", role);
		import_write_member(&w, "content", messages);
		json_write_end_object(&w);
		buf_add_byte(out, '\n');
	}
	if (!val_is(messages, JSON_ARRAY))
		return;
	while (val_next(&it, &message))
		if (val_is(message, JSON_OBJECT))
			write_message(s, out, message);
}

void prime_read_talk(struct prime_sample *s, struct buf *conversation)
{
	write_messages(s, conversation, val_get(s->root, STR("prompt")), STR("user"));
	write_messages(s, conversation, val_get(s->root, STR("completion")), STR("assistant"));
}
