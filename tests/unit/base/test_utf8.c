#include "base/utf8.h"

#include <locale.h>
#include <wchar.h>

#include "base/utf8_width.h"
#include "harness/test.h"

static bool is_scalar(uint32_t code)
{
	return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

TEST(every_scalar_value_is_written_and_read_back)
{
	char bytes[4];
	uint32_t back;

	for (uint32_t code = 0; code <= 0x10ffff; code++) {
		size_t n = utf8_encode(bytes, code);

		CHECK_INT(n, code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);
		back = 0xffffffff;
		if (!is_scalar(code)) {
			CHECK_INT(utf8_decode(bytes, n, &back), 0);
			continue;
		}
		CHECK_INT(utf8_decode(bytes, n, &back), n);
		CHECK_INT(back, code);
		for (size_t cut = 1; cut < n; cut++)
			CHECK_INT(utf8_decode(bytes, cut, &back), 0);
	}
}

TEST(known_characters_have_their_known_bytes)
{
	static const struct {
		uint32_t code;
		const char *bytes;
	} cases[] = {
		{ 0x24, "$" }, { 0xa3, "\xc2\xa3" }, { 0x20ac, "\xe2\x82\xac" }, { 0x10348, "\xf0\x90\x8d\x88" },
		{ 0xd800, "\xed\xa0\x80" }, { 0x10ffff, "\xf4\x8f\xbf\xbf" },
	};
	char out[4];

	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK_STR(str_of(out, utf8_encode(out, cases[i].code)), str_from(cases[i].bytes));
}

/* By the value the bytes would have, which is another way to say it than bounds on the second byte. */
static size_t naive_decode(const unsigned char *b, size_t n, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = b[0] < 0x80 ? 1 : b[0] >> 5 == 6 ? 2 : b[0] >> 4 == 14 ? 3 : b[0] >> 3 == 30 ? 4 : 0;
	uint32_t v = length == 1 ? b[0] : b[0] & (0x7fu >> length);

	if (length == 0 || length > n)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if (b[i] >> 6 != 2)
			return 0;
		v = v << 6 | (b[i] & 0x3f);
	}
	if (v < least[length] || !is_scalar(v))
		return 0;
	*code = v;
	return length;
}

static void check_decode(const unsigned char *b, size_t n)
{
	uint32_t want = 0, got = 0;
	size_t length = naive_decode(b, n, &want);

	if (utf8_decode((const char *)b, n, &got) != length || got != want)
		FAIL("%02x %02x %02x %02x, %zu bytes", b[0], b[1], b[2], b[3], n);
}

TEST(all_sequences_of_three_bytes_are_read_as_by_the_definition)
{
	for (uint32_t i = 0; i < 1 << 24; i++) {
		unsigned char b[4] = { (unsigned char)(i >> 16), (unsigned char)(i >> 8), (unsigned char)i, 0 };

		check_decode(b, 3);
		if (b[2] == 0x80)
			check_decode(b, 2);
	}
}

TEST(sequences_of_four_bytes_are_read_as_by_the_definition)
{
	static const unsigned char edges[] = { 0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff };

	for (unsigned first = 0xe0; first < 0x100; first++) {
		for (unsigned second = 0; second < 0x100; second++) {
			for (size_t k = 0; k < 100; k++) {
				unsigned char b[4] = { (unsigned char)first, (unsigned char)second };

				b[2] = edges[k / 10];
				b[3] = edges[k % 10];
				check_decode(b, 4);
			}
		}
	}
}

TEST(the_first_ill_formed_byte_is_found_wherever_it_is)
{
	static const struct str bad[] = {
		{ "\x80", 1 }, { "\xff", 1 }, { "\xc0\x80", 2 }, { "\xc2", 1 }, { "\xe2\x82", 2 },
		{ "\xed\xa0\x80", 3 }, { "\xf0\x9f\x98", 3 }, { "\xf4\x90\x80\x80", 4 },
		{ "\xc3(", 2 }, { "\xf5\x80\x80\x80", 4 },
	};
	static const char *const good[] = { "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };
	char text[200];

	for (size_t i = 0; i < COUNT(bad); i++) {
		for (size_t g = 0; g < COUNT(good); g++) {
			for (size_t n = 0; n < 40; n++) {
				size_t at = 0;

				for (size_t k = 0; k < n; k++, at += strlen(good[g]))
					memcpy(text + at, good[g], strlen(good[g]));
				test_case("bad %zu after %zu of good %zu", i, n, g);
				CHECK_INT(utf8_check(str_of(text, at)), at);
				memcpy(text + at, bad[i].p, bad[i].n);
				CHECK_INT(utf8_check(str_of(text, at + bad[i].n)), at);
				memcpy(text + at + bad[i].n, "12345678901234567890", 20);
				CHECK_INT(utf8_check(str_of(text, at + bad[i].n + 20)), at);
			}
		}
	}
	CHECK_INT(utf8_check(str_of(NULL, 0)), 0);
	CHECK_INT(utf8_check(STR("\0\0\0\0\0\0\0\0\0")), 9);
}

TEST(a_text_that_ends_inside_a_character_is_not_read_beyond_its_end)
{
	struct str whole = STR("12345678\xf0\x9f\x98\x80\xe2\x82\xac\xc3\xa9");
	static const size_t good[] = { 8, 8, 8, 8, 12, 12, 12, 15, 15, 17 };

	for (size_t n = 8; n <= whole.n; n++) {
		struct str s = str_of(whole.p, n);
		size_t end = good[n - 8], count = 8 + (end > 8) + (end > 12) + (end > 15) + (n - end);

		test_case("%zu", n);
		CHECK_INT(utf8_check(s), end);
		CHECK_INT(utf8_count(s), count);
		CHECK_INT(utf8_width(s), count + (end > 8));
	}
}

TEST(code_points_are_counted_and_so_is_each_ill_formed_byte)
{
	static const struct {
		struct str s;
		size_t count, width;
	} cases[] = {
		{ { NULL, 0 }, 0, 0 },
		{ { "hello, world", 12 }, 12, 12 },
		{ { "caf\xc3\xa9", 5 }, 4, 4 },
		{ { "cafe\xcc\x81", 6 }, 5, 4 },
		{ { "\xe6\xbc\xa2\xe5\xad\x97", 6 }, 2, 4 },
		{ { "\xf0\x9f\x98\x80!", 5 }, 2, 3 },
		{ { "\xff\xfe", 2 }, 2, 2 },
		{ { "a\xe2\x82z", 4 }, 4, 4 },
		{ { "\xed\xa0\x80", 3 }, 3, 3 },
		{ { "12345678\xc3\xa9" "12345678\x80", 19 }, 18, 18 },
		{ { "a\0b", 3 }, 3, 3 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK_INT(utf8_count(cases[i].s), cases[i].count);
		CHECK_INT(utf8_width(cases[i].s), cases[i].width);
	}
}

TEST(characters_take_the_columns_that_terminals_give_them)
{
	static const struct {
		uint32_t code;
		unsigned width;
	} cases[] = {
		{ ' ', 1 },     { '~', 1 },      { 0xa0, 1 },     { 0xad, 1 },     { 0xe9, 1 },     { 0x2ff, 1 },
		{ 0x300, 0 },   { 0x36f, 0 },    { 0x370, 1 },    { 0x5d0, 1 },    { 0x610, 0 },    { 0x93f, 1 },
		{ 0x94d, 0 },   { 0x1100, 2 },   { 0x1160, 0 },   { 0x11a8, 0 },   { 0x200b, 0 },   { 0x200d, 0 },
		{ 0x2010, 1 },  { 0x20ac, 1 },   { 0x20d0, 0 },   { 0x231a, 2 },   { 0x2500, 1 },   { 0x2588, 1 },
		{ 0x2713, 1 },  { 0x2705, 2 },   { 0x2764, 1 },   { 0x3000, 2 },   { 0x302a, 0 },   { 0x3042, 2 },
		{ 0x3099, 0 },  { 0x303f, 1 },   { 0x4e00, 2 },   { 0x9fff, 2 },   { 0xac00, 2 },   { 0xd7a3, 2 },
		{ 0xe000, 1 },  { 0xfe0f, 0 },   { 0xfeff, 0 },   { 0xff01, 2 },   { 0xff61, 1 },   { 0xffe5, 2 },
		{ 0xfffd, 1 },  { 0x10000, 1 },  { 0x1d165, 1 },  { 0x1d167, 0 },  { 0x1f1e6, 1 },  { 0x1f468, 2 },
		{ 0x1f600, 2 }, { 0x1f680, 2 },  { 0x1f9e0, 2 },  { 0x1fae0, 2 },  { 0x20000, 2 },  { 0x3fffd, 2 },
		{ 0xe0001, 0 }, { 0xe0100, 0 },  { 0xf0000, 1 },  { 0x10ffff, 1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("U+%04X", cases[i].code);
		CHECK_INT(utf8_width_of(cases[i].code), cases[i].width);
	}
}

/* The C library follows its own version of Unicode, hence a small number of differences. */
TEST(widths_agree_with_the_c_library_for_nearly_all_characters)
{
	size_t differ = 0, narrow = 0;

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		SKIP("there is no locale C.UTF-8");
	for (uint32_t code = 1; code <= 0x10ffff; code++) {
		int width = wcwidth((wchar_t)code);

		differ += width >= 0 && (unsigned)width != utf8_width_of(code);
		narrow += width == 1;
	}
	if (narrow < 1000)
		SKIP("the locale knows no widths");
	test_case("%zu differ", differ);
	CHECK(differ < 300);
}

static size_t to_utf16(struct str s, uint16_t out[64])
{
	size_t n = 0;
	uint32_t code = 0;

	for (size_t i = 0; i < s.n;) {
		size_t length = utf8_decode(s.p + i, s.n - i, &code);

		CHECK(length > 0);
		i += length;
		if (code >= 0x10000) {
			out[n++] = (uint16_t)(0xd800 + ((code - 0x10000) >> 10));
			out[n++] = (uint16_t)(0xdc00 + (code & 0x3ff));
		} else {
			out[n++] = (uint16_t)code;
		}
	}
	return n;
}

static int naive_cmp(struct str a, struct str b)
{
	uint16_t x[64], y[64];
	size_t n = to_utf16(a, x), m = to_utf16(b, y);

	for (size_t i = 0; i < n && i < m; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return (n > m) - (n < m);
}

static const uint32_t interesting[] = {
	0,      1,      0x7f,   0x80,    0x7ff,   0x800,   0xfff,   0x1000,  0xcfff,   0xd7ff,   0xe000,  0xe001,
	0xefff, 0xf000, 0xfffd, 0xffff,  0x10000, 0x10001, 0x103ff, 0x10400, 0x3ffff,  0x40000,  0xfffff, 0x100000,
	0x10fffd, 0x10ffff,
};

#define POINTS COUNT(interesting)

/* Number `which` of the texts of up to two interesting characters, behind `before` bytes. */
static struct str nth_text(char out[40], size_t which, size_t before)
{
	size_t n = before;

	memcpy(out, "abcdefghijklmnopqrstuvwxyz", before);
	if (which > 0)
		n += utf8_encode(out + n, interesting[(which - 1) % POINTS]);
	if (which > POINTS)
		n += utf8_encode(out + n, interesting[(which - 1) / POINTS - 1]);
	return str_of(out, n);
}

TEST(names_are_ordered_by_utf16_units)
{
	const size_t texts = 1 + POINTS + POINTS * POINTS;
	static const size_t before[] = { 0, 5, 8, 11, 23 };
	char one[40], two[40];

	for (size_t k = 0; k < COUNT(before); k++) {
		for (size_t i = 0; i < texts; i++) {
			for (size_t j = 0; j < texts; j += k ? 7 : 1) {
				struct str a = nth_text(one, i, before[k]), b = nth_text(two, j, before[k]);

				if (utf8_cmp_utf16(a, b) != naive_cmp(a, b))
					FAIL("texts %zu and %zu behind %zu bytes", i, j, before[k]);
			}
		}
	}
	CHECK_INT(utf8_cmp_utf16(str_of(NULL, 0), str_of(NULL, 0)), 0);
	CHECK_INT(utf8_cmp_utf16(str_of(NULL, 0), STR("a")), -1);
}

TEST(what_makes_text_look_like_other_text_is_known)
{
	static const uint32_t bad[] = { 0x80, 0x9f, 0x61c, 0x200b, 0x200e, 0x2028, 0x202e, 0x2060, 0x2066, 0xfeff, 0xfffb, 0xe0041 };
	static const uint32_t good[] = { 'a', 0x7f, 0xa0, 0xe9, 0x200c, 0x200d, 0x2027, 0x202f, 0x3042, 0xfffd, 0x1f600, 0xe0100 };

	for (size_t i = 0; i < COUNT(bad); i++)
		CHECK(utf8_is_deceptive(bad[i]));
	for (size_t i = 0; i < COUNT(good); i++)
		CHECK(!utf8_is_deceptive(good[i]));
}

TEST(a_text_is_cut_between_characters)
{
	const struct { struct str text; size_t max, n; } cases[] = {
		{ { NULL, 0 }, 0, 0 },
		{ STR("abc"), 3, 3 },
		{ STR("abc"), 2, 2 },
		{ STR("abc"), 0, 0 },
		{ STR("\xc3\xa4\xc3\xa4"), 3, 2 },
		{ STR("\xc3\xa4\xc3\xa4"), 1, 0 },
		{ STR("a\xe2\x82\xac"), 3, 1 },
		{ STR("a\xf0\x9f\x98\x80z"), 4, 1 },
		{ STR("a\xf0\x9f\x98\x80z"), 5, 5 },
		{ STR("\x80\x80\x80\x80\x80\x80"), 4, 4 }, /* no character, so none is split */
		{ STR("\xe2\x82zz"), 1, 1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK_INT(utf8_cut(cases[i].text, cases[i].max).n, cases[i].n);
}
