/*
 * Questions over HTTP: many streams at once on one loop. A call is read while it comes; each piece is parsed, its words
 * are joined to those before, and the piece is forgotten. Calls are kept for the next question, with their memory.
 *
 * How times are taken: once for all the bytes that were read together. Where the kernel notes when bytes come in
 * (upstream_came_ns) that is their time, so that a busy loop of ours is not counted as the model's; late_ns is how long
 * they lay, the longest of all reads. Elsewhere, as over TLS, it is the time before any of them is looked at. How late
 * that is: the loop tells for how long it waited in its last poll. If it did wait, then what it found came when it
 * awoke; if it did not, then bytes may have come at any time since the poll before, and we count the most it can be.
 */
#include "provider/provider_http.h"

#include <assert.h>

#include "base/clock.h"
#include "net/http/date.h"
#include "provider/provider_refusal.h"
#include "provider/provider_secret.h"

enum {
	UNUSED_MOST = 2048,      /* calls kept for later */
	REFUSAL_MOST = 64 << 10, /* bytes of a refusal that are read */
};

#define BODY_MOST ((size_t)64 << 20)
#define EVENT_MOST ((size_t)8 << 20)

/* ---- calls and their memory ---- */

struct http_call *http_call_new(struct http_shared *s)
{
	struct http_call *c = s->unused;

	if (c) {
		s->unused = c->next;
		s->unused_count--;
	} else {
		c = mem_alloc(sizeof(*c));
		memset(c, 0, sizeof(*c));
		c->shared = s;
		arena_init(&c->arena);
		answer_stream_init(&c->stream, &s->head.parser, &c->arena, EVENT_MOST, BODY_MOST);
		provider_said_init(&c->said);
		buf_init(&c->refusal);
	}
	return c;
}

void http_call_free(struct http_call *c)
{
	answer_stream_free(&c->stream);
	provider_said_free(&c->said);
	buf_free(&c->refusal);
	arena_free(&c->arena);
	mem_free(c->head.arrivals);
	mem_free(c);
}

static void no_more_unsent(struct http_call *c)
{
	assert(c->head.client->unsent >= c->unsent);
	c->head.client->unsent -= c->unsent;
	c->unsent = false;
}

/* It is under way no more. */
void http_call_unlink(struct http_call *c)
{
	struct http_shared *s = c->shared;

	assert(s->open > 0);
	no_more_unsent(c);
	provider_call_unlink(&c->head);
	if (--s->open == 0)
		uv_prepare_stop(&s->prepare);
}

/* Nobody needs what it has. */
void http_call_put_away(struct http_call *c)
{
	struct http_shared *s = c->shared;

	if (s->unused_count >= UNUSED_MOST) {
		http_call_free(c);
		return;
	}
	answer_stream_reset(&c->stream);
	provider_said_begin(&c->said, false);
	arena_reset(&c->arena);
	if (c->refusal.cap > REFUSAL_MOST / 4)
		buf_free(&c->refusal);
	buf_clear(&c->refusal);
	c->next = s->unused;
	s->unused = c;
	s->unused_count++;
}

/* ---- times ---- */

void http_before_poll(uv_prepare_t *h)
{
	struct http_shared *s = h->data;
	uint64_t idle = uv_metrics_idle_time(s->head.loop);

	s->before_ns = s->poll_ns ? s->poll_ns + (idle - s->poll_idle) : 0;
	s->poll_ns = clock_mono_ns();
	s->poll_idle = idle;
}

/* Since when bytes that were found now may have been there. */
static uint64_t since_poll(const struct http_shared *s)
{
	uint64_t waited = uv_metrics_idle_time(s->head.loop) - s->poll_idle;

	return waited ? s->poll_ns + waited : s->before_ns;
}

/* Bytes were read: once for all that came together. */
static void look_at_clock(struct http_call *c)
{
	uint64_t now, came, since;

	if (c->in_batch)
		return;
	c->in_batch = true;
	now = clock_mono_ns();
	came = c->up ? upstream_came_ns(c->up) : 0;
	c->head.client->stamped = came != 0;
	since = came ? came : since_poll(c->shared);
	if (since < c->head.a.sent_ns)
		since = c->head.a.sent_ns; /* nothing can have come before */
	if (since && now > since && now - since > c->head.a.late_ns)
		c->head.a.late_ns = now - since;
	if (came && since < now)
		now = since;
	if (now > c->now_ns) /* two reads of one packet: its time is known to us with some nanoseconds' error */
		c->now_ns = now;
}

static void provider_http_settle(void *own)
{
	struct http_call *c = own;

	c->in_batch = false;
}

static void sent(void *own)
{
	struct http_call *c = own;

	c->head.a.sent_ns = clock_mono_ns();
	no_more_unsent(c);
}

/* ---- the answer ---- */

/* Arrivals are of streamed pieces alone: a whole answer has one time, which content_ns tells. */
static void provider_http_take_event(void *own, struct event *e)
{
	struct http_call *c = own;
	bool says = answer_event_copy(e) == ANSWER_DELTA && answer_event_bytes(e) > 0;

	if (says && c->head.keep_arrivals && answer_stream_is_stream(&c->stream))
		provider_call_keep_arrival(&c->head, c->now_ns);
	provider_said_take(&c->said, e);
}

/* The answer is not to be trusted, or not to be held. */
static void give_up(struct http_call *c)
{
	struct upstream_call *up = c->up;

	c->up = NULL;
	if (up)
		upstream_cancel(up);
	http_call_finish(c, false, NULL);
}

static bool is_good(const struct http_call *c)
{
	return c->head.a.http_status >= 200 && c->head.a.http_status < 300;
}

static void take_head(void *own, const struct http_head *h)
{
	struct http_call *c = own;

	look_at_clock(c);
	c->head.a.http_status = h->status;
	for (size_t i = 0; i < h->count; i++)
		answer_stream_header(&c->stream, h->headers[i].name, h->headers[i].value);
	if (!is_good(c))
		c->head.a.retry_after_ms = http_wait_ms(h, (int64_t)clock_wall_ns());
}

static bool is_too_large(const struct http_call *c)
{
	return c->said.too_large || c->stream.too_large || c->bytes > BODY_MOST;
}

/* The body of a refusal is only kept, and cut at REFUSAL_MOST; that of an answer is read while it comes. */
static void take_body(void *own, struct str bytes)
{
	struct http_call *c = own;

	look_at_clock(c);
	answer_stream_came(&c->stream, (int64_t)c->now_ns);
	c->bytes += bytes.n;
	if (!is_good(c)) {
		size_t room = REFUSAL_MOST - c->refusal.n;

		buf_add(&c->refusal, bytes.p, bytes.n < room ? bytes.n : room);
		return;
	}
	answer_stream_push(&c->stream, bytes, (struct answer_sink){ provider_http_take_event, c });
	if (is_too_large(c))
		give_up(c);
}

/* ---- the end ---- */

static void fail(struct provider_answer *a, enum provider_status status, const char *failure, bool retryable)
{
	a->status = status;
	a->failure = failure;
	a->retryable = retryable;
}

/* What a service says, for people: it may say the key again. */
static struct str clean(struct http_call *c, struct str text)
{
	text = provider_hide(&c->arena, c->head.client, SECRET_IN_WORDS, text);
	return provider_message(&c->arena, text, str_of(NULL, 0));
}

/* Three opinions, each better informed than the one before: the status, the body, the row's own. */
static void judge_refusal(struct http_call *c)
{
	struct provider_answer *a = &c->head.a;
	const struct provider *row = c->head.client->row;
	struct val body = VAL_NONE;
	bool parsed;

	provider_refuse_status(&c->arena, a->http_status, a);
	parsed = c->refusal.n && answer_parse(&c->shared->head.parser, buf_str(&c->refusal), &body);
	if (!parsed)
		body = VAL_NONE;
	provider_refuse_body(&c->arena, body, a);
	if (row->refusal)
		row->refusal(body, a);
	if (!a->message.n && !parsed)
		a->message = buf_str(&c->refusal);
	a->message = clean(c, a->message);
	answer_parse_end(&c->shared->head.parser);
}

/* An answer that began well: is it all there, and is it one? */
static void judge_answer(struct http_call *c, bool closed)
{
	struct provider_answer *a = &c->head.a;
	struct answer_stream *s = &c->stream;

	if (is_too_large(c))
		fail(a, PROVIDER_ERROR, "too_large", false);
	else if (c->said.error.p)
		provider_refuse_event(&c->arena, clean(c, c->said.error_code), c->said.error, a);
	else if (s->unread || s->form == ANSWER_OTHER)
		fail(a, PROVIDER_ERROR, "bad_json", false);
	else if (closed && s->torn && !answer_stream_is_stream(s))
		fail(a, PROVIDER_ERROR, "bad_json", false);
	else if (!answer_stream_is_whole(s, closed))
		fail(a, PROVIDER_ERROR, "cut_stream", false);
	else if (!s->has_value)
		fail(a, PROVIDER_ERROR, "bad_json", false);
}

static void judge(struct http_call *c, bool closed, const char *why)
{
	struct provider_answer *a = &c->head.a;

	if (a->http_status && !is_good(c))
		judge_refusal(c);
	else if (a->http_status)
		judge_answer(c, closed);
	if (why && !a->message.n)
		a->message = str_from(why);
	if (is_good(c) || why)
		a->message = clean(c, a->message);
}

static void take_times_and_names(struct http_call *c)
{
	const struct answer_stream *s = &c->stream;

	c->head.a.byte_ns = (uint64_t)s->byte_ns;
	c->head.a.token_ns = (uint64_t)s->token_ns;
	c->head.a.content_ns = (uint64_t)s->content_ns;
	c->head.a.model = s->model;
	c->head.a.request_id = s->request_id.p ? s->request_id : s->id;
}

/* All that is known is put into the answer. */
void http_call_settle(struct http_call *c, bool closed, const char *why)
{
	struct provider_answer *a = &c->head.a;

	c->now_ns = c->in_batch ? c->now_ns : clock_mono_ns();
	if (!c->head.known && is_good(c))
		answer_stream_end(&c->stream, (struct answer_sink){ provider_http_take_event, c });
	a->ended_ns = c->head.known ? 0 : c->now_ns;
	provider_said_end(&c->said, a);
	if (!c->head.known)
		judge(c, closed, why);
	take_times_and_names(c);
	provider_hide_answer(&c->arena, c->head.client, a);
	a->usage = c->stream.usage;
	a->usd = c->stream.usd;
	a->tier = c->stream.tier;
	a->stop_reason = answer_stream_stop(&c->stream, a->call_count);
	a->events = answer_stream_is_stream(&c->stream) ? c->stream.values : 0;
	a->arrivals = c->head.keep_arrivals && a->arrival_count ? c->head.arrivals : NULL;
}

void http_call_finish(struct http_call *c, bool closed, const char *why)
{
	void (*done)(void *own, const struct provider_answer *answer) = c->head.done;

	c->up = NULL;
	http_call_unlink(c);
	http_call_settle(c, closed, why);
	done(c->head.own, &c->head.a);
	http_call_put_away(c);
}

static void provider_http_take_end(void *own)
{
	http_call_finish(own, true, NULL);
}

/* No answer at all is worth another try; one that broke off is not, since the question was heard. */
static void take_failure(void *own, enum upstream_failure f, const char *why)
{
	struct http_call *c = own;

	if (c->head.a.http_status == 0) {
		if (f == UPSTREAM_CUT)
			fail(&c->head.a, PROVIDER_ERROR, "cut_stream", false);
		else
			fail(&c->head.a, PROVIDER_UNAVAILABLE, "connect_error", true);
	}
	http_call_finish(c, false, why);
}

const struct upstream_ops http_call_ops = {
	.head = take_head,
	.body = take_body,
	.end = provider_http_take_end,
	.fail = take_failure,
	.settle = provider_http_settle,
	.sent = sent,
};
