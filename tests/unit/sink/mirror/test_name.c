/* Names of outputs: one for each source whatever it is called, and none that leads elsewhere. */
#include "sink/mirror/name.h"

#include "harness/test.h"

TEST(a_stem_is_the_path_below_and_never_leads_out)
{
	static const struct {
		const char *below, *stem;
	} cases[] = {
		{ "a.jsonl", "a.jsonl" },
		{ "sub/a.jsonl", "sub/a.jsonl" },
		{ "/etc//passwd", "etc/passwd" },
		{ "../../a", "_../_../a" },
		{ "./a/./b", "a/b" },
		{ "a/../b", "a/_../b" },
		{ "...", "..." },
		{ ".unfinished/a", "_.unfinished/a" },
		{ "a/.unfinished", "a/.unfinished" },
		{ "", "_" },
		{ ".", "_" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].below);
		CHECK_STR(mirror_stem(&a, str_from(cases[i].below), str_of(NULL, 0)), str_from(cases[i].stem));
	}
	arena_free(&a);
}

TEST(a_long_name_is_cut_between_characters_and_stays_different_from_others)
{
	struct str one, other, tagged, last;
	char text[252];
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(text); i += 3)
		memcpy(text + i, "\xe2\x82\xac", 3);
	one = mirror_stem(&a, str_of(text, sizeof(text)), str_of(NULL, 0));
	other = mirror_stem(&a, str_of(text, sizeof(text) - 3), str_of(NULL, 0));
	tagged = mirror_stem(&a, str_of(text, sizeof(text)), STR("in/x"));
	last = mirror_output(&a, tagged, UINT64_MAX, UINT64_MAX, STR("0123456789012345678901234567890123456789"));
	CHECK(!str_eq(one, other) && !str_eq(one, tagged));
	CHECK_INT(one.n, 171 + 9);
	CHECK(str_starts(one, str_of(text, 171)) && one.p[171] == '~');
	CHECK(last.n <= 255);
	/* a directory has its own limit */
	one = mirror_stem(&a, ARENA_JOIN(&a, str_of(text, sizeof(text)), STR("/x")), str_of(NULL, 0));
	CHECK_INT(one.n, sizeof(text) + 2);
	arena_free(&a);
}

TEST(runs_are_numbered_only_when_there_are_several)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(mirror_output(&a, STR("d/a.jsonl"), 1, 1, STR(".otutl.jsonl")), STR("d/a.jsonl.otutl.jsonl"));
	CHECK_STR(mirror_output(&a, STR("d/a.jsonl"), 1, 2, STR(".otutl.jsonl")), STR("d/a.jsonl.1.otutl.jsonl"));
	CHECK_STR(mirror_output(&a, STR("d/a.jsonl"), 12, 12, STR(".atif.json")), STR("d/a.jsonl.12.atif.json"));
	arena_free(&a);
}

TEST(a_path_that_is_no_text_has_a_spelling_of_its_own)
{
	static const struct {
		const char *path, *spelling;
	} cases[] = {
		{ "a/b", "a/b" }, { "\xe2\x82\xac", "\xe2\x82\xac" }, { "a\xff", "a\\xff" }, { "\xfe\xffz", "\\xfe\\xffz" },
		{ "\xe2\x82", "\\xe2\\x82" }, { "", "" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].spelling);
		CHECK_STR(mirror_spelling(&a, str_from(cases[i].path)), str_from(cases[i].spelling));
	}
	arena_free(&a);
}
