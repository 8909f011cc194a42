/* A forward proxy: hosts whose place it takes, hosts that it passes on to, and clients that will not have it. */
#include "net/proxy_gate.h"

#include "unit/net/tls_client.h"

struct yard {
	uv_loop_t loop;
	struct arena a;
	struct proxy *proxy;
	struct authority *authority;
	struct clock_line clock;
	struct url service; /* where requests for the known host go */
	enum proxy_entry entry;
	unsigned begun, routed;
	char target[64], asked[64];
	struct proxy_tap tap;
};

static const struct str known = { "api.example.com", 15 };

static bool yard_route(void *context, struct arena *a, const struct http_head *h, const struct url *host,
		       struct proxy_destination *to, int *status, const char **why)
{
	struct yard *y = context;

	(void)a, (void)status, (void)why;
	y->routed++;
	snprintf(y->asked, sizeof(y->asked), "%s", host ? host->authority.p : "us");
	snprintf(y->target, sizeof(y->target), "%.*s", STR_ARG(h->target));
	to->url = host && !str_eq_nocase(host->host, known) ? host : &y->service;
	to->target = STR("/asked");
	to->route = host && !str_eq_nocase(host->host, known) ? NULL : y;
	return true;
}

static enum proxy_entry yard_enters(void *context, const struct url *host)
{
	struct yard *y = context;

	return str_eq_nocase(host->host, known) && host->port == 443 ? y->entry : PROXY_PASS;
}

static void *yard_begin(void *context, const struct http_head *h, const struct proxy_destination *to, int64_t ns)
{
	struct yard *y = context;

	(void)h, (void)to, (void)ns;
	y->begun++;
	return NULL;
}

static void yard_open(struct yard *y, uint16_t service_port)
{
	struct err err;
	struct proxy_options o = { .server = { .forward = true }, .route = yard_route, .enters = yard_enters, .context = y,
				   .tap = &y->tap, .clock = &y->clock };

	*y = (struct yard){ .entry = PROXY_ENTER, .clock = clock_line_begin(), .tap = { .begin = yard_begin } };
	arena_init(&y->a);
	CHECK(uv_loop_init(&y->loop) == 0);
	CHECK(url_parse(&y->a, arena_printf(&y->a, "http://127.0.0.1:%u", service_port), &y->service, &err));
	o.authority = y->authority = authority_open(&known, 1, &err);
	y->proxy = proxy_open(&y->loop, &o, &err);
	CHECK(y->proxy != NULL && y->authority != NULL);
}

static void yard_close(struct yard *y)
{
	proxy_stop(y->proxy, true);
	CHECK(uv_run(&y->loop, UV_RUN_DEFAULT) == 0);
	proxy_close(y->proxy);
	authority_close(y->authority);
	CHECK(uv_loop_close(&y->loop) == 0);
	arena_free(&y->a);
}

static const struct proxy_host *host_of(struct yard *y, const char *name)
{
	const struct proxy_host *h = proxy_hosts(y->proxy);

	while (h && !str_eq(h->url.host, str_from(name)))
		h = h->next;
	CHECK(h != NULL);
	return h;
}

#define TO_KNOWN "CONNECT API.example.com:443 HTTP/1.1\r\nHost: API.example.com:443\r\n\r\n"

TEST(requests_to_a_known_host_are_routed_and_told_to_the_tap)
{
	struct yard y;
	struct client c;
	struct buf b = { 0 };
	char room[1000];
	uint16_t port;
	int listener = hear(&port), service;
	size_t n = 0;

	yard_open(&y, port);
	client_connect(&y.loop, proxy_port(y.proxy), &c, TO_KNOWN);
	client_begin(&c, known, y.authority, TLS1_3_VERSION);
	CHECK_INT(client_shake(&y.loop, &c), 1);
	CHECK(SSL_write(c.ssl, "POST /v1/x HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 2\r\n\r\nhi", 67) == 67);
	service = answer_call(&y.loop, listener);
	hear_until(&y.loop, service, &b, STR("\r\n\r\nhi"));
	CHECK(str_starts(buf_str(&b), STR("POST /asked HTTP/1.1\r\nHost: 127.0.0.1:")));
	say(service, STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nho"));
	TURN_UNTIL(&y.loop, SSL_read_ex(c.ssl, room, sizeof(room), &n) == 1);
	CHECK_STR(str_of(room, n), STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nho"));
	CHECK_STR(str_from(y.asked), STR("API.example.com"));
	CHECK_STR(str_from(y.target), STR("/v1/x"));
	CHECK_INT(y.begun, 1);
	CHECK_INT(host_of(&y, "API.example.com")->entered, 1);
	CHECK_INT(host_of(&y, "API.example.com")->passed, 0);
	client_close(&c);
	close(service);
	close(listener);
	buf_free(&b);
	yard_close(&y);
}

TEST(bytes_to_other_hosts_pass_as_they_are_both_ways_and_each_half_ends_by_itself)
{
	struct yard y;
	struct client c;
	struct buf b = { 0 };
	uint16_t port;
	int listener = hear(&port), service;

	yard_open(&y, port);
	client_connect(&y.loop, proxy_port(y.proxy), &c,
		       arena_printf(&y.a, "CONNECT 127.0.0.1:%u HTTP/1.1\r\nHost: x\r\n\r\n", port).p);
	service = answer_call(&y.loop, listener);
	say(c.fd, STR("\x16\x03 bytes\0 of any kind"));
	hear_some(&y.loop, service, &b, 21);
	CHECK_STR(buf_str(&b), STR("\x16\x03 bytes\0 of any kind"));
	shutdown(c.fd, SHUT_WR);
	hear_all(&y.loop, service, &b);
	buf_clear(&b);
	say(service, STR("\x15\x03 back"));
	close(service);
	CHECK_STR(hear_all(&y.loop, c.fd, &b), STR("\x15\x03 back"));
	CHECK_INT(host_of(&y, "127.0.0.1")->passed, 1);
	CHECK_INT(y.routed + y.begun, 0);
	close(c.fd);
	close(listener);
	buf_free(&b);
	yard_close(&y);
}

TEST(a_host_that_cannot_be_reached_is_502)
{
	struct yard y;
	struct buf b = { 0 };
	int fd;

	yard_open(&y, 1);
	fd = dial(proxy_port(y.proxy));
	say(fd, arena_printf(&y.a, "CONNECT 127.0.0.1:%u HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", dead_port()));
	CHECK(str_starts(hear_all(&y.loop, fd, &b), STR("HTTP/1.1 502 Bad Gateway\r\n")));
	close(fd);
	buf_free(&b);
	yard_close(&y);
}

/* The agent comes first: whoever pins certificates gets through at its second try. */
TEST(after_a_client_that_did_not_trust_us_the_next_one_passes_unless_it_must_not)
{
	static const enum proxy_entry entries[] = { PROXY_ENTER, PROXY_ENTER_ALWAYS };

	for (size_t i = 0; i < COUNT(entries); i++) {
		struct proxy_gate gate;
		struct gate_host *h;
		struct yard y;
		struct client c;

		yard_open(&y, 1);
		y.entry = entries[i];
		client_connect(&y.loop, proxy_port(y.proxy), &c, TO_KNOWN);
		client_begin(&c, known, NULL, TLS1_3_VERSION);
		CHECK(client_shake(&y.loop, &c) != 1);
		TURN_UNTIL(&y.loop, host_of(&y, "API.example.com")->distrust == 1);
		client_close(&c);
		CHECK(gate_enters((const struct gate_host *)host_of(&y, "API.example.com"), entries[i]) == (i == 1));
		yard_close(&y);
		gate_init(&gate, NULL);
		h = gate_find(&gate, &(struct url){ .host = known, .port = 443 });
		CHECK(!gate_enters(h, entries[i])); /* nobody has a certificate for it */
		gate_free(&gate);
	}
}

TEST(a_client_that_was_served_keeps_the_host_ours)
{
	struct yard y;
	struct client c;

	yard_open(&y, 1);
	client_connect(&y.loop, proxy_port(y.proxy), &c, TO_KNOWN);
	client_begin(&c, known, y.authority, TLS1_2_VERSION);
	CHECK_INT(client_shake(&y.loop, &c), 1);
	client_close(&c);
	client_connect(&y.loop, proxy_port(y.proxy), &c, TO_KNOWN);
	client_begin(&c, known, NULL, TLS1_2_VERSION);
	CHECK(client_shake(&y.loop, &c) != 1);
	TURN_UNTIL(&y.loop, host_of(&y, "API.example.com")->distrust == 1);
	CHECK(gate_enters((const struct gate_host *)host_of(&y, "API.example.com"), PROXY_ENTER));
	client_close(&c);
	yard_close(&y);
}

TEST(addresses_of_other_hosts_are_passed_on_unread)
{
	struct yard y;
	struct buf b = { 0 };
	uint16_t port;
	int listener = hear(&port), service, fd;

	yard_open(&y, port);
	fd = dial(proxy_port(y.proxy));
	say(fd, arena_printf(&y.a, "GET http://localhost:%u/a HTTP/1.1\r\nHost: localhost:%u\r\nAccept-Encoding: br\r\n\r\n", port, port));
	service = answer_call(&y.loop, listener);
	hear_until(&y.loop, service, &b, STR("\r\n\r\n"));
	CHECK_STR(buf_str(&b), arena_printf(&y.a, "GET /asked HTTP/1.1\r\nHost: localhost:%u\r\nAccept-Encoding: br\r\n\r\n", port));
	CHECK_INT(y.begun, 0);
	CHECK_INT(host_of(&y, "localhost")->passed, 1);
	close(service);
	close(fd);
	close(listener);
	buf_free(&b);
	yard_close(&y);
}

TEST(hosts_are_counted_up_to_a_limit)
{
	struct proxy_gate gate;
	char name[20];

	gate_init(&gate, NULL);
	for (unsigned i = 0; i < GATE_HOSTS + 10; i++) {
		struct url u = { .port = 443, .host = str_of(name, (size_t)snprintf(name, sizeof(name), "h%u", i)) };

		gate_count_passed(gate_find(&gate, &u));
		CHECK((gate_find(&gate, &u) != NULL) == (i < GATE_HOSTS));
	}
	CHECK_INT(gate.count, GATE_HOSTS);
	gate_free(&gate);
}
