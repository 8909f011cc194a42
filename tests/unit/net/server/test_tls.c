/* A forward proxy's side of a server: CONNECT as a tunnel, as TLS with a certificate of ours, and as plain HTTP. */
#include "net/server/private.h"

#include "net/tls/authority.h"
#include "unit/net/tls_client.h"

struct gate {
	uv_loop_t loop;
	struct server *server;
	struct authority *authority;
	struct tls_context *x;
	unsigned ready, failed, broken, heads, gone, ends;
	enum tls_fault fault;
	char seen[64];    /* target of the last request */
	bool was_through;
	struct request *tunnel;
	struct buf tunnelled;
};

static const struct str gate_host = { "api.example.com", 15 };

static bool gate_choose(void *own, SSL *ssl, struct str name)
{
	struct gate *g = own;
	X509 *leaf = authority_leaf(g->authority, gate_host);

	(void)name;
	return leaf && SSL_use_certificate(ssl, leaf) == 1 && SSL_use_PrivateKey(ssl, authority_key(g->authority)) == 1;
}

static void gate_head(void *context, struct request *q)
{
	struct gate *g = context;
	size_t n = q->head->target.n < sizeof(g->seen) ? q->head->target.n : sizeof(g->seen) - 1;

	g->heads++;
	q->own = g;
	memcpy(g->seen, q->head->target.p, n);
	g->seen[n] = '\0';
	g->was_through = q->through == g;
	if (str_eq(q->head->method, STR("CONNECT")) && str_starts(q->head->target, STR("tunnel"))) {
		g->tunnel = q;
		request_respond(q, 200, NULL, 0, HTTP_NONE, 0);
	} else if (str_eq(q->head->method, STR("CONNECT")) && str_starts(q->head->target, STR("refused"))) {
		request_reply(q, 403, NULL, 0, STR("no"));
	} else if (str_eq(q->head->method, STR("CONNECT"))) {
		request_enter(q, g, g->x);
	}
}

static void gate_body(struct request *q, struct str bytes)
{
	struct gate *g = q->own;

	if (g->tunnel == q)
		buf_add_str(&g->tunnelled, bytes);
}

static void gate_end(struct request *q)
{
	struct gate *g = q->own;

	g->ends++;
	if (str_eq(q->head->method, STR("CONNECT")))
		return;
	request_reply(q, 200, NULL, 0, STR("hello"));
}

static void gate_gone(struct request *q, bool whole)
{
	struct gate *g = q->own;

	(void)whole;
	g->gone++;
	if (g->tunnel == q)
		g->tunnel = NULL;
}

static void gate_shaken(void *context, void *through, const struct tls *t)
{
	struct gate *g = context;

	CHECK(through == g);
	if (!t) {
		g->broken++;
	} else if (tls_is_ready(t)) {
		g->ready++;
	} else {
		g->failed++;
		g->fault = tls_fault(t);
	}
}

static const struct server_ops gate_ops = {
	.head = gate_head, .body = gate_body, .end = gate_end, .gone = gate_gone, .shaken = gate_shaken,
};

static void gate_open_with(struct gate *g, struct server_options o)
{
	struct err err;

	*g = (struct gate){ .authority = authority_open(&gate_host, 1, &err) };
	CHECK(g->authority != NULL && uv_loop_init(&g->loop) == 0);
	g->x = tls_context_server(gate_choose, g);
	o.ops = &gate_ops;
	o.context = g;
	g->server = server_open(&g->loop, &o, &err);
	CHECK(g->server != NULL);
}

static void gate_open(struct gate *g)
{
	gate_open_with(g, (struct server_options){ .forward = true });
}

static void gate_close(struct gate *g)
{
	server_stop(g->server, true);
	CHECK(uv_run(&g->loop, UV_RUN_DEFAULT) == 0);
	server_close(g->server);
	tls_context_close(g->x);
	authority_close(g->authority);
	CHECK(uv_loop_close(&g->loop) == 0);
	buf_free(&g->tunnelled);
}

#define TO_HOST "CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\n\r\n"

TEST(after_connect_a_client_that_trusts_us_is_served_over_tls_as_its_host)
{
	static const int versions[] = { TLS1_2_VERSION, TLS1_3_VERSION };
	char room[1000];

	for (size_t i = 0; i < COUNT(versions); i++) {
		struct gate g;
		struct client c;

		test_case("%x", (unsigned)versions[i]);
		gate_open(&g);
		client_connect(&g.loop, server_port(g.server), &c,
			       i ? TO_HOST : "CONNECT api.example.com:443 HTTP/1.0\r\n\r\n");
		client_begin(&c, gate_host, g.authority, versions[i]);
		CHECK_INT(client_shake(&g.loop, &c), 1);
		for (unsigned n = 1; n <= 3; n++) {
			CHECK_STR(client_ask(&g.loop, &c, "GET /v1/models HTTP/1.1\r\nHost: api.example.com\r\n\r\n", room, sizeof(room)),
				  STR("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
			CHECK(g.was_through && g.heads == n + 1);
		}
		CHECK_STR(str_from(g.seen), STR("/v1/models"));
		CHECK_INT(g.ready, 1);
		client_close(&c);
		gate_close(&g);
	}
}

TEST(an_answer_that_closes_says_so_in_tls_too)
{
	struct gate g;
	struct client c;
	char room[1000];
	size_t n;

	gate_open(&g);
	client_connect(&g.loop, server_port(g.server), &c, TO_HOST);
	client_begin(&c, gate_host, g.authority, TLS1_3_VERSION);
	CHECK_INT(client_shake(&g.loop, &c), 1);
	client_ask(&g.loop, &c, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", room, sizeof(room));
	TURN_UNTIL(&g.loop, SSL_read_ex(c.ssl, room, sizeof(room), &n) == 0 && SSL_get_error(c.ssl, 0) == SSL_ERROR_ZERO_RETURN);
	client_close(&c);
	gate_close(&g);
}

TEST(a_client_that_does_not_trust_us_is_told_to_the_handler)
{
	static const int versions[] = { TLS1_2_VERSION, TLS1_3_VERSION };

	for (size_t i = 0; i < COUNT(versions); i++) {
		struct gate g;
		struct client c;

		test_case("%x", (unsigned)versions[i]);
		gate_open(&g);
		client_connect(&g.loop, server_port(g.server), &c, TO_HOST);
		client_begin(&c, gate_host, NULL, versions[i]);
		CHECK(client_shake(&g.loop, &c) != 1);
		TURN_UNTIL(&g.loop, g.failed == 1);
		CHECK_INT(g.fault, TLS_FAULT_DISTRUST);
		client_close(&c);
		CHECK_INT(g.ready + g.broken, 0);
		gate_close(&g);
	}
}

TEST(a_client_that_speaks_only_http2_is_told_to_the_handler)
{
	static const unsigned char h2[] = { 2, 'h', '2' }, both[] = { 2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.', '1' };
	struct gate g;
	struct client c;
	const unsigned char *chosen;
	unsigned n;

	gate_open(&g);
	client_connect(&g.loop, server_port(g.server), &c, TO_HOST);
	client_begin(&c, gate_host, g.authority, TLS1_3_VERSION);
	SSL_set_alpn_protos(c.ssl, h2, sizeof(h2));
	CHECK(client_shake(&g.loop, &c) != 1);
	TURN_UNTIL(&g.loop, g.failed == 1);
	CHECK_INT(g.fault, TLS_FAULT_PROTOCOL);
	client_close(&c);
	client_connect(&g.loop, server_port(g.server), &c, TO_HOST);
	client_begin(&c, gate_host, g.authority, TLS1_3_VERSION);
	SSL_set_alpn_protos(c.ssl, both, sizeof(both));
	CHECK_INT(client_shake(&g.loop, &c), 1);
	SSL_get0_alpn_selected(c.ssl, &chosen, &n);
	CHECK_STR(str_of(chosen, n), STR("http/1.1"));
	client_close(&c);
	gate_close(&g);
}

TEST(after_connect_plain_http_is_served_as_the_host_and_garbage_is_refused)
{
	static const struct { const char *say, *want; } cases[] = {
		{ "GET /api/tags HTTP/1.1\r\nHost: 127.0.0.1:11434\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 OK\r\n" },
		{ "garbage\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n" },
		{ "\x80\x2e\x01\x03\x01 an old hello\r\n", "HTTP/1.1 400 Bad Request\r\n" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct gate g;
		struct client c;
		struct buf b = { 0 };

		test_case("%zu", i);
		gate_open(&g);
		client_connect(&g.loop, server_port(g.server), &c, TO_HOST);
		say(c.fd, str_from(cases[i].say));
		CHECK(str_starts(hear_all(&g.loop, c.fd, &b), str_from(cases[i].want)));
		close(c.fd);
		buf_free(&b);
		gate_close(&g);
	}
}

TEST(a_broken_handshake_is_refused_and_one_broken_off_is_told)
{
	struct gate g;
	struct client c;
	struct buf b = { 0 };

	gate_open(&g);
	client_connect(&g.loop, server_port(g.server), &c, TO_HOST);
	say(c.fd, STR("\x16\x03\x01\x00\x05hello")); /* a record of a handshake, with nothing sensible in it */
	hear_all(&g.loop, c.fd, &b);
	CHECK(b.n >= 7 && b.p[0] == 21); /* an alert */
	CHECK_INT(g.failed, 1);
	close(c.fd);
	client_connect(&g.loop, server_port(g.server), &c, TO_HOST);
	say(c.fd, STR("\x16\x03\x01\x02\x00\x01"));
	turn_for(&g.loop, 5);
	close(c.fd);
	TURN_UNTIL(&g.loop, g.broken == 1);
	buf_free(&b);
	gate_close(&g);
}

TEST(a_client_that_is_silent_after_connect_or_inside_a_handshake_is_closed)
{
	static const struct str says[] = { { "", 0 }, { "\x16\x03\x01\x02\x00\x01", 6 } };

	for (size_t i = 0; i < COUNT(says); i++) {
		struct gate g;
		struct client c;
		struct buf b = { 0 };

		gate_open_with(&g, (struct server_options){ .forward = true, .head_ms = 60 });
		client_connect(&g.loop, server_port(g.server), &c, TO_HOST);
		say(c.fd, says[i]);
		CHECK_STR(hear_all(&g.loop, c.fd, &b), STR(""));
		close(c.fd);
		buf_free(&b);
		gate_close(&g);
	}
}

TEST(a_tunnel_passes_bytes_and_the_end_of_one_half_is_not_the_end_of_the_other)
{
	struct gate g;
	struct buf b = { 0 };
	int fd;

	gate_open(&g);
	fd = dial(server_port(g.server));
	say(fd, STR("CONNECT tunnel:443 HTTP/1.1\r\nHost: tunnel:443\r\n\r\nearly"));
	hear_until(&g.loop, fd, &b, STR("\r\n\r\n"));
	CHECK_STR(buf_str(&b), STR("HTTP/1.1 200 OK\r\n\r\n"));
	TURN_UNTIL(&g.loop, g.tunnelled.n == 5);
	say(fd, STR("\x16 and late"));
	shutdown(fd, SHUT_WR);
	TURN_UNTIL(&g.loop, g.ends == 1);
	CHECK_STR(buf_str(&g.tunnelled), STR("early\x16 and late"));
	CHECK(g.tunnel != NULL);
	buf_clear(&b);
	request_write(g.tunnel, STR("the rest"));
	request_finish(g.tunnel);
	CHECK_STR(hear_all(&g.loop, fd, &b), STR("the rest"));
	TURN_UNTIL(&g.loop, g.gone == 1);
	close(fd);
	buf_free(&b);
	gate_close(&g);
}

TEST(a_connect_can_be_refused_and_a_server_that_is_no_forward_proxy_has_none)
{
	static const struct { bool forward; const char *ask, *want; } cases[] = {
		{ true, "CONNECT refused:443 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.1 403 " },
		{ true, "CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400 " },
		{ false, "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", "HTTP/1.1 501 " },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct gate g;
		struct buf b = { 0 };
		int fd;

		test_case("%s", cases[i].ask);
		gate_open_with(&g, (struct server_options){ .forward = cases[i].forward });
		fd = dial(server_port(g.server));
		say(fd, str_from(cases[i].ask));
		CHECK(str_starts(hear_all(&g.loop, fd, &b), str_from(cases[i].want)));
		close(fd);
		buf_free(&b);
		gate_close(&g);
	}
}

/* What a page can send has a path as its target; a forward proxy's clients send addresses, with a Host that is not ours. */
TEST(addresses_of_other_hosts_pass_the_guard_only_where_it_forwards)
{
	static const struct { bool forward; const char *target, *more; int want; } cases[] = {
		{ true, "http://other.example/x", "Host: other.example", 200 },
		{ true, "http://other.example/x", "Host: other.example\r\nOrigin: http://other.example", 200 },
		{ false, "http://other.example/x", "Host: other.example", 403 },
		{ true, "/x", "Host: other.example", 403 },
		{ true, "/http://other.example/", "Host: other.example", 403 },
		{ true, "/x", "Host: 127.0.0.1:PORT", 200 },
		{ true, "http://127.0.0.1:PORT/x", "Host: 127.0.0.1:PORT", 200 },
		{ true, "http://127.0.0.1:PORT/x", "Host: 127.0.0.1:PORT\r\nOrigin: http://evil.example", 403 },
		{ true, "http://u@127.0.0.1:PORT/x", "Host: 127.0.0.1:PORT\r\nOrigin: http://evil.example", 403 },
		{ true, "http://localhost:PORT?x", "Host: other.example", 403 },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct gate g;
		struct buf b = { 0 };
		struct str text = ARENA_JOIN(&a, STR("GET "), str_from(cases[i].target), STR(" HTTP/1.1\r\nConnection: close\r\n"),
					     str_from(cases[i].more), STR("\r\n\r\n"));
		int fd;
		size_t at;

		test_case("%s", text.p);
		gate_open_with(&g, (struct server_options){ .forward = cases[i].forward });
		while ((at = str_find(text, STR("PORT"))) != (size_t)-1)
			text = ARENA_JOIN(&a, str_of(text.p, at), arena_printf(&a, "%u", server_port(g.server)),
					  str_skip(text, at + 4));
		fd = dial(server_port(g.server));
		say(fd, text);
		CHECK(str_starts(hear_all(&g.loop, fd, &b), arena_printf(&a, "HTTP/1.1 %d ", cases[i].want)));
		close(fd);
		buf_free(&b);
		gate_close(&g);
	}
	arena_free(&a);
}

TEST(a_server_with_tls_serves_only_clients_that_speak_it)
{
	struct gate g;
	struct client c = { .fd = -1 };
	struct server_options o = { .ops = &gate_ops, .context = &g };
	struct buf b = { 0 };
	char room[1000], text[100];
	struct err err;

	gate_open(&g);
	server_stop(g.server, true);
	CHECK(uv_run(&g.loop, UV_RUN_DEFAULT) == 0);
	server_close(g.server);
	o.tls = g.x;
	g.server = server_open(&g.loop, &o, &err);
	CHECK(g.server != NULL);
	c.fd = dial(server_port(g.server));
	client_begin(&c, gate_host, g.authority, TLS1_3_VERSION);
	CHECK_INT(client_shake(&g.loop, &c), 1);
	snprintf(text, sizeof(text), "GET /v1 HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", server_port(g.server));
	CHECK_STR(client_ask(&g.loop, &c, text, room, sizeof(room)),
		  STR("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
	CHECK(!g.was_through);
	CHECK(str_has(client_ask(&g.loop, &c, "GET / HTTP/1.1\r\nHost: page.example\r\n\r\n", room, sizeof(room)),
		      STR("403")));
	client_close(&c);
	c.fd = dial(server_port(g.server));
	say(c.fd, str_from(text));
	hear_until(&g.loop, c.fd, &b, STR("}"));
	CHECK(str_has(buf_str(&b), STR("400")) && str_has(buf_str(&b), STR("https")));
	close(c.fd);
	buf_free(&b);
	gate_close(&g);
}
