/*
 * Server-sent events: the same events whole and in pieces; and the cutter of whole texts gives the same, but for
 * the id, which is the event's own there. The first byte chooses the pieces, the second the limit.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "base/sse.h"

static void print_event(struct buf *out, const struct sse_event *e)
{
	buf_printf(out, "%d %zu %zu ", e->event.p != NULL, e->event.n, e->data.n);
	buf_add_str(out, e->event);
	buf_add_str(out, e->data);
	buf_add_byte(out, '\n');
}

static bool run(struct str text, size_t piece, size_t limit, struct buf *out)
{
	struct sse_reader s;
	struct sse_event e;
	enum sse_next next;
	bool large = false;

	sse_init(&s, limit);
	for (size_t at = 0; at < text.n; at += piece) {
		size_t n = text.n - at < piece ? text.n - at : piece;
		char *copy = malloc(n); /* exactly as long, so that a sanitizer sees a byte too many */
		struct str bytes = str_of(copy, n);

		FUZZ_CHECK(copy);
		memcpy(copy, text.p + at, n);
		while ((next = sse_push(&s, &bytes, &e)) != SSE_MORE) {
			large |= next == SSE_TOO_LARGE;
			if (next == SSE_EVENT)
				print_event(out, &e);
		}
		FUZZ_CHECK(bytes.n == 0);
		free(copy);
	}
	if (sse_rest(&s, &e))
		print_event(out, &e);
	sse_free(&s);
	return large;
}

static void check_text_cutter(struct str text, const struct buf *want)
{
	struct sse_event e;
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	while (sse_next_in_text(&text, &a, &e))
		print_event(&out, &e);
	FUZZ_CHECK(text.n == 0);
	FUZZ_CHECK(str_eq(buf_str(&out), buf_str(want)));
	buf_free(&out);
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, pieces;
	size_t limit;
	bool large;
	struct str text;

	if (size < 2)
		return 0;
	limit = data[1] & 128 ? 0 : 1u + data[1];
	text = str_of(data + 2, size - 2);
	buf_init(&whole);
	buf_init(&pieces);
	large = run(text, SIZE_MAX - size, limit, &whole);
	FUZZ_CHECK(run(text, 1u + data[0] % 32, limit, &pieces) == large);
	FUZZ_CHECK(str_eq(buf_str(&whole), buf_str(&pieces)));
	/* after the first byte a mark is only skipped by the cutter, which does not know where the text begins */
	if (!large && str_find(text, STR("\xEF\xBB\xBF")) == (size_t)-1)
		check_text_cutter(text, &whole);
	buf_free(&whole);
	buf_free(&pieces);
	return 0;
}
