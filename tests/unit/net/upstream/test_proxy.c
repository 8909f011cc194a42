/* Calls through a proxy of the environment. The test is the proxy, byte by byte. */
#include "net/upstream/env.h"

#include "unit/net/tls_line.h"

#define OK_2 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
#define THROUGH "through the proxy of the environment: "

/* A line whose listener is the proxy that `variable` names, on the way to https://api.test. */
static void proxy_open(struct line *l, const char *variable, const char *scheme)
{
	static const char *const variables[] = { "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy",
						 "ALL_PROXY", "no_proxy", "NO_PROXY" };
	char value[100];

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
	setenv(variable, "http://not-yet.test", 1);
	line_open(l, 0, (struct upstream_options){ .connect_ms = 5000 });
	free_identity(&l->leaf);
	l->leaf = make_identity("server", "DNS:api.test,IP:127.0.0.1", &l->authority, -HOUR, HOUR);
	CHECK(SSL_CTX_use_certificate(l->ctx, l->leaf.cert) == 1 && SSL_CTX_use_PrivateKey(l->ctx, l->leaf.key) == 1);
	snprintf(value, sizeof(value), "%s127.0.0.1:%u", scheme, (unsigned)l->well.port);
	setenv(variable, value, 1);
	l->well.url = well_url(&l->well, "api.test", 444);
	l->well.url.tls = true;
}

/* Waits for CONNECT, in plain, and gives the head. */
static struct str hear_connect(struct line *l, struct buf *b)
{
	l->fd = answer_call(&l->well.loop, l->well.listener);
	return hear_until(&l->well.loop, l->fd, b, STR("\r\n\r\n"));
}

/* From now on the other side of `fd` is the service. */
static void become_service(struct line *l)
{
	l->ssl = SSL_new(l->ctx);
	SSL_set_bio(l->ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
	SSL_set_accept_state(l->ssl);
}

TEST(a_tunnel_is_asked_for_and_then_it_is_the_services)
{
	static const char *const answers[] = {
		"HTTP/1.1 200 Connection established\r\n\r\n", "HTTP/1.0 200 OK\r\nProxy-Agent: x\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
	};

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		for (size_t step = 1; step < 100; step += 98) {
			struct line l;
			struct wish x;
			struct buf b = { 0 };

			test_case("%s in pieces of %zu", answers[i], step);
			proxy_open(&l, "HTTPS_PROXY", "http://jo:p%40w@");
			wish_get(&l.well, &x);
			CHECK_STR(hear_connect(&l, &b), STR("CONNECT api.test:444 HTTP/1.1\r\nHost: api.test:444\r\n"
							    "Proxy-Authorization: Basic am86cEB3\r\n\r\n"));
			line_send(&l, str_from(answers[i]), step);
			become_service(&l);
			line_hear(&l, STR("\r\n\r\n"));
			CHECK_STR(buf_str(&l.got), STR("GET /t HTTP/1.1\r\nHost: up\r\n\r\n")); /* nothing of the proxy */
			line_say(&l, OK_2);
			TURN_UNTIL(&l.well.loop, wish_is_over(&x));
			CHECK_INT(x.ends, 1);
			buf_clear(&l.got), buf_free(&x.body);
			wish_get(&l.well, &x); /* and is kept */
			line_hear(&l, STR("\r\n\r\n"));
			upstream_cancel(x.call);
			buf_free(&b), buf_free(&x.body);
			line_close(&l);
		}
}

TEST(a_proxy_that_does_not_connect_is_a_refusal_with_its_reason)
{
	static const struct { const char *answer, *why; } cases[] = {
		{ "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
		  THROUGH "it answered 407: it wants a user and password; https_proxy may hold them, as in "
			  "http://user:password@proxy:3128" },
		{ "HTTP/1.1 403 No\r\nContent-Length: 3\r\n\r\nno!",
		  THROUGH "it answered 403 (Forbidden) when it was asked to connect" },
		{ "HTTP/1.1 502 Bad\r\n\r\n", THROUGH "it answered 502 (Bad Gateway) when it was asked to connect" },
		{ "HTTP/1.1 302 Found\r\nLocation: /login\r\n\r\n",
		  THROUGH "it answered 302 (Found) when it was asked to connect" },
		{ "", THROUGH "it closed the connection without an answer" },
		{ "HTTP/1.1 20", THROUGH "it closed the connection without an answer" },
		{ "SSH-2.0-x\r\n\r\n", THROUGH },
		{ "HTTP/1.1 200 OK\r\n\r\nwelcome", THROUGH "it sent bytes before it was asked" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct line l;
		struct wish x;
		struct buf b = { 0 };

		proxy_open(&l, "https_proxy", "http://");
		wish_get(&l.well, &x);
		hear_connect(&l, &b);
		say(l.fd, str_from(cases[i].answer));
		CHECK(shutdown(l.fd, SHUT_WR) == 0);
		TURN_UNTIL(&l.well.loop, wish_is_over(&x));
		test_case("%s: %s", cases[i].answer, x.why);
		CHECK_INT(x.failure, UPSTREAM_REFUSED);
		CHECK(str_starts(str_from(x.why), str_from(cases[i].why)));
		buf_free(&b);
		line_close(&l);
	}
}

TEST(a_proxy_that_does_not_answer_is_late)
{
	struct line l;
	struct wish x;
	struct buf b = { 0 };

	proxy_open(&l, "ALL_PROXY", "");
	upstreams_close(l.well.pool);
	CHECK(uv_run(&l.well.loop, UV_RUN_DEFAULT) == 0);
	upstreams_free(l.well.pool);
	l.well.pool = upstreams_open(&l.well.loop, &(struct upstream_options){ .connect_ms = 200 });
	wish_get(&l.well, &x);
	hear_connect(&l, &b);
	TURN_UNTIL(&l.well.loop, wish_is_over(&x));
	CHECK_INT(x.failure, UPSTREAM_LATE);
	CHECK_STR(str_from(x.why), STR(THROUGH "no answer to CONNECT in time"));
	buf_free(&b);
	line_close(&l);
}

TEST(the_certificate_behind_a_tunnel_must_be_the_services)
{
	struct line l;
	struct wish x;
	struct buf b = { 0 };

	proxy_open(&l, "https_proxy", "http://");
	l.well.url = well_url(&l.well, "other.test", 444);
	l.well.url.tls = true;
	wish_get(&l.well, &x);
	hear_connect(&l, &b);
	say(l.fd, STR("HTTP/1.1 200 OK\r\n\r\n"));
	become_service(&l);
	TURN_UNTIL(&l.well.loop, (line_read(&l), wish_is_over(&x)));
	CHECK_INT(x.failure, UPSTREAM_REFUSED);
	CHECK(str_starts(str_from(x.why),
			 STR("the certificate is not trusted: it is for another host: api.test, 127.0.0.1 (ask")));
	buf_free(&b);
	line_close(&l);
}

/* Carries bytes between the service's engine and the client, which are sealed for the proxy on their way. */
static void pass_inner(struct line *l, SSL *inner, struct buf *got)
{
	char bytes[20000];
	int n;
	long m;
	char *p;

	line_read(l);
	if (l->got.n)
		CHECK(BIO_write(SSL_get_rbio(inner), l->got.p, (int)l->got.n) == (int)l->got.n);
	buf_clear(&l->got);
	while ((n = SSL_read(inner, bytes, sizeof(bytes))) > 0)
		buf_add(got, bytes, (size_t)n);
	m = BIO_get_mem_data(SSL_get_wbio(inner), &p);
	if (m > 0)
		line_send(l, line_seal(l, str_of(p, (size_t)m)), 1 << 20);
	CHECK(BIO_reset(SSL_get_wbio(inner)) == 1);
}

TEST(an_https_proxy_carries_https_inside)
{
	struct line l;
	struct wish x;
	struct buf got = { 0 };
	SSL *inner;

	proxy_open(&l, "https_proxy", "https://");
	wish_begin(&l.well, &x, "POST", HTTP_LENGTH, 4);
	upstream_write(x.call, STR("body"));
	upstream_finish(x.call);
	line_accept(&l);
	line_hear(&l, STR("\r\n\r\n"));
	CHECK_STR(buf_str(&l.got), STR("CONNECT api.test:444 HTTP/1.1\r\nHost: api.test:444\r\n\r\n"));
	buf_clear(&l.got);
	line_say(&l, "HTTP/1.1 200 OK\r\n\r\n");
	inner = SSL_new(l.ctx);
	SSL_set_bio(inner, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
	SSL_set_accept_state(inner);
	TURN_UNTIL(&l.well.loop, (pass_inner(&l, inner, &got), str_ends(buf_str(&got), STR("body"))));
	CHECK(SSL_write(inner, OK_2, sizeof(OK_2) - 1) > 0);
	TURN_UNTIL(&l.well.loop, (pass_inner(&l, inner, &got), wish_is_over(&x)));
	CHECK_INT(x.ends, 1);
	CHECK_STR(buf_str(&x.body), STR("ok"));
	CHECK_INT(x.sents, 1);
	buf_free(&x.body);
	wish_get(&l.well, &x); /* an answer that ends with the connection, and with the proxy's end only */
	buf_clear(&got);
	TURN_UNTIL(&l.well.loop, (pass_inner(&l, inner, &got), str_has(buf_str(&got), STR("\r\n\r\n"))));
	CHECK(SSL_write(inner, "HTTP/1.1 200 OK\r\n\r\nabc", 22) > 0);
	TURN_UNTIL(&l.well.loop, (pass_inner(&l, inner, &got), x.bytes == 3));
	CHECK(SSL_shutdown(l.ssl) >= 0);
	line_send(&l, line_sealed(&l), 1 << 20);
	TURN_UNTIL(&l.well.loop, wish_is_over(&x));
	CHECK_INT(x.failure, UPSTREAM_CUT);
	SSL_free(inner);
	buf_free(&got), buf_free(&x.body);
	line_close(&l);
}

TEST(plain_http_goes_through_a_proxy_by_its_whole_address_with_the_user_in_each_request)
{
	struct line l;
	struct wish x;
	struct buf b = { 0 };

	proxy_open(&l, "http_proxy", "http://jo:pw@");
	l.well.url = well_url(&l.well, "api.test", 80);
	l.well.url.authority = STR("api.test");
	for (int i = 0; i < 2; i++) {
		wish_get(&l.well, &x);
		if (i == 0)
			l.fd = answer_call(&l.well.loop, l.well.listener);
		buf_clear(&b);
		CHECK_STR(hear_until(&l.well.loop, l.fd, &b, STR("\r\n\r\n")),
			  STR("GET http://api.test/t HTTP/1.1\r\nHost: up\r\nProxy-Authorization: Basic am86cHc=\r\n\r\n"));
		say(l.fd, STR(OK_2));
		TURN_UNTIL(&l.well.loop, wish_is_over(&x));
		CHECK_INT(x.ends, 1);
		buf_free(&x.body);
	}
	buf_free(&b);
	line_close(&l);
}

TEST(another_protocol_in_plain_is_tunnelled)
{
	static const struct http_header headers[] = {
		{ { "Host", 4 }, { "up", 2 } }, { { "Connection", 10 }, { "Upgrade", 7 } }, { { "Upgrade", 7 }, { "bytes", 5 } },
	};
	struct upstream_request r = { .method = STR("GET"), .target = STR("/t"), .headers = headers, .count = 3, .upgrade = true };
	struct line l;
	struct wish x = { 0 };
	struct buf b = { 0 };

	proxy_open(&l, "http_proxy", "http://");
	l.well.url.tls = false;
	r.url = &l.well.url;
	x.call = upstream_begin(l.well.pool, &r, &wish_ops, &x);
	upstream_finish(x.call);
	CHECK(str_starts(hear_connect(&l, &b), STR("CONNECT api.test:444 ")));
	say(l.fd, STR("HTTP/1.1 200 OK\r\n\r\n"));
	buf_clear(&b);
	CHECK(str_starts(hear_until(&l.well.loop, l.fd, &b, STR("\r\n\r\n")), STR("GET /t HTTP/1.1\r\n")));
	say(l.fd, STR("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: bytes\r\n\r\nhello"));
	TURN_UNTIL(&l.well.loop, x.bytes == 5);
	upstream_cancel(x.call);
	buf_free(&b), buf_free(&x.body);
	line_close(&l);
}

TEST(a_proxy_that_is_not_understood_is_a_refusal_and_no_proxy_goes_around_it)
{
	struct line l;
	struct wish x;

	proxy_open(&l, "ALL_PROXY", "socks5h://");
	wish_get(&l.well, &x);
	TURN_UNTIL(&l.well.loop, wish_is_over(&x));
	CHECK_INT(x.failure, UPSTREAM_REFUSED);
	CHECK_STR(str_from(x.why), STR("ALL_PROXY names a SOCKS proxy, which is not supported: use an http:// or https:// "
				       "proxy, or name the host in NO_PROXY"));
	l.well.url = well_url(&l.well, "127.0.0.1", l.well.port);
	l.well.url.tls = true;
	setenv("NO_PROXY", "127.0.0.0/8", 1);
	line_ask(&l, &x);
	line_say(&l, OK_2);
	TURN_UNTIL(&l.well.loop, wish_is_over(&x));
	CHECK_INT(x.ends, 1);
	buf_free(&x.body);
	line_close(&l);
}
