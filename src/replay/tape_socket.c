/* Frames in, one answer at a time out; messages that come meanwhile wait. */
#include "replay/tape_socket.h"

#include "base/clock.h"
#include "capture/socket.h"
#include "replay/tape_give.h"
#include "replay/tape_miss.h"

#define SOCKET_WAITING 64 /* messages that wait for their turn */
#define SOCKET_GATHERED ((size_t)16 << 10) /* bytes that go out together when nothing is to be waited for */

struct tape_socket {
	struct tape_visitor visitor; /* first */
	struct tape_give give;
	struct tape_host *host;
	struct request *q; /* NULL when it is gone */
	struct websocket_reader *reader;
	struct websocket_writer *writer;
	struct buf waiting[SOCKET_WAITING];
	size_t waiting_count;
	struct arena own;
	struct match_question asked; /* of the socket; texts are in `own` */
	struct player_pace pace;
	struct buf out;
	/* the answer at hand */
	struct arena arena;
	const struct tape_line *line; /* NULL: none */
	bool is_busy, is_slow, is_closing, is_lingering;
};

bool tape_socket_is_asked(const struct http_head *h)
{
	return websocket_is_asked(h) && str_eq(h->method, STR("GET")) && http_find(h, STR("sec-websocket-key")).n;
}

static void tape_socket_free(struct tape_socket *s)
{
	tape_give_stop(&s->give);
	websocket_reader_close(s->reader);
	websocket_writer_close(s->writer);
	for (size_t i = 0; i < SOCKET_WAITING; i++)
		buf_free(&s->waiting[i]);
	arena_free(&s->arena);
	arena_free(&s->own);
	buf_free(&s->out);
	tape_host_leave(s->host);
	mem_free(s);
}

/* ---- sending ---- */

static void tape_socket_flush(struct tape_socket *s)
{
	if (s->q && s->out.n)
		s->is_slow = !request_write(s->q, buf_str(&s->out));
	buf_clear(&s->out);
}

/* A close, and no more. */
static void tape_socket_hang_up(struct tape_socket *s, unsigned code, struct str reason)
{
	s->is_closing = true;
	websocket_write_close(s->writer, &s->out, code, reason, 0);
	tape_socket_flush(s);
	if (s->q)
		request_finish(s->q);
}

static void tape_socket_say(struct tape_socket *s, struct str message)
{
	websocket_write(s->writer, &s->out, WEBSOCKET_TEXT, message, 0);
}

/* The recorded answer went no further: it was whole, or the connection ended there. */
static void tape_socket_end_answer(struct tape_socket *s)
{
	const struct tape_http *h = &s->line->http;

	tape_socket_flush(s);
	if (h->end == TAPE_CLIENT_LEFT) {
		s->is_lingering = true;
		alarms_set(s->host->alarms, &s->give.alarm, tape_host_patience(s->host));
		return;
	}
	if ((h->end != TAPE_EOF || h->answer.lost) && s->q)
		request_abort(s->q);
	s->line = NULL;
	arena_reset(&s->arena);
}

/* Until something is to be waited for: time, a slow client, the end of the answer. */
static void tape_socket_give(struct tape_socket *s)
{
	struct str piece;

	while (s->q && !s->is_slow) {
		switch (tape_give_next(&s->give, &piece)) {
		case TAPE_GIVE_LATER:
			tape_socket_flush(s);
			return;
		case TAPE_GIVE_PIECE:
			tape_socket_say(s, tape_message_of(piece));
			break;
		case TAPE_GIVE_END:
			tape_socket_end_answer(s);
			return;
		}
		if (s->out.n >= SOCKET_GATHERED)
			tape_socket_flush(s);
	}
}

/* ---- questions ---- */

static void tape_socket_miss(struct tape_socket *s, struct str why)
{
	struct buf b;

	buf_init(&b);
	tape_miss_add_event(&b, why);
	tape_socket_say(s, buf_str(&b));
	buf_free(&b);
	tape_socket_flush(s);
	arena_reset(&s->arena);
}

static void tape_socket_ask(struct tape_socket *s, struct str body)
{
	struct match_question q = { .lane = s->asked.lane, .method = STR("POST"), .target = s->asked.target,
				    .body = body };
	struct str answer, why = STR("");

	if (!tape_host_ask(s->host, &s->arena, &q, &s->line, &answer, &why)) {
		s->line = NULL;
		tape_socket_miss(s, why);
		return;
	}
	tape_give_begin(&s->give, s->host->alarms, clock_mono_ns(), s->line, answer, TAPE_MESSAGES, &s->pace);
}

/* The recorder did not tell of what is no request, and whatever was said to it stands in no answer. */
static void tape_socket_take_turn(struct tape_socket *s, struct str message)
{
	struct answer_parser *p = &s->host->messages;
	struct val v, body = VAL_NONE;

	if (answer_parse(p, message, &v))
		body = socket_find_request(v);
	if (!val_is_none(body))
		tape_socket_ask(s, val_source(body));
	answer_parse_end(p);
}

/* Goes on with whatever can go on. While `is_busy` the request may be told as gone: it is let go at the end. */
static void tape_socket_pump(struct tape_socket *s)
{
	if (s->is_busy)
		return;
	s->is_busy = true;
	while (s->q && !s->is_slow && !s->is_closing && !s->is_lingering) {
		if (s->line) {
			tape_socket_give(s);
			if (s->line)
				break;
			continue;
		}
		if (!s->waiting_count)
			break;
		tape_socket_take_turn(s, buf_str(&s->waiting[0]));
		buf_free(&s->waiting[0]);
		s->waiting_count--;
		memmove(s->waiting, s->waiting + 1, s->waiting_count * sizeof(s->waiting[0]));
		buf_init(&s->waiting[s->waiting_count]);
	}
	s->is_busy = false;
	if (!s->q)
		tape_socket_free(s);
}

static void tape_socket_ring(struct alarm *a)
{
	struct tape_socket *s = (struct tape_socket *)((uintptr_t)a - offsetof(struct tape_socket, give.alarm));

	if (s->is_lingering && s->q) {
		s->is_busy = true;
		request_abort(s->q);
		s->is_busy = false;
	}
	tape_socket_pump(s);
}

/* ---- what the client says ---- */

static void tape_socket_take(struct tape_socket *s, const struct websocket_message *m)
{
	if (m->kind == WEBSOCKET_PING) {
		websocket_write(s->writer, &s->out, WEBSOCKET_PONG, m->bytes, 0);
		tape_socket_flush(s);
	} else if (m->kind == WEBSOCKET_CLOSE) {
		tape_socket_hang_up(s, m->code == 1005 ? 1000 : m->code, STR(""));
	} else if (m->kind == WEBSOCKET_TEXT || m->kind == WEBSOCKET_BINARY) {
		if (s->waiting_count == SOCKET_WAITING)
			tape_socket_hang_up(s, 1008, STR("too many requests at once"));
		else
			buf_add_str(&s->waiting[s->waiting_count++], m->bytes);
	}
}

static void tape_socket_refuse(struct tape_socket *s, unsigned code, const char *why)
{
	tape_host_note(s->host, &s->asked, why);
	tape_socket_hang_up(s, code, str_from(why));
}

static void tape_socket_body(struct request *q, struct str bytes)
{
	struct tape_socket *s = q->own;
	struct websocket_message m;
	enum websocket_next next;
	bool was_busy = s->is_busy; /* bytes behind the handshake come from inside its answer */

	if (s->is_closing)
		return;
	s->is_busy = true;
	while (s->q && !s->is_closing && (next = websocket_next(s->reader, &bytes, &m)) != WEBSOCKET_MORE) {
		if (next == WEBSOCKET_BAD)
			tape_socket_refuse(s, websocket_code(s->reader), websocket_why(s->reader));
		else if (next == WEBSOCKET_TOO_LARGE)
			tape_socket_refuse(s, 1009, "a message is too large");
		else
			tape_socket_take(s, &m);
	}
	s->is_busy = was_busy;
	tape_socket_pump(s);
}

static void tape_socket_end(struct request *q)
{
	(void)q; /* a socket has no end but its connection's */
}

static void tape_socket_drain(struct request *q)
{
	struct tape_socket *s = q->own;

	s->is_slow = false;
	tape_socket_pump(s);
}

static void tape_socket_gone(struct request *q, bool whole)
{
	struct tape_socket *s = q->own;

	(void)whole;
	s->q = NULL;
	tape_give_stop(&s->give);
	tape_socket_pump(s);
}

static const struct server_ops tape_socket_ops = {
	.body = tape_socket_body,
	.end = tape_socket_end,
	.drain = tape_socket_drain,
	.gone = tape_socket_gone,
};

/* ---- the handshake ---- */

static void tape_socket_accept(struct tape_socket *s)
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
	s->reader = websocket_reader_open(WEBSOCKET_CLIENT, TAPE_BODY_MOST, &agreed);
	s->writer = websocket_writer_open(WEBSOCKET_SERVER, &agreed);
	request_respond(s->q, 101, headers, agreed.on ? 3 : 2, HTTP_NONE, 0);
	buf_free(&accept);
	buf_free(&extensions);
}

/* However answers are cut, a message is a message. */
void tape_socket_begin(struct tape_host *host, struct request *q, const struct match_question *asked)
{
	struct tape_socket *s = mem_alloc(sizeof(*s));

	*s = (struct tape_socket){ .visitor = { &tape_socket_ops }, .host = host, .q = q,
				   .pace = { .chunking = CHUNKS_EVENT, .speed = host->o.pace->speed } };
	arena_init_small(&s->own);
	arena_init_small(&s->arena);
	s->asked.lane = arena_copy(&s->own, asked->lane);
	s->asked.target = arena_copy(&s->own, asked->target);
	s->give.alarm.ring = tape_socket_ring;
	s->give.alarms = host->alarms;
	tape_host_enter(host);
	q->own = s;
	s->is_busy = true;
	tape_socket_accept(s);
	s->is_busy = false;
	tape_socket_pump(s);
}
