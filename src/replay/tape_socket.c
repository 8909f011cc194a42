/* Frames in, one answer at a time out; messages that come meanwhile wait. */
#include "replay/tape_socket.h"

#include "base/clock.h"
#include "capture/socket.h"
#include "net/server/socket.h"
#include "replay/tape_give.h"
#include "replay/tape_miss.h"

#define SOCKET_GATHERED ((size_t)16 << 10) /* bytes that go out together when nothing is to be waited for */

struct tape_socket {
	struct tape_visitor visitor; /* first */
	struct tape_give give;
	struct tape_host *host;
	struct server_socket talk;
	struct arena own;
	struct match_question asked; /* of the socket; texts are in `own` */
	struct player_pace pace;
	/* the answer at hand */
	struct arena arena;
	const struct tape_line *line; /* NULL: none */
	bool is_busy, is_lingering;
};

bool tape_socket_is_asked(const struct http_head *h)
{
	return websocket_is_asked(h) && str_eq(h->method, STR("GET")) && http_find(h, STR("sec-websocket-key")).n;
}

static void tape_socket_free(struct tape_socket *s)
{
	tape_give_stop(&s->give);
	server_socket_free(&s->talk);
	arena_free(&s->arena);
	arena_free(&s->own);
	tape_host_leave(s->host);
	mem_free(s);
}

/* ---- sending ---- */

/* The recorded answer went no further: it was whole, or the connection ended there. */
static void tape_socket_end_answer(struct tape_socket *s)
{
	const struct tape_http *h = &s->line->http;

	server_socket_flush(&s->talk);
	if (h->end == TAPE_CLIENT_LEFT) {
		s->is_lingering = true;
		alarms_set(s->host->alarms, &s->give.alarm, tape_host_patience(s->host));
		return;
	}
	if ((h->end != TAPE_EOF || h->answer.lost) && s->talk.q)
		request_abort(s->talk.q);
	s->line = NULL;
	arena_reset(&s->arena);
}

/* Until something is to be waited for: time, a slow client, the end of the answer. */
static void tape_socket_give(struct tape_socket *s)
{
	struct str piece;

	while (s->talk.q && !s->talk.is_slow) {
		switch (tape_give_next(&s->give, &piece)) {
		case TAPE_GIVE_LATER:
			server_socket_flush(&s->talk);
			return;
		case TAPE_GIVE_PIECE:
			server_socket_say(&s->talk, tape_message_of(piece));
			break;
		case TAPE_GIVE_END:
			tape_socket_end_answer(s);
			return;
		}
		if (s->talk.out.n >= SOCKET_GATHERED)
			server_socket_flush(&s->talk);
	}
}

/* ---- questions ---- */

static void tape_socket_miss(struct tape_socket *s, struct str why)
{
	struct buf b;

	buf_init(&b);
	tape_miss_add_event(&b, why);
	server_socket_say(&s->talk, buf_str(&b));
	buf_free(&b);
	server_socket_flush(&s->talk);
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
	struct buf message;

	if (s->is_busy)
		return;
	s->is_busy = true;
	buf_init(&message);
	while (s->talk.q && !s->talk.is_slow && !s->talk.is_closing && !s->is_lingering) {
		if (s->line) {
			tape_socket_give(s);
			if (s->line)
				break;
			continue;
		}
		if (!server_socket_next(&s->talk, &message))
			break;
		tape_socket_take_turn(s, buf_str(&message));
	}
	buf_free(&message);
	s->is_busy = false;
	if (!s->talk.q)
		tape_socket_free(s);
}

static void tape_socket_ring(struct alarm *a)
{
	struct tape_socket *s = (struct tape_socket *)((uintptr_t)a - offsetof(struct tape_socket, give.alarm));

	if (s->is_lingering && s->talk.q) {
		s->is_busy = true;
		request_abort(s->talk.q);
		s->is_busy = false;
	}
	tape_socket_pump(s);
}

/* ---- what the client says ---- */

static void tape_socket_body(struct request *q, struct str bytes)
{
	struct tape_socket *s = q->own;
	const char *why;
	bool was_busy = s->is_busy; /* bytes behind the handshake come from inside its answer */

	if (s->talk.is_closing)
		return;
	s->is_busy = true;
	if (!server_socket_hear(&s->talk, bytes, &why))
		tape_host_note(s->host, &s->asked, why);
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

	s->talk.is_slow = false;
	tape_socket_pump(s);
}

static void tape_socket_gone(struct request *q, bool whole)
{
	struct tape_socket *s = q->own;

	(void)whole;
	s->talk.q = NULL;
	tape_give_stop(&s->give);
	tape_socket_pump(s);
}

static const struct server_ops tape_socket_ops = {
	.body = tape_socket_body,
	.end = tape_socket_end,
	.drain = tape_socket_drain,
	.gone = tape_socket_gone,
};

/* However answers are cut, a message is a message. */
void tape_socket_begin(struct tape_host *host, struct request *q, const struct match_question *asked)
{
	struct tape_socket *s = mem_alloc(sizeof(*s));

	*s = (struct tape_socket){ .visitor = { &tape_socket_ops }, .host = host, .talk.q = q,
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
	server_socket_accept(&s->talk, TAPE_BODY_MOST);
	s->is_busy = false;
	tape_socket_pump(s);
}
