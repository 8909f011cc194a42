/*
 * Clients and upstreams that do anything at any time: half requests, half answers, nonsense, resets, pauses. Whatever they
 * do, each request that began ends once, nothing is left over, and the loop comes to rest.
 */
#include <stdlib.h>

#include "unit/net/scene.h"

enum { CLIENTS = 24, UPSTREAMS = 24, STEPS = 6000 };

struct chaos {
	uv_loop_t loop;
	struct proxy *proxy;
	struct clock_line clock;
	struct url url;
	uint16_t port;
	int listener, client[CLIENTS], up[UPSTREAMS];
	uint64_t random;
	size_t begun, ended, how[4];
};

struct watched {
	struct chaos *chaos;
	bool asked, headed, tunnel;
};

static uint64_t draw(struct chaos *c, uint64_t below)
{
	c->random = c->random * 6364136223846793005u + 1442695040888963407u;
	return (c->random >> 33) % below;
}

static bool route(void *context, struct arena *a, const struct http_head *h, const struct url *host,
		  struct proxy_destination *to, int *status, const char **why)
{
	struct chaos *c = context;

	(void)a, (void)status, (void)host;
	*why = "by chance";
	to->url = &c->url;
	to->target = h->target;
	return draw(c, 50) != 0;
}

static void *begin(void *context, const struct http_head *h, const struct proxy_destination *to, int64_t ns)
{
	struct chaos *c = context;
	struct watched *x;

	(void)h, (void)to, (void)ns;
	if (draw(c, 10) == 0)
		return NULL;
	x = calloc(1, sizeof(*x));
	x->chaos = c;
	c->begun++;
	return x;
}

static void request(void *x, struct str bytes, int64_t ns)
{
	(void)ns;
	CHECK((!((struct watched *)x)->asked || ((struct watched *)x)->tunnel) && bytes.n > 0);
}

static void request_end(void *x, int64_t ns)
{
	(void)ns;
	CHECK(!((struct watched *)x)->asked);
	((struct watched *)x)->asked = true;
}

static void head(void *x, const struct http_head *h, int64_t ns)
{
	(void)ns;
	CHECK(!((struct watched *)x)->headed);
	((struct watched *)x)->headed = true;
	((struct watched *)x)->tunnel = h->status == 101;
}

static void answer(void *x, struct str bytes, int64_t ns)
{
	(void)ns;
	CHECK(((struct watched *)x)->headed && bytes.n > 0);
}

static void end(void *x, enum proxy_end how, int64_t ns)
{
	struct watched *w = x;

	(void)ns;
	w->chaos->ended++;
	w->chaos->how[how]++;
	free(w);
}

static const struct proxy_tap watching = {
	.begin = begin, .request = request, .request_end = request_end, .head = head, .answer = answer, .end = end,
};

static const char *const asks[] = {
	"GET /a HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\nGET /c HTTP/1.1\r\nHost: a\r\n\r\n",
	"POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
	"POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\nhello",
	"POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
	"3\r\nabc\r\n", "0\r\n\r\n", "hello", "\r\n",
	"POST /p HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
	"GET /ws HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
	"HEAD /h HTTP/1.0\r\n\r\n",
	"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET / HTTP/1.1\r\nHo",
};

static const char *const answers[] = {
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
	"5\r\nhello\r\n", "0\r\n\r\n", "lo", "HTTP/1.1 200 O",
	"HTTP/1.1 204 No Content\r\n\r\n",
	"HTTP/1.1 200 OK\r\n\r\nto the end",
	"HTTP/1.1 100 Continue\r\n\r\n",
	"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nraw",
	"HTTP/1.1 429 Too Many\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno",
};

static void speak(struct chaos *c, int fd, const char *const *words, size_t count)
{
	static const char flood[200000];
	struct str s = str_from(words[draw(c, count)]);

	if (draw(c, 20) == 0)
		s = str_of(flood, sizeof(flood));
	else if (draw(c, 5) == 0)
		s.n = draw(c, s.n + 1);
	(void)!send(fd, s.p, s.n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void forget(int *fd)
{
	close(*fd);
	*fd = -1;
}

/* Anything one end of a connection can do. */
static void act(struct chaos *c, int *fd, const char *const *words, size_t count)
{
	static char bytes[1 << 16];
	uint64_t what = draw(c, 100);

	if (what < 55) {
		speak(c, *fd, words, count);
	} else if (what < 85) {
		if (recv(*fd, bytes, 1 + draw(c, sizeof(bytes)), MSG_DONTWAIT) == 0 && draw(c, 2))
			forget(fd);
	} else if (what < 88) {
		shutdown(*fd, SHUT_WR);
	} else if (what < 92) {
		forget(fd);
	} else if (what < 95) {
		slam(*fd);
		*fd = -1;
	}
}

static void step(struct chaos *c)
{
	int *fd = draw(c, 2) ? &c->client[draw(c, CLIENTS)] : &c->up[draw(c, UPSTREAMS)];
	bool is_client = fd >= c->client && fd < c->client + CLIENTS;

	if (*fd < 0)
		*fd = is_client ? dial(proxy_port(c->proxy)) : accept4(c->listener, NULL, NULL, SOCK_CLOEXEC);
	if (*fd < 0)
		return;
	if (is_client)
		act(c, fd, asks, sizeof(asks) / sizeof(asks[0]));
	else
		act(c, fd, answers, sizeof(answers) / sizeof(answers[0]));
}

static void run(struct chaos *c, uint64_t seed)
{
	struct proxy_options o = { .server = { .head_ms = 200, .idle_ms = 400, .connections = 20, .limits = { .body = 1 << 20 },
					       .guard = { .open = true } },
				   .upstream = { .idle_ms = 300, .kept = 4 }, .route = route, .tap = &watching, .context = c };
	struct err err;

	*c = (struct chaos){ .random = seed };
	CHECK(uv_loop_init(&c->loop) == 0);
	c->clock = clock_line_begin();
	o.clock = &c->clock;
	c->listener = hear(&c->port);
	c->url = (struct url){ .host = STR("127.0.0.1"), .port = c->port, .authority = STR("up") };
	memset(c->client, -1, sizeof(c->client));
	memset(c->up, -1, sizeof(c->up));
	c->proxy = proxy_open(&c->loop, &o, &err);
	CHECK(c->proxy != NULL);
	for (unsigned i = 0; i < STEPS; i++) {
		step(c);
		if (draw(c, 3) == 0)
			uv_run(&c->loop, UV_RUN_NOWAIT);
	}
}

static void finish(struct chaos *c, bool now)
{
	proxy_stop(c->proxy, now);
	for (size_t i = 0; i < CLIENTS; i++)
		if (c->client[i] >= 0)
			forget(&c->client[i]);
	for (size_t i = 0; i < UPSTREAMS; i++)
		if (c->up[i] >= 0)
			forget(&c->up[i]);
	close(c->listener);
	CHECK(uv_run(&c->loop, UV_RUN_DEFAULT) == 0);
	CHECK_INT(proxy_count(c->proxy), 0);
	CHECK_INT(c->ended, c->begun);
	proxy_close(c->proxy);
	CHECK(uv_loop_close(&c->loop) == 0);
}

TEST(whatever_both_sides_do_each_request_ends_once_and_nothing_is_left)
{
	size_t how[4] = { 0 };

	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct chaos c;

		test_case("seed %u", (unsigned)seed);
		run(&c, seed);
		finish(&c, seed % 2);
		for (size_t i = 0; i < 4; i++)
			how[i] += c.how[i];
	}
	for (size_t i = 0; i < 4; i++)
		CHECK(how[i] > 0); /* it was chaos enough */
}
