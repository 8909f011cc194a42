/* Decides on an answer at once; makes a stream's bytes step by step, and lets the faults of the script change them. */
#include "provider/mock_answer.h"

#include <assert.h>

#include "base/num.h"
#include "base/utf8.h"
#include "provider/mock_body.h"
#include "provider/mock_plain.h"

static const struct mock_fault no_fault = { .status = 0, .cut_events = MOCK_UNSAID, .cut_bytes = MOCK_UNSAID };
static const struct mock_pace no_pace = { .ttft_ms = 0, .itl_ms = 0, .chunk = 0 };

void mock_maker_init(struct mock_maker *m, const struct mock_script *script)
{
	/* as forgiving as servers are: what a client sends is not for us to judge */
	struct json_options lenient = { .max_depth = 0, .allow_duplicates = true, .allow_lone = true,
					.allow_bom = true };

	arena_init(&m->arena);
	arena_init(&m->scratch);
	m->script = script;
	if (script)
		mock_matcher_init(&m->matcher, &m->arena, script);
	map_init(&m->seen, &m->arena);
	m->parser = json_parser_open(lenient);
	sha256_init(&m->sha);
}

void mock_maker_free(struct mock_maker *m)
{
	sha256_free(&m->sha);
	json_parser_close(m->parser);
	arena_free(&m->scratch);
	arena_free(&m->arena);
}

/* ---- ids ---- */

/* From 1. When the map is full a new body is new each time it comes. */
static uint64_t count_request(struct mock_maker *m, struct digest d)
{
	struct str key = str_of(d.b, sizeof(d.b));
	uint64_t *times = map_find(&m->seen, key);
	bool added;

	if (!times && m->seen.count >= MOCK_SEEN_MAX)
		return 1;
	if (!times)
		times = map_add(&m->seen, key, &added);
	return ++*times;
}

/* Gives how often the body has come. */
static uint64_t make_id(struct mock_maker *m, struct str body, char out[SHA256_HEX])
{
	struct digest d = sha256_of(&m->sha, body);
	uint64_t times = count_request(m, d);
	char number[NUM_U64_MAX];
	size_t n = num_format_u64(number, times);

	sha256_restart(&m->sha);
	sha256_add(&m->sha, str_of(d.b, sizeof(d.b)));
	sha256_add(&m->sha, str_of(number, n));
	digest_hex(out, sha256_end(&m->sha));
	return times;
}

/* ---- heads ---- */

static bool has_content_type(const struct mock_fault *f)
{
	for (size_t i = 0; i < f->header_count; i++)
		if (str_eq_nocase(f->headers[i].name, STR("content-type")))
			return true;
	return false;
}

/* Ours and then the script's, which may replace the type but not the framing. */
static void mock_answer_set_headers(struct mock_answer *x, struct arena *a, enum mock_provider p,
				    const char *allow)
{
	static const char *const types[] = {
		[MOCK_EVENTS] = "text/event-stream; charset=utf-8",
		[MOCK_LINES] = "application/x-ndjson",
		[MOCK_LIST] = "application/json",
	};
	/* where each service has the id of a request; NULL: nowhere */
	static const char *const ids[] = {
		[MOCK_OPENAI] = "x-request-id",
		[MOCK_ANTHROPIC] = "request-id",
		[MOCK_OLLAMA] = NULL,
		[MOCK_GEMINI] = NULL,
		[MOCK_COHERE] = NULL,
	};
	const struct mock_fault *f = x->fault;
	struct http_header *h = arena_array(a, struct http_header, f->header_count + MOCK_HEADERS);
	struct str type = x->streamed ? str_from(types[x->shape->framing]) : STR("application/json");
	size_t n = 0;

	if (!has_content_type(f))
		h[n++] = (struct http_header){ .name = STR("content-type"), .value = type };
	if (x->streamed)
		h[n++] = (struct http_header){ .name = STR("cache-control"), .value = STR("no-cache") };
	if (ids[p]) {
		x->id = arena_printf(a, "req_%.24s", x->talk.id);
		h[n++] = (struct http_header){ .name = str_from(ids[p]), .value = x->id };
	}
	if (allow)
		h[n++] = (struct http_header){ .name = STR("allow"), .value = str_from(allow) };
	if (f->header_count)
		memcpy(h + n, f->headers, f->header_count * sizeof(*h));
	assert(n <= MOCK_HEADERS);
	x->headers = h;
	x->header_count = n + f->header_count;
}

/* ---- faults ---- */

/* The first half of a JSON text is none, since it begins with a brace. */
static void spoil(struct buf *out, size_t from, size_t to)
{
	size_t keep = utf8_cut(str_of(out->p + from, to - from), (to - from) / 2).n;

	memmove(out->p + from + keep, out->p + to, out->n - to);
	out->n -= to - from - keep;
}

/* The JSON of the first event from `from` on. */
static void spoil_event(struct buf *out, size_t from)
{
	struct str bytes = str_of(out->p + from, out->n - from);
	size_t data = str_find(bytes, STR("data: ")), end;

	data = bytes.p[0] == '{' ? 0 : data == (size_t)-1 ? 0 : data + strlen("data: ");
	end = str_find(str_of(bytes.p + data, bytes.n - data), STR("\n"));
	spoil(out, from + data, end == (size_t)-1 ? out->n : from + data + end);
}

/* Where the n-th event of a stream's bytes ends. */
static size_t end_of_event(struct str bytes, enum mock_framing framing, uint64_t n)
{
	struct str mark = framing == MOCK_EVENTS ? STR("\n\n") : STR("\n");
	size_t at = 0;

	for (; n > 0; n--) {
		size_t next = str_find(str_of(bytes.p + at, bytes.n - at), mark);

		if (next == (size_t)-1)
			return bytes.n;
		at += next + mark.n;
	}
	return at;
}

/* What a step added from `from` on, after `events` events, is shortened when the script cuts there. */
static void cut_step(struct mock_answer *x, struct buf *out, size_t from, uint64_t events)
{
	const struct mock_fault *f = x->fault;
	size_t added = out->n - from;

	if (!f->cuts)
		return;
	if (f->cut_events != MOCK_UNSAID && x->talk.events > f->cut_events) {
		out->n = from + end_of_event(str_of(out->p + from, added), x->shape->framing, f->cut_events - events);
		x->talk.events = f->cut_events;
		x->cut = true;
	} else if (!f->cut_plain && f->cut_bytes != MOCK_UNSAID && x->bytes + added > f->cut_bytes) {
		out->n = from + (size_t)(f->cut_bytes - x->bytes);
		x->cut = true;
	}
}

/* ---- what is answered ---- */

static void set_body(struct mock_answer *x, struct arena *a, struct buf *made)
{
	if (x->fault->bad_json && made->n)
		spoil(made, 0, made->n);
	x->body = arena_copy(a, buf_str(made));
}

static void set_error(struct mock_answer *x, struct arena *a, enum mock_provider p, int status, struct str message)
{
	struct buf made;

	buf_init(&made);
	x->status = status;
	mock_error_add(&made, p, status, message, x->talk.id);
	set_body(x, a, &made);
	buf_free(&made);
}

static struct str fault_message(struct mock_answer *x, struct arena *a)
{
	if (x->rule && x->rule->reply.text.n)
		return x->rule->reply.text;
	return arena_printf(a, "the mock script asks for status %d", x->fault->status);
}

/* A model's answer: a stream is made step by step when it is sent, any other is made here. */
static void set_talk(struct mock_answer *x, struct arena *a, const struct mock_request *q, const struct mock_pace *pace)
{
	struct mock_talk *t = &x->talk;
	struct buf made;

	x->shape = q->shape;
	if (x->rule)
		t->reply = x->rule->reply;
	else
		t->reply.usage = (struct mock_usage){ .input = MOCK_UNSAID, .output = MOCK_UNSAID,
						      .cache_read = MOCK_UNSAID, .cache_write = MOCK_UNSAID,
						      .reasoning = MOCK_UNSAID };
	if (!x->rule || x->rule->echoes)
		t->reply.text = arena_copy(a, q->last);
	t->model = x->model;
	t->include_usage = q->include_usage;
	t->generate = q->endpoint == MOCK_OLLAMA_GENERATE;
	mock_talk_settle(t, q->text_bytes, pace);
	if (q->stream) {
		x->streamed = true;
		mock_steps_begin(&x->steps, t, pace);
		return;
	}
	x->delay_ms = t->total_ms + x->fault->stall_ms;
	buf_init(&made);
	x->shape->whole(&made, t);
	set_body(x, a, &made);
	buf_free(&made);
}

/* Lists, counts and vectors. */
static void set_plain(struct mock_maker *m, struct mock_answer *x, struct arena *a, const struct mock_request *q,
		      const struct mock_pace *pace)
{
	struct mock_refusal why = { .status = 0, .message = STR(""), .allow = NULL };
	struct buf made;

	buf_init(&made);
	x->delay_ms = pace->ttft_ms + x->fault->stall_ms;
	if (!mock_list_add(&made, q, m->script))
		mock_embed_add(&made, q, &m->sha, &why);
	if (why.status)
		set_error(x, a, q->provider, why.status, why.message);
	else
		set_body(x, a, &made);
	buf_free(&made);
}

void mock_answer_make(struct mock_maker *m, struct arena *a, const struct http_head *h, struct str body,
		      struct mock_answer *out)
{
	const struct mock_pace *pace = &no_pace;
	struct mock_refusal why;
	struct mock_request q;
	struct buf unpacked;
	bool talk;

	*out = (struct mock_answer){ .status = 200, .fault = &no_fault };
	buf_init(&unpacked);
	mock_request_begin(&q, h, &why);
	body = mock_body_unpack(h, body, MOCK_BODY_MOST, &unpacked, &why);
	mock_request_read(&q, &m->scratch, m->parser, body, &why);
	q.times = make_id(m, body, out->talk.id);
	talk = q.shape != NULL;
	out->endpoint = q.endpoint;
	out->path = arena_copy(a, q.path);
	out->model = arena_copy(a, q.model);
	if (!why.status && m->script)
		out->rule = mock_match(&m->matcher, &q);
	if (out->rule) {
		out->fault = &out->rule->fault;
		pace = &out->rule->pace;
	}
	if (why.status) {
		set_error(out, a, q.provider, why.status, why.message);
	} else if (out->fault->status && !(talk && q.stream && out->fault->cuts)) {
		out->delay_ms = pace->ttft_ms + out->fault->stall_ms;
		set_error(out, a, q.provider, out->fault->status, fault_message(out, a));
	} else if (talk && m->script && !out->rule) {
		set_error(out, a, q.provider, 404, STR("no rule of the mock script matches this request"));
	} else if (talk) {
		set_talk(out, a, &q, pace);
	} else {
		set_plain(m, out, a, &q, pace);
	}
	mock_answer_set_headers(out, a, q.provider, why.allow);
	arena_reset(&m->scratch);
	buf_free(&unpacked);
}

/* ---- piece by piece ---- */

/* The stream was cut: a provider's own error ends it, or nothing does. */
static enum mock_next end_cut(struct mock_answer *x, struct buf *out, uint64_t *delay_ms)
{
	const struct mock_fault *f = x->fault;

	*delay_ms = f->stall_ms;
	if (!x->streamed || !f->status)
		return MOCK_BROKEN;
	mock_error_add_event(out, x->endpoint, x->shape->framing, f->status,
			     STR("the mock script asks for an error here"), x->talk.id,
			     f->cut_events == MOCK_UNSAID ? x->talk.events : f->cut_events);
	x->given = true;
	x->cut = false;
	return MOCK_MORE;
}

/* A whole answer is one piece, then done; cut short where the script says so. */
static enum mock_next next_whole(struct mock_answer *x, struct buf *out)
{
	const struct mock_fault *f = x->fault;
	uint64_t most = x->body.n;

	if (x->given)
		return MOCK_DONE;
	x->given = true;
	x->has_words = x->shape && x->status == 200;
	if (f->cuts && x->status == 200) {
		/* as a stream it would be one event */
		if (f->cut_bytes != MOCK_UNSAID)
			most = f->cut_bytes;
		else if (f->cut_events == 0)
			most = 0;
	}
	x->cut = most < x->body.n;
	buf_add_str(out, str_of(x->body.p, x->cut ? (size_t)most : x->body.n));
	return MOCK_MORE;
}

static bool is_due_for_spoiling(const struct mock_answer *x, const struct mock_step *s)
{
	return x->fault->bad_json && !x->spoiled &&
	       (s->kind == MOCK_PIECE || s->kind == MOCK_CLOSE || (s->kind == MOCK_BEGIN && x->shape->whole_calls));
}

enum mock_next mock_answer_next(struct mock_answer *x, struct buf *out, uint64_t *delay_ms)
{
	size_t from = out->n;
	uint64_t events = x->talk.events;
	struct mock_step s;

	*delay_ms = 0;
	if (x->cut)
		return end_cut(x, out, delay_ms);
	if (!x->streamed)
		return next_whole(x, out);
	if (x->given || !mock_steps_next(&x->steps, &s))
		return MOCK_DONE;
	*delay_ms = s.delay_ms;
	if (x->piece_given && !x->stalled && !x->fault->cuts) {
		*delay_ms += x->fault->stall_ms;
		x->stalled = true;
	}
	x->shape->step(out, &x->talk, &s);
	x->piece_given |= s.kind == MOCK_PIECE;
	x->has_words |= s.kind == MOCK_PIECE || (s.kind == MOCK_BEGIN && s.item.kind == MOCK_CALL);
	if (out->n > from && is_due_for_spoiling(x, &s)) {
		spoil_event(out, from);
		x->spoiled = true;
	}
	cut_step(x, out, from, events);
	x->bytes += out->n - from;
	return MOCK_MORE;
}
