/*
 * Hostile zip archives: from a file and from a pipe, in pieces of any size, the same must come out, failures and
 * their words included. The first byte chooses the size of the pieces; the rest is the archive.
 */
#include "fuzz/fuzz.h"
#include "unit/source/feed.h"

#define MOST ((size_t)1 << 16)

static void unpack(struct str stored, struct feed feed, size_t chunk, struct buf *out)
{
	struct memory_file file = { STR("x"), stored };
	struct source_io io = feed_io(&feed, &file, 1);
	struct memory m = { .files = &file, .count = 1 };
	struct source_io plain = memory_io(&m);
	struct source_options options = {
		.shape = SOURCE_CONTENT, .chunk_size = chunk, .record_limit = 4096, .file_groups = true
	};
	struct source *s;
	struct arena a;
	struct err err;
	const char *fault;

	arena_init(&a);
	options.io = feed.is_stream ? &io : &plain;
	s = source_open(&a, &file.path, 1, options, &err);
	FUZZ_CHECK(s);
	fault = feed_write(s, out, MOST);
	if (fault)
		fprintf(stderr, "expected that %s\n", fault);
	FUZZ_CHECK(!fault);
	source_close(s);
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, piped;
	struct str stored;
	size_t shorter;

	if (size < 5 || memcmp(data + 1, "PK", 2) != 0)
		return 0;
	stored = str_of(data + 1, size - 1);
	buf_init(&whole);
	buf_init(&piped);
	unpack(stored, (struct feed){ .cut = FEED_WHOLE }, 0, &whole);
	unpack(stored, (struct feed){ .cut = FEED_SEEDED, .seed = data[0], .is_stream = true }, 0, &piped);
	shorter = whole.n < piped.n ? whole.n : piped.n;
	FUZZ_CHECK((whole.n == piped.n || shorter >= MOST) && memcmp(whole.p, piped.p, shorter) == 0);
	buf_free(&whole);
	buf_free(&piped);
	return 0;
}
