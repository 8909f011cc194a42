/*
 * The first byte tells how the body is cut; from then on each value is parsed, read by its API, looked at for what
 * every owner wants to know, and given on. Memory that one large answer took is given back.
 */
#include "dialect/exchange/answer_stream.h"

#include <assert.h>

#include "dialect/exchange/answer_calls.h"
#include "dialect/exchange/hint.h"
#include "dialect/exchange/http.h"
#include "dialect/formats.h"
#include "dialect/reading/billing.h"
#include "json/slow.h"
#include "model/words.h"

#define KEEP_MOST ((size_t)64 << 10) /* bytes of a buffer that is kept for the next answer */
#define KEEP_TEXT (KEEP_MOST * 64)   /* of a value; the parser of a larger one is not kept either */
#define KEEP_EVENTS 4096

/* ---- one value ---- */

/* A reading that keeps neither extras nor marks, within bounds: what it reads is a stranger's. */
static void init_reading(struct reading *r)
{
	reading_init(r, &openai_chat_dialect); /* it only names extras, which nobody looks at */
	reading_bound(r, ANSWER_MOST_EVENTS, ANSWER_MOST_VALUES);
	r->lean = true;
}

void answer_parser_init(struct answer_parser *p)
{
	*p = (struct answer_parser){ .text = { NULL, 0, 0 } };
	init_reading(&p->reading);
	arena_init(&p->batch);
}

void answer_parser_free(struct answer_parser *p)
{
	reading_free(&p->reading);
	arena_free(&p->batch);
	buf_free(&p->text);
}

bool answer_parser_is_crowded(const struct answer_parser *p)
{
	return p->crowded;
}

/* The fast parser first; the lenient one only for what the fast one finds no JSON, not for what is too much. */
bool answer_parse(struct answer_parser *p, struct str text, struct val *v)
{
	struct slow s = { .lenient = true, .single = true };
	struct reading *r = &p->reading;
	struct json_issue issue;
	bool done;

	arena_reset(&p->batch);
	r->arena = &p->batch;
	r->count = 0;
	r->cut = false;
	buf_clear(&p->text);
	buf_add_str(&p->text, text);
	memset(buf_reserve(&p->text, JSON_PAD), 0, JSON_PAD);
	s.text = buf_str(&p->text);
	done = json_parse(r->tapes[0].parser, s.text, v, &issue);
	p->crowded = !done && issue.code == JSON_E_LIMIT;
	if (!done && (p->crowded || !slow_parse_for(r->tapes[0].parser, &s, 0, v)))
		return false;
	reading_enter(r, 0, *v);
	r->root = *v;
	return true;
}

void answer_parse_end(struct answer_parser *p)
{
	struct reading *r = &p->reading;

	p->crowded = p->crowded || r->cut;
	r->count = r->tape_count = 0;
	if (p->text.cap > KEEP_TEXT || r->cap > KEEP_EVENTS) {
		buf_free(&p->text);
		reading_free(r);
		init_reading(r);
	}
}

/* ---- what an event says ---- */

enum answer_copy answer_event_copy(const struct event *e)
{
	enum stream_part part = exchange_hint_of(e)->part;

	return part == STREAM_DONE ? ANSWER_ITEM : part == STREAM_FINAL ? ANSWER_WHOLE : ANSWER_DELTA;
}

uint64_t answer_event_bytes(const struct event *e)
{
	bool args = e->args.n > 0 && !str_eq(e->args, STR("{}"));
	uint64_t bytes = e->args_text.n + (args ? e->args.n : 0);

	if (e->kind == EVENT_STEP)
		bytes += e->text.n + e->reasoning.n;
	return bytes;
}

unsigned answer_event_news(const struct event *e)
{
	if (e->kind == EVENT_STEP && e->text.n > 0)
		return ANSWER_TOKEN | ANSWER_CONTENT;
	if (answer_event_bytes(e) > 0 || (e->kind == EVENT_CALL && e->tool.n > 0))
		return ANSWER_TOKEN;
	return 0;
}

/* ---- what is gathered of them ---- */

/* At most ANSWER_ID bytes, in the owner's arena: names are a stranger's. */
static struct str keep_name(struct answer_stream *s, struct str text)
{
	return arena_copy(s->names, str_of(text.p, text.n < ANSWER_ID ? text.n : ANSWER_ID));
}

static void see_news(struct answer_stream *s, const struct event *e)
{
	unsigned news = answer_event_news(e);

	/* of an answer that comes as a whole nobody saw the first token */
	if (!answer_stream_is_stream(s))
		return;
	if (!s->token_ns && (news & ANSWER_TOKEN))
		s->token_ns = s->ns;
	if (!s->content_ns && (news & ANSWER_CONTENT))
		s->content_ns = s->ns;
}

/* The first id, of the main choice; the model may be told again more exactly. */
static void see_names(struct answer_stream *s, const struct event *e)
{
	if (e->model.n && !str_eq(e->model, s->model))
		s->model = keep_name(s, e->model);
	if (!s->id.p && e->step.n && !e->branch.p)
		s->id = keep_name(s, e->step);
}

/* Why the model stopped. Of several choices the first word counts, unless a later one says that tools are called. */
static void see_stop(struct answer_stream *s, struct str word)
{
	const char *stop;

	if (!word.n)
		return;
	stop = words_stop_reason(word);
	s->has_stop = true;
	if (!stop || (s->stop_reason && strcmp(stop, "tool_use") != 0))
		return;
	s->stop_reason = stop;
	s->refused = words_is_refusal(word);
}

/* What is told last counts: it is the whole, and a tier that was asked for may not be the one that was given. */
static void see_bill(struct answer_stream *s, const struct event *e)
{
	if (amount_is_known(e->usd))
		s->usd = e->usd;
	if (e->tier.p && !str_eq(e->tier, s->tier))
		s->tier = e->tier.n ? keep_name(s, e->tier) : STR("");
}

/* Gathers what a STEP says of the whole answer. */
static void see_step(struct answer_stream *s, struct event *e)
{
	bool is_known;

	see_names(s, e);
	see_stop(s, e->stop_reason);
	is_known = usage_is_known(&e->usage);
	if (is_known && s->api->fill_usage && (e->flags & EVENT_STREAM)) {
		s->api->fill_usage(&e->usage, &s->usage);
		s->usage = e->usage;
	} else if (is_known) {
		usage_merge(&s->usage, &e->usage);
	}
	see_bill(s, e);
	if ((e->flags & EVENT_LAST) || exchange_hint_of(e)->part == STREAM_CLOSED)
		s->has_done = true;
}

/* Hands each event of the value on, after looking at it. */
static void give_events(struct answer_stream *s, struct answer_sink to)
{
	struct reading *r = &s->parser->reading;

	for (size_t i = 0; i < r->count; i++) {
		struct event *e = &r->events[i];

		if (e->kind == EVENT_STEP)
			see_step(s, e);
		else if (e->kind == EVENT_ERROR)
			s->has_error = true;
		s->has_value = s->has_value || e->kind != EVENT_NOTE;
		see_news(s, e);
		to.take(to.own, e);
	}
}

/* A piece of a stream, or the whole answer. False when it is no JSON. */
static bool take_value(struct answer_stream *s, struct str text, bool piece, struct str name, struct answer_sink to)
{
	struct answer_parser *p = s->parser;
	struct val v;
	bool is;

	if (!answer_parse(p, text, &v)) {
		answer_parse_end(p);
		return false;
	}
	s->values++;
	is = val_is(v, JSON_OBJECT);
	if (is && piece)
		s->api->stream_event(&p->reading, v, name);
	else if (is)
		s->api->response(&p->reading, v);
	give_events(s, to);
	answer_parse_end(p);
	s->bad = s->bad || answer_parser_is_crowded(p);
	return true;
}

/* ---- server-sent events ---- */

bool answer_is_done(struct str data)
{
	return str_eq(data, STR("[DONE]"));
}

/* False when it should have been JSON and is not. */
static bool take_data(struct answer_stream *s, struct str data, struct str name, struct answer_sink to)
{
	data = str_trim(data);
	s->has_done = s->has_done || answer_is_done(data);
	if (data.n == 0 || answer_is_done(data))
		return true;
	return (data.p[0] == '{' || data.p[0] == '[') && take_value(s, data, true, name, to);
}

/* One value, or one on each line when events have no blank lines between them. */
static bool take_sse(struct answer_stream *s, const struct sse_event *e, struct answer_sink to)
{
	struct str left = e->data;
	bool good = true;

	if (take_data(s, left, e->event, to))
		return true;
	if (!memchr(left.p, '\n', left.n))
		return false;
	while (left.n) {
		struct str line = str_cut(left, '\n', &left);

		good = take_data(s, line, e->event, to) && good;
	}
	return good;
}

/* Cuts bytes into server-sent events and reads each. */
static void push_events(struct answer_stream *s, struct str bytes, struct answer_sink to)
{
	struct sse_event e;

	for (;;) {
		enum sse_next next = sse_push(&s->sse, &bytes, &e);

		if (next == SSE_MORE)
			return;
		if (next == SSE_TOO_LARGE)
			s->bad = s->too_large = true;
		else if (!take_sse(s, &e, to))
			s->unread++;
	}
}

/* ---- values ---- */

/* A value is whole: it is read, or was too large and is forgotten. */
static void end_value(struct answer_stream *s, struct answer_sink to)
{
	struct answer_split *x = &s->split;

	if (!x->skipping && !take_value(s, buf_str(&x->text), s->as_lines, str_of(NULL, 0), to)) {
		s->bad = true;
		s->unread++;
	}
	buf_clear(&x->text);
	x->skipping = false;
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
static size_t follow_value(struct answer_split *x, struct str bytes, bool *ended)
{
	size_t i = 0;

	for (; i < bytes.n && !*ended; i++) {
		char c;

		if (x->in_string && !x->escaped) {
			i = skip_plain(bytes, i);
			if (i == bytes.n)
				break;
		}
		c = bytes.p[i];
		if (x->in_string) {
			if (x->escaped)
				x->escaped = false;
			else if (c == '\\')
				x->escaped = true;
			else if (c == '"')
				x->in_string = false;
		} else if (c == '"') {
			x->in_string = true;
		} else if (c == '{' || c == '[') {
			x->depth++;
		} else if (c == '}' || c == ']') {
			*ended = --x->depth == 0;
		}
	}
	return i;
}

size_t answer_value_end(struct str text)
{
	struct answer_split x = { .depth = 0 };
	bool ended = false;
	size_t n = follow_value(&x, text, &ended);

	return ended ? n : 0;
}

/*
 * Cuts bytes into JSON values by their brackets, however they are split, and reads each when it is whole. One that is
 * too large is passed over, not kept.
 */
static void push_values(struct answer_stream *s, struct str bytes, struct answer_sink to)
{
	struct answer_split *x = &s->split;
	size_t limit = s->as_lines ? s->event_most : s->body_most;

	while (bytes.n) {
		bool ended = false;
		size_t n;

		if (x->depth == 0) {
			const char *brace = memchr(bytes.p, '{', bytes.n);

			if (!brace)
				return;
			bytes = str_of(brace, (size_t)(bytes.p + bytes.n - brace));
		}
		n = follow_value(x, bytes, &ended);
		if (!x->skipping && x->text.n + n > limit) {
			x->skipping = s->bad = s->too_large = true;
			buf_free(&x->text);
		}
		if (!x->skipping)
			buf_add(&x->text, bytes.p, n);
		bytes = str_of(bytes.p + n, bytes.n - n);
		if (ended)
			end_value(s, to);
	}
}

/* ---- which of them ---- */

void answer_stream_header(struct answer_stream *s, struct str name, struct str value)
{
	if (!s->request_id.p && value.n && exchange_http_is_id(name))
		s->request_id = keep_name(s, value);
	if (!amount_is_known(s->usd))
		s->usd = billing_header(name, value);
	if (!str_eq_nocase(name, STR("content-type")))
		return;
	s->sse_type = str_has_nocase(value, STR("event-stream"));
	s->lines_type = str_has_nocase(value, STR("ndjson")) || str_has_nocase(value, STR("jsonl")) ||
			str_has_nocase(value, STR("stream+json"));
}

/* The first byte that is no space tells, whatever the headers say: errors come as JSON where events were asked for. */
static void choose_form(struct answer_stream *s, char first)
{
	bool value = first == '{' || first == '[';

	if (value) {
		s->form = ANSWER_VALUES;
		s->as_lines = s->lines_type || first == '[' ||
			      (s->asked && s->api->streams_lines);
	} else if (s->sse_type || strchr("deir:\xef", first)) {
		s->form = ANSWER_EVENTS;
	} else {
		s->form = ANSWER_OTHER;
	}
}

void answer_stream_came(struct answer_stream *s, int64_t ns)
{
	assert(ns != 0); /* that is how a time says that it is none */
	s->ns = ns;
	if (!s->byte_ns)
		s->byte_ns = ns;
}

/* Spaces, and zero bytes, before the first sign tell nothing about the form. */
void answer_stream_push(struct answer_stream *s, struct str bytes, struct answer_sink to)
{
	while (s->form == ANSWER_UNSEEN && bytes.n) {
		char c = bytes.p[0];

		if (c != ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\0')
			choose_form(s, c);
		else
			bytes = str_of(bytes.p + 1, bytes.n - 1);
	}
	if (s->form == ANSWER_EVENTS)
		push_events(s, bytes, to);
	else if (s->form == ANSWER_VALUES)
		push_values(s, bytes, to);
}

static void forget_value(struct answer_split *x)
{
	x->depth = 0;
	x->in_string = x->escaped = x->skipping = false;
	buf_clear(&x->text);
}

/* Buffers that grew large are given back. */
static void give_back(struct answer_stream *s)
{
	if (s->sse.line.cap + s->sse.data.cap > KEEP_MOST) {
		sse_free(&s->sse);
		sse_init(&s->sse, s->event_most);
	}
	if (s->split.text.cap > KEEP_MOST)
		buf_free(&s->split.text);
}

void answer_stream_skip(struct answer_stream *s)
{
	sse_restart(&s->sse);
	forget_value(&s->split);
	give_back(s);
}

size_t answer_stream_held(const struct answer_stream *s)
{
	return s->sse.line.cap + s->sse.data.cap + s->split.text.cap;
}

void answer_stream_end(struct answer_stream *s, struct answer_sink to)
{
	struct sse_event e;

	if (s->form == ANSWER_EVENTS && sse_rest(&s->sse, &e) && !take_sse(s, &e, to))
		s->torn = true;
	if (s->form == ANSWER_VALUES && s->split.depth > 0)
		s->bad = s->torn = true;
}

bool answer_stream_is_stream(const struct answer_stream *s)
{
	return s->form == ANSWER_EVENTS || s->as_lines;
}

bool answer_stream_is_whole(const struct answer_stream *s, bool closed)
{
	bool has_end = s->has_done;

	if (s->bad)
		return false;
	if (!answer_stream_is_stream(s) && !(s->form == ANSWER_UNSEEN && s->asked))
		return closed;
	if (s->api->ends_by_reason)
		has_end = has_end || s->has_stop;
	return has_end || (closed && s->has_stop);
}

const char *answer_stream_stop(const struct answer_stream *s, size_t calls)
{
	return calls && s->stop_reason && strcmp(s->stop_reason, "end_turn") == 0 ? "tool_use" : s->stop_reason;
}

/* ---- their memory ---- */

void answer_stream_init(struct answer_stream *s, struct answer_parser *p, struct arena *names, size_t event_most,
			size_t body_most)
{
	*s = (struct answer_stream){ .parser = p, .names = names, .event_most = event_most, .body_most = body_most };
	sse_init(&s->sse, event_most);
}

void answer_stream_free(struct answer_stream *s)
{
	sse_free(&s->sse);
	buf_free(&s->split.text);
}

/* All but the memory is as answer_stream_init leaves it. */
void answer_stream_reset(struct answer_stream *s)
{
	struct answer_stream clean = {
		.parser = s->parser,
		.names = s->names,
		.event_most = s->event_most,
		.body_most = s->body_most,
		.sse = s->sse,
		.split.text = s->split.text,
	};

	give_back(&clean);
	sse_restart(&clean.sse);
	forget_value(&clean.split);
	*s = clean;
}
