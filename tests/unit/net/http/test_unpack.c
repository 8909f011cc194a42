#include "base/arena.h"
#include "unit/net/pack.h"

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

static void add_piece(void *out, struct str piece)
{
	CHECK(piece.n > 0 && piece.n <= 64 << 10);
	buf_add_str(out, piece);
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
				CHECK(unpack_push(u, str_of(packed.p + at, packed.n - at < piece ? packed.n - at : piece),
						  (struct unpack_sink){ add_piece, &out }));
			test_case("%zu in pieces of %zu", i, piece);
			CHECK(str_eq(buf_str(&out), text));
			CHECK(unpack_is_done(u));
			buf_free(&out);
			unpack_close(u);
		}
	}
}

/* Members of gzip and frames of zstd stand behind each other; behind gzip, other bytes are no part of it. */
TEST(what_was_packed_in_parts_comes_back_whole)
{
	static const struct { enum unpack_kind kind; const char *rest; bool good; } cases[] = {
		{ UNPACK_GZIP, "", true }, { UNPACK_ZSTD, "", true }, { UNPACK_GZIP, "padding \x1f", true },
		{ UNPACK_GZIP, "\x1f\x8b and broken off", false },
	};
	struct str text = long_text(3000);
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str part = pack(text, cases[i].kind, false);
		struct str packed = ARENA_JOIN(&arena, part, part, part, str_from(cases[i].rest));

		for (size_t piece = 1; piece < packed.n; piece = piece * 3 + 1) {
			struct unpack *u = unpack_open(cases[i].kind, 1 << 20);
			struct buf out;
			bool good = true;

			test_case("%zu in pieces of %zu", i, piece);
			buf_init(&out);
			for (size_t at = 0; at < packed.n && good; at += piece)
				good = unpack_push(u, str_of(packed.p + at, packed.n - at < piece ? packed.n - at : piece),
						   (struct unpack_sink){ add_piece, &out });
			CHECK(str_eq(buf_str(&out), ARENA_JOIN(&arena, text, text, text)));
			CHECK((good && unpack_is_done(u)) == cases[i].good);
			buf_free(&out);
			unpack_close(u);
		}
	}
	arena_free(&arena);
}

TEST(no_more_comes_out_than_the_limit)
{
	struct str text = long_text(300000);

	for (size_t i = 0; i < KINDS; i++) {
		struct unpack *u = unpack_open(kinds[i].kind, 100000);
		struct buf out;

		buf_init(&out);
		test_case("%zu", i);
		CHECK(!unpack_push(u, pack(text, kinds[i].kind, kinds[i].raw), (struct unpack_sink){ add_piece, &out }));
		CHECK(out.n <= 100000 && !unpack_is_done(u));
		CHECK(!unpack_push(u, STR("more"), (struct unpack_sink){ add_piece, &out }));
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
		CHECK(unpack_push(u, str_of(packed.p, packed.n - 1), (struct unpack_sink){ add_piece, &out }));
		CHECK(!unpack_is_done(u) || kinds[i].raw);
		unpack_close(u);
		u = unpack_open(kinds[i].kind, 1 << 20);
		buf_clear(&out);
		CHECK(!unpack_push(u, STR("\xff\xff\xff\xff this is nothing of the kind"), (struct unpack_sink){ add_piece, &out }));
		unpack_close(u);
		buf_free(&out);
	}
}

/* RFC 9659: a Content-Encoding of zstd must not ask for a window above 8 MiB. */
TEST(zstd_that_wants_a_large_window_is_refused)
{
	static const struct {
		int log;
		bool fits;
	} cases[] = { { 23, true }, { 24, false }, { 27, false } };
	struct str text = long_text(300000);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unpack *u = unpack_open(UNPACK_ZSTD, 1 << 20);
		ZSTD_CCtx *c = ZSTD_createCCtx();
		static char packed[1 << 20];
		ZSTD_outBuffer to = { packed, sizeof(packed), 0 };
		ZSTD_inBuffer from = { text.p, text.n, 0 };
		struct buf out;

		test_case("a window of 2^%d bytes", cases[i].log);
		buf_init(&out);
		ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, cases[i].log);
		CHECK(ZSTD_compressStream2(c, &to, &from, ZSTD_e_flush) == 0); /* its length is not told */
		CHECK_INT(unpack_push(u, str_of(packed, to.pos), (struct unpack_sink){ add_piece, &out }), cases[i].fits);
		CHECK(unpack_held(u) < (size_t)10 << 20);
		ZSTD_freeCCtx(c);
		unpack_close(u);
		buf_free(&out);
	}
}
