#include "capture/unpack.h"

#include <zlib.h>
#include <zstd.h>

#include "base/arena.h"
#include "harness/test.h"

TEST(an_encoding_is_known_by_its_name)
{
	static const struct {
		const char *word;
		enum unpack_kind kind;
	} cases[] = {
		{ "", UNPACK_PLAIN },          { "identity", UNPACK_PLAIN },     { "gzip", UNPACK_GZIP },  { " X-GZIP ", UNPACK_GZIP },
		{ "Deflate", UNPACK_DEFLATE }, { "zstd", UNPACK_ZSTD },          { "br", UNPACK_UNKNOWN }, { "gzip, br", UNPACK_UNKNOWN },
		{ "gzi", UNPACK_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].word);
		CHECK_INT(unpack_kind_of(str_from(cases[i].word)), cases[i].kind);
	}
	CHECK_INT(unpack_kind_of(str_of(NULL, 0)), UNPACK_PLAIN);
}

static struct str pack(struct str text, enum unpack_kind kind, bool raw)
{
	size_t room = text.n + 4096;
	char *out = test_alloc(room);
	z_stream z = { .zalloc = NULL };

	if (kind == UNPACK_ZSTD)
		return str_of(out, ZSTD_compress(out, room, text.p, text.n, 1));
	CHECK(deflateInit2(&z, 6, Z_DEFLATED, kind == UNPACK_GZIP ? 31 : raw ? -15 : 15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	z.next_in = (unsigned char *)(uintptr_t)text.p;
	z.avail_in = (unsigned)text.n;
	z.next_out = (unsigned char *)out;
	z.avail_out = (unsigned)room;
	CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
	deflateEnd(&z);
	return str_of(out, room - z.avail_out);
}

static const struct {
	enum unpack_kind kind;
	bool raw;
} kinds[] = { { UNPACK_GZIP, false }, { UNPACK_DEFLATE, false }, { UNPACK_DEFLATE, true }, { UNPACK_ZSTD, false } };

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct str long_text(size_t n)
{
	char *p = test_alloc(n);

	for (size_t i = 0; i < n; i++)
		p[i] = (char)('a' + (i * i / 7 + i / 100) % 26);
	return str_of(p, n);
}

TEST(what_was_packed_comes_back_however_it_is_cut)
{
	struct str text = long_text(200000);

	for (size_t i = 0; i < KINDS; i++) {
		struct str packed = pack(text, kinds[i].kind, kinds[i].raw);

		for (size_t piece = 1; piece < 100000; piece = piece * 3 + 1) {
			struct unpack *u = unpack_open(kinds[i].kind, 1 << 20);
			struct buf out;

			buf_init(&out);
			for (size_t at = 0; at < packed.n; at += piece)
				CHECK(unpack_push(u, str_of(packed.p + at, packed.n - at < piece ? packed.n - at : piece), &out));
			test_case("%zu in pieces of %zu", i, piece);
			CHECK(str_eq(buf_str(&out), text));
			CHECK(unpack_is_done(u));
			buf_free(&out);
			unpack_close(u);
		}
	}
}

TEST(no_more_comes_out_than_the_limit)
{
	struct str text = long_text(300000);

	for (size_t i = 0; i < KINDS; i++) {
		struct unpack *u = unpack_open(kinds[i].kind, 100000);
		struct buf out;

		buf_init(&out);
		test_case("%zu", i);
		CHECK(!unpack_push(u, pack(text, kinds[i].kind, kinds[i].raw), &out));
		CHECK(out.n <= 100000 && !unpack_is_done(u));
		CHECK(!unpack_push(u, STR("more"), &out));
		buf_free(&out);
		unpack_close(u);
	}
}

TEST(damage_and_an_end_that_is_too_early_are_seen)
{
	struct str text = long_text(5000);

	for (size_t i = 0; i < KINDS; i++) {
		struct str packed = pack(text, kinds[i].kind, kinds[i].raw);
		struct unpack *u = unpack_open(kinds[i].kind, 1 << 20);
		struct buf out;

		buf_init(&out);
		test_case("%zu", i);
		CHECK(unpack_push(u, str_of(packed.p, packed.n - 1), &out));
		CHECK(!unpack_is_done(u) || kinds[i].raw);
		unpack_close(u);
		u = unpack_open(kinds[i].kind, 1 << 20);
		buf_clear(&out);
		CHECK(!unpack_push(u, STR("\xff\xff\xff\xff this is nothing of the kind"), &out));
		unpack_close(u);
		buf_free(&out);
	}
}
