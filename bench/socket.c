/*
 * Both ends of WebSockets that a proxy passes on:
 *
 *	socket serve PORT [--events N] [--packed 1]    answers each message with N events of the Responses API
 *	socket load PORT PATH [--sockets N] [--events N] [--milliseconds MS]
 *
 * load opens the sockets and asks on each of them, one request after the other. It prints, separated by tabs: messages
 * per second in both directions, requests, and the 50th and 99th percentile of a turn in milliseconds.
 */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "common.h"
#include "loop.h"

#define ROOM 65536
#define READY 256
#define TURNS_MOST (1 << 22)

/* Bytes that are made once. */
struct block {
	char *bytes;
	size_t n, cap;
};

static void add(struct block *b, const void *p, size_t n)
{
	if (b->n + n > b->cap) {
		b->cap = 2 * (b->n + n);
		b->bytes = realloc(b->bytes, b->cap);
		if (!b->bytes)
			bench_fail("socket", "no memory");
	}
	memcpy(b->bytes + b->n, p, n);
	b->n += n;
}

/* A text frame. A client's has a mask of zeros, which changes nothing. */
static void add_frame(struct block *b, const char *text, size_t n, int first, int masked)
{
	unsigned char head[8] = { (unsigned char)first, (unsigned char)((masked ? 128 : 0) | (n < 126 ? n : 126)) };
	size_t size = n < 126 ? 2 : 4;

	if (size == 4)
		head[2] = (unsigned char)(n >> 8), head[3] = (unsigned char)n;
	add(b, head, size + (masked ? 4 : 0));
	add(b, text, n);
}

static void add_event(struct block *b, const char *text, int packed)
{
	unsigned char out[ROOM];
	z_stream z = { .zalloc = NULL };

	if (!packed) {
		add_frame(b, text, strlen(text), 0x81, 0);
		return;
	}
	deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
	z.next_in = (unsigned char *)(uintptr_t)text;
	z.avail_in = (unsigned)strlen(text);
	z.next_out = out;
	z.avail_out = sizeof(out);
	deflate(&z, Z_SYNC_FLUSH);
	add_frame(b, (char *)out, sizeof(out) - z.avail_out - 4, 0xc1, 0);
	deflateEnd(&z);
}

static struct block make_answer(unsigned events, int packed)
{
	struct block b = { NULL, 0, 0 };
	char text[400];

	add_event(&b,
		  "{\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"resp_1\","
		  "\"object\":\"response\",\"status\":\"in_progress\",\"model\":\"bench\",\"output\":[]}}", packed);
	for (unsigned i = 0; i + 2 < events; i++) {
		snprintf(text, sizeof(text),
			 "{\"type\":\"response.output_text.delta\",\"sequence_number\":%u,\"item_id\":\"msg_1\","
			 "\"output_index\":0,\"content_index\":0,\"delta\":\"word \",\"logprobs\":[]}", i + 1);
		add_event(&b, text, packed);
	}
	add_event(&b,
		  "{\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"object\":\"response\","
		  "\"status\":\"completed\",\"model\":\"bench\",\"output\":[],\"usage\":{\"input_tokens\":9,"
		  "\"output_tokens\":9,\"total_tokens\":18}}}",
		  packed);
	return b;
}

static void send_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);
		struct pollfd ready = { .fd = fd, .events = POLLOUT };

		if (sent < 0 && errno != EAGAIN)
			return; /* the reader will see it */
		if (sent < 0)
			poll(&ready, 1, -1);
		else
			p += sent, n -= (size_t)sent;
	}
}

/* Where a connection is: in a head, or in frames. */
struct conn {
	int fd;
	int open;              /* the handshake is over */
	char head[4096];
	size_t head_count;
	unsigned char frame[14];
	size_t frame_count;
	uint64_t left;         /* of a payload */
	unsigned frames;       /* that came whole since they were last counted */
	uint64_t begun_ns;
};

/* Takes bytes of frames and counts those that are whole. */
static void take_frames(struct conn *c, const char *p, size_t n)
{
	while (n > 0) {
		size_t size = 2;

		if (c->left) {
			size_t part = c->left < n ? (size_t)c->left : n;

			c->left -= part, p += part, n -= part;
			c->frames += c->left == 0;
			continue;
		}
		c->frame[c->frame_count++] = (unsigned char)*p++, n--;
		if (c->frame_count >= 2)
			size += ((c->frame[1] & 127) == 126 ? 2u : 0u) + (c->frame[1] & 128 ? 4u : 0u);
		if (c->frame_count < size)
			continue;
		c->left = (c->frame[1] & 127) == 126 ? (uint64_t)c->frame[2] << 8 | c->frame[3] : c->frame[1] & 127;
		c->frame_count = 0;
		c->frames += c->left == 0;
	}
}

/* The end of a head in what came; what stands behind it are frames. */
static int take_head(struct conn *c, const char *p, size_t n)
{
	char *end;

	if (c->head_count + n >= sizeof(c->head))
		bench_fail("socket", "a head is too long");
	memcpy(c->head + c->head_count, p, n);
	c->head_count += n;
	c->head[c->head_count] = '\0';
	end = strstr(c->head, "\r\n\r\n");
	if (!end)
		return 0;
	c->open = 1;
	take_frames(c, end + 4, c->head_count - (size_t)(end + 4 - c->head));
	return 1;
}

_Noreturn static void serve(int argc, char **argv)
{
	unsigned port = (unsigned)atoi(argv[2]), packed = bench_number(argc, argv, "--packed", 0);
	struct block answer = make_answer(bench_number(argc, argv, "--events", 50), (int)packed);
	char accept[300], room[ROOM];
	int listener = loop_listen(port), loop = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event ready[READY];

	snprintf(accept, sizeof(accept),
		 "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
		 "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n%s\r\n",
		 packed ? "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n" : "");
	loop_watch(loop, listener, NULL);
	for (;;) {
		int count = epoll_wait(loop, ready, READY, -1);

		for (int i = 0; i < count; i++) {
			struct conn *c = ready[i].data.ptr;
			ssize_t n;

			if (!c) {
				c = calloc(1, sizeof(*c));
				if (!c || (c->fd = loop_accept(listener)) < 0)
					free(c);
				else
					loop_watch(loop, c->fd, c);
				continue;
			}
			n = read(c->fd, room, sizeof(room));
			if (n <= 0) {
				if (n < 0 && errno == EAGAIN)
					continue;
				close(c->fd);
				free(c);
				continue;
			}
			if (c->open)
				take_frames(c, room, (size_t)n);
			else if (take_head(c, room, (size_t)n))
				send_all(c->fd, accept, strlen(accept));
			for (; c->frames; c->frames--)
				send_all(c->fd, answer.bytes, answer.n);
		}
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct load {
	struct block request;
	unsigned events;
	double *turns;
	size_t count;
};

static void ask(struct load *l, struct conn *c)
{
	c->begun_ns = loop_now_ns();
	send_all(c->fd, l->request.bytes, l->request.n);
}

/* Reads what is there; a turn that is over is noted, and the next one begins. */
static void follow(struct load *l, struct conn *c)
{
	static char room[ROOM];
	ssize_t n = recv(c->fd, room, sizeof(room), MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0)
		bench_fail("socket", "the other side closed a socket");
	if (c->open)
		take_frames(c, room, (size_t)n);
	else if (take_head(c, room, (size_t)n)) {
		if (strncmp(c->head, "HTTP/1.1 101", 12) != 0)
			bench_fail("socket", "no socket was opened");
		ask(l, c);
	}
	if (c->frames < l->events)
		return;
	c->frames -= l->events;
	if (l->count < TURNS_MOST)
		l->turns[l->count++] = (double)(loop_now_ns() - c->begun_ns) / 1e6;
	ask(l, c);
}

static int load(int argc, char **argv)
{
	static const char message[] = "{\"type\":\"response.create\",\"model\":\"bench\",\"stream\":true,"
				      "\"input\":[{\"role\":\"user\",\"content\":\"say a few words\"}]}";
	unsigned port = (unsigned)atoi(argv[2]), sockets = bench_number(argc, argv, "--sockets", 32);
	uint64_t ns = (uint64_t)bench_number(argc, argv, "--milliseconds", 2000) * 1000000, begun, end;
	struct load l = { .events = bench_number(argc, argv, "--events", 50),
			  .turns = calloc(TURNS_MOST, sizeof(double)) };
	int loop = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event ready[READY];
	char head[600];

	add_frame(&l.request, message, strlen(message), 0x81, 1);
	snprintf(head, sizeof(head),
		 "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
		 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
		 "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n", argv[3], port);
	for (unsigned i = 0; i < sockets; i++) {
		struct conn *c = calloc(1, sizeof(*c));

		if (!c || !l.turns)
			bench_fail("socket", "no memory");
		c->fd = loop_connect(port);
		loop_watch(loop, c->fd, c);
		send_all(c->fd, head, strlen(head));
	}
	for (begun = end = loop_now_ns(); end - begun < ns; end = loop_now_ns()) {
		int count = epoll_wait(loop, ready, READY, 100);

		for (int i = 0; i < count; i++)
			follow(&l, ready[i].data.ptr);
	}
	if (l.count == 0)
		bench_fail("socket", "nothing was answered");
	qsort(l.turns, l.count, sizeof(l.turns[0]), compare);
	printf("%.0f\t%zu\t%.3f\t%.3f\n", (double)l.count * (l.events + 1) / ((double)(end - begun) / 1e9), l.count,
	       l.turns[l.count / 2], l.turns[l.count * 99 / 100]);
	return 0;
}

int main(int argc, char **argv)
{
	loop_allow_many_files();
	if (argc >= 3 && strcmp(argv[1], "serve") == 0)
		serve(argc, argv);
	if (argc >= 4 && strcmp(argv[1], "load") == 0)
		return load(argc, argv);
	fprintf(stderr, "usage: socket serve PORT | load PORT PATH\n");
	return 2;
}
