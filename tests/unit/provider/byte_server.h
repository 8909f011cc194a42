/*
 * A server on the loopback interface that answers every request with the bytes of the test, in pieces, each in a turn of
 * the loop of its own. One answer for each connection.
 */
#ifndef UNIT_PROVIDER_BYTE_SERVER_H
#define UNIT_PROVIDER_BYTE_SERVER_H

#include <stdlib.h>
#include <uv.h>

#include "base/buf.h"
#include "harness/test.h"

struct byte_server {
	uv_loop_t *loop;
	uv_tcp_t listener;
	bool listening;
	struct str bytes;
	size_t piece;    /* bytes for each turn of the loop; 0: all at once */
	bool random;     /* pieces of 1 to `piece` bytes */
	bool stays_open; /* behind the bytes it does not close */
	unsigned nap_ms; /* after each piece the loop, the client's too, is kept busy */
	struct buf got;  /* the newest request */
	struct guest *guests;
};

struct guest {
	uv_tcp_t tcp;
	uv_idle_t turn;
	struct byte_server *server;
	struct guest *next;
	struct buf got;
	size_t at;
	bool answering, closed;
};

static inline void guest_close(struct guest *g)
{
	if (g->closed)
		return;
	g->closed = true;
	uv_close((uv_handle_t *)&g->turn, NULL);
	uv_close((uv_handle_t *)&g->tcp, NULL);
}

static inline void guest_turn(uv_idle_t *h)
{
	struct guest *g = h->data;
	struct byte_server *s = g->server;
	size_t left = s->bytes.n - g->at, n = s->piece ? s->piece : left;
	uv_buf_t out;
	int sent;

	if (s->random && n > 1)
		n = 1 + (size_t)rand() % n;
	n = n < left ? n : left;
	out = uv_buf_init((char *)(uintptr_t)(s->bytes.p + g->at), (unsigned)n);
	sent = n ? uv_try_write((uv_stream_t *)&g->tcp, &out, 1) : 0;
	if (sent > 0)
		g->at += (size_t)sent;
	if (sent > 0 && s->nap_ms)
		uv_sleep(s->nap_ms);
	if (sent < 0 && sent != UV_EAGAIN)
		guest_close(g);
	else if (g->at == s->bytes.n && s->stays_open)
		uv_idle_stop(&g->turn);
	else if (g->at == s->bytes.n)
		guest_close(g);
}

static inline bool is_complete(struct str request)
{
	size_t end = str_find(request, STR("\r\n\r\n")), at = str_find(request, STR("Content-Length: "));

	return end != (size_t)-1 && at != (size_t)-1 && request.n >= end + 4 + (size_t)strtoul(request.p + at + 16, NULL, 10);
}

static inline void guest_room(uv_handle_t *h, size_t wanted, uv_buf_t *out)
{
	struct guest *g = h->data;

	(void)wanted;
	*out = uv_buf_init(buf_reserve(&g->got, 65536), 65536);
}

static inline void guest_read(uv_stream_t *tcp, ssize_t n, const uv_buf_t *b)
{
	struct guest *g = tcp->data;

	(void)b;
	if (n < 0) {
		guest_close(g);
		return;
	}
	g->got.n += (size_t)n;
	if (g->answering || !is_complete(buf_str(&g->got)))
		return;
	g->answering = true;
	buf_clear(&g->server->got);
	buf_add_str(&g->server->got, buf_str(&g->got));
	uv_idle_start(&g->turn, guest_turn);
}

static inline void guest_came(uv_stream_t *listener, int status)
{
	struct byte_server *s = listener->data;
	struct guest *g = test_alloc(sizeof(*g));

	CHECK_INT(status, 0);
	g->server = s;
	g->next = s->guests;
	s->guests = g;
	buf_init(&g->got);
	uv_tcp_init(s->loop, &g->tcp);
	uv_idle_init(s->loop, &g->turn);
	g->tcp.data = g->turn.data = g;
	uv_accept(listener, (uv_stream_t *)&g->tcp);
	uv_tcp_nodelay(&g->tcp, 1);
	uv_read_start((uv_stream_t *)&g->tcp, guest_room, guest_read);
}

/* Gives the port. */
static inline uint16_t byte_server_open(struct byte_server *s, uv_loop_t *loop, struct str bytes, size_t piece)
{
	struct sockaddr_storage name;
	int n = sizeof(name);

	*s = (struct byte_server){ .loop = loop, .bytes = bytes, .piece = piece, .listening = true };
	buf_init(&s->got);
	uv_ip4_addr("127.0.0.1", 0, (struct sockaddr_in *)&name);
	uv_tcp_init(loop, &s->listener);
	s->listener.data = s;
	CHECK_INT(uv_tcp_bind(&s->listener, (struct sockaddr *)&name, 0), 0);
	CHECK_INT(uv_listen((uv_stream_t *)&s->listener, 128, guest_came), 0);
	uv_tcp_getsockname(&s->listener, (struct sockaddr *)&name, &n);
	return ntohs(((struct sockaddr_in *)&name)->sin_port);
}

/* No more connections. */
static inline void byte_server_refuse(struct byte_server *s)
{
	if (s->listening)
		uv_close((uv_handle_t *)&s->listener, NULL);
	s->listening = false;
}

static inline void byte_server_close(struct byte_server *s)
{
	byte_server_refuse(s);
	for (struct guest *g = s->guests; g; g = g->next)
		guest_close(g);
}

/* After the loop has run dry. */
static inline void byte_server_free(struct byte_server *s)
{
	for (struct guest *g = s->guests; g; g = g->next)
		buf_free(&g->got);
	buf_free(&s->got);
}

#endif
