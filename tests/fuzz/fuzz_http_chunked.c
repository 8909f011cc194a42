/*
 * Chunked bodies: the same whole and in pieces; and what is taken, a careless reader (which only looks for hex and for
 * line feeds) takes in the same way, with the same end: nobody behind us can see another message.
 * The first byte chooses the pieces, the second the limits.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "net/http/chunk.h"
#include "net/http/http.h"

static enum http_next run(struct str text, size_t piece, const struct http_limits *limits, struct buf *out, size_t *end)
{
	enum http_next next = HTTP_MORE;
	struct http_chunks c;
	struct str body;

	http_chunks_init(&c);
	*end = 0;
	for (size_t at = 0; at < text.n && next == HTTP_MORE; at += piece) {
		size_t n = text.n - at < piece ? text.n - at : piece;
		char *copy = malloc(n);
		struct str bytes = str_of(copy, n);

		FUZZ_CHECK(copy);
		memcpy(copy, text.p + at, n);
		while ((next = http_chunks_next(&c, limits, &bytes, &body)) == HTTP_BODY)
			buf_add_str(out, body);
		*end += n - bytes.n;
		FUZZ_CHECK(next != HTTP_MORE || bytes.n == 0);
		FUZZ_CHECK(limits->body == 0 || out->n <= limits->body);
		free(copy);
	}
	if (next == HTTP_BAD) {
		FUZZ_CHECK(c.why && (c.status == 400 || c.status == 413 || c.status == 431));
		buf_printf(out, "%d %s", c.status, c.why);
	}
	return next;
}

static void check_carelessly(struct str text, struct str want, size_t end)
{
	struct buf out;
	size_t at = 0, size;

	buf_init(&out);
	do {
		char *after;
		char line[32] = "";
		const char *lf = memchr(text.p + at, '\n', text.n - at);

		FUZZ_CHECK(lf);
		memcpy(line, text.p + at, text.n - at < 31 ? text.n - at : 31);
		size = (size_t)strtoull(line, &after, 16);
		at = (size_t)(lf - text.p) + 1;
		FUZZ_CHECK(after != line && size <= text.n - at);
		buf_add(&out, text.p + at, size);
		at += size ? size + 2 : 0;
	} while (size);
	while (text.p[at] != '\r' && text.p[at] != '\n')
		at = (size_t)((const char *)memchr(text.p + at, '\n', text.n - at) - text.p) + 1;
	FUZZ_CHECK(at + 2 == end);
	FUZZ_CHECK(str_eq(buf_str(&out), want));
	buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_limits limits = { .head = 65536, .headers = 200, .body = 0 };
	struct buf whole, pieces;
	size_t end, end_pieces;
	enum http_next next;
	struct str text;

	if (size < 2)
		return 0;
	if (data[1] & 1)
		limits = (struct http_limits){ .head = 40, .headers = 2, .body = 1u + data[1] };
	text = str_of(data + 2, size - 2);
	buf_init(&whole);
	buf_init(&pieces);
	next = run(text, SIZE_MAX / 2, &limits, &whole, &end);
	FUZZ_CHECK(run(text, 1u + data[0] % 32, &limits, &pieces, &end_pieces) == next);
	FUZZ_CHECK(end == end_pieces);
	FUZZ_CHECK(str_eq(buf_str(&whole), buf_str(&pieces)));
	if (next == HTTP_DONE)
		check_carelessly(text, buf_str(&whole), end);
	buf_free(&whole);
	buf_free(&pieces);
	return 0;
}
