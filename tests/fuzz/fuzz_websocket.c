/*
 * Frames of one direction of a WebSocket: the same messages, faults and reasons however the bytes are cut, within the
 * limit; and messages that were read can be written and read again. The first byte chooses side and agreement, the
 * second the pieces, the third the limit.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "net/websocket/websocket.h"

#define HEAD 3
#define MOST 65536

struct setting {
	enum websocket_side sender;
	struct websocket_deflate agreed;
	size_t limit;
};

static void note(struct buf *out, const struct setting *s, enum websocket_next next, const struct websocket_message *m)
{
	FUZZ_CHECK(m->bytes.n <= s->limit || m->kind >= WEBSOCKET_CLOSE);
	FUZZ_CHECK(next != WEBSOCKET_CONTROL || (m->kind >= WEBSOCKET_CLOSE && m->bytes.n <= 125));
	buf_printf(out, "%d %d %u %zu ", (int)next, (int)m->kind, m->code, m->bytes.n);
	buf_add_str(out, m->bytes);
}

static void run(struct str bytes, size_t piece, const struct setting *s, struct buf *out, struct buf *again)
{
	struct websocket_reader *r = websocket_reader_open(s->sender, s->limit, &s->agreed);
	struct websocket_writer *w = websocket_writer_open(s->sender, &s->agreed);
	enum websocket_next next = WEBSOCKET_MORE;
	struct websocket_message m;

	for (size_t at = 0; at < bytes.n && next != WEBSOCKET_BAD; at += piece) {
		size_t n = bytes.n - at < piece ? bytes.n - at : piece;
		char *copy = malloc(n);
		struct str left = str_of(copy, n);

		FUZZ_CHECK(copy);
		memcpy(copy, bytes.p + at, n);
		while ((next = websocket_next(r, &left, &m)) != WEBSOCKET_MORE && next != WEBSOCKET_BAD) {
			note(out, s, next, &m);
			if (next == WEBSOCKET_MESSAGE && again)
				websocket_write(w, again, m.kind, m.bytes, 0x5bd1e995);
		}
		FUZZ_CHECK(next != WEBSOCKET_MORE || left.n == 0);
		FUZZ_CHECK(websocket_held(r) < 2 * s->limit + (200 << 10));
		free(copy);
	}
	if (next == WEBSOCKET_BAD)
		buf_printf(out, "bad %u %s", websocket_code(r), websocket_why(r));
	else
		buf_printf(out, "%d", (int)websocket_is_inside(r));
	FUZZ_CHECK((next == WEBSOCKET_BAD) == (websocket_why(r) != NULL));
	websocket_reader_close(r);
	websocket_writer_close(w);
}

/* What was written of the messages reads back as these messages: nothing but them, in their order. */
static void read_again(struct str bytes, const struct setting *s, struct str first)
{
	struct websocket_reader *r = websocket_reader_open(s->sender, s->limit, &s->agreed);
	struct websocket_message m;
	enum websocket_next next;
	struct buf one;

	buf_init(&one);
	while ((next = websocket_next(r, &bytes, &m)) != WEBSOCKET_MORE) {
		FUZZ_CHECK(next == WEBSOCKET_MESSAGE);
		buf_clear(&one);
		note(&one, s, next, &m);
		FUZZ_CHECK(str_has(first, buf_str(&one)));
	}
	FUZZ_CHECK(!websocket_is_inside(r));
	buf_free(&one);
	websocket_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct setting s = { .limit = 1 << 20 };
	struct buf whole = { 0 }, pieces = { 0 }, again = { 0 };
	struct str bytes;

	if (size < HEAD || size > MOST)
		return 0;
	s.sender = data[0] & 1 ? WEBSOCKET_SERVER : WEBSOCKET_CLIENT;
	s.agreed = (struct websocket_deflate){ .on = data[0] & 2, .client_alone = data[0] & 4, .server_alone = data[0] & 8,
					       .server_bits = data[0] & 16 ? 9 : 0, .client_bits = data[0] & 32 ? 10 : 0 };
	if (data[2] & 1)
		s.limit = 1u + data[2];
	bytes = str_of(data + HEAD, size - HEAD);
	run(bytes, SIZE_MAX / 2, &s, &whole, &again);
	run(bytes, 1u + data[1] % 64, &s, &pieces, NULL);
	if (!str_eq(buf_str(&whole), buf_str(&pieces)))
		fprintf(stderr, "whole:  %.*s\npieces: %.*s\n", (int)whole.n, whole.p, (int)pieces.n, pieces.p);
	FUZZ_CHECK(str_eq(buf_str(&whole), buf_str(&pieces)));
	read_again(buf_str(&again), &s, buf_str(&whole));
	buf_free(&whole);
	buf_free(&pieces);
	buf_free(&again);
	return 0;
}
