/* What passes through a proxy, byte by byte: a table of both sides' words. */
#include "unit/net/scene.h"

#define CLOSE "Connection: close\r\n"

struct passing {
	const char *ask, *asked; /* by the client; of the upstream, with HOST for its address */
	const char *answer;      /* by the upstream, */
	bool closes;             /* which closes then */
	const char *answered;    /* to the client, until the connection is closed */
	const char *seen;        /* by the tap, when nothing is cut */
};

/* What every one of the short ones asks. */
#define GET "GET / HTTP/1.1\r\nHost: here\r\n"
#define GOT "GET /up/ HTTP/1.1\r\nHost: HOST\r\n\r\n"

static const struct passing passings[] = {
	{ "GET /a?b=c HTTP/1.1\r\nHost: here\r\nX-One: 1\r\nx-one: 2\r\nConnection: close, X-Drop\r\nX-Drop: 1\r\nKeep-Alive: 5\r\nTE: trailers\r\n"
	  "Accept-Encoding: gzip, br\r\nProxy-Connection: close\r\nAuthorization: Bearer k\r\n\r\n",
	  "GET /up/a?b=c HTTP/1.1\r\nHost: HOST\r\nX-One: 1\r\nx-one: 2\r\nAccept-Encoding: identity\r\nAuthorization: Bearer k\r\n\r\n",
	  "HTTP/1.1 200 Fine\r\nx-B: 2\r\nSet-Cookie: a\r\nX-A: 1\r\nset-cookie: b\r\nKeep-Alive: timeout=5\r\nConnection: X-Gone\r\nX-Gone: 1\r\n"
	  "content-length: 3\r\n\r\nabc", false,
	  "HTTP/1.1 200 Fine\r\nx-B: 2\r\nSet-Cookie: a\r\nX-A: 1\r\nset-cookie: b\r\nContent-Length: 3\r\n" CLOSE "\r\nabc",
	  "GET /up/a?b=c << 200 >abc whole." },
	{ GET CLOSE "Accept-Encoding: gzip\r\nAuthorization: AWS4-HMAC-SHA256 SignedHeaders=accept-encoding;host\r\n\r\n",
	  "GET /up/ HTTP/1.1\r\nHost: HOST\r\nAccept-Encoding: gzip\r\nAuthorization: AWS4-HMAC-SHA256 SignedHeaders=accept-encoding;host\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", false, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n" CLOSE "\r\na",
	  "GET /up/ << 200 >a whole." },
	{ "POST /p HTTP/1.1\r\nHost: here\r\n" CLOSE "Content-Type: text/x\r\nContent-Length: 4\r\n\r\nbody",
	  "POST /up/p HTTP/1.1\r\nHost: HOST\r\nContent-Type: text/x\r\nContent-Length: 4\r\n\r\nbody",
	  "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: no\r\n\r\n", false,
	  "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n" CLOSE "\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
	  "POST /up/p <body << 201 >abc >de whole." },
	{ "POST /p HTTP/1.1\r\nHost: here\r\n" CLOSE "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n003\r\ncde\r\n0\r\n\r\n",
	  "POST /up/p HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n",
	  "HTTP/1.1 204 No Content\r\n\r\n", false, "HTTP/1.1 204 No Content\r\n" CLOSE "\r\n", "POST /up/p <ab <cde << 204 whole." },
	{ "POST /p HTTP/1.1\r\nHost: here\r\n" CLOSE "Content-Length: 0\r\n\r\n", "POST /up/p HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" CLOSE "\r\n",
	  "POST /up/p << 200 whole." },
	/* an answer that ends with its connection */
	{ GET CLOSE "\r\n", GOT, "HTTP/1.1 200 OK\r\nX: y\r\n\r\nall of it", true,
	  "HTTP/1.1 200 OK\r\nX: y\r\nTransfer-Encoding: chunked\r\n" CLOSE "\r\n9\r\nall of it\r\n0\r\n\r\n", "GET /up/ << 200 >all of it whole." },
	{ "GET / HTTP/1.0\r\n\r\n", GOT, "HTTP/1.0 200 OK\r\n\r\nall of it", true,
	  "HTTP/1.1 200 OK\r\n" CLOSE "\r\nall of it", "GET /up/ << 200 >all of it whole." },
	{ "GET / HTTP/1.0\r\nHost: here\r\n\r\n", GOT,
	  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", false,
	  "HTTP/1.1 200 OK\r\n" CLOSE "\r\nabc", "GET /up/ << 200 >abc whole." },
	{ "HEAD / HTTP/1.1\r\nHost: here\r\n" CLOSE "\r\n", "HEAD /up/ HTTP/1.1\r\nHost: HOST\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n", false,
	  "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n" CLOSE "\r\n", "HEAD /up/ << 200 whole." },
	{ GET CLOSE "\r\n", GOT,
	  "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nContent-Length: 77\r\n\r\n", false,
	  "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nContent-Length: 77\r\n" CLOSE "\r\n", "GET /up/ << 304 whole." },
	{ "POST / HTTP/1.1\r\nHost: here\r\n" CLOSE "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nhi",
	  "POST /up/ HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\nhi",
	  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\nn", false,
	  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n" CLOSE "\r\nn", "POST /up/ <hi << 404 >n whole." },
	{ "GET /odd/PATH//x/../%2e HTTP/1.1\r\nHost: here\r\n" CLOSE "\r\n", "GET /up/odd/PATH//x/../%2e HTTP/1.1\r\nHost: HOST\r\n\r\n",
	  "HTTP/1.1 418 I'm a teapot\r\nContent-Length: 0\r\n\r\n", false, "HTTP/1.1 418 I'm a teapot\r\nContent-Length: 0\r\n" CLOSE "\r\n",
	  "GET /up/odd/PATH//x/../%2e << 418 whole." },
	/* another protocol that nobody could read, or that begins behind a body, is not asked for */
	{ "GET / HTTP/1.1\r\nHost: here\r\nConnection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
	  GOT, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" CLOSE "\r\n",
	  "GET /up/ << 200 whole." },
	{ "POST / HTTP/1.1\r\nHost: here\r\nConnection: close, Upgrade\r\nUpgrade: x\r\nContent-Length: 1\r\n\r\na",
	  "POST /up/ HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\n\r\na",
	  "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" CLOSE "\r\n",
	  "POST /up/ <a << 200 whole." },
	/* broken off: the client sees it */
	{ GET "\r\n", GOT, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", true,
	  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "GET /up/ << 200 >abc cut." },
	{ GET "\r\n", GOT, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", true,
	  "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "GET /up/ << 200 >abc cut." },
	/* not HTTP */
	{ GET CLOSE "\r\n", GOT, "hello?\r\n\r\n", false,
	  "HTTP/1.1 502 Bad Gateway\r\nContent-Type: application/json\r\n*", "GET /up/ << refused." },
	{ GET CLOSE "\r\n", GOT, "", true,
	  "HTTP/1.1 502 Bad Gateway\r\nContent-Type: application/json\r\nContent-Length: *"
	  "no answer from HOST: closed the connection without an answer*",
	  "GET /up/ << refused." },
};

/* "*" at the end, and one in the middle, stand for anything. */
static void check_like(struct str got, struct str want)
{
	while (want.n) {
		struct str rest, part = str_cut(want, '*', &rest);
		size_t at = str_find(got, part);

		if (at == (size_t)-1)
			CHECK_STR(got, want);
		got = str_of(got.p + at + part.n, got.n - at - part.n);
		if (part.n == want.n)
			CHECK_INT(got.n, 0);
		want = rest;
	}
}

static void say_in_pieces(struct scene *s, int fd, struct str bytes, size_t step)
{
	for (size_t at = 0; at < bytes.n; at += step) {
		(void)!send(fd, bytes.p + at, bytes.n - at < step ? bytes.n - at : step, MSG_NOSIGNAL);
		turn(&s->loop);
	}
}

/* Chunks and pieces follow the cuts, so those are compared only for whole messages. */
static void check_passing(const struct passing *p, size_t step)
{
	struct scene s;
	struct buf asked = { 0 }, answered = { 0 };
	bool chunks = strstr(p->answered, "chunked") || strstr(p->asked, "chunked");
	char text[1000];
	struct str want;
	int client, up;

	test_case("%.50s / %.50s in pieces of %zu", p->ask, p->answer, step);
	scene_open(&s);
	client = dial(proxy_port(s.proxy));
	say_in_pieces(&s, client, str_from(p->ask), step);
	up = answer_call(&s.loop, s.listener);
	want = with_host(&s, p->asked, text);
	if (step > 100 || !chunks)
		CHECK_STR(hear_some(&s.loop, up, &asked, want.n), want);
	else
		hear_until(&s.loop, up, &asked, str_of(want.p + want.n - 4, 4));
	say_in_pieces(&s, up, str_from(p->answer), step);
	if (p->closes)
		CHECK(shutdown(up, SHUT_WR) == 0);
	hear_all(&s.loop, client, &answered);
	if (step > 100 || !chunks)
		check_like(buf_str(&answered), with_host(&s, p->answered, text));
	if (step > 100)
		CHECK_STR(buf_str(&s.seen), str_from(p->seen));
	close(client), close(up);
	buf_free(&asked), buf_free(&answered);
	scene_close(&s);
}

TEST(messages_pass_with_nothing_changed_that_need_not_be)
{
	static const size_t steps[] = { 1 << 20, 1, 13 };

	for (size_t i = 0; i < sizeof(passings) / sizeof(passings[0]); i++)
		for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++)
			check_passing(&passings[i], steps[k]);
}
