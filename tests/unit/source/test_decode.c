#include "unit/source/unpack.h"

static struct buf packed;

TEST(the_first_bytes_decide_how_a_part_is_packed)
{
	static const struct { const char *name; struct packing pieces[2]; struct str want; } cases[] = {
		{ "nothing", { { '=', { "", 0 } } }, { "", 0 } },
		{ "plain", { { '=', { "{}\n", 3 } } }, { "{}\n", 3 } },
		{ "half of gzip's", { { '=', { "\x1f", 1 } } }, { "\x1f", 1 } },
		{ "three of zstd's four", { { '=', { "\x28\xb5\x2f", 3 } } }, { "\x28\xb5\x2f", 3 } },
		{ "three of a skippable frame's", { { '=', { "\x50\x2a\x4d", 3 } } }, { "\x50\x2a\x4d", 3 } },
		{ "nearly a skippable frame", { { '=', { "\x60\x2a\x4d\x18", 4 } } }, { "\x60\x2a\x4d\x18", 4 } },
		{ "gzip", { { 'g', { "{}\n", 3 } } }, { "{}\n", 3 } },
		{ "zstd", { { 'z', { "{}\n", 3 } } }, { "{}\n", 3 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].name);
		CHECK_STR(unpack_all_ways(pack_pieces(&packed, cases[i].pieces)), cases[i].want);
	}
}

TEST(offset_and_fill_follow_the_stored_bytes)
{
	struct memory_file file = { { "x", 1 }, { "\x1f\x8b\x08" "abcdefg", 10 } };
	struct feed feed = { .cut = FEED_PIECES, .size = 6 };
	struct source_io io = feed_io(&feed, &file, 1);
	struct decode d;
	struct raw raw;
	struct err err;

	decode_init(&d);
	CHECK(raw_open(&raw, &io, STR("x"), &err) && decode_begin(&d, &raw, &err));
	CHECK_INT(decode_offset(&d), 0);
	CHECK_INT(decode_fill(&d, &err), NEXT_MORE);
	CHECK_STR(buf_str(&d.in), STR("\x1f\x8b\x08" "a"));
	d.at = 3;
	CHECK_INT(decode_offset(&d), 3);
	CHECK_INT(decode_fill(&d, &err), NEXT_MORE);
	CHECK_STR(buf_str(&d.in), STR("abcdefg"));
	CHECK_INT(decode_offset(&d), 3);
	d.at = 7;
	CHECK_INT(decode_fill(&d, &err), NEXT_END);
	CHECK_STR(buf_str(&d.in), STR(""));
	CHECK_INT(decode_offset(&d), 10);
	decode_free(&d);
}

TEST(one_context_serves_part_after_part_even_behind_a_damaged_one)
{
	static const struct str text = { "{\"n\":1}\n{\"n\":2}\n", 16 };
	const struct feed whole = { .cut = FEED_WHOLE };
	struct decode d;

	decode_init(&d);
	for (const char *kind = "gzgz"; *kind; kind++) {
		buf_clear(&packed);
		pack_piece(&packed, (struct packing){ *kind, text });
		for (int i = 0; i < 3; i++) {
			CHECK(!str_eq(unpack(&d, str_of(packed.p, packed.n / 2), whole, 64), text));
			CHECK_STR(unpack(&d, buf_str(&packed), whole, 64), text);
			CHECK_STR(unpack(&d, text, whole, 64), text);
		}
	}
	decode_free(&d);
}
