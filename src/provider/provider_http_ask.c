/* Questions over HTTP: who is asked, where, and what is sent. */
#include "provider/provider_http.h"
#include "provider/provider_secret.h"

enum {
	CONNECT_MS = 10 * 1000,
	IDLE_MS = 24 * 60 * 60 * 1000, /* how long an answer may take is the caller's affair */
	KEPT = 4096,                   /* idle connections */
	HEADERS = 24,
};

#define REQUEST_KEPT ((size_t)4 << 20)  /* bytes of a request for which memory is kept */
#define BODY_LIMIT ((uint64_t)128 << 20) /* of an answer: the reader gives up long before */

static void add_header(struct http_header *list, size_t *count, struct str name, struct str value)
{
	if (*count < HEADERS)
		list[(*count)++] = (struct http_header){ name, value };
}

/* Ours first, then the row's, then the user's; more than HEADERS are left out. Gives their number. */
static size_t provider_http_ask_set_headers(struct http_call *c, const struct provider_request *r,
					    struct http_header list[HEADERS])
{
	const struct provider_client *client = c->head.client;
	const struct http_client *h = client->own;
	size_t count = 0;

	add_header(list, &count, STR("Host"), h->url.authority);
	add_header(list, &count, STR("User-Agent"), STR("trackway"));
	add_header(list, &count, STR("Content-Type"), STR("application/json"));
	add_header(list, &count, STR("Accept"), c->stream.asked ? STR("text/event-stream, application/x-ndjson, */*")
								 : STR("application/json"));
	add_header(list, &count, STR("Accept-Encoding"), STR("identity"));
	if (h->url.user.p && !client->o.key.p)
		add_header(list, &count, STR("Authorization"), url_authorization(&c->arena, &h->url));
	for (size_t i = 0; i < r->header_count; i++)
		add_header(list, &count, r->headers[i].name, r->headers[i].value);
	for (size_t i = 0; i < client->o.header_count; i++)
		add_header(list, &count, client->o.headers[i].name, client->o.headers[i].value);
	return count;
}

/* Makes the request in a buffer that all calls share, and sends it in one piece with its head. */
static void send_question(struct http_call *c, const struct provider_question *q)
{
	const struct provider_client *client = c->head.client;
	struct http_client *h = client->own;
	struct provider_request made = { .arena = &c->arena, .body = &c->shared->body };
	struct http_header headers[HEADERS];
	struct upstream_request r = {
		.url = &h->url, .method = STR("POST"), .headers = headers, .framing = HTTP_LENGTH,
	};

	buf_clear(made.body);
	client->row->request(q, client->o.key, &made);
	r.target = provider_join(&c->arena, h->url.path, str_from(client->row->path));
	if (h->url.query.p)
		r.target = ARENA_JOIN(&c->arena, r.target, STR("?"), h->url.query);
	r.count = provider_http_ask_set_headers(c, &made, headers);
	r.length = made.body->n;
	c->up = upstream_begin(h->up, &r, &http_call_ops, c);
	c->unsent = true;
	c->head.client->unsent++;
	upstream_hold(c->up);
	upstream_write(c->up, buf_str(made.body));
	if (c->up)
		upstream_finish(c->up);
	if (made.body->cap > REQUEST_KEPT)
		buf_free(made.body);
}

/* Without a key that the row insists on, nothing is sent: the answer is known, and told from the loop. */
static struct provider_call *provider_http_ask(struct provider_client *client, const struct provider_question *q,
					       void (*done)(void *own, const struct provider_answer *answer),
					       void *own)
{
	struct http_shared *s = (struct http_shared *)client->shared;
	const struct provider *row = client->row;
	struct http_call *c = http_call_new(s);

	provider_call_begin(&c->head, client, q, done, own);
	s->open++;
	c->stream.asked = !q->whole;
	c->in_batch = c->unsent = false;
	c->now_ns = c->bytes = 0;
	c->stream.api = row->api;
	provider_said_begin(&c->said, row->api->tells_again);
	uv_prepare_start(&s->prepare, http_before_poll);
	if (row->key_missing && !client->o.key.n) {
		c->head.a.status = PROVIDER_AUTH;
		c->head.a.failure = row->key_missing;
		c->head.a.message = STR("no key");
		if (row->key_env)
			c->head.a.message = arena_printf(&c->arena, "%s is not set", row->key_env);
		provider_call_finish_soon(&c->head);
	} else {
		send_question(c, q);
	}
	return &c->head;
}

/* What came so far is settled before `seen` is told; the call's memory is kept for another question. */
static void provider_http_ask_cancel(struct provider_call *call,
				     void (*seen)(void *own, const struct provider_answer *answer))
{
	struct http_call *c = (struct http_call *)call;

	if (c->head.over) /* it is being told */
		return;
	if (c->up)
		upstream_cancel(c->up);
	c->up = NULL;
	http_call_unlink(c);
	if (seen) {
		http_call_settle(c, false, NULL);
		seen(c->head.own, &c->head.a);
	}
	http_call_put_away(c);
}

/* ---- clients ---- */

static void provider_http_ask_finish(struct provider_call *call)
{
	http_call_finish((struct http_call *)call, false, NULL);
}

static struct provider_shared *provider_http_ask_begin(uv_loop_t *loop)
{
	struct http_shared *s = mem_alloc(sizeof(*s));

	*s = (struct http_shared){ .open = 0 };
	provider_shared_init(&s->head, loop);
	buf_init(&s->body);
	uv_loop_configure(loop, UV_METRICS_IDLE_TIME);
	uv_prepare_init(loop, &s->prepare);
	uv_unref((uv_handle_t *)&s->prepare);
	s->prepare.data = s;
	return &s->head;
}

static void provider_http_ask_end(struct provider_shared *shared)
{
	provider_shared_end(shared);
	uv_close((uv_handle_t *)&((struct http_shared *)shared)->prepare, NULL);
}

static void provider_http_ask_free_shared(struct provider_shared *shared)
{
	struct http_shared *s = (struct http_shared *)shared;

	while (s->unused) {
		struct http_call *c = s->unused;

		s->unused = c->next;
		http_call_free(c);
	}
	answer_parser_free(&s->head.parser);
	buf_free(&s->body);
	mem_free(s);
}

/* The client's own connections. The user of the address is a secret, known only now that it is parsed. */
static bool provider_http_ask_open_client(struct provider_client *client, struct err *err)
{
	struct upstream_options o = {
		.connect_ms = client->o.connect_ms ? client->o.connect_ms : CONNECT_MS,
		.idle_ms = IDLE_MS,
		.kept = KEPT,
		.limits = { .body = BODY_LIMIT },
		.stamps = true,
	};
	struct http_client *h = arena_new(client->arena, struct http_client);
	struct str base = client->o.base;

	if (client->row->base)
		base = client->row->base(client->arena, base);
	if (!url_parse(client->arena, base, &h->url, err))
		return false;
	provider_secrets_add_user(client, h->url.user);
	h->up = upstreams_open(client->loop, &o);
	client->own = h;
	client->address = url_format(client->arena, &h->url);
	return true;
}

static void close_client(struct provider_client *client)
{
	struct http_client *h = client->own;
	struct provider_call *next;

	for (struct provider_call *c = client->shared->first; c; c = next) {
		next = c->next;
		if (c->client == client)
			provider_http_ask_cancel(c, NULL);
	}
	upstreams_close(h->up);
}

static void client_gone(struct provider_client *client)
{
	struct http_client *h = client->own;

	upstreams_free(h->up);
}

const struct provider_engine provider_http_engine = {
	.begin = provider_http_ask_begin,
	.end = provider_http_ask_end,
	.free = provider_http_ask_free_shared,
	.open = provider_http_ask_open_client,
	.close = close_client,
	.gone = client_gone,
	.finish = provider_http_ask_finish,
	.ask = provider_http_ask,
	.cancel = provider_http_ask_cancel,
};
