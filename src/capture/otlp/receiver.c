/*
 * A call goes from the loop's thread to the recorder's and back. While the recorder has it, the loop's thread only
 * notes that its client has left; so nothing in it needs a lock but the list by which it comes back.
 */
#include "capture/otlp/receiver.h"

#include <assert.h>

#include "base/mask.h"
#include "capture/otlp/reply.h"
#include "dialect/otlp/sight.h"
#include "json/json.h"
#include "net/http/unpack.h"

#define UNPACK_PIECE ((size_t)64 << 10) /* of packed bytes, between two looks at the limits */
#define REASON_MOST 300

struct otlp_call {
	struct otlp_receiver *receiver;
	struct request *q; /* NULL: the client has left */
	enum otlp_signal signal;
	bool is_json;
	enum unpack_kind packing;
	struct buf body;
	size_t counted;   /* bytes of the room that it has */
	size_t came;      /* bytes of the body */
	bool crowded;     /* there is no room for it */
	bool answered, handed;
	/* what the recorder's thread made of it */
	struct otlp_call *next; /* in the list of those that are done */
	int status;
	struct otlp_taken taken;
	struct buf why;
};

struct otlp_receiver {
	struct otlp_receiver_options o;
	struct proxy_local local;
	uv_loop_t *loop;
	uv_async_t async;
	struct feed *feed;
	struct budget room;
	size_t calls;  /* that are not over */
	size_t handed; /* of these, with the recorder */
	bool ended;
	struct otlp_receiver_tally tally;
	_Atomic(struct otlp_call *) done; /* the latest first */
	struct otlp_sighter *sighter;     /* of the recorder's thread */
};

static const struct { const char *path; enum otlp_signal signal; } receiver_paths[] = {
	{ "/v1/traces", OTLP_TRACES }, { "/v1/logs", OTLP_LOGS }, { "/v1/metrics", OTLP_METRICS },
};

/* Without a query and a slash at its end; of an address, what stands behind its host. */
static bool receiver_find_path(struct str target, enum otlp_signal *signal)
{
	struct str query, path = str_cut(target, '?', &query);
	size_t scheme = str_find(path, STR("://"));

	if (scheme != (size_t)-1 && path.p[0] != '/') {
		path = str_skip(path, scheme + 3);
		while (path.n && path.p[0] != '/')
			path = str_skip(path, 1);
	}
	while (path.n && path.p[path.n - 1] == '/')
		path.n--;
	for (size_t i = 0; i < COUNT(receiver_paths); i++) {
		if (!str_eq(path, str_from(receiver_paths[i].path)))
			continue;
		*signal = receiver_paths[i].signal;
		return true;
	}
	return false;
}

/* Of a request that was let in: before its path a recorder that listens may have a token. */
static void receiver_find_signal(struct str target, enum otlp_signal *signal)
{
	while (target.n && !receiver_find_path(target, signal)) {
		target = str_skip(target, 1);
		while (target.n && target.p[0] != '/')
			target = str_skip(target, 1);
	}
}

bool otlp_receiver_takes(struct str target)
{
	enum otlp_signal signal;

	return receiver_find_path(target, &signal);
}

/* ---- the recorder's thread ---- */

struct receiver_unpacked {
	struct otlp_receiver *receiver;
	struct buf body;
	size_t counted;
	bool crowded;
};

static void receiver_put(void *context, struct str piece)
{
	struct receiver_unpacked *u = context;

	if (!u->crowded)
		u->crowded = !budget_add(&u->receiver->room, &u->counted, &u->body, piece);
}

/* Gives the status of a refusal, or 0: the body of the call is unpacked. */
static int receiver_unpack(struct otlp_call *c, const char **why)
{
	struct otlp_receiver *r = c->receiver;
	struct receiver_unpacked to = { .receiver = r };
	struct unpack *u = unpack_open(c->packing, r->o.body + 1);
	struct str rest = buf_str(&c->body);
	bool good = true, whole;

	buf_init(&to.body);
	while (good && rest.n && !to.crowded) {
		struct str piece = str_of(rest.p, rest.n < UNPACK_PIECE ? rest.n : UNPACK_PIECE);

		good = unpack_push(u, piece, (struct unpack_sink){ receiver_put, &to });
		rest = str_skip(rest, piece.n);
	}
	whole = good && unpack_is_done(u);
	unpack_close(u);
	if (to.crowded || !whole || to.body.n > r->o.body) {
		int status = to.crowded ? 503 : to.body.n > r->o.body ? 413 : 400;

		*why = "the body cannot be unpacked: it is not what Content-Encoding says, or breaks off";
		budget_free(&r->room, &to.counted, &to.body);
		return status;
	}
	budget_free(&r->room, &c->counted, &c->body);
	c->body = to.body;
	c->counted = to.counted;
	return 0;
}

static const char receiver_pad[JSON_PAD]; /* readers of JSON look beyond the end */

static void receiver_see(void *context, const struct sighting *s)
{
	recorder_see(context, s);
}

/* Reads the body. What is said of it to the client holds no more of it than the reader's own words. */
static int receiver_read_body(struct recorder *d, struct otlp_call *c)
{
	struct otlp_sights to = { .see = receiver_see, .context = d };
	const char *why = NULL;
	struct err err;
	int status;

	if (c->packing != UNPACK_PLAIN && c->body.n && (status = receiver_unpack(c, &why))) {
		buf_add_str(&c->why, str_from(status == 400 ? why : NULL));
		return status;
	}
	if (!budget_add(&c->receiver->room, &c->counted, &c->body, str_of(receiver_pad, JSON_PAD)))
		return 503;
	c->body.n -= JSON_PAD;
	if (!otlp_sighter_read(c->receiver->sighter, c->signal, c->is_json, buf_str(&c->body), &to, &c->taken, &err)) {
		mask_line(&c->why, str_from(err.text), NULL, 0, REASON_MOST);
		return 400;
	}
	mask_line(&c->why, c->taken.why, NULL, 0, REASON_MOST);
	return 200;
}

static void receiver_read(struct recorder *d, struct handoff *w)
{
	struct otlp_call *c = w->own;
	struct otlp_receiver *r = c->receiver;

	handoff_free(w);
	c->status = receiver_read_body(d, c);
	c->taken.why = str_of(NULL, 0);
	budget_free(&r->room, &c->counted, &c->body);
	c->next = atomic_load_explicit(&r->done, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&r->done, &c->next, c, memory_order_release,
						      memory_order_relaxed))
		;
	uv_async_send(&r->async);
}

/* ---- answers ---- */

static void receiver_forget(struct otlp_call *c)
{
	struct otlp_receiver *r = c->receiver;

	budget_free(&r->room, &c->counted, &c->body);
	buf_free(&c->why);
	mem_free(c);
	assert(r->calls > 0);
	if (--r->calls == 0 && r->ended && r->o.pass)
		otlp_pass_end(r->o.pass);
}

static void receiver_reply(struct otlp_call *c, int status, struct str body)
{
	struct http_header headers[2] = {
		{ STR("Content-Type"), c->is_json ? STR("application/json") : STR("application/x-protobuf") },
	};
	size_t count = 1;

	if (status == 405)
		headers[count++] = (struct http_header){ STR("Allow"), STR("POST") };
	if (status == 503)
		headers[count++] = (struct http_header){ STR("Retry-After"), STR("1") };
	c->answered = true;
	c->receiver->tally.refused += status != 200;
	request_reply(c->q, status, headers, count, body); /* c may be gone after it */
}

/* why: p NULL: the usual words for the status. */
static void receiver_refuse(struct otlp_call *c, int status, struct str why)
{
	struct buf body;

	if (!why.n && status == 413)
		why = STR("the body is larger than 64 MiB, unpacked: send less at once");
	else if (!why.n && status == 503)
		why = STR("the recorder holds as much telemetry as it may: send it again");
	budget_free(&c->receiver->room, &c->counted, &c->body);
	buf_init(&body);
	otlp_reply_add_refusal(&body, c->is_json, status, why);
	receiver_reply(c, status, buf_str(&body));
	buf_free(&body);
}

static void receiver_count(struct otlp_receiver_tally *t, const struct otlp_call *c)
{
	t->requests++;
	t->spans += c->taken.spans;
	t->logs += c->taken.logs;
	t->points += c->taken.points;
	t->rejected += c->taken.rejected;
}

/* It was read. One whose client has left was taken all the same. */
static void receiver_answer(struct otlp_call *c)
{
	struct buf body;

	if (c->status == 200)
		receiver_count(&c->receiver->tally, c);
	if (!c->q || c->status != 200) {
		if (!c->q)
			receiver_forget(c);
		else
			receiver_refuse(c, c->status, buf_str(&c->why));
		return;
	}
	buf_init(&body);
	otlp_reply_add_taken(&body, c->signal, c->is_json, c->taken.rejected, buf_str(&c->why));
	receiver_reply(c, 200, buf_str(&body));
	buf_free(&body);
}

/* In the order in which they were read. */
static void receiver_give_back(struct otlp_receiver *r)
{
	struct otlp_call *list = atomic_exchange_explicit(&r->done, NULL, memory_order_acquire), *first = NULL, *next;

	for (; list; list = next) {
		next = list->next;
		list->next = first;
		first = list;
	}
	for (; first; first = next) {
		next = first->next;
		first->handed = false;
		assert(r->handed > 0);
		r->handed--;
		receiver_answer(first);
	}
	if (r->handed == 0)
		uv_unref((uv_handle_t *)&r->async);
}

static void receiver_wake(uv_async_t *async)
{
	receiver_give_back(async->data);
}

/* ---- requests ---- */

/* "application/json; charset=utf-8" */
static bool receiver_is_media(struct str header, struct str media)
{
	struct str parameters;

	return str_eq_nocase(str_trim(str_cut(header, ';', &parameters)), media);
}

static void receiver_begin(void *context, struct request *q, void **own)
{
	struct otlp_receiver *r = context;
	const struct http_head *h = q->head;
	struct str media = http_find(h, STR("content-type"));
	struct otlp_call *c = mem_alloc(sizeof(*c));
	bool is_proto = receiver_is_media(media, STR("application/x-protobuf"));

	*c = (struct otlp_call){ .receiver = r, .q = q, .is_json = !is_proto };
	buf_init(&c->body);
	buf_init(&c->why);
	r->calls++;
	*own = c;
	receiver_find_signal(h->target, &c->signal);
	c->packing = unpack_kind_of(http_find(h, STR("content-encoding")));
	if (!str_eq(h->method, STR("POST")))
		receiver_refuse(c, 405, STR("telemetry is sent with POST"));
	else if (!is_proto && !receiver_is_media(media, STR("application/json")))
		receiver_refuse(c, 415, STR("Content-Type must be application/x-protobuf or application/json"));
	else if (c->packing == UNPACK_UNKNOWN)
		receiver_refuse(c, 415, STR("Content-Encoding must be identity, gzip, deflate or zstd"));
	else if (h->framing == HTTP_LENGTH && h->length > r->o.body)
		receiver_refuse(c, 413, STR(""));
}

/* A client that is inside its body reads no answer: one for whom there is no room is heard to the end first. */
static void receiver_body(void *own, struct str bytes)
{
	struct otlp_call *c = own;

	if (c->answered)
		return;
	c->came += bytes.n;
	if (c->came > c->receiver->o.body) {
		receiver_refuse(c, 413, STR(""));
		return;
	}
	if (!c->crowded && !budget_add(&c->receiver->room, &c->counted, &c->body, bytes)) {
		c->crowded = true;
		budget_free(&c->receiver->room, &c->counted, &c->body);
	}
}

static void receiver_end(void *own)
{
	struct otlp_call *c = own;
	struct otlp_receiver *r = c->receiver;
	struct handoff *w;

	if (c->answered)
		return;
	if (c->crowded) {
		receiver_refuse(c, 503, STR(""));
		return;
	}
	if (r->o.pass)
		otlp_pass_send(r->o.pass, c->signal, c->q->head, buf_str(&c->body));
	w = mem_alloc(sizeof(*w));
	*w = (struct handoff){ .job = receiver_read, .own = c };
	buf_init(&w->body);
	w->item.size = sizeof(*w); /* the body is in our own room */
	c->handed = true;
	if (r->handed++ == 0)
		uv_ref((uv_handle_t *)&r->async);
	feed_push(r->feed, &w->item, true);
}

static void receiver_gone(void *own)
{
	struct otlp_call *c = own;

	c->q = NULL;
	if (!c->handed)
		receiver_forget(c);
}

/* ---- the receiver ---- */

struct otlp_receiver *otlp_receiver_open(uv_loop_t *loop, const struct otlp_receiver_options *o)
{
	struct otlp_receiver *r = mem_alloc(sizeof(*r));

	*r = (struct otlp_receiver){
		.o = *o,
		.loop = loop,
		.local = { .begin = receiver_begin, .body = receiver_body, .end = receiver_end, .gone = receiver_gone },
		.room.limit = o->room ? o->room : OTLP_RECEIVER_ROOM,
	};
	if (!r->o.body)
		r->o.body = OTLP_RECEIVER_BODY;
	r->local.context = r;
	r->sighter = otlp_sighter_open();
	uv_async_init(loop, &r->async, receiver_wake);
	r->async.data = r;
	uv_unref((uv_handle_t *)&r->async);
	return r;
}

void otlp_receiver_begin(struct otlp_receiver *r, struct feed *feed)
{
	r->feed = feed;
}

const struct proxy_local *otlp_receiver_local(const struct otlp_receiver *r)
{
	return &r->local;
}

void otlp_receiver_end(struct otlp_receiver *r)
{
	if (!r->ended && r->calls == 0 && r->o.pass)
		otlp_pass_end(r->o.pass);
	r->ended = true;
}

void otlp_receiver_stop(struct otlp_receiver *r)
{
	assert(r->handed == 0);
	otlp_receiver_end(r);
	uv_close((uv_handle_t *)&r->async, NULL);
}

struct otlp_receiver_tally otlp_receiver_tally(const struct otlp_receiver *r)
{
	return r->tally;
}

void otlp_receiver_close(struct otlp_receiver *r)
{
	if (!r)
		return;
	assert(r->calls == 0);
	otlp_sighter_close(r->sighter);
	mem_free(r);
}
