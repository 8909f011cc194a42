/*
 * A call through a proxy that sends anything: its answer to CONNECT, and what comes from behind it. A call ends once,
 * well or badly, and nothing of it is left. The first byte chooses whether a tunnel is asked for, and how many of the
 * bytes come before the request has.
 */
#include "fuzz/fuzz.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/upstream/upstream.h"

struct call {
	unsigned heads, ends, fails;
};

static void call_head(void *own, const struct http_head *h)
{
	struct call *c = own;

	c->heads++;
	FUZZ_CHECK(c->ends + c->fails == 0 && c->heads == 1 && (h->status >= 200 || h->status == 101));
}

static void call_body(void *own, struct str bytes)
{
	struct call *c = own;

	FUZZ_CHECK(c->heads == 1 && c->ends + c->fails == 0 && bytes.n > 0);
}

static void call_end(void *own)
{
	struct call *c = own;

	c->ends++;
	FUZZ_CHECK(c->heads == 1);
}

static void call_fail(void *own, enum upstream_failure f, const char *why)
{
	(void)f;
	((struct call *)own)->fails++;
	FUZZ_CHECK(why[0]);
}

static const struct upstream_ops ops = { .head = call_head, .body = call_body, .end = call_end, .fail = call_fail };

static int listen_as_proxy(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	char value[64];

	FUZZ_CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&at, n) == 0 && listen(fd, 16) == 0);
	FUZZ_CHECK(getsockname(fd, (struct sockaddr *)&at, &n) == 0);
	snprintf(value, sizeof(value), "http://127.0.0.1:%u", (unsigned)ntohs(at.sin_port));
	setenv("http_proxy", value, 1);
	unsetenv("no_proxy");
	unsetenv("NO_PROXY");
	return fd;
}

/* Sends what is at hand, and closes its side when that was all. */
static void say_part(int fd, struct str bytes, bool last)
{
	ssize_t sent = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL);

	(void)sent; /* the call may have gone */
	if (last)
		shutdown(fd, SHUT_WR);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct http_header headers[] = {
		{ { "Host", 4 }, { "a.test", 6 } }, { { "Connection", 10 }, { "Upgrade", 7 } }, { { "Upgrade", 7 }, { "x", 1 } },
	};
	const struct url url = { .host = STR("a.test"), .port = 80, .authority = STR("a.test") };
	struct upstream_request r = { .url = &url, .method = STR("GET"), .target = STR("/"), .headers = headers, .count = 3 };
	struct call c = { 0 };
	struct upstream_call *call;
	struct upstreams *pool;
	uv_loop_t loop;
	size_t first;
	int listener, fd = -1;

	if (size < 2 || size > 60000)
		return 0;
	listener = listen_as_proxy();
	FUZZ_CHECK(uv_loop_init(&loop) == 0);
	pool = upstreams_open(&loop, &(struct upstream_options){ .connect_ms = 60000, .kept = 1 });
	r.upgrade = data[0] & 1;
	first = data[1] < size - 2 ? data[1] : size - 2;
	call = upstream_begin(pool, &r, &ops, &c);
	upstream_finish(call);
	while (fd < 0) {
		uv_run(&loop, UV_RUN_NOWAIT);
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	}
	say_part(fd, str_of((const char *)data + 2, first), first == size - 2);
	for (int i = 0; i < 4; i++)
		uv_run(&loop, UV_RUN_NOWAIT);
	if (first < size - 2)
		say_part(fd, str_of((const char *)data + 2 + first, size - 2 - first), true);
	while (c.ends + c.fails == 0)
		uv_run(&loop, UV_RUN_ONCE);
	upstreams_close(pool);
	FUZZ_CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
	upstreams_free(pool);
	FUZZ_CHECK(c.ends + c.fails == 1 && uv_loop_close(&loop) == 0);
	close(fd);
	close(listener);
	return 0;
}
