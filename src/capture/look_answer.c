/*
 * The answer of an exchange, byte by byte as it came: server-sent events, lines, a list or one document. Each value
 * is read when it is whole and then forgotten, so that nothing is held but the one that is coming.
 */
#include "capture/look_run.h"
#include "dialect/responses_stream.h"
#include "model/assemble.h"
#include "model/words.h"

/* ---- what a value says ---- */

/* Streams of the Responses API tell everything in pieces, then by items, then as a whole. */
static unsigned telling_of(const struct event *e)
{
	if (str_eq(e->role, STR(STREAM_DONE)))
		return 1;
	return str_eq(e->role, STR(STREAM_FINAL)) ? 2 : 0;
}

static void see_token(struct look *k, const struct event *e)
{
	bool args = e->args_text.n > 0 || (e->args.n > 0 && !str_eq(e->args, STR("{}")));
	bool text = e->kind == EVENT_STEP && e->text.n > 0;
	uint64_t bytes = e->args_text.n + (args ? e->args.n : 0);

	if (e->kind == EVENT_STEP)
		bytes += e->text.n + e->reasoning.n;
	k->said_bytes[telling_of(e)] += bytes;
	/* of an answer that comes as a whole nobody saw the first token */
	if (k->form != FORM_EVENTS && !k->as_lines)
		return;
	if (!k->s.token_ns && (bytes > 0 || (e->kind == EVENT_CALL && e->tool.n > 0)))
		k->s.token_ns = k->ns;
	if (!k->s.content_ns && text)
		k->s.content_ns = k->ns;
}

static void see_stop(struct look *k, struct str word)
{
	const char *stop = words_stop_reason(word);

	if (!word.n)
		return;
	k->has_stop = true;
	if (stop && (!k->s.stop_reason || strcmp(stop, "tool_use") == 0))
		k->s.stop_reason = stop;
}

static void take_step(struct look *k, struct event *e)
{
	if (k->api == &anthropic_api)
		anthropic_stream_follow(&k->follow, e);
	if (e->model.n)
		k->s.model = str_eq(e->model, k->s.model) ? k->s.model : look_keep(k, e->model);
	if (!k->s.answer.p && e->step.n && !e->branch.p)
		k->s.answer = look_keep(k, e->step);
	see_stop(k, e->stop_reason);
	if (k->api == &anthropic_api && (e->flags & EVENT_STREAM) && usage_is_known(&e->usage))
		k->s.usage = e->usage; /* what came before is in it already */
	else if (usage_is_known(&e->usage))
		usage_merge(&k->s.usage, &e->usage);
	if ((e->flags & EVENT_LAST) || str_eq(e->role, STR(STREAM_CLOSED)))
		k->has_done = true;
	see_token(k, e);
}

static void take_events(struct look *k)
{
	struct reading *r = &k->all->reading;

	for (size_t i = 0; i < r->count; i++) {
		struct event *e = &r->events[i];

		if (e->kind == EVENT_STEP) {
			take_step(k, e);
		} else if (e->kind == EVENT_CALL) {
			look_add_call(k, e);
			see_token(k, e);
		} else if (e->kind == EVENT_RESULT) {
			look_answer_call(k, e->call);
		} else if (e->kind == EVENT_ERROR) {
			k->has_error = true;
		}
		k->has_value = k->has_value || e->kind != EVENT_NOTE;
	}
}

/* A piece of a stream, or the whole answer. False when it is no JSON. */
static bool take_value(struct look *k, struct str text, bool piece, struct str name)
{
	struct looks *l = k->all;
	struct val v;
	bool is;

	if (!look_read(l, text, &v)) {
		look_read_end(l);
		return false;
	}
	is = val_is(v, JSON_OBJECT);
	if (is && piece)
		k->api->chunk(&l->reading, v, name);
	else if (is)
		k->api->response(&l->reading, v);
	take_events(k);
	look_read_end(l);
	return true;
}

/* ---- server-sent events ---- */

static void take_sse(struct look *k, const struct sse_event *e)
{
	struct str data = str_trim(e->data);

	if (str_eq(data, STR("[DONE]")))
		k->has_done = true;
	else if (data.n && (data.p[0] == '{' || data.p[0] == '['))
		take_value(k, data, true, e->event);
}

static void push_events(struct look *k, struct str bytes)
{
	struct sse_event e;

	for (;;) {
		enum sse_next next = sse_push(&k->sse, &bytes, &e);

		if (next == SSE_MORE)
			return;
		if (next == SSE_TOO_LARGE)
			k->bad = true;
		else
			take_sse(k, &e);
	}
}

/* ---- values ---- */

static void end_value(struct look *k)
{
	struct look_split *s = &k->split;

	if (!s->skipping && !take_value(k, buf_str(&s->text), k->as_lines, str_of(NULL, 0)))
		k->bad = true;
	buf_clear(&s->text);
	s->skipping = false;
}

/* The quote or backslash that comes next inside a string, or the end. */
static size_t skip_plain(struct str bytes, size_t i)
{
	const char *from = bytes.p + i, *quote = memchr(from, '"', bytes.n - i), *slash;
	size_t n = quote ? (size_t)(quote - from) : bytes.n - i;

	slash = memchr(from, '\\', n);
	return i + (slash ? (size_t)(slash - from) : n);
}

/* How many bytes belong to the value at hand; *ended when it is over with them. */
static size_t follow_value(struct look_split *s, struct str bytes, bool *ended)
{
	size_t i = 0;

	for (; i < bytes.n && !*ended; i++) {
		char c;

		if (s->in_string && !s->escaped) {
			i = skip_plain(bytes, i);
			if (i == bytes.n)
				break;
		}
		c = bytes.p[i];
		if (s->in_string) {
			if (s->escaped)
				s->escaped = false;
			else if (c == '\\')
				s->escaped = true;
			else if (c == '"')
				s->in_string = false;
		} else if (c == '"') {
			s->in_string = true;
		} else if (c == '{' || c == '[') {
			s->depth++;
		} else if (c == '}' || c == ']') {
			*ended = --s->depth == 0;
		}
	}
	return i;
}

static void push_values(struct look *k, struct str bytes)
{
	struct look_split *s = &k->split;
	size_t limit = k->as_lines ? LOOK_EVENT : LOOK_BODY;

	while (bytes.n) {
		bool ended = false;
		size_t n;

		if (s->depth == 0) {
			const char *brace = memchr(bytes.p, '{', bytes.n);

			if (!brace)
				return;
			bytes = str_of(brace, (size_t)(bytes.p + bytes.n - brace));
		}
		n = follow_value(s, bytes, &ended);
		if (!s->skipping && s->text.n + n > limit) {
			s->skipping = k->bad = true;
			buf_clear(&s->text);
		}
		if (!s->skipping)
			buf_add(&s->text, bytes.p, n);
		bytes = str_of(bytes.p + n, bytes.n - n);
		if (ended)
			end_value(k);
	}
}

/* ---- which of them ---- */

/* The first byte that is no space tells, whatever the headers say: errors come as JSON where events were asked for. */
static void choose_form(struct look *k, char first)
{
	bool value = first == '{' || first == '[';

	if (value) {
		k->form = FORM_VALUES;
		k->as_lines = k->lines_type || first == '[';
	} else if (k->sse_type || strchr("deir:\xef", first)) {
		k->form = FORM_EVENTS;
	} else {
		k->form = FORM_OTHER;
	}
}

static void push(struct look *k, struct str bytes)
{
	while (k->form == FORM_UNSEEN && bytes.n) {
		char c = bytes.p[0];

		if (c != ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\0')
			choose_form(k, c);
		else
			bytes = str_of(bytes.p + 1, bytes.n - 1);
	}
	if (k->form == FORM_EVENTS)
		push_events(k, bytes);
	else if (k->form == FORM_VALUES)
		push_values(k, bytes);
}

void look_read_answer(struct look *k, struct str bytes)
{
	struct buf *out = &k->all->unpacked;

	if (k->answer_packing == UNPACK_UNKNOWN || !k->api)
		return;
	if (k->answer_packing == UNPACK_PLAIN) {
		push(k, bytes);
		return;
	}
	if (!k->unpack)
		k->unpack = unpack_open(k->answer_packing, LOOK_BODY);
	buf_clear(out);
	k->bad = !unpack_push(k->unpack, bytes, out) || k->bad;
	push(k, buf_str(out));
}

void look_read_rest(struct look *k)
{
	struct sse_event e;

	if (k->form == FORM_EVENTS && sse_rest(&k->sse, &e))
		take_sse(k, &e);
	if (k->form == FORM_VALUES && k->split.depth > 0)
		k->bad = true; /* it breaks off */
}
