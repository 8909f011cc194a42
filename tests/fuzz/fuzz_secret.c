/*
 * Any text through the scanner for keys, the masks and the judgements about text: what is found lies within the
 * text and in order, lines scanned together give what each gives alone, and what is masked holds no key.
 */
#include <string.h>

#include "base/crypto/secret.h"
#include "base/mask.h"
#include "dialect/record/leak.h"
#include "fuzz.h"

#define LINES 64

static void check_hits(struct str text, struct secret_hits hits)
{
	for (size_t i = 0; i < hits.count; i++) {
		const struct secret_hit *h = &hits.list[i];

		FUZZ_CHECK(h->length > 0 && h->at <= text.n && h->length <= text.n - h->at);
		FUZZ_CHECK(h->rule >= secret_rules && h->rule < secret_rules + secret_rules_count);
		FUZZ_CHECK(i == 0 || hits.list[i - 1].at <= h->at);
	}
}

/* Up to LINES texts, the last one with whatever is left. */
static void check_many(struct secret_scanner *s, struct str text)
{
	size_t ends[LINES], found[LINES] = { 0 }, count = 0, from = 0;
	struct secret_hits hits;

	while (count + 1 < LINES) {
		const char *end = memchr(text.p + from, '\n', text.n - from);

		if (!end)
			break;
		ends[count] = (size_t)(end - text.p);
		from = ends[count++] + 1;
	}
	ends[count++] = text.n;
	hits = secret_scan_many(s, text, ends, count);
	check_hits(text, hits);
	for (size_t i = 0, at = 0; i < hits.count; i++) {
		while (ends[at] <= hits.list[i].at)
			at++;
		FUZZ_CHECK(hits.list[i].at + hits.list[i].length <= ends[at]);
		found[at]++;
	}
	for (size_t i = 0; i < count; i++) {
		size_t begin = i ? ends[i - 1] + 1 : 0;

		FUZZ_CHECK(secret_scan(s, str_of(text.p + begin, ends[i] - begin)).count == found[i]);
	}
}

static void check_masks(struct secret_scanner *s, struct str text)
{
	size_t mark = text.n / 2, length = text.n / 3;
	struct buf out;

	buf_init(&out);
	mask_text(&out, text, 0, NULL, NULL);
	FUZZ_CHECK(!secret_find(s, buf_str(&out), NULL));
	buf_clear(&out);
	mask_text(&out, text, MASK_CUT | MASK_BEGUN | MASK_POINTER, &mark, &length);
	FUZZ_CHECK(mark <= out.n && length <= out.n - mark);
	buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of(size ? data : (const uint8_t *)"", size);
	struct err err;
	struct secret_scanner *s = secret_scanner_open(&err);
	const char *what = NULL;
	size_t at = 0, n = 0;

	FUZZ_CHECK(s != NULL);
	check_hits(text, secret_scan(s, text));
	check_many(s, text);
	check_masks(s, text);
	secret_scanner_close(s);
	if (leak_has_path(text, &at, &n))
		FUZZ_CHECK(n > 0 && at <= size && n <= size - at);
	if (leak_error_text(text, &what))
		FUZZ_CHECK(what != NULL);
	(void)leak_url_credentials(text);
	(void)leak_has_environment(text);
	(void)leak_is_prose(text);
	(void)leak_is_blocked_name(text);
	(void)leak_has_arguments(text);
	return 0;
}
