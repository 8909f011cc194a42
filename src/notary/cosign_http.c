/*
 * Runs a loop of its own for each question, so that cosign_ask can simply wait. A timer looks every 100 ms for Ctrl-C
 * and for the end of the wait.
 */
#include "notary/cosign_http.h"

#include <uv.h>

#include "base/stop.h"
#include "net/upstream/upstream.h"

enum {
	WAIT_MS = 30 * 1000,
	TICK_MS = 100, /* how soon Ctrl-C is seen */
	ANSWER_MAX = 128 << 10,
};

struct cosign_http {
	struct arena arena; /* of the address */
	struct url url;
	struct str shown;   /* without what is secret */
	unsigned wait_ms;
	uv_loop_t loop;
	uv_timer_t tick;
	/* the call under way */
	struct upstreams *pool;
	struct upstream_call *call;
	struct arena *answer_arena;
	struct witness_answer *answer;
	struct buf body;
	uint64_t began;
	bool done;
	struct err *err;
};

/* The call is gone, by its end or by us: stops the loop that ask_http runs. */
static void call_over(struct cosign_http *h)
{
	h->call = NULL;
	uv_timer_stop(&h->tick);
	uv_stop(&h->loop);
}

static void take_head(void *own, const struct http_head *head)
{
	struct cosign_http *h = own;

	h->answer->status = head->status;
	h->answer->media = arena_copy(h->answer_arena, http_find(head, STR("Content-Type"))).p;
}

static void take_body(void *own, struct str bytes)
{
	buf_add_str(&((struct cosign_http *)own)->body, bytes); /* the pool's limit keeps it small */
}

static void take_end(void *own)
{
	struct cosign_http *h = own;

	h->answer->body = arena_copy(h->answer_arena, buf_str(&h->body));
	h->done = true;
	call_over(h);
}

static void take_failure(void *own, enum upstream_failure f, const char *why)
{
	struct cosign_http *h = own;

	(void)f;
	err_set(h->err, ERR_IO, "%.*s: no answer: %s" ERR_HELP "is the witness running, and is this its address?",
		STR_ARG(h->shown), why);
	call_over(h);
}

/* Gives the call up, with *err, when we are asked to stop or the wait is over. */
static void on_tick(uv_timer_t *t)
{
	struct cosign_http *h = t->data;

	if (!h->call)
		return;
	if (stop_signal())
		err_set(h->err, ERR_IO, "%.*s: interrupted", STR_ARG(h->shown));
	else if (uv_now(&h->loop) - h->began >= h->wait_ms)
		err_set(h->err, ERR_IO, "%.*s: no answer within %u s", STR_ARG(h->shown), h->wait_ms / 1000);
	else
		return;
	upstream_cancel(h->call);
	call_over(h);
}

/* Gives how many headers there are: the fourth only when the URL has a user, whose text lies in the arena. */
static size_t set_headers(struct cosign_http *h, struct arena *a, struct http_header headers[4])
{
	size_t count = 0;

	headers[count++] = (struct http_header){ STR("Host"), h->url.authority };
	headers[count++] = (struct http_header){ STR("Content-Type"), STR("text/plain; charset=utf-8") };
	headers[count++] = (struct http_header){ STR("Accept-Encoding"), STR("identity") };
	if (h->url.user.p)
		headers[count++] = (struct http_header){ STR("Authorization"), url_authorization(a, &h->url) };
	return count;
}

/* Sends one question and runs the loop until the answer is there, or the wait is over. */
static bool ask_http(void *own, struct arena *a, struct str body, struct witness_answer *out, struct err *err)
{
	static const struct upstream_ops ops = {
		.head = take_head, .body = take_body, .end = take_end, .fail = take_failure,
	};
	static const struct upstream_options options = {
		.connect_ms = WAIT_MS, .idle_ms = WAIT_MS, .kept = 1, .limits = { .body = ANSWER_MAX },
	};
	struct cosign_http *h = own;
	struct http_header headers[4];
	struct upstream_request r = {
		.url = &h->url,
		.method = STR("POST"),
		.target = ARENA_JOIN(a, h->url.path, STR("/add-checkpoint")),
		.headers = headers,
		.count = set_headers(h, a, headers),
		.framing = HTTP_LENGTH,
		.length = body.n,
	};

	*out = (struct witness_answer){ .media = "" };
	h->answer_arena = a;
	h->answer = out;
	h->err = err;
	h->done = false;
	buf_clear(&h->body);
	uv_update_time(&h->loop);
	h->began = uv_now(&h->loop);
	uv_timer_start(&h->tick, on_tick, TICK_MS, TICK_MS);
	h->pool = upstreams_open(&h->loop, &options);
	h->call = upstream_begin(h->pool, &r, &ops, h);
	upstream_write(h->call, body);
	if (h->call)
		upstream_finish(h->call);
	uv_run(&h->loop, UV_RUN_DEFAULT);
	/* Each question has a connection of its own: some servers close it after an answer without saying so. */
	upstreams_close(h->pool);
	uv_run(&h->loop, UV_RUN_DEFAULT);
	upstreams_free(h->pool);
	return h->done;
}

struct cosign_http *cosign_http_open(struct str url, unsigned wait_ms, struct err *err)
{
	struct cosign_http *h = mem_alloc(sizeof(*h));

	*h = (struct cosign_http){ .wait_ms = wait_ms ? wait_ms : WAIT_MS };
	arena_init(&h->arena);
	if (!url_parse(&h->arena, url, &h->url, err)) {
		arena_free(&h->arena);
		mem_free(h);
		return NULL;
	}
	h->shown = url_format(&h->arena, &h->url);
	buf_init(&h->body);
	uv_loop_init(&h->loop);
	uv_timer_init(&h->loop, &h->tick);
	h->tick.data = h;
	return h;
}

void cosign_http_close(struct cosign_http *h)
{
	if (!h)
		return;
	uv_close((uv_handle_t *)&h->tick, NULL);
	uv_run(&h->loop, UV_RUN_DEFAULT);
	uv_loop_close(&h->loop);
	buf_free(&h->body);
	arena_free(&h->arena);
	mem_free(h);
}

struct cosign_way cosign_way_http(struct cosign_http *h)
{
	return (struct cosign_way){ .ask = ask_http, .own = h };
}
