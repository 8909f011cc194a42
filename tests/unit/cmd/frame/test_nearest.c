#include "cmd/frame/nearest.h"

#include "harness/test.h"

static struct str nearest_of(const char *word)
{
	static const char *const names[] = { "canon", "hash", "help", "version", "completion", "json" };
	struct nearest n;

	nearest_init(&n, str_from(word));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		nearest_offer(&n, str_from(names[i]));
	return n.best;
}

TEST(the_nearest_word_is_at_most_two_edits_away)
{
	static const struct {
		const char *word, *want;
	} cases[] = {
		{ "cannon", "canon" },
		{ "cnaon", "canon" },
		{ "Canon", "canon" },
		{ "hahs", "hash" },
		{ "hlp", "help" },
		{ "versoin", "version" },
		{ "compeltions", "completion" },
		{ "hexp", "help" },  /* one edit from help, two from hash */
		{ "haelp", "help" }, /* one from help */
		{ "hxxh", "hash" },
		{ "verzsoxn", NULL },
		{ "validate", NULL },
		{ "ha", NULL }, /* two edits of two letters prove nothing */
		{ "hxlp", "help" },
		{ "x", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].word);
		CHECK_STR(nearest_of(cases[i].word), str_from(cases[i].want));
	}
}

TEST(the_first_of_equally_near_words_is_meant)
{
	struct nearest n;

	nearest_init(&n, STR("cat"));
	nearest_offer(&n, STR("car"));
	nearest_offer(&n, STR("can"));
	CHECK_STR(n.best, STR("car"));
	nearest_offer(&n, STR("cat"));
	CHECK_STR(n.best, STR("cat"));
}

TEST(help_is_a_question_or_nothing)
{
	struct nearest n;
	char text[100];

	nearest_init(&n, STR("jsno"));
	CHECK(nearest_help(&n, text, sizeof(text), "--") == NULL);
	nearest_offer(&n, STR("json"));
	CHECK_STR(str_from(nearest_help(&n, text, sizeof(text), "--")), STR("did you mean '--json'?"));
}

static const char *color_name(size_t i)
{
	static const char *const names[] = { "red", "green", NULL };

	return names[i];
}

TEST(a_word_that_is_no_choice_is_answered_with_all_of_them)
{
	static const struct choice c = { .option = "--color", .noun = "color", .example = "red", .name = color_name };
	struct err err;

	CHECK(!nearest_refuse(&c, STR("gren"), &err));
	CHECK_STR(str_from(err.text), STR("'gren' is not a color; the colors: red, green" ERR_HELP "did you mean 'green'?"));
	CHECK(!nearest_refuse(&c, STR("blue"), &err));
	CHECK(strstr(err.text, "give one of these to --color"));
	CHECK(!nearest_refuse(&c, str_of(NULL, 0), &err));
	CHECK_STR(str_from(err.text), STR("--color is missing; one of: red, green" ERR_HELP "add --color red, for example"));
}
