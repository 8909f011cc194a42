#include "provider/provider_said.h"

#include <assert.h>

#include "dialect/openai/responses_stream.h"

#define NAME_MOST 200
#define ERROR_MOST 2000
#define KEEP_MOST ((size_t)64 << 10) /* bytes of text for which memory is kept */

void provider_said_init(struct provider_said *s)
{
	*s = (struct provider_said){ .stream = NULL };
	arena_init(&s->arena);
	buf_init(&s->text);
}

static void free_pieces(struct provider_said *s)
{
	for (size_t i = 0; i < s->marks.count; i++)
		buf_free(&s->calls[i].pieces);
}

void provider_said_begin(struct provider_said *s, bool responses)
{
	struct provider_said clean = { .arena = s->arena, .text = s->text };

	free_pieces(s);
	responses_stream_close(s->stream);
	arena_reset(&clean.arena);
	if (clean.text.cap > KEEP_MOST)
		buf_free(&clean.text);
	buf_clear(&clean.text);
	clean.stream = responses ? responses_stream_open() : NULL;
	*s = clean;
}

void provider_said_free(struct provider_said *s)
{
	free_pieces(s);
	responses_stream_close(s->stream);
	buf_free(&s->text);
	arena_free(&s->arena);
}

struct str provider_said_keep(struct provider_said *s, struct str text, size_t most)
{
	if (!text.p || text.n == 0)
		return str_of(NULL, 0);
	return arena_copy(&s->arena, str_of(text.p, text.n < most ? text.n : most));
}

/* ---- one event ---- */

static bool has_room(struct provider_said *s, size_t more)
{
	s->too_large = s->too_large || more > SAID_MOST - s->kept;
	s->kept += s->too_large ? 0 : more;
	return !s->too_large;
}

static struct said_call *call_at(struct provider_said *s, size_t at)
{
	arena_grow(&s->arena, s->calls, at, s->call_cap, 8);
	return &s->calls[at];
}

/* Arguments come in pieces, at once, or both; provider_said_end prefers the pieces. */
static void provider_said_add_call(struct provider_said *s, const struct event *e)
{
	unsigned news;
	size_t at = answer_calls_add(&s->marks, &s->arena, e, &news);
	struct said_call *c;

	if (news & ANSWER_CALL_FULL)
		s->too_large = true;
	if (at == ANSWER_CALL_NONE)
		return;
	assert(at <= s->marks.count); /* the calls stand beside their marks */
	c = call_at(s, at);
	if (news & ANSWER_CALL_NAME)
		c->name = provider_said_keep(s, e->tool, NAME_MOST);
	if (e->args_text.n && has_room(s, e->args_text.n))
		buf_add_str(&c->pieces, e->args_text);
	if (e->args.n && has_room(s, e->args.n))
		c->whole = arena_copy(&s->arena, e->args);
}

/* Never false: what is too much is noted in the struct, and nobody is stopped by it. */
static bool put(void *context, const struct event *e, struct err *err)
{
	struct provider_said *s = context;

	(void)err;
	if (e->branch.p) /* another answer to the same question: nobody asked for one */
		return true;
	if (s->too_large) /* it will be thrown away: a hundred thousand calls more are not looked up */
		return true;
	if (e->kind == EVENT_STEP) {
		if (e->text.n && has_room(s, e->text.n))
			buf_add_str(&s->text, e->text);
	} else if (e->kind == EVENT_CALL) {
		provider_said_add_call(s, e);
	} else if (e->kind == EVENT_RESULT) {
		answer_calls_answer(&s->marks, e->call);
	}
	return true;
}

void provider_said_take(struct provider_said *s, const struct event *e)
{
	struct err err;

	if (e->kind == EVENT_NOTE)
		return;
	if (e->kind == EVENT_ERROR && !s->error.p) {
		s->error = e->text.n ? provider_said_keep(s, e->text, ERROR_MOST) : STR("");
		s->error_code = provider_said_keep(s, e->code, NAME_MOST);
	}
	if (s->stream)
		responses_stream_add(s->stream, e, (struct exchange_sink){ put, s }, &err);
	else
		put(s, e, &err);
}

void provider_said_end(struct provider_said *s, struct provider_answer *out)
{
	struct provider_call_made *made = NULL;
	struct err err;

	if (s->stream)
		responses_stream_end(s->stream, (struct exchange_sink){ put, s }, &err);
	out->call_count = 0;
	if (s->marks.count)
		made = arena_array(&s->arena, struct provider_call_made, s->marks.count);
	for (size_t i = 0; i < s->marks.count; i++) {
		struct said_call *c = &s->calls[i];

		if (s->marks.marks[i].answered)
			continue;
		made[out->call_count++] = (struct provider_call_made){
			.name = c->name.p ? c->name : STR("unknown"),
			.arguments = c->pieces.n ? buf_str(&c->pieces) : c->whole.p ? c->whole : STR(""),
		};
	}
	out->calls = made;
	out->text = s->text.n ? buf_str(&s->text) : STR("");
}
