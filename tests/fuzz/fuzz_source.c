/*
 * Hostile bytes through the whole of source/: recognising, unpacking, cutting into lines, limits.
 * However they are cut on their way in, the same must come out, failures and their words included.
 *
 * The first four bytes of an input choose shape and packing, chunk size, record limit and the cuts;
 * the rest is the stored part, or, where a packing is chosen, what is packed into it first.
 */
#include "fuzz/fuzz.h"
#include "unit/source/feed.h"
#include "unit/source/pack.h"

#define HEAD 4
#define MOST ((size_t)1 << 16) /* of the output: a few bytes of zstd can stand for gigabytes */

static void check_way(struct str stored, struct feed feed, struct source_options options, struct buf *out)
{
	struct memory_file file = { STR("x"), stored };
	struct source_io io = feed_io(&feed, &file, 1);
	struct source *s;
	struct arena a;
	struct err err;
	const char *fault;

	buf_init(out);
	arena_init(&a);
	options.io = &io;
	s = source_open(&a, &file.path, 1, options, &err);
	FUZZ_CHECK(s);
	fault = feed_write(s, out, MOST);
	if (fault)
		fprintf(stderr, "expected that %s\n", fault);
	FUZZ_CHECK(!fault);
	source_close(s);
	FUZZ_CHECK(feed.opens == 1 && feed.closes == 1);
	arena_free(&a);
}

/* Both may have stopped at MOST, at different places behind it. */
static bool agree(const struct buf *a, const struct buf *b)
{
	size_t shorter = a->n < b->n ? a->n : b->n;

	return (a->n == b->n || shorter >= MOST) && memcmp(a->p, b->p, shorter) == 0;
}

static bool is_packed(struct str s)
{
	return s.n >= 2 && (memcmp(s.p, "\x1f\x8b", 2) == 0 || (s.n >= 4 && (memcmp(s.p, "\x28\xb5\x2f\xfd", 4) == 0 ||
	       memcmp(s.p + 1, "\x2a\x4d\x18", 3) == 0)));
}

static void check_content(struct str meant, const struct buf *out)
{
	struct buf want;

	buf_init(&want);
	buf_printf(&want, "<x>");
	buf_add_str(&want, meant);
	buf_printf(&want, "</>");
	FUZZ_CHECK(agree(out, &want));
	buf_free(&want);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source_options options;
	struct str meant;
	struct buf packed, whole, other;
	int packing;

	if (size < HEAD)
		return 0;
	meant = str_of(data + HEAD, size - HEAD);
	packing = data[0] >> 1 & 3;
	options = (struct source_options){ .shape = data[0] & 1 ? SOURCE_DOCUMENT : SOURCE_LINES,
					   .record_limit = (size_t)1 << data[2] % 20,
					   .chunk_size = (size_t)1 << data[1] % 15 };
	buf_init(&packed);
	if (packing == 1)
		pack_gzip(&packed, meant);
	else if (packing == 2)
		pack_zstd(&packed, meant);
	else
		buf_add_str(&packed, meant);
	check_way(buf_str(&packed), (struct feed){ .cut = FEED_WHOLE }, options, &whole);
	for (int way = 0; way < 3; way++) {
		const struct feed ways[] = { { .cut = FEED_PIECES, .size = (size_t)data[3] % 9 + 1 },
					     { .cut = FEED_ONCE, .size = (size_t)data[3] + 1, .is_stream = true },
					     { .cut = FEED_SEEDED, .seed = data[3], .is_stream = true } };

		check_way(buf_str(&packed), ways[way], options, &other);
		FUZZ_CHECK(agree(&whole, &other));
		buf_free(&other);
	}
	if (options.record_limit >= size && (packing == 1 || packing == 2 || !is_packed(meant)))
		check_content(meant, &whole);
	buf_free(&whole);
	buf_free(&packed);
	return 0;
}
