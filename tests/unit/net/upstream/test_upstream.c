#include "net/upstream/upstream.h"

#include <stdlib.h>

#include "base/clock.h"
#include "unit/net/wish.h"

static void clear_environment(void)
{
	static const char *const variables[] = {
		"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
}

TEST(head_and_body_go_out_together_when_they_are_held_together)
{
	struct well w;
	struct wish x;
	struct buf b = { 0 };
	int fd, kept;

	clear_environment();
	well_open(&w, (struct upstream_options){ 0 });
	wish_get(&w, &x);
	kept = answer_call(&w.loop, w.listener);
	hear_until(&w.loop, kept, &b, STR("\r\n\r\n"));
	say(kept, STR("HTTP/1.1 204 No Content\r\n\r\n"));
	TURN_UNTIL(&w.loop, x.ends == 1);
	wish_begin(&w, &x, "POST", HTTP_LENGTH, 8);
	upstream_hold(x.call);
	CHECK(upstream_write(x.call, STR("half")));
	turn_for(&w.loop, 5);
	buf_clear(&b);
	CHECK(listen_to(kept, &b) && b.n == 0);
	CHECK(upstream_flush(x.call));
	listen_to(kept, &b);
	CHECK(str_ends(buf_str(&b), STR("Content-Length: 8\r\n\r\nhalf")));
	CHECK(upstream_write(x.call, STR("rest"))); /* no longer held */
	listen_to(kept, &b);
	CHECK(str_ends(buf_str(&b), STR("halfrest")));
	upstream_finish(x.call);
	upstream_cancel(x.call);
	wish_begin(&w, &x, "POST", HTTP_LENGTH, 3); /* the same while it is not connected */
	upstream_hold(x.call);
	CHECK(upstream_write(x.call, STR("abc")));
	fd = answer_call(&w.loop, w.listener);
	turn_for(&w.loop, 5);
	buf_clear(&b);
	CHECK(listen_to(fd, &b) && b.n == 0);
	upstream_finish(x.call);
	CHECK(str_ends(hear_until(&w.loop, fd, &b, STR("abc")), STR("\r\n\r\nabc")));
	upstream_cancel(x.call);
	close(fd), close(kept);
	buf_free(&b);
	well_close(&w);
}

TEST(an_upstream_can_have_an_ipv6_address)
{
	struct sockaddr_in6 at = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	socklen_t n = sizeof(at);
	int listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), fd;
	struct well w;
	struct wish x;

	if (listener < 0 || bind(listener, (struct sockaddr *)&at, n) != 0)
		SKIP("there is no IPv6 here");
	CHECK(listen(listener, 5) == 0 && getsockname(listener, (struct sockaddr *)&at, &n) == 0);
	clear_environment();
	well_open(&w, (struct upstream_options){ 0 });
	w.url = well_url(&w, "::1", ntohs(at.sin6_port));
	wish_get(&w, &x);
	fd = answer_call(&w.loop, listener);
	say(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nsix"));
	TURN_UNTIL(&w.loop, x.ends == 1);
	CHECK_STR(buf_str(&x.body), STR("six"));
	close(fd), close(listener);
	buf_free(&x.body);
	well_close(&w);
}

TEST(hosts_and_ports_have_their_own_connections)
{
	struct well w;
	struct wish x;
	uint16_t port;
	int other = hear(&port), first, second;

	clear_environment();
	well_open(&w, (struct upstream_options){ 0 });
	wish_get(&w, &x);
	first = answer_call(&w.loop, w.listener);
	say(first, STR("HTTP/1.1 204 No Content\r\n\r\n"));
	TURN_UNTIL(&w.loop, x.ends == 1);
	w.url = well_url(&w, "127.0.0.1", port);
	wish_get(&w, &x);
	second = answer_call(&w.loop, other);
	say(second, STR("HTTP/1.1 204 No Content\r\n\r\n"));
	TURN_UNTIL(&w.loop, x.ends == 1);
	close(first), close(second), close(other);
	well_close(&w);
}

TEST(pausing_before_the_connection_is_there_holds_the_answer)
{
	struct well w;
	struct wish x;
	int fd;

	clear_environment();
	well_open(&w, (struct upstream_options){ 0 });
	wish_get(&w, &x);
	upstream_pause(x.call);
	fd = answer_call(&w.loop, w.listener);
	say(fd, STR("HTTP/1.1 204 No Content\r\n\r\n"));
	turn_for(&w.loop, 20);
	CHECK(!wish_is_over(&x));
	upstream_resume(x.call);
	TURN_UNTIL(&w.loop, x.ends == 1);
	close(fd);
	well_close(&w);
}

TEST(a_pool_without_calls_closes_at_once)
{
	struct well w;

	well_open(&w, (struct upstream_options){ 0 });
	upstreams_close(w.pool);
	well_close(&w); /* closes it once more */
}

/* ---- when bytes came ---- */

struct timed {
	uint64_t head_ns, body_ns;
	struct upstream_call *call;
	unsigned ends;
};

static void timed_head(void *own, const struct http_head *h)
{
	struct timed *t = own;

	CHECK_INT(h->status, 200);
	t->head_ns = upstream_came_ns(t->call);
}

static void timed_body(void *own, struct str bytes)
{
	struct timed *t = own;

	(void)bytes;
	t->body_ns = upstream_came_ns(t->call);
}

static void timed_end(void *own)
{
	((struct timed *)own)->ends++;
}

static void timed_fail(void *own, enum upstream_failure f, const char *why)
{
	(void)own;
	FAIL("failure %d: %s", (int)f, why);
}

static struct timed ask_timed(struct well *w)
{
	static const struct upstream_ops ops = { .head = timed_head, .body = timed_body, .end = timed_end, .fail = timed_fail };
	static const struct http_header host = { { "Host", 4 }, { "up", 2 } };
	struct upstream_request r = { .url = &w->url, .method = STR("GET"), .target = STR("/t"), .headers = &host, .count = 1 };
	struct timed t = { .ends = 0 };
	int fd;

	t.call = upstream_begin(w->pool, &r, &ops, &t);
	upstream_finish(t.call);
	TURN_UNTIL(&w->loop, (fd = accept(w->listener, NULL, NULL)) >= 0);
	say(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"));
	TURN_UNTIL(&w->loop, t.ends == 1);
	close(fd);
	return t;
}

TEST(when_bytes_came_is_known_of_a_pool_with_stamps_alone)
{
	uint64_t begun = clock_mono_ns();
	int one = 1, asking = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct timed t = { .ends = 0 };
	struct well w;

	/* The kernel stamps as long as any socket wants it, and needs a moment to begin. */
	CHECK(asking >= 0 && setsockopt(asking, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one)) == 0);
	clear_environment();
	well_open(&w, (struct upstream_options){ .kept = 1 });
	t = ask_timed(&w);
	CHECK(t.head_ns == 0 && t.body_ns == 0);
	well_close(&w);
	well_open(&w, (struct upstream_options){ .kept = 1, .stamps = true });
	for (int i = 0; i < 50 && !t.body_ns; i++) {
		t = ask_timed(&w);
		usleep(2000);
	}
	well_close(&w);
	close(asking);
	if (!t.body_ns)
		SKIP("this kernel stamps no bytes of TCP");
	CHECK(t.body_ns + 5000000 >= begun && t.body_ns <= clock_mono_ns());
}
