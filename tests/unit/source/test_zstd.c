#include "unit/source/unpack.h"

#define TEXT "{\"n\":1}\n{\"n\":2}\n{\"text\":\"the quick brown fox jumps over the lazy dog, again and again\"}\n"

static struct buf packed;

TEST(frames_follow_each_other_and_skippable_ones_hold_nothing)
{
	static const struct { struct packing pieces[4]; const char *want; } cases[] = {
		{ { { 'z', { TEXT, sizeof(TEXT) - 1 } } }, TEXT },
		{ { { 'z', { "", 0 } } }, "" },
		{ { { 'z', { "ab", 2 } }, { 'z', { "", 0 } }, { 'z', { "c\n", 2 } } }, "abc\n" },
		{ { { '=', { "\x50\x2a\x4d\x18\2\0\0\0hi", 10 } }, { 'z', { "ab", 2 } } }, "ab" },
		{ { { 'z', { "a", 1 } }, { '=', { "\x5f\x2a\x4d\x18\0\0\0\0", 8 } }, { 'z', { "b", 1 } } }, "ab" },
		{ { { 'z', { "a", 1 } }, { '=', { "\x57\x2a\x4d\x18\3\0\0\0abc", 11 } } }, "a" },
		{ { { '=', { "\x53\x2a\x4d\x18\1\0\0\0h", 9 } } }, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		CHECK_STR(unpack_all_ways(pack_pieces(&packed, cases[i].pieces)), str_from(cases[i].want));
	}
}

TEST(what_is_wrong_is_said_with_its_place)
{
	static const struct { struct packing pieces[3]; const char *want; } cases[] = {
		{ { { 'z', { "ab", 2 } }, { '=', { "junk and more", 13 } } },
		  "ab!x: the zstd stream is damaged at byte 15 (what follows the compressed data is not another "
		  "frame)" },
		{ { { 'z', { "ab", 2 } }, { '=', { "\0", 1 } } },
		  "ab!x: the zstd stream is damaged at byte 15 (what follows the compressed data is not another "
		  "frame)" },
		{ { { 'z', { "ab", 2 } }, { '=', { "\x28", 1 } } },
		  "ab!x: the zstd stream is truncated: the file ends at byte 16 in the middle of the frame that begins "
		  "at byte 15" },
		{ { { 'z', { "ab", 2 } }, { '=', { "\x28\xb5\x2f\xfd\0\x90\1\0\0", 9 } } },
		  "ab!x: the zstd frame at byte 15 needs a window above 128 MiB, the limit here; compress it "
		  "again with --long=27 or less" },
		{ { { '=', { "\x28\xb5\x2f\xfd\1\0\7\1\0\0", 10 } } },
		  "!x: the zstd frame at byte 0 needs a dictionary; compress it again without one" },
		{ { { '=', { "\x28\xb5\x2f\xfd\0\0\7\0\0\0", 10 } } },
		  "!x: the zstd frame at byte 0 is damaged (Data corruption detected)" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		CHECK_STR(unpack_all_ways(pack_pieces(&packed, cases[i].pieces)), str_from(cases[i].want));
	}
}

TEST(a_wrong_checksum_is_named_and_the_data_before_it_comes)
{
	pack_pieces(&packed, (struct packing[]){ { 'z', STR(TEXT) }, { 0, STR("") } });
	packed.p[packed.n - 1] ^= 1;
	CHECK_STR(unpack_all_ways(buf_str(&packed)),
		  STR(TEXT "!x: the zstd frame at byte 0 is damaged (bad checksum)"));
}

/* zstd takes no more than 128 KiB into a block, so this frame has several, of all kinds. */
TEST(the_good_blocks_before_a_damaged_one_come)
{
	struct buf text, out;
	struct str got;
	uint32_t x = 1;

	buf_init(&text), buf_init(&out);
	for (size_t i = 0; i < 400000; i++) {
		x = x * 1664525 + 1013904223;
		buf_add_byte(&text, i < 150000 ? (char)(x >> 24) : (char)('a' + i / 1000 % 20));
	}
	pack_zstd(&out, buf_str(&text));
	CHECK_STR(unpack_all_ways(buf_str(&out)), buf_str(&text));
	out.p[140000] ^= 1; /* in the second block */
	got = unpack_all_ways(buf_str(&out));
	CHECK(got.n > 131072 && memcmp(got.p, text.p, 131072) == 0);
	CHECK(str_find(got, STR("!x: the zstd frame at byte 0 is damaged (")) != (size_t)-1);
	buf_free(&text), buf_free(&out);
}

TEST(cut_anywhere_it_gives_what_came_before_and_says_truncated)
{
	pack_pieces(&packed, (struct packing[]){ { 'z', STR(TEXT) }, { 0, STR("") } });
	unpack_truncated(&packed, STR(TEXT));
}

TEST(with_any_one_bit_wrong_it_gives_the_same_answer_however_it_is_cut)
{
	pack_pieces(&packed, (struct packing[]){ { 'z', STR(TEXT) }, { 'z', STR("second\n") }, { 0, STR("") } });
	unpack_flipped(&packed);
	CHECK_STR(unpack_all_ways(buf_str(&packed)), STR(TEXT "second\n"));
}
