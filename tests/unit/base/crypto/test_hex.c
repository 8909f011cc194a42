#include "base/crypto/hex.h"

#include "harness/test.h"

TEST(every_byte_is_written_as_two_lower_case_digits_and_read_back)
{
	uint8_t all[256], back[256];
	char text[513], upper[512];

	text[512] = '!';
	for (size_t i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	hex_format(text, all, 256);
	CHECK_STR(str_of(text, 4), STR("0001"));
	CHECK_STR(str_of(text + 508, 4), STR("feff"));
	CHECK(hex_parse(str_of(text, 512), back, 256));
	CHECK(memcmp(all, back, 256) == 0);
	CHECK_INT(text[512], '!');
	for (size_t i = 0; i < 512; i++)
		upper[i] = (char)(text[i] >= 'a' ? text[i] - 32 : text[i]);
	memset(back, 0, sizeof(back));
	CHECK(hex_parse(str_of(upper, 512), back, 256));
	CHECK(memcmp(all, back, 256) == 0);
}

TEST(only_the_exact_number_of_digits_is_read)
{
	static const struct {
		struct str text;
		size_t bytes;
		bool ok;
	} cases[] = {
		{ { "", 0 }, 0, true },     { { "", 0 }, 1, false },     { { "0", 1 }, 0, false },
		{ { "0", 1 }, 1, false },   { { "aB", 2 }, 1, true },    { { "ab", 2 }, 2, false },
		{ { "abc", 3 }, 1, false }, { { "0g", 2 }, 1, false },   { { "g0", 2 }, 1, false },
		{ { "0x", 2 }, 1, false },  { { "a\0", 2 }, 1, false },  { { " 1", 2 }, 1, false },
		{ { "0:", 2 }, 1, false },  { { "0/", 2 }, 1, false },   { { "0@", 2 }, 1, false },
		{ { "0`", 2 }, 1, false },  { { "G0", 2 }, 1, false },   { { "\xc3\xa9", 2 }, 1, false },
	};
	uint8_t bytes[4];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		CHECK_INT(hex_parse(cases[i].text, bytes, cases[i].bytes), cases[i].ok);
	}
	CHECK(hex_parse(STR("aB7f"), bytes, 2));
	CHECK_INT(bytes[0], 0xab);
	CHECK_INT(bytes[1], 0x7f);
}

TEST(a_digit_of_either_case_has_its_value_and_nothing_else_has_one)
{
	for (int i = 0; i < 256; i++) {
		static const char digits[] = "0123456789abcdef0123456789ABCDEF";
		const char *at = i ? memchr(digits, i, sizeof(digits) - 1) : NULL;

		CHECK_INT(hex_value((char)i), at ? (int)((at - digits) % 16) : -1);
	}
}
