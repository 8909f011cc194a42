/* Handshake, frames and the queue of a WebSocket's server side. */
#include "net/server/socket.h"

#include <string.h>

void server_socket_accept(struct server_socket *s, size_t most)
{
	struct http_header headers[3] = { { STR("Upgrade"), STR("websocket") } };
	const struct http_head *h = s->q->head;
	struct websocket_deflate agreed;
	struct buf accept, extensions;

	buf_init(&accept);
	buf_init(&extensions);
	websocket_choose(h, &agreed);
	websocket_add_accept(&accept, http_find(h, STR("sec-websocket-key")));
	websocket_add_extensions(&extensions, &agreed);
	headers[1] = (struct http_header){ STR("Sec-WebSocket-Accept"), buf_str(&accept) };
	headers[2] = (struct http_header){ STR("Sec-WebSocket-Extensions"), buf_str(&extensions) };
	s->reader = websocket_reader_open(WEBSOCKET_CLIENT, most, &agreed);
	s->writer = websocket_writer_open(WEBSOCKET_SERVER, &agreed);
	request_respond(s->q, 101, headers, agreed.on ? 3 : 2, HTTP_NONE, 0);
	buf_free(&accept);
	buf_free(&extensions);
}

void server_socket_free(struct server_socket *s)
{
	websocket_reader_close(s->reader);
	websocket_writer_close(s->writer);
	for (size_t i = 0; i < s->waiting_count; i++)
		buf_free(&s->waiting[i]);
	buf_free(&s->out);
}

/* ---- sending ---- */

bool server_socket_flush(struct server_socket *s)
{
	if (s->q && s->out.n)
		s->is_slow = !request_write(s->q, buf_str(&s->out));
	buf_clear(&s->out);
	return s->q && !s->is_slow;
}

void server_socket_say(struct server_socket *s, struct str text)
{
	websocket_write(s->writer, &s->out, WEBSOCKET_TEXT, text, 0);
}

void server_socket_hang_up(struct server_socket *s, unsigned code, struct str reason)
{
	s->is_closing = true;
	websocket_write_close(s->writer, &s->out, code, reason, 0);
	server_socket_flush(s);
	if (s->q)
		request_finish(s->q);
}

/* ---- hearing ---- */

static bool server_socket_refuse(struct server_socket *s, unsigned code, const char **why)
{
	server_socket_hang_up(s, code, str_from(*why));
	return false;
}

static bool server_socket_take(struct server_socket *s, const struct websocket_message *m, const char **why)
{
	if (m->kind == WEBSOCKET_PING) {
		websocket_write(s->writer, &s->out, WEBSOCKET_PONG, m->bytes, 0);
		server_socket_flush(s);
	} else if (m->kind == WEBSOCKET_CLOSE) {
		server_socket_hang_up(s, m->code == 1005 ? 1000 : m->code, STR(""));
	} else if (m->kind == WEBSOCKET_TEXT || m->kind == WEBSOCKET_BINARY) {
		struct buf *last = &s->waiting[s->waiting_count];

		*why = "too many requests at once";
		if (s->waiting_count == SERVER_SOCKET_WAITING)
			return server_socket_refuse(s, 1008, why);
		s->waiting_count++;
		buf_init(last);
		buf_add_str(last, m->bytes);
	}
	return true;
}

bool server_socket_hear(struct server_socket *s, struct str bytes, const char **why)
{
	struct websocket_message m;
	enum websocket_next next;

	while (s->q && !s->is_closing && (next = websocket_next(s->reader, &bytes, &m)) != WEBSOCKET_MORE) {
		if (next == WEBSOCKET_BAD) {
			*why = websocket_why(s->reader);
			return server_socket_refuse(s, websocket_code(s->reader), why);
		}
		if (next == WEBSOCKET_TOO_LARGE) {
			*why = "the message is too large";
			return server_socket_refuse(s, 1009, why);
		}
		if (!server_socket_take(s, &m, why))
			return false;
	}
	return true;
}

bool server_socket_next(struct server_socket *s, struct buf *out)
{
	if (!s->waiting_count)
		return false;
	buf_free(out);
	*out = s->waiting[0];
	s->waiting_count--;
	memmove(s->waiting, s->waiting + 1, s->waiting_count * sizeof(s->waiting[0]));
	return true;
}
