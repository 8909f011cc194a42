#include "sink/push/pairs.h"

#include "base/buf.h"
#include "harness/test.h"

/* "key=value|key=value" of what was read, or the error. */
static struct str read_pairs(struct arena *a, const char *text)
{
	struct err err = { .kind = ERR_NONE };
	struct push_pair *list;
	struct buf out;
	size_t n;

	if (!push_pairs_parse(a, str_from(text), "VARIABLE", &list, &n, &err)) {
		CHECK_INT(err.kind, ERR_USAGE);
		CHECK(strstr(err.text, ERR_HELP));
		return arena_printf(a, "%.*s", (int)strcspn(err.text, "\n"), err.text);
	}
	buf_init(&out);
	for (size_t i = 0; i < n; i++)
		buf_printf(&out, "%s%.*s=%.*s", i ? "|" : "", STR_ARG(list[i].key), STR_ARG(list[i].value));
	return out.n ? arena_take(a, &out) : STR("");
}

TEST(lists_of_pairs_are_read_and_decoded)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "", "" },
		{ " , ,", "" },
		{ "a=1", "a=1" },
		{ " a = 1 ,b=2,", "a=1|b=2" },
		{ "a=1=2", "a=1=2" },
		{ "a=", "a=" },
		{ "a=%20x%2Cy%3dz%25", "a= x,y=z%" },
		{ "a%2Cb=1", "a,b=1" },
		{ "a=1,a=2", "a=1|a=2" },
		{ "k=\xc3\xa9,l=%C3%A9", "k=\xc3\xa9|l=\xc3\xa9" },
		{ "a=1;b=2", "a=1;b=2" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK(str_eq(read_pairs(&a, cases[i].text), str_from(cases[i].want)));
	}
	arena_free(&a);
}

TEST(a_list_that_is_none_is_refused_by_number_without_its_text)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "secret", "VARIABLE: item 1 has no '='" },
		{ "a=1,,secret", "VARIABLE: item 3 has no '='" },
		{ "=secret", "VARIABLE: item 1 has nothing before its '='" },
		{ "a=%", "VARIABLE: item 1 has a '%' without two hexadecimal digits behind it, or is not UTF-8" },
		{ "a=%4", "VARIABLE: item 1 has a '%' without two hexadecimal digits behind it, or is not UTF-8" },
		{ "a=%4g", "VARIABLE: item 1 has a '%' without two hexadecimal digits behind it, or is not UTF-8" },
		{ "a=%ff", "VARIABLE: item 1 has a '%' without two hexadecimal digits behind it, or is not UTF-8" },
		{ "a=1,%2=1", "VARIABLE: item 2 has a '%' without two hexadecimal digits behind it, or is not UTF-8" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK(str_eq(read_pairs(&a, cases[i].text), str_from(cases[i].want)));
	}
	arena_free(&a);
}

TEST(a_list_has_an_end)
{
	struct err err = { .kind = ERR_NONE };
	struct push_pair *list;
	struct arena a;
	struct buf text;
	size_t n;

	arena_init(&a);
	buf_init(&text);
	for (int i = 0; i < PUSH_PAIRS; i++)
		buf_add_str(&text, STR("a=1,"));
	CHECK(push_pairs_parse(&a, buf_str(&text), "VARIABLE", &list, &n, &err));
	CHECK_INT(n, PUSH_PAIRS);
	buf_add_str(&text, STR("a=1"));
	CHECK(!push_pairs_parse(&a, buf_str(&text), "VARIABLE", &list, &n, &err));
	CHECK(strstr(err.text, "more than 1000"));
	buf_free(&text);
	arena_free(&a);
}
