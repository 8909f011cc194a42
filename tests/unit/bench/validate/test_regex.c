#include "bench/validate/regex.h"

#include "base/clock.h"
#include "harness/test.h"

struct attempt {
	const char *pattern, *text;
	enum regex_answer whole, part;
};

static void check_attempts(const struct attempt *cases, size_t count, enum regex_syntax syntax)
{
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < count; i++) {
		struct regex_fault fault = { .at = 0 };
		struct regex *r = regex_new(&a, str_from(cases[i].pattern), syntax, &fault);

		test_case("%s on %s", cases[i].pattern, cases[i].text);
		if (!r)
			FAIL("refused: %s", fault.text);
		CHECK_INT(regex_match(r, str_from(cases[i].text), true, NULL), cases[i].whole);
		CHECK_INT(regex_match(r, str_from(cases[i].text), false, NULL), cases[i].part);
	}
	arena_free(&a);
}

#define CHECK_ATTEMPTS(cases, syntax) check_attempts(cases, sizeof(cases) / sizeof(cases[0]), syntax)

TEST(a_pattern_matches_the_whole_or_a_part)
{
	static const struct attempt cases[] = {
		{ "[0-9]+", "16", REGEX_YES, REGEX_YES },
		{ "[0-9]+", "16G", REGEX_NO, REGEX_YES },
		{ "[0-9]+", "G", REGEX_NO, REGEX_NO },
		{ "a|ab", "ab", REGEX_YES, REGEX_YES }, /* the whole is looked for in every alternative */
		{ "", "", REGEX_YES, REGEX_YES },
		{ "", "x", REGEX_NO, REGEX_YES },
	};

	CHECK_ATTEMPTS(cases, REGEX_PYTHON);
}

TEST(python_syntax_means_what_it_means_in_python)
{
	static const struct attempt cases[] = {
		{ "x\\Z", "x", REGEX_YES, REGEX_YES },
		{ "x\\Z", "x\n", REGEX_NO, REGEX_NO },
		{ "x$", "x\n", REGEX_NO, REGEX_YES },
		{ "a\\vb", "a\x0B" "b", REGEX_YES, REGEX_YES },
		{ "a\\vb", "a\nb", REGEX_NO, REGEX_NO },
		{ "a{,2}b", "aab", REGEX_YES, REGEX_YES },
		{ "a{,2}b", "a{,2}b", REGEX_NO, REGEX_YES },
		{ "\\s", "\x1C", REGEX_YES, REGEX_YES },
		{ "[\\sx]+", "\x1Fx", REGEX_YES, REGEX_YES },
		{ "\\S", "\xE1\xA0\x8E", REGEX_YES, REGEX_YES }, /* U+180E was a blank once */
		{ "\\u00e9\\U0001F600", "\xC3\xA9\xF0\x9F\x98\x80", REGEX_YES, REGEX_YES },
		{ "[[:alpha:]", "[", REGEX_YES, REGEX_YES },
		{ "[[:alpha:]", "b", REGEX_NO, REGEX_NO },
		{ "[]a]+", "]a", REGEX_YES, REGEX_YES },
		{ "(?P<y>a)(?P=y)", "aa", REGEX_YES, REGEX_YES },
		{ "(?iu)ABC", "abc", REGEX_YES, REGEX_YES },
		{ "(?u)a", "a", REGEX_YES, REGEX_YES },
		{ "\\d+", "\xD9\xA3", REGEX_YES, REGEX_YES },
		{ "(?#[)a", "a", REGEX_YES, REGEX_YES },
		{ "a.b", "a\rb", REGEX_YES, REGEX_YES },
		{ "a.b", "a\nb", REGEX_NO, REGEX_NO },
		{ "\\p{Letter}\\p{Lu}", "aB", REGEX_YES, REGEX_YES },
	};

	CHECK_ATTEMPTS(cases, REGEX_PYTHON);
}

TEST(patterns_of_schemas_are_those_of_ecmascript)
{
	static const struct attempt cases[] = {
		{ "^a$", "a\n", REGEX_NO, REGEX_NO },
		{ "\\d", "\xD9\xA3", REGEX_NO, REGEX_NO },
		{ "\\s", "\xEF\xBB\xBF", REGEX_YES, REGEX_YES },
		{ "\\s", "\x1C", REGEX_NO, REGEX_NO },
		{ "\\ud83d\\ude00", "\xF0\x9F\x98\x80", REGEX_YES, REGEX_YES },
		{ "\\u{1f600}", "\xF0\x9F\x98\x80", REGEX_YES, REGEX_YES },
		{ "a{,2}", "a{,2}", REGEX_YES, REGEX_YES },
		{ "[^]", "x", REGEX_YES, REGEX_YES },
	};

	CHECK_ATTEMPTS(cases, REGEX_ECMA);
}

TEST(a_plain_text_has_no_syntax_and_no_case)
{
	static const struct attempt cases[] = {
		{ "a.[b", "A.[B", REGEX_YES, REGEX_YES },
		{ "a.b", "axb", REGEX_NO, REGEX_NO },
		{ "\xC3\xA9", "x\xC3\x89", REGEX_NO, REGEX_YES },
	};

	CHECK_ATTEMPTS(cases, REGEX_TEXT);
}

TEST(what_is_no_pattern_is_refused_with_its_place)
{
	static const struct {
		const char *pattern;
		size_t at;
	} cases[] = {
		{ "[0-9", 4 }, { "(", 1 }, { "\\u00", 0 }, { "\\U1234", 0 }, { "a(*COMMIT)", 1 }, { "a(?C1)", 1 }, { "\\Qa\\E", 0 },
		{ "\\s\\s(?<", 7 }, { "\\C", 2 },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct regex_fault fault = { .at = 99 };

		test_case("%s", cases[i].pattern);
		CHECK(!regex_new(&a, str_from(cases[i].pattern), REGEX_PYTHON, &fault));
		CHECK_INT(fault.at, cases[i].at);
		CHECK(fault.text[0]);
		CHECK(!regex_new(&a, str_from(cases[i].pattern), REGEX_PYTHON, NULL));
	}
	arena_free(&a);
}

TEST(a_pattern_may_not_be_endless)
{
	char *text = test_alloc(REGEX_PATTERN_MAX + 2);
	struct regex_fault fault;
	struct arena a;

	arena_init(&a);
	memset(text, 'a', REGEX_PATTERN_MAX + 1);
	CHECK(regex_new(&a, str_of(text, REGEX_PATTERN_MAX), REGEX_TEXT, &fault));
	CHECK(!regex_new(&a, str_of(text, REGEX_PATTERN_MAX + 1), REGEX_TEXT, &fault));
	arena_free(&a);
}

TEST(a_hostile_pattern_is_given_up_in_time_and_always_at_the_same_point)
{
	static const char *const patterns[] = { "(a+)+[bc]", "(a|a)*[bc]", "(a*)\\1(a*)\\2[bc]", "(?:a|a)*?a*+[bc]", "(?:(?=a*[bc])a|a)+[cd]" };
	char *text = test_alloc(40001);
	uint64_t start = clock_mono_ns();
	struct arena a;

	memset(text, 'a', 40000);
	arena_init(&a);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		struct regex *r = regex_new(&a, str_from(patterns[i]), REGEX_PYTHON, NULL);

		test_case("%s", patterns[i]);
		CHECK_INT(regex_match(r, str_of(text, 40000), false, NULL), REGEX_LIMIT);
		CHECK_INT(regex_match(r, str_of(text, 40000), false, NULL), REGEX_LIMIT);
		CHECK_INT(regex_match(r, str_of(text, 10), false, NULL), REGEX_NO);
	}
	CHECK(clock_mono_ns() - start < (uint64_t)60 * 1000000000u * test_slower());
	arena_free(&a);
}

TEST(one_budget_may_be_shared)
{
	uint64_t budget = REGEX_BUDGET, before;
	char *text = test_alloc(40);
	struct regex *r;
	struct arena a;

	arena_init(&a);
	memset(text, 'a', 40);
	r = regex_new(&a, STR("a*[bc]"), REGEX_PYTHON, NULL);
	CHECK_INT(regex_match(r, str_of(text, 40), false, &budget), REGEX_NO);
	before = budget;
	CHECK(before < REGEX_BUDGET && before > 0);
	r = regex_new(&a, STR("(a|a)*[bc]"), REGEX_PYTHON, NULL);
	CHECK_INT(regex_match(r, str_of(text, 40), false, &budget), REGEX_LIMIT);
	CHECK_INT(budget, 0);
	r = regex_new(&a, STR("a"), REGEX_PYTHON, NULL);
	CHECK_INT(regex_match(r, STR("a"), true, &budget), REGEX_LIMIT);
	arena_free(&a);
}

TEST(a_long_text_has_enough_for_a_pattern_that_passes_over_it)
{
	size_t n = (size_t)8 << 20;
	char *text = test_alloc(n);
	struct regex *r;
	struct arena a;

	arena_init(&a);
	memset(text, 'a', n);
	r = regex_new(&a, STR("[\\s\\S]*z?"), REGEX_PYTHON, NULL);
	CHECK_INT(regex_match(r, str_of(text, n), true, NULL), REGEX_YES);
	r = regex_new(&a, STR("b|cd?"), REGEX_PYTHON, NULL);
	CHECK_INT(regex_match(r, str_of(text, n), false, NULL), REGEX_NO);
	arena_free(&a);
}
