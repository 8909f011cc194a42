/*
 * The bytes of a growing file, as `trackway watch` reads them. The first byte chooses the pieces in which it grows:
 * whole or in pieces, the figures and the counts of skipped lines are the same, and what was read a second time changes
 * no count of events.
 */
#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "watch/lines.h"

#define NOW INT64_C(1800000000000000)

struct outcome {
	struct figures f;
	uint64_t skipped[LINES_SKIPS];
	enum lines_kind kind;
};

/* Gives bytes with exactly what must stand behind them, so that a sanitizer sees a byte too many. */
static size_t take(struct lines *l, struct lines_file *file, struct str bytes)
{
	char *copy = malloc(bytes.n + JSON_PAD);
	size_t used;

	FUZZ_CHECK(copy);
	if (bytes.n)
		memcpy(copy, bytes.p, bytes.n);
	memset(copy + bytes.n, 0, JSON_PAD);
	used = lines_take(l, file, str_of(copy, bytes.n), NOW);
	FUZZ_CHECK(used <= bytes.n && (used == 0 || copy[used - 1] == '\n'));
	free(copy);
	return used;
}

static void grow(struct lines *l, struct lines_file *file, struct str text, size_t piece)
{
	size_t at = 0;

	for (size_t n = 0; n < text.n;) {
		n += text.n - n < piece ? text.n - n : piece;
		at += take(l, file, str_of(text.p + at, n - at));
	}
}

static void run(struct str text, size_t piece, struct outcome *out)
{
	struct lines_file file = { .kind = LINES_UNDECIDED }, again = file;
	struct figures twice;
	struct window window;
	struct lines l;

	window_init(&window, 100);
	lines_init(&l, &window);
	grow(&l, &file, text, piece);
	window_sum(&window, NOW, &out->f);
	memcpy(out->skipped, l.skipped, sizeof(out->skipped));
	out->kind = file.kind;
	FUZZ_CHECK(out->f.events <= 100 && (out->f.ttfts > 0) == !isnan(out->f.ttft_p50));
	grow(&l, &again, text, SIZE_MAX / 2);
	window_sum(&window, NOW, &twice);
	FUZZ_CHECK(twice.events == out->f.events && twice.ttft_count == out->f.ttft_count);
	lines_free(&l);
	window_free(&window);
}

static bool is_same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct outcome whole, pieces;
	struct str text;

	if (size < 1 || size > 65536)
		return 0;
	text = str_of(data + 1, size - 1);
	run(text, SIZE_MAX / 2, &whole);
	run(text, 1u + data[0], &pieces);
	FUZZ_CHECK(whole.f.events == pieces.f.events && whole.f.model_calls == pieces.f.model_calls);
	FUZZ_CHECK(memcmp(whole.f.nodes, pieces.f.nodes, sizeof(whole.f.nodes)) == 0);
	FUZZ_CHECK(is_same(whole.f.ttft_p50, pieces.f.ttft_p50) && is_same(whole.f.stall_ratio, pieces.f.stall_ratio));
	FUZZ_CHECK(memcmp(whole.skipped, pieces.skipped, sizeof(whole.skipped)) == 0 && whole.kind == pieces.kind);
	return 0;
}
