/*
 * How well a replay keeps the pace of recorded streams: `replay_pace [--streams N] [--events N] [--gap MS]`. A tape
 * server in a process of its own gives N streams at once, each with a first delay of its own; a client reads them all.
 * The error of an event is when the client had it, less when it was due after the client's request. It prints one line:
 * events p50 p99 max (microseconds), and how many were early.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "loop.h"
#include "replay/tape_server.h"

enum {
	EVENT = 100,              /* bytes: "data: ...\n\n" */
	FRAMED = EVENT + 6,       /* with the lines of its chunk */
	SPREAD_US = 1000,         /* between two requests */
};

struct plan {
	unsigned streams, events, gap_ms;
	struct str body;
};

/* ---- the tape ---- */

static uint64_t first_us(const struct plan *p, unsigned stream)
{
	return (uint64_t)stream * 7919 % ((uint64_t)p->gap_ms * 1000) + 1000;
}

static struct str make_body(unsigned events)
{
	char *text = malloc((size_t)events * EVENT);

	if (!text)
		bench_fail("no memory", "for the answers");
	for (unsigned i = 0; i < events; i++) {
		memset(text + (size_t)i * EVENT, 'x', EVENT);
		memcpy(text + (size_t)i * EVENT, "data: ", 6);
		memcpy(text + (size_t)(i + 1) * EVENT - 2, "\n\n", 2);
	}
	return str_of(text, (size_t)events * EVENT);
}

/* The number in "/v1/7" is that of the stream. */
static bool ask(void *context, struct arena *a, const struct match_question *q, struct match_result *out,
		struct str *why)
{
	static const struct http_header type = { { "content-type", 12 }, { "text/event-stream", 17 } };
	const struct plan *p = context;
	struct tape_line *l = arena_new(a, struct tape_line);
	struct match_entry *e = arena_new(a, struct match_entry);
	unsigned stream = (unsigned)atoi(arena_copy(a, str_skip(q->target, 4)).p);

	(void)why;
	l->http = (struct tape_http){ .status = 200, .answer = { .bytes = p->body }, .chunk_count = p->events };
	l->http.headers = arena_new(a, struct http_header);
	l->http.headers[l->http.header_count++] = type;
	l->http.chunks = arena_array(a, struct tape_chunk, p->events);
	for (unsigned i = 0; i < p->events; i++)
		l->http.chunks[i] = (struct tape_chunk){ (uint64_t)i * EVENT,
							 i ? (uint64_t)p->gap_ms * 1000 : first_us(p, stream) };
	e->own = l;
	*out = (struct match_result){ .tier = MATCH_EXACT, .entry = e };
	return true;
}

/* Serves until it is killed; writes its port first. */
static void serve(struct plan *p, int tell)
{
	static const struct tape_server_ops ops = { .ask = ask };
	static const struct player_pace pace = { .chunking = CHUNKS_RECORDED, .speed = 1 };
	struct tape_server_options o = { .guard = { .open = true }, .ops = &ops, .context = p, .pace = &pace };
	struct err err = { .kind = ERR_NONE };
	struct tape_server *s;
	uv_loop_t loop;
	unsigned port;

	uv_loop_init(&loop);
	s = tape_server_open(&loop, &o, &err);
	if (!s)
		bench_fail("no server", err.text);
	port = tape_server_port(s);
	if (write(tell, &port, sizeof(port)) != (ssize_t)sizeof(port))
		bench_fail("write", strerror(errno));
	uv_run(&loop, UV_RUN_DEFAULT);
}

/* ---- the client ---- */

struct stream {
	int fd;
	unsigned number, seen; /* events */
	uint64_t asked_ns;
	size_t head, bytes;    /* of the head, 0 while it is not known; behind it */
	bool over;
};

struct errors {
	double *us;
	size_t count, early;
};

static void begin_stream(struct stream *s, unsigned port, unsigned number, int loop)
{
	char text[100];
	int n = snprintf(text, sizeof(text), "GET /v1/%u HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
			 number);

	*s = (struct stream){ .fd = loop_connect(port), .number = number };
	loop_watch(loop, s->fd, s);
	s->asked_ns = loop_now_ns();
	if (send(s->fd, text, (size_t)n, MSG_NOSIGNAL) != n)
		bench_fail("send", strerror(errno));
}

static void take(const struct plan *p, struct stream *s, struct errors *e)
{
	char bytes[65536];
	ssize_t n = recv(s->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	uint64_t now = loop_now_ns();

	if (n <= 0) {
		s->over = n == 0 || errno != EAGAIN;
		return;
	}
	if (!s->head) {
		const char *end = memmem(bytes, (size_t)n, "\r\n\r\n", 4);

		if (!end)
			bench_fail("an answer", "without a head in its first bytes");
		s->head = (size_t)(end - bytes) + 4;
		s->bytes = (size_t)n - s->head;
	} else {
		s->bytes += (size_t)n;
	}
	for (; s->seen < p->events && s->bytes >= (size_t)(s->seen + 1) * FRAMED; s->seen++) {
		uint64_t due = s->asked_ns + 1000 * (first_us(p, s->number) + (uint64_t)s->seen * p->gap_ms * 1000);
		double us = ((double)now - (double)due) / 1000;

		e->early += us < 0;
		e->us[e->count++] = us;
	}
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void load(const struct plan *p, unsigned port)
{
	struct stream *streams = calloc(p->streams, sizeof(*streams));
	struct errors e = { .us = calloc((size_t)p->streams * p->events, sizeof(double)) };
	uint64_t begun = loop_now_ns();
	unsigned open = 0, over = 0;
	int loop = epoll_create1(EPOLL_CLOEXEC);

	if (!streams || !e.us)
		bench_fail("no memory", "for the streams");
	while (over < p->streams) {
		struct epoll_event events[256];
		int n = epoll_wait(loop, events, 256, open < p->streams ? 1 : 1000);

		for (int i = 0; i < n; i++) {
			struct stream *s = events[i].data.ptr;

			take(p, s, &e);
			if (s->over) {
				close(s->fd);
				over++;
			}
		}
		if (open < p->streams && loop_now_ns() - begun >= (uint64_t)open * SPREAD_US * 1000) {
			begin_stream(&streams[open], port, open, loop);
			open++;
		}
	}
	qsort(e.us, e.count, sizeof(*e.us), by_size);
	if (e.count != (size_t)p->streams * p->events)
		bench_fail("events", "are missing");
	printf("%zu\t%.0f\t%.0f\t%.0f\t%zu\n", e.count, e.us[e.count / 2], e.us[e.count * 99 / 100],
	       e.us[e.count - 1], e.early);
}

int main(int argc, char **argv)
{
	struct plan p = { .streams = bench_number(argc, argv, "--streams", 1000),
			  .events = bench_number(argc, argv, "--events", 60),
			  .gap_ms = bench_number(argc, argv, "--gap", 50) };
	int tell[2];
	unsigned port;
	pid_t child;

	loop_allow_many_files();
	p.body = make_body(p.events);
	if (pipe(tell) != 0)
		bench_fail("pipe", strerror(errno));
	child = fork();
	if (child == 0) {
		serve(&p, tell[1]);
		return 0;
	}
	if (child < 0 || read(tell[0], &port, sizeof(port)) != (ssize_t)sizeof(port))
		bench_fail("no server", strerror(errno));
	load(&p, port);
	kill(child, SIGTERM);
	waitpid(child, NULL, 0);
	return 0;
}
