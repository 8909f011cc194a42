#include "base/crypto/base64.h"

#include "harness/test.h"

TEST(bytes_and_digits_go_both_ways)
{
	static const struct {
		const char *bytes, *text;
	} cases[] = {
		{ "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" }, { "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" }, { "\xff\xfe\xfb", "//77" }, { "\xfb\xef\xbe", "++++" },
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		buf_clear(&b);
		base64_add(&b, str_from(cases[i].bytes));
		CHECK_STR(buf_str(&b), str_from(cases[i].text));
		buf_clear(&b);
		buf_add_byte(&b, '!');
		CHECK(base64_parse(&b, str_from(cases[i].text)));
		CHECK_STR(str_of(b.p + 1, b.n - 1), str_from(cases[i].bytes));
	}
	buf_free(&b);
}

TEST(what_is_no_base64_adds_nothing)
{
	static const char *const cases[] = { "Z", "Zg", "Zg=", "Zg===", "Z===", "====", "Zm9v\n", "Zm 9v", "Zg==Zg==", "Zh==", "Zm9=", "-_-_",
		"Zm9vZ=g=" };
	struct buf b;

	buf_init(&b);
	buf_add_byte(&b, '!');
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i]);
		CHECK(!base64_parse(&b, str_from(cases[i])));
		CHECK_STR(buf_str(&b), STR("!"));
	}
	buf_free(&b);
}

TEST(bytes_of_a_known_number_are_taken_whole_or_not_at_all)
{
	static const struct {
		const char *text;
		size_t n;
		bool is;
	} cases[] = {
		{ "", 0, true }, { "Zm9v", 3, true }, { "Zm8=", 2, true }, { "Zg==", 1, true }, { "Zm8=", 3, false }, { "Zm9v", 2, false },
		{ "Zg==", 3, false }, { "Zm9=", 2, false }, { "Zm9", 2, false }, { "Zm9vZg==", 3, false }, { "", 1, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char out[4] = "...";

		test_case("%s as %zu", cases[i].text, cases[i].n);
		CHECK_INT(base64_parse_bytes(out, cases[i].n, str_from(cases[i].text)), cases[i].is);
		CHECK(memcmp(out, cases[i].is ? "foo" : "...", cases[i].n) == 0);
		CHECK(memcmp(out + cases[i].n, "...", 3 - cases[i].n) == 0);
	}
}
