#include "harness/test.h"

#include "json/text.h"

TEST(four_hex_digits_are_a_number_and_anything_else_is_not)
{
	CHECK_INT(text_hex4((const uint8_t *)"0000"), 0);
	CHECK_INT(text_hex4((const uint8_t *)"fFaA"), 0xffaa);
	CHECK(text_hex4((const uint8_t *)"00g0") > 0xffff);
	CHECK(text_hex4((const uint8_t *)"\"000") > 0xffff);
	CHECK(text_hex4((const uint8_t *)"00\0\0") > 0xffff);
}

TEST(escapes_become_bytes)
{
	static const struct { const char *raw; struct str want; } cases[] = {
		{ "plain", { "plain", 5 } },
		{ "\\\"\\\\\\/\\b\\f\\n\\r\\t", { "\"\\/\b\f\n\r\t", 8 } },
		{ "a\\u0000b", { "a\0b", 3 } },
		{ "\\u00e9\\u20AC", { "\xc3\xa9\xe2\x82\xac", 5 } },
		{ "\\ud83d\\ude00", { "\xf0\x9f\x98\x80", 4 } },
		{ "\\ud83d!", { "\xef\xbf\xbd!", 4 } },
		{ "\\ude00", { "\xef\xbf\xbd", 3 } },
		{ "\\ud83d\\u0041", { "\xef\xbf\xbd" "A", 4 } },
	};
	char out[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].raw);
		CHECK_STR(str_of(out, text_unescape(out, str_from(cases[i].raw))), cases[i].want);
	}
}

TEST(bytes_get_the_fewest_escapes)
{
	static const struct { struct str value; const char *want; } cases[] = {
		{ { "plain/\x7f", 7 }, "plain/\x7f" },
		{ { "\"\\\b\f\n\r\t", 7 }, "\\\"\\\\\\b\\f\\n\\r\\t" },
		{ { "\0\x1f\v", 3 }, "\\u0000\\u001f\\u000b" },
		{ { "\xe2\x80\xa8", 3 }, "\xe2\x80\xa8" },
	};
	char out[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].want);
		CHECK_STR(str_of(out, text_escape(out, cases[i].value)), str_from(cases[i].want));
	}
}

TEST(minimal_escapes_equal_unescaping_and_escaping_again)
{
	static const char *const cases[] = {
		"", "plain", "\\/\\u002f", "\\u0022\\u005c\\u000a\\u0001", "\\ud83d\\ude00\\n", "a\\tb\\\\u0041", "\\u00e9",
	};
	char direct[64], value[64], again[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str raw = str_from(cases[i]), v = str_of(value, text_unescape(value, raw));
		size_t n = text_minimal(direct, raw);

		test_case("%s", cases[i]);
		CHECK(n <= raw.n);
		CHECK_STR(str_of(direct, n), str_of(again, text_escape(again, v)));
	}
}

TEST(a_quoted_text_is_a_canonical_string)
{
	struct buf b;

	buf_init(&b);
	buf_add_byte(&b, '[');
	text_quote(&b, STR("a\"\n\x01\xc3\xa9"));
	buf_add_byte(&b, ',');
	text_quote(&b, STR(""));
	CHECK_STR(buf_str(&b), STR("[\"a\\\"\\n\\u0001\xc3\xa9\",\"\""));
	buf_free(&b);
}
