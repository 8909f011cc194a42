/* A tape server on loopback and clients in the same thread. */
#ifndef UNIT_REPLAY_TAPE_STAGE_H
#define UNIT_REPLAY_TAPE_STAGE_H

#include "unit/net/sockets.h"
#include "unit/replay/tape_fake.h"

struct stage {
	uv_loop_t loop;
	struct tape_server *server;
	struct fake *fake;
	struct buf got;
};

static inline struct stage *stage_open(struct fake *f)
{
	struct stage *s = test_alloc(sizeof(*s));

	uv_loop_init(&s->loop);
	s->fake = f;
	s->server = fake_open(f, &s->loop);
	return s;
}

static inline void stage_close(struct stage *s)
{
	tape_server_stop(s->server, false);
	tape_server_stop(s->server, true);
	uv_run(&s->loop, UV_RUN_DEFAULT);
	CHECK_INT(tape_server_count(s->server), 0);
	tape_server_close(s->server);
	CHECK_INT(uv_loop_close(&s->loop), 0);
	buf_free(&s->got);
	buf_free(&s->fake->missed);
}

static inline int stage_ask(struct stage *s, const char *method, const char *target, struct str body, const char *more)
{
	int fd = dial(tape_server_port(s->server));
	struct buf b = { 0 };

	buf_printf(&b, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n", method, target, more, body.n);
	buf_add_str(&b, body);
	say(fd, buf_str(&b));
	buf_free(&b);
	return fd;
}

/* The whole answer, until the connection closes. */
static inline struct str stage_hear(struct stage *s, int fd)
{
	buf_clear(&s->got);
	hear_all(&s->loop, fd, &s->got);
	close(fd);
	return buf_str(&s->got);
}

static inline struct str stage_say(struct stage *s, const char *target, const char *body)
{
	return stage_hear(s, stage_ask(s, "POST", target, str_from(body), ""));
}

/* The body, without chunks: http_reader knows best. *whole: it ended as it should. */
static inline struct str stage_body(struct buf *out, struct str answer, bool *whole)
{
	static const struct http_limits none;
	struct http_reader *r = http_reader_open(HTTP_RESPONSE, &none);
	enum http_next next;
	struct str piece;

	buf_clear(out);
	*whole = false;
	while ((next = http_next(r, &answer, &piece)) != HTTP_MORE && next != HTTP_BAD) {
		buf_add_str(out, piece);
		*whole = *whole || next == HTTP_DONE;
	}
	http_reader_close(r);
	return out->n ? buf_str(out) : STR("");
}

static inline bool contains(struct str text, const char *part)
{
	return str_has(text, str_from(part));
}

#endif
