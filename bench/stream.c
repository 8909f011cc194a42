/*
 * Both ends of a proxy under load: `stream serve` is a model server that says the time in every event of a stream,
 * `stream load` a client that reads many streams at once and compares. What it prints is how long events were under
 * way, from the server's write to the client's read, through whatever stands between.
 *
 *	stream serve PORT [--events N] [--gap MS]    answers every POST with N events, one every MS milliseconds
 *		[--tls 1.2|1.3 --identity FILE]      speaks this TLS and no other; FILE has its certificate and key
 *	stream load PORT PATH [--streams N]          N streams at once; one line: events p50 p99 max (microseconds) cut,
 *		                                     and microseconds until all had begun
 *
 * Plain epoll and one thread, so that neither end is in the way.
 */
#include <errno.h>
#include <fcntl.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common.h"
#include "loop.h"

#define MAX_STREAMS 20000
#define ROOM 65536

struct peer {
	int fd;
	SSL *tls;         /* NULL: plain */
	unsigned sent;    /* events */
	bool asked;       /* the request came; or the head of the answer */
	char mark[32];    /* the end of what was read, for a time cut in two */
	size_t mark_size;
	uint64_t due;     /* of the next event; of a client: when the first byte came */
};

/* ---- the server ---- */

static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

struct server {
	int loop, listener;
	SSL_CTX *tls; /* NULL: plain */
	unsigned events;
	uint64_t gap;
	struct peer *peers[MAX_STREAMS];
	size_t count;
};

static void send_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);

		if (k <= 0)
			return; /* a client that does not read loses what it does not read */
		p += k;
		n -= (size_t)k;
	}
}

static void answer_with(struct peer *p, const char *bytes, size_t n)
{
	if (p->tls)
		SSL_write(p->tls, bytes, (int)n);
	else
		send_all(p->fd, bytes, n);
}

static void send_event(const struct server *s, struct peer *p)
{
	char event[400], chunk[450];
	int n, k;

	n = snprintf(event, sizeof(event),
		     "data: {\"id\":\"chatcmpl-%d\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
		     "\"model\":\"bench\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"},"
		     "\"finish_reason\":%s}],\"t\":1%019llu}\n\n%s",
		     p->fd, p->sent + 1 == s->events ? "\"stop\"" : "null", (unsigned long long)loop_now_ns(),
		     p->sent + 1 == s->events ? "data: [DONE]\n\n" : "");
	k = snprintf(chunk, sizeof(chunk), "%x\r\n%s\r\n%s", (unsigned)n, event,
		     p->sent + 1 == s->events ? "0\r\n\r\n" : "");
	answer_with(p, chunk, (size_t)k);
	p->sent++;
}

static void take_connections(struct server *s)
{
	int fd;

	while ((fd = loop_accept(s->listener)) >= 0) {
		struct peer *p = calloc(1, sizeof(*p));

		if (!p || s->count == MAX_STREAMS)
			bench_fail("stream serve", "too many streams");
		p->fd = fd;
		if (s->tls) {
			p->tls = SSL_new(s->tls);
			SSL_set_fd(p->tls, fd);
			SSL_set_accept_state(p->tls);
		}
		loop_watch(s->loop, fd, p);
		s->peers[s->count++] = p;
	}
}

static void drop(struct server *s, struct peer *p)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->peers[i] == p)
			s->peers[i] = s->peers[--s->count];
	if (p->tls) {
		SSL_shutdown(p->tls);
		SSL_free(p->tls);
	}
	close(p->fd);
	free(p);
}

/* All that came, of which the bytes are not needed. 0: only a part of a handshake, -1: the end. */
static int read_all(struct peer *p)
{
	char room[ROOM];
	int got = 0, n;

	if (!p->tls)
		return read(p->fd, room, sizeof(room)) > 0 ? 1 : -1;
	while ((n = SSL_read(p->tls, room, sizeof(room))) > 0)
		got = 1;
	return SSL_get_error(p->tls, n) == SSL_ERROR_WANT_READ ? got : -1;
}

/* Requests are small and come whole: what arrives is one, or the rest of it. */
static void read_request(struct server *s, struct peer *p)
{
	int got = read_all(p);

	if (got < 0)
		drop(s, p);
	if (got <= 0 || p->asked)
		return;
	p->asked = true;
	p->sent = 0;
	answer_with(p, head, sizeof(head) - 1);
	/* spread over the gap, as real streams are */
	p->due = loop_now_ns() + s->gap + (uint64_t)(p->fd % 97) * s->gap / 97;
}

static int send_due(struct server *s)
{
	uint64_t now = loop_now_ns(), next = now + 1000000000u;

	for (size_t i = 0; i < s->count; i++) {
		struct peer *p = s->peers[i];

		if (!p->asked)
			continue;
		if (p->due <= now) {
			send_event(s, p);
			p->due += s->gap;
			p->asked = p->sent < s->events;
		}
		if (p->asked && p->due < next)
			next = p->due;
	}
	now = loop_now_ns();
	return next > now ? (int)((next - now) / 1000000) : 0;
}

static SSL_CTX *open_tls(const char *version, const char *identity)
{
	int number = strcmp(version, "1.2") == 0 ? TLS1_2_VERSION : TLS1_3_VERSION;
	SSL_CTX *tls = SSL_CTX_new(TLS_server_method());

	if (!tls || !SSL_CTX_set_min_proto_version(tls, number) || !SSL_CTX_set_max_proto_version(tls, number) ||
	    SSL_CTX_use_certificate_chain_file(tls, identity) != 1 ||
	    SSL_CTX_use_PrivateKey_file(tls, identity, SSL_FILETYPE_PEM) != 1)
		bench_fail("stream serve", "the certificate or the key cannot be used");
	return tls;
}

BENCH_NORETURN static void serve(int argc, char **argv)
{
	static struct server s;
	struct epoll_event got[256];
	const char *version = bench_option(argc, argv, "--tls", NULL);
	int wait = -1;

	if (version)
		s.tls = open_tls(version, bench_option(argc, argv, "--identity", ""));
	s.events = bench_number(argc, argv, "--events", 100);
	s.gap = bench_number(argc, argv, "--gap", 50) * 1000000ull;
	s.loop = epoll_create1(EPOLL_CLOEXEC);
	s.listener = loop_listen((unsigned)atoi(argv[2]));
	loop_watch(s.loop, s.listener, &s);
	for (;;) {
		int n = epoll_wait(s.loop, got, 256, wait);

		for (int i = 0; i < n; i++) {
			if (got[i].data.ptr == &s)
				take_connections(&s);
			else
				read_request(&s, got[i].data.ptr);
		}
		wait = send_due(&s);
	}
}

/* ---- the client ---- */

struct client {
	uint64_t *took;
	size_t count, cap;
	unsigned open, cut;
	uint64_t begun; /* when the last stream had its first byte */
};

static void add_time(struct client *c, uint64_t ns)
{
	if (c->count == c->cap) {
		c->cap = c->cap ? c->cap * 2 : 4096;
		c->took = realloc(c->took, c->cap * sizeof(*c->took));
		if (!c->took)
			bench_fail("stream load", "no memory");
	}
	c->took[c->count++] = ns;
}

/* Every "t":NUMBER} in what came, one that the last read cut in two included. */
static void note_times(struct client *c, struct peer *p, const char *bytes, size_t n)
{
	static char room[ROOM + 64];
	uint64_t now = loop_now_ns();
	size_t size = p->mark_size + n, used = 0;
	char *at = room;

	memcpy(room, p->mark, p->mark_size);
	memcpy(room + p->mark_size, bytes, n);
	room[size] = '\0';
	while ((at = memmem(at, size - (size_t)(at - room), "\"t\":", 4)) && size - (size_t)(at - room) >= 25) {
		add_time(c, now - strtoull(at + 5, NULL, 10));
		at += 25;
		used = (size_t)(at - room);
		p->sent++;
	}
	if (memmem(room + (size > 300 ? size - 300 : 0), size > 300 ? 300 : size, "[DONE]", 6))
		p->asked = true;
	if (size - used > 24)
		used = size - 24;
	p->mark_size = size - used;
	memcpy(p->mark, room + used, p->mark_size);
}

static void read_events(struct client *c, struct peer *p)
{
	static char room[ROOM];
	ssize_t n = read(p->fd, room, sizeof(room));

	if (n > 0 && !p->due)
		c->begun = p->due = loop_now_ns();
	if (n > 0)
		note_times(c, p, room, (size_t)n);
	if (n > 0 && !p->asked)
		return;
	if (n < 0 && errno == EAGAIN)
		return;
	c->cut += !p->asked;
	c->open--;
	close(p->fd);
}

static int ask(unsigned port, const char *path)
{
	static const char body[] = "{\"model\":\"bench\",\"stream\":true,"
				   "\"messages\":[{\"role\":\"user\",\"content\":\"go on\"}]}";
	char request[1000];
	int n, fd = loop_connect(port);

	n = snprintf(request, sizeof(request),
		     "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nContent-Type: application/json\r\n"
		     "Content-Length: %zu\r\n\r\n%s", path, port, sizeof(body) - 1, body);
	send_all(fd, request, (size_t)n);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int load(int argc, char **argv)
{
	unsigned streams = bench_number(argc, argv, "--streams", 1000);
	struct client c = { .open = streams };
	struct peer *peers = calloc(streams, sizeof(*peers));
	struct epoll_event got[256];
	int loop = epoll_create1(EPOLL_CLOEXEC);
	uint64_t start = loop_now_ns();

	if (!peers)
		bench_fail("stream load", "no memory");
	for (unsigned i = 0; i < streams; i++) {
		peers[i].fd = ask((unsigned)atoi(argv[2]), argv[3]);
		loop_watch(loop, peers[i].fd, &peers[i]);
	}
	while (c.open > 0) {
		int n = epoll_wait(loop, got, 256, 30000);

		if (n == 0)
			break; /* nothing for half a minute: what is open counts as cut */
		for (int i = 0; i < n; i++)
			read_events(&c, got[i].data.ptr);
	}
	c.cut += c.open;
	if (c.count == 0)
		bench_fail("stream load", "no event came");
	qsort(c.took, c.count, sizeof(*c.took), by_size);
	printf("%zu\t%.0f\t%.0f\t%.0f\t%u\t%.0f\n", c.count, (double)c.took[c.count / 2] / 1e3,
	       (double)c.took[c.count * 99 / 100] / 1e3, (double)c.took[c.count - 1] / 1e3, c.cut,
	       (double)(c.begun - start) / 1e3);
	return 0;
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	loop_allow_many_files();
	if (argc >= 3 && strcmp(argv[1], "serve") == 0)
		serve(argc, argv);
	if (argc >= 4 && strcmp(argv[1], "load") == 0)
		return load(argc, argv);
	fprintf(stderr, "usage: stream serve PORT [--events N] [--gap MS] [--tls 1.2|1.3 --identity FILE] | "
			"stream load PORT PATH [--streams N]\n");
	return 2;
}
