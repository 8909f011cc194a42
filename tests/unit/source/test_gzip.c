#include "unit/source/unpack.h"

#define TEXT "{\"n\":1}\n{\"n\":2}\n{\"text\":\"the quick brown fox jumps over the lazy dog, again and again\"}\n"

static struct buf packed;

TEST(members_follow_each_other_and_zeros_may_follow_the_last)
{
	static const struct { struct packing pieces[4]; const char *want; } cases[] = {
		{ { { 'g', { TEXT, sizeof(TEXT) - 1 } } }, TEXT },
		{ { { 'g', { "", 0 } } }, "" },
		{ { { 'g', { "ab", 2 } }, { 'g', { "", 0 } }, { 'g', { "c\n", 2 } } }, "abc\n" },
		{ { { 'g', { "ab", 2 } }, { '=', { "\0", 1 } } }, "ab" },
		{ { { 'g', { "ab", 2 } }, { 'g', { "c", 1 } }, { '=', { "\0\0\0\0\0\0\0\0", 8 } } }, "abc" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		CHECK_STR(unpack_all_ways(pack_pieces(&packed, cases[i].pieces)), str_from(cases[i].want));
	}
}

TEST(what_is_wrong_is_said_with_its_place)
{
	static const struct { struct packing pieces[4]; const char *want; } cases[] = {
		{ { { '=', { "\x1f\x8b", 2 } } },
		  "!x: the gzip stream is truncated: the file ends at byte 2 in the middle of the compressed data" },
		{ { { '=', { "\x1f\x8b\x09\0\0\0\0\0\0\0", 10 } } },
		  "!x: the gzip stream is damaged at byte 4 (unknown compression method)" },
		{ { { 'g', { "ab", 2 } }, { '=', { "junk", 4 } } },
		  "ab!x: the gzip stream is damaged at byte 22 (what follows the compressed data is neither another "
		  "member nor zeros)" },
		{ { { 'g', { "ab", 2 } }, { '=', { "\0\0", 2 } }, { 'g', { "c", 1 } } },
		  "ab!x: the gzip stream is damaged at byte 24 (what follows the compressed data is neither another "
		  "member nor zeros)" },
		{ { { 'g', { "ab", 2 } }, { '=', { "\x1f\x8b", 2 } } },
		  "ab!x: the gzip stream is truncated: the file ends at byte 24 in the middle of the compressed data" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		CHECK_STR(unpack_all_ways(pack_pieces(&packed, cases[i].pieces)), str_from(cases[i].want));
	}
}

TEST(a_wrong_checksum_or_length_is_named_and_the_data_before_it_comes)
{
	static const struct { size_t from_end, seen; const char *why; } cases[] = {
		{ 8, 4, "bad checksum" },
		{ 1, 0, "wrong length" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf want;

		buf_init(&want);
		pack_pieces(&packed, (struct packing[]){ { 'g', STR(TEXT) }, { 0, STR("") } });
		packed.p[packed.n - cases[i].from_end] ^= 1;
		buf_printf(&want, "%s!x: the gzip stream is damaged at byte %zu (%s)", TEXT, packed.n - cases[i].seen,
			   cases[i].why);
		CHECK_STR(unpack_all_ways(buf_str(&packed)), buf_str(&want));
		buf_free(&want);
	}
}

TEST(cut_anywhere_it_gives_what_came_before_and_says_truncated)
{
	pack_pieces(&packed, (struct packing[]){ { 'g', STR(TEXT) }, { 0, STR("") } });
	unpack_truncated(&packed, STR(TEXT));
}

TEST(with_any_one_bit_wrong_it_gives_the_same_answer_however_it_is_cut)
{
	pack_pieces(&packed, (struct packing[]){ { 'g', STR(TEXT) }, { 'g', STR("second\n") }, { 0, STR("") } });
	unpack_flipped(&packed);
	CHECK_STR(unpack_all_ways(buf_str(&packed)), STR(TEXT "second\n"));
}
