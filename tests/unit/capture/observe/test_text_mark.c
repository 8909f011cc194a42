#include "capture/observe/text_mark.h"
#include "harness/test.h"

TEST(a_text_is_known_again_alone_and_inside_another)
{
	static const struct {
		const char *text, *other;
		bool in, eq;
	} cases[] = {
		{ "find the file", "find the file", true, true },
		{ "find the file", "please find the file now", true, false },
		{ "find the file", "please find the file", true, false },
		{ "find the file", "find the fil", false, false },
		{ "find the file", "find  the file", false, false },
		{ "find the file", "", false, false },
		{ "aaa", "aabaaab", true, false },
		{ "aaaa", "aabaaab", false, false },
		{ "", "anything", true, false },
		{ "\xe4\xb8\x96\xe7\x95\x8c", "x\xe4\xb8\x96\xe7\x95\x8cx", true, false },
	};
	struct text_marker m;

	text_marker_init(&m);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text_mark a = text_mark_of(&m, str_from(cases[i].text)), b = text_mark_of(&m, str_from(cases[i].other));

		CHECK_INT(text_mark_is_in(&m, &a, str_from(cases[i].other)), cases[i].in);
		CHECK_INT(text_mark_eq(&a, &b), cases[i].eq);
	}
	text_marker_free(&m);
}

TEST(a_mark_counts_characters_and_not_bytes)
{
	struct text_marker m;
	struct text_mark mark;

	text_marker_init(&m);
	mark = text_mark_of(&m, STR("\xe4\xb8\x96\xe7\x95\x8c"));
	CHECK_INT(mark.chars, 2);
	CHECK_INT(mark.bytes, 6);
	text_marker_free(&m);
}

/* Every window of a long text, and no window that differs in its last byte. */
TEST(every_part_of_a_text_is_found_in_it)
{
	char text[200], part[200];
	struct text_marker m;

	text_marker_init(&m);
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * i * 7 + i);
	for (size_t from = 0; from < sizeof(text); from += 3) {
		for (size_t n = 1; from + n <= sizeof(text); n += 5) {
			struct text_mark mark = text_mark_of(&m, str_of(text + from, n));

			CHECK(text_mark_is_in(&m, &mark, str_of(text, sizeof(text))));
			CHECK(!text_mark_is_in(&m, &mark, str_of(text, from + n - 1)) || n < 40);
			memcpy(part, text + from, n);
			part[n - 1] ^= 1;
			mark = text_mark_of(&m, str_of(part, n));
			CHECK(n < 40 || !text_mark_is_in(&m, &mark, str_of(text, sizeof(text))));
		}
	}
	text_marker_free(&m);
}

TEST(the_key_of_a_text_is_that_of_its_mark_or_none_when_it_is_short)
{
	struct text_marker m;
	struct text_mark mark;

	text_marker_init(&m);
	mark = text_mark_of(&m, STR("find the file"));
	CHECK(text_mark_key(STR("find the file"), 12) == mark.key);
	CHECK(text_mark_key(STR("find the file"), 14) == 0);
	/* 12 bytes, but four characters */
	CHECK(text_mark_key(STR("\xe4\xb8\x96\xe4\xb8\x96\xe4\xb8\x96\xe4\xb8\x96"), 12) == 0);
	text_marker_free(&m);
}

static uint64_t run_of(struct str text)
{
	struct text_run r = { .digest = 0 };

	text_run_add(&r, text);
	return r.digest;
}

TEST(a_run_is_the_same_however_it_is_cut)
{
	struct str text = STR("  It will rain \n on Friday;\tthe library is free.  \n ");

	for (size_t i = 0; i <= text.n; i++)
		for (size_t j = i; j <= text.n; j++) {
			struct text_run r = { .digest = 0 };

			text_run_add(&r, str_of(text.p, i));
			text_run_add(&r, str_of(text.p + i, j - i));
			text_run_add(&r, str_skip(text, j));
			CHECK(r.digest == run_of(str_trim(text)));
		}
}

TEST(runs_of_different_texts_differ)
{
	static const struct str texts[] = {
		{ "a", 1 }, { "b", 1 }, { "aa", 2 }, { "a a", 3 }, { "a  a", 4 }, { "a\na", 3 }, { "a\0", 2 }, { "a\0\0", 3 },
		{ "\0a", 2 }, { "12345678", 8 }, { "123456781", 9 }, { "12345678\0", 9 }, { "1234567812345678", 16 },
		{ "8765432112345678", 16 }, { "1234567887654321", 16 },
	};

	CHECK(run_of(STR(" \n\t ")) == 0);
	for (size_t i = 0; i < COUNT(texts); i++)
		for (size_t j = 0; j < i; j++)
			CHECK(run_of(texts[i]) != run_of(texts[j]));
}
