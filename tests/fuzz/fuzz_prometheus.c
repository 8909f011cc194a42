/* Metrics in Prometheus' text format: the same samples whole and in pieces. The first byte chooses the pieces. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

#include "capture/prometheus.h"

static void print_sample(void *context, const struct prometheus_sample *s)
{
	struct buf *out = context;

	FUZZ_CHECK(s->name.n > 0 && s->count <= PROMETHEUS_LABELS_MAX);
	buf_add_str(out, s->name);
	for (size_t i = 0; i < s->count; i++) {
		buf_printf(out, " %zu ", s->labels[i].value.n);
		buf_add_str(out, s->labels[i].name);
		buf_add_str(out, s->labels[i].value);
	}
	buf_printf(out, " %a %d %lld\n", isnan(s->value) ? 0.0 : s->value, s->has_time, (long long)s->time_ms);
}

static uint64_t run(struct str text, size_t piece, struct buf *out)
{
	struct prometheus p;
	uint64_t bad;

	prometheus_init(&p, print_sample, out);
	for (size_t at = 0; at < text.n; at += piece) {
		size_t n = text.n - at < piece ? text.n - at : piece;
		char *copy = malloc(n); /* exactly as long, so that a sanitizer sees a byte too many */

		FUZZ_CHECK(copy);
		memcpy(copy, text.p + at, n);
		prometheus_push(&p, str_of(copy, n));
		free(copy);
	}
	prometheus_end(&p);
	bad = p.bad;
	prometheus_free(&p);
	return bad;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, pieces;
	struct str text;

	if (size < 1)
		return 0;
	text = str_of(data + 1, size - 1);
	buf_init(&whole);
	buf_init(&pieces);
	FUZZ_CHECK(run(text, SIZE_MAX - size, &whole) == run(text, 1u + data[0] % 32, &pieces));
	FUZZ_CHECK(str_eq(buf_str(&whole), buf_str(&pieces)));
	buf_free(&whole);
	buf_free(&pieces);
	return 0;
}
