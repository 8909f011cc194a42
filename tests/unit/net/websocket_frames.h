/* What the tests of WebSockets share: a reader's answers as a text, whole and in pieces. */
#ifndef UNIT_NET_WEBSOCKET_FRAMES_H
#define UNIT_NET_WEBSOCKET_FRAMES_H

#include "harness/test.h"
#include "net/websocket/websocket.h"

struct frames_case {
	enum websocket_side sender;
	size_t limit;
	struct websocket_deflate agreed;
};

/* "text hello;ping x;close 1000 bye;large;!why;" and a "+" when something is not over. */
static inline void frames_read(struct buf *out, const struct frames_case *c, struct str bytes, size_t piece)
{
	static const char *const names[] = { [WEBSOCKET_TEXT] = "text", [WEBSOCKET_BINARY] = "binary", [WEBSOCKET_CLOSE] = "close",
					     [WEBSOCKET_PING] = "ping", [WEBSOCKET_PONG] = "pong" };
	struct websocket_reader *r = websocket_reader_open(c->sender, c->limit ? c->limit : 1 << 20, &c->agreed);
	enum websocket_next next = WEBSOCKET_MORE;
	struct websocket_message m;

	for (size_t at = 0; at < bytes.n && next != WEBSOCKET_BAD; at += piece) {
		struct str left = str_of(bytes.p + at, bytes.n - at < piece ? bytes.n - at : piece);

		while ((next = websocket_next(r, &left, &m)) != WEBSOCKET_MORE && next != WEBSOCKET_BAD) {
			if (next == WEBSOCKET_TOO_LARGE) {
				buf_add_str(out, STR("large;"));
				continue;
			}
			buf_printf(out, "%s ", names[m.kind]);
			if (m.kind == WEBSOCKET_CLOSE)
				buf_printf(out, "%u ", m.code);
			buf_add_str(out, m.bytes);
			buf_add_byte(out, ';');
		}
	}
	if (next == WEBSOCKET_BAD)
		buf_printf(out, "!%u %s", websocket_code(r), websocket_why(r));
	else if (websocket_is_inside(r))
		buf_add_byte(out, '+');
	websocket_reader_close(r);
}

/* The same whole, cut at every byte where that is cheap, and in pieces of some sizes. */
static inline void frames_check(const struct frames_case *c, struct str bytes, struct str want)
{
	static const size_t pieces[] = { SIZE_MAX / 2, 1, 2, 3, 7, 125, 16384, 70000 };
	struct buf got = { 0 };

	for (size_t i = 0; i < COUNT(pieces); i++) {
		if (bytes.n > 100000 && pieces[i] < 100)
			continue;
		buf_clear(&got);
		frames_read(&got, c, bytes, pieces[i]);
		CHECK_STR(buf_str(&got), want);
	}
	buf_free(&got);
}

#endif
