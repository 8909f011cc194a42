#include "kit.h"

static struct str spelled(struct arena *a, struct str name)
{
	struct export_chars chars = export_chars_of(name);
	struct buf out;
	struct str c;

	buf_init(&out);
	while ((c = export_next_char(&chars)).p)
		buf_add_str(&out, c);
	return arena_take(a, &out);
}

TEST(what_acts_on_a_reader_is_replaced)
{
	static const struct {
		struct str in;
		const char *out;
		bool plain;
	} cases[] = {
		{ WORD("gpt-4"), "gpt-4", true },
		{ WORD("\xC3\xA9t\xC3\xA9"), "\xC3\xA9t\xC3\xA9", true },
		{ WORD("a\nb\tc"), "a b c", false },
		{ WORD("a\0b"), "a\xEF\xBF\xBD" "b", false },
		{ WORD("\x1B[31m"), "\xEF\xBF\xBD[31m", false },
		{ WORD("\xE2\x80\xAE" "x"), "\xEF\xBF\xBDx", false }, /* right to left */
		{ WORD("\xFFx"), "\xEF\xBF\xBDx", false },
		{ WORD(""), "", false },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK_STR(spelled(&a, cases[i].in), str_from(cases[i].out));
		CHECK_INT(export_is_plain(cases[i].in), cases[i].plain);
	}
	arena_free(&a);
}

TEST(a_long_name_is_cut_between_two_characters)
{
	char name[10000];
	struct arena a;
	struct str got;

	arena_init(&a);
	for (size_t i = 0; i + 1 < sizeof(name); i += 2)
		memcpy(name + i, "\xC3\xA9", 2);
	CHECK(!export_is_plain(str_of(name, sizeof(name))));
	got = spelled(&a, str_of(name, sizeof(name)));
	CHECK_INT(got.n, EXPORT_NAME_MAX + 3);
	CHECK(str_ends(got, STR("\xC3\xA9\xE2\x80\xA6")));
	CHECK_STR(spelled(&a, str_of(name, EXPORT_NAME_MAX)), str_of(name, EXPORT_NAME_MAX));
	arena_free(&a);
}
