/*
 * Reads the contents of Gemini's requests and answers: parts, calls, results, prompts, and names in either spelling.
 */
#include "base/ascii.h"
#include "dialect/exchange/common.h"
#include "dialect/exchange/hint.h"
#include "dialect/gemini/gemini.h"
#include "dialect/record/field.h"
#include "model/history.h"

/* ---- names ---- */

/* "usage_metadata" of "usageMetadata". */
static struct str snake(struct str camel, char room[64])
{
	size_t n = 0;

	for (size_t i = 0; i < camel.n && n + 2 <= 64; i++) {
		if (ascii_is_upper(camel.p[i]))
			room[n++] = '_';
		room[n++] = ascii_lower(camel.p[i]);
	}
	return str_of(room, n);
}

struct str gemini_name(struct val object, struct str camel, char room[64])
{
	struct str other;

	if (val_has(object, camel))
		return camel;
	other = snake(camel, room);
	return val_has(object, other) ? other : camel;
}

struct val gemini_get(struct val object, struct str camel)
{
	char room[64];

	return val_get(object, gemini_name(object, camel, room));
}

/* ---- parts ---- */

static bool gemini_content_is_true(struct val v)
{
	return val_is(v, JSON_TRUE);
}

/* Texts put together in one go: a list of many parts must not be copied for each. */
static struct str gemini_content_join(struct reading *r, struct val parts, bool thoughts)
{
	struct str first = { NULL, 0 }, all;
	struct buf b = { 0 };
	size_t n = 0;

	VALUES_EACH(part, parts) {
		struct val text = val_get(part, STR("text")), thought = val_get(part, STR("thought"));
		struct str said;

		if (!val_is(text, JSON_STRING) || gemini_content_is_true(thought) != thoughts)
			continue;
		said = reading_text_of(r, text);
		if (val_is_bool(thought))
			reading_take(r, thought);
		if (n++ == 0)
			first = said;
		if (n == 2)
			buf_add_str(&b, first);
		if (n > 1)
			buf_add_str(&b, said);
	}
	all = n > 1 ? arena_copy(r->arena, buf_str(&b)) : first;
	buf_free(&b);
	return all;
}

void gemini_read_said(struct reading *r, struct val parts, struct gemini_said *said)
{
	said->text = gemini_content_join(r, parts, false);
	said->reasoning = gemini_content_join(r, parts, true);
}

/* ---- calls ---- */

/* What a call has instead of arguments while they are being streamed. */
static void read_streamed(struct reading *r, struct event *e, struct val call)
{
	struct val partial = gemini_get(call, STR("partialArgs")), more = gemini_get(call, STR("willContinue"));
	struct exchange_hint *h = exchange_hint_add(r, e);

	h->pieces = val_is(partial, JSON_ARRAY) ? reading_json_of(r, NULL, NULL, partial) : STR("[]");
	h->completes = !gemini_content_is_true(more);
	if (gemini_content_is_true(more) || val_is(more, JSON_FALSE))
		reading_take(r, more);
}

/*
 * Calls in pieces have no index: a piece goes on with the call before it. A whole call without arguments has an empty
 * object.
 */
static void gemini_content_read_call(struct reading *r, struct val part, struct val call, struct str step,
				     unsigned flags, int place)
{
	struct event *e = reading_add(r, EVENT_CALL);
	struct val args = val_get(call, STR("args")), partial = gemini_get(call, STR("partialArgs"));
	bool more = gemini_content_is_true(gemini_get(call, STR("willContinue")));

	e->flags = flags;
	e->step = step;
	e->index = flags & EVENT_PIECE ? -1 : place;
	e->call = text_or_none(reading_text(r, call, STR("id")));
	e->tool = text_or_none(reading_text(r, call, STR("name")));
	if (val_is(args, JSON_OBJECT) || val_is(args, JSON_ARRAY))
		e->args = reading_json_of(r, e, "args", args);
	else if (val_is(args, JSON_NULL))
		reading_take(r, args);
	if (!e->args.p && (flags & EVENT_PIECE) && (more || val_is(partial, JSON_ARRAY) || !e->tool.p))
		read_streamed(r, e, call);
	else if (!e->args.p)
		e->args = STR("{}");
	if (val_count(call) == 0)
		reading_take(r, call);
	reading_rest(r, e, part);
}

void gemini_read_calls(struct reading *r, struct val parts, struct str step, unsigned flags)
{
	int n = 0;

	VALUES_EACH(part, parts) {
		struct val call = gemini_get(part, STR("functionCall"));

		if (val_is(call, JSON_OBJECT))
			gemini_content_read_call(r, part, call, step, flags, n++);
	}
}

/* ---- digests: what a content is, whatever changes from request to request (ids, signatures, thoughts) ---- */

static void digest_named(uint64_t *digest, struct reading *r, struct val v, struct str payload)
{
	struct val name = val_get(v, STR("name")), inside = val_get(v, payload);

	exchange_digest_add(digest, val_is(name, JSON_STRING) ? val_text(name, r->arena) : STR(""));
	exchange_digest_add(digest, val_is_none(inside) ? STR("") : val_source(inside));
}

/*
 * Thoughts are left out: requests need not tell them again. Of a call or result the name and payload count, as they
 * are written.
 */
static uint64_t gemini_content_digest_content(struct reading *r, struct val content, struct str role)
{
	struct val parts = val_get(content, STR("parts"));
	uint64_t digest = history_digest(role);

	VALUES_EACH(part, parts) {
		struct val text = val_get(part, STR("text"));
		struct val call = gemini_get(part, STR("functionCall"));
		struct val result = gemini_get(part, STR("functionResponse"));

		if (gemini_content_is_true(val_get(part, STR("thought"))))
			continue;
		if (val_is(text, JSON_STRING))
			exchange_digest_add(&digest, val_text(text, r->arena));
		else if (val_is(call, JSON_OBJECT))
			digest_named(&digest, r, call, STR("args"));
		else if (val_is(result, JSON_OBJECT))
			digest_named(&digest, r, result, STR("response"));
		else
			exchange_digest_add(&digest, val_source(part));
	}
	return digest;
}

/* ---- contents ---- */

/* What the model said earlier: a STEP with its CALLs, of no id. */
static void gemini_content_read_model(struct reading *r, struct val content, unsigned flags)
{
	struct val parts = val_get(content, STR("parts"));
	struct gemini_said said = { .text = { NULL, 0 } };
	size_t at = r->count;
	struct event *e;

	gemini_read_said(r, parts, &said);
	e = reading_add(r, EVENT_STEP);
	e->flags = flags;
	e->text = said.text;
	e->reasoning = said.reasoning;
	gemini_read_calls(r, parts, str_of(NULL, 0), flags);
	reading_rest(r, &r->events[at], content);
}

/* An "error" in the response is all that says that a call failed. */
static void gemini_content_read_result(struct reading *r, struct val part, struct val result, unsigned flags)
{
	struct event *e = reading_add(r, EVENT_RESULT);
	struct val response = val_get(result, STR("response")), error = val_get(response, STR("error"));
	struct val name = val_get(result, STR("name"));

	e->flags = flags;
	e->call = text_or_none(reading_text(r, result, STR("id")));
	if (val_is(name, JSON_STRING)) /* looked at only: it need not find its call */
		e->tool = arena_copy(r->arena, val_text(name, r->arena));
	e->content = reading_json_of(r, e, "result", response);
	if (!val_is_unset(error))
		e->is_error = TRUTH_TRUE;
	reading_rest(r, e, part);
}

/* A lone text is a text; anything else a list of parts as they are. */
static struct str gemini_content_read_parts(struct reading *r, struct event *e, struct val parts)
{
	struct str only = { NULL, 0 }, all;
	struct buf json = { 0 };
	size_t n = 0;

	if (val_is(parts, JSON_STRING))
		return reading_json_of(r, e, "content", parts);
	VALUES_EACH(part, parts) {
		struct val text = val_get(part, STR("text"));
		struct str member;

		if (val_is(gemini_get(part, STR("functionResponse")), JSON_OBJECT))
			continue;
		member = arena_printf(r->arena, "content/%zu", n);
		if (n == 0 && val_is(text, JSON_STRING) && val_count(part) == 1)
			only = reading_json_of(r, e, "content", text);
		buf_add_byte(&json, n++ ? ',' : '[');
		buf_add_str(&json, reading_json_of(r, e, member.p, part));
	}
	buf_add_str(&json, n ? STR("]") : STR("[]"));
	all = n == 1 && only.p ? only : arena_copy(r->arena, buf_str(&json));
	buf_free(&json);
	return all;
}

void gemini_read_given(struct reading *r, struct val parts, struct str role, unsigned flags)
{
	size_t results = 0;
	struct event *e;

	VALUES_EACH(part, parts) {
		struct val result = gemini_get(part, STR("functionResponse"));

		if (val_is(result, JSON_OBJECT)) {
			gemini_content_read_result(r, part, result, flags);
			results++;
		}
	}
	if (results == 0 || results < val_count(parts)) {
		e = reading_add(r, EVENT_MESSAGE);
		e->flags = flags;
		e->role = str_eq(role, STR("system")) ? STR("system") : STR("user");
		e->content = gemini_content_read_parts(r, e, parts);
	}
}

/* A content of the user. */
static void read_given(struct reading *r, struct val content, struct str role, unsigned flags)
{
	size_t at = r->count;

	gemini_read_given(r, val_get(content, STR("parts")), role, flags);
	reading_rest(r, &r->events[at], content);
}

void gemini_read_content(struct reading *r, struct val content, uint32_t position, unsigned flags)
{
	struct val word = val_get(content, STR("role"));
	struct str role = val_is(word, JSON_STRING) ? val_text(word, r->arena) : STR("user");
	bool model = str_eq(role, STR("model")) || str_eq(role, STR("assistant"));
	uint64_t digest = flags & EVENT_HISTORY ? gemini_content_digest_content(r, content, role) : 0;
	size_t from = r->count;

	if (model || str_eq(role, STR("user")) || str_eq(role, STR("system")))
		reading_take(r, word);
	if (model)
		gemini_content_read_model(r, content, flags);
	else
		read_given(r, content, role, flags);
	exchange_mark_message(r, from, position, digest);
}

/* Parts of this API have neither a type nor a kind: other APIs say "parts" too. */
static bool is_part(struct val part)
{
	return val_is(part, JSON_OBJECT) && !val_has(part, STR("type")) &&
	       !val_has(part, STR("kind")) && val_count(part) > 0;
}

/* An empty list of parts is one too. */
static bool is_content(struct val content)
{
	struct val parts = val_get(content, STR("parts"));

	return val_is(parts, JSON_ARRAY) && (val_count(parts) == 0 || is_part(values_first(parts)));
}

bool gemini_is_contents(struct val list)
{
	return is_content(val_is(list, JSON_ARRAY) ? values_first(list) : list);
}

/* ---- requests ---- */

/* The system instruction, which may be a text, a content, or a single part. */
static void read_prompt(struct reading *r, struct val prompt, uint32_t *position)
{
	size_t at = r->count;
	struct event *e;

	if (!val_is(prompt, JSON_OBJECT) && !val_is(prompt, JSON_STRING))
		return;
	e = reading_add(r, EVENT_MESSAGE);
	e->flags = EVENT_HISTORY;
	e->role = STR("system");
	if (val_is(prompt, JSON_STRING)) {
		e->content = reading_json_of(r, e, "content", prompt);
	} else if (val_is(val_get(prompt, STR("parts")), JSON_OBJECT)) {
		e->content = reading_json_of(r, e, "content", val_get(prompt, STR("parts")));
	} else {
		e->content = gemini_content_read_parts(r, e, val_get(prompt, STR("parts")));
	}
	e->digest = history_digest(e->content);
	e->position = (*position)++;
	if (val_is(prompt, JSON_OBJECT))
		reading_rest_under(r, &r->events[at], prompt, STR("prompt"));
}

void gemini_read_request(struct reading *r, struct val body, struct val list)
{
	uint32_t position = 0;

	exchange_read_tools(r, val_get(body, STR("tools")));
	read_prompt(r, gemini_get(body, STR("systemInstruction")), &position);
	if (val_is(list, JSON_OBJECT))
		gemini_read_content(r, list, position, EVENT_HISTORY);
	VALUES_EACH(content, list)
		if (val_is(content, JSON_OBJECT))
			gemini_read_content(r, content, position++, EVENT_HISTORY);
}
