#include "cmd/frame/cmdline.h"

#include <stdlib.h>

#include "harness/test.h"
#include "unit/cmd/sample.h"

/* argv from words parted by blanks; they live as long as the test. */
static bool parse(struct cmdline *out, const char *words, struct err *err)
{
	static struct arena a;
	char *text = arena_array(&a, char, strlen(words) + 1), **argv = arena_array(&a, char *, 100);
	int argc = 1;

	memcpy(text, words, strlen(words));
	argv[0] = text + strlen(words);
	for (char *p = text; *p; argc++) {
		argv[argc] = p;
		p += strcspn(p, " ");
		if (*p)
			*p++ = 0;
	}
	*err = (struct err){ .kind = ERR_NONE };
	return cmdline_parse(out, &a, sample_commands, argc, argv, err);
}

/* What came out, in a few words. */
static struct str shown(const struct cmdline *line)
{
	static struct buf b;
	const struct sample_options *o = line->options;

	buf_clear(&b);
	buf_printf(&b, "%s:", line->command ? line->command->name : "none");
	for (size_t i = 0; i < line->args.count; i++)
		buf_printf(&b, "%s%.*s", i == line->args.rest ? " -- " : " ", STR_ARG(line->args.items[i]));
	if (line->command != &sample_command)
		return buf_str(&b);
	if (o->deep)
		buf_printf(&b, " deep");
	if (o->often)
		buf_printf(&b, " often=%u", o->often);
	if (o->output.p)
		buf_printf(&b, " output=%.*s", STR_ARG(o->output));
	if (o->size)
		buf_printf(&b, " size=%zu", o->size);
	if (o->jobs != 2)
		buf_printf(&b, " jobs=%u", o->jobs);
	if (o->mode != 1)
		buf_printf(&b, " mode=%d", o->mode);
	for (size_t i = 0; i < o->tags.count; i++)
		buf_printf(&b, " tag=%.*s", STR_ARG(o->tags.items[i]));
	if (o->json.given)
		buf_printf(&b, " json=%.*s", STR_ARG(o->json.value));
	return buf_str(&b);
}

TEST(flags_stand_anywhere)
{
	static const struct {
		const char *words, *want;
	} cases[] = {
		{ "", "none:" },
		{ "sample", "sample:" },
		{ "sample a b", "sample: a b" },
		{ "sample -", "sample: -" },
		{ "sample a --deep", "sample: a deep" },
		{ "sample --deep a", "sample: a deep" },
		{ "--deep sample a", "sample: a deep" },
		{ "-o out sample a", "sample: a output=out" },
		{ "--output out sample a", "sample: a output=out" },
		{ "--output=out sample a", "sample: a output=out" },
		{ "-oout sample a", "sample: a output=out" },
		{ "-enoout sample a", "sample: a deep often=1 output=out" },
		{ "-eno out sample a", "sample: a deep often=1 output=out" },
		{ "sample -o out a", "sample: a output=out" },
		{ "sample -o - a", "sample: a output=-" },
		{ "sample --output=--deep a", "sample: a output=--deep" },
		{ "sample --output= a", "sample: a output=" },
		{ "sample --output=a=b c", "sample: c output=a=b" },
		{ "sample a -o x -o y", "sample: a output=y" },
		{ "sample a -nn -n --often", "sample: a often=4" },
		{ "sample --tag a=1 x --tag=b=2 --tag c", "sample: x tag=a=1 tag=b=2 tag=c" },
		{ "sample --size 1K --jobs 7 --mode exact", "sample: size=1024 jobs=7 mode=2" },
		{ "sample --mode=fast --mode=slow", "sample: mode=0" },
		{ "sample --json a", "sample: a json=" },
		{ "sample --json=a,b c", "sample: c json=a,b" },
		{ "sample a -- --deep -x", "sample: a -- --deep -x" },
		{ "sample -- a -- b", "sample: -- a -- b" },
		{ "sample a --", "sample: a" },
		{ "-- sample a", "none: -- sample a" },
		{ "box open x", "box open: x" },
		{ "-v box --color never open x", "box open: x" },
		{ "box close", "box close:" },
		{ "box", "box:" },
		{ "box -v", "box:" },
		{ "--secret", "--secret:" },
		{ "--secret a", "--secret: a" },
		{ "-q --secret a", "--secret: a" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cmdline line;
		struct err err;

		test_case("%s", cases[i].words);
		if (!parse(&line, cases[i].words, &err))
			FAIL("it failed: %s", err.text);
		CHECK_INT(err.kind, ERR_NONE);
		CHECK_STR(shown(&line), str_from(cases[i].want));
	}
}

TEST(a_wrong_command_line_is_told_with_the_nearest_right_one)
{
	static const struct {
		const char *words, *text;
	} cases[] = {
		{ "smaple a", "unknown command 'smaple'" ERR_HELP "did you mean 'sample'?" },
		{ "sampl a", "unknown command 'sampl'" ERR_HELP "did you mean 'sample'?" },
		{ "bxo open", "unknown command 'bxo'" ERR_HELP "did you mean 'box'?" },
		{ "nothing", "unknown command 'nothing'" ERR_HELP "'trackway help' lists the commands" },
		{ "a.json", "unknown command 'a.json'" ERR_HELP "'trackway help' lists the commands" },
		{ "box opne x", "unknown command 'box opne'" ERR_HELP "did you mean 'box open'?" },
		{ "box shake", "unknown command 'box shake'" ERR_HELP "'trackway box -h' lists its commands" },
		{ "sample --dep", "unknown option '--dep'" ERR_HELP "did you mean '--deep'?" },
		{ "sample --jsno", "unknown option '--jsno'" ERR_HELP "did you mean '--json'?" },
		{ "sample --quite", "unknown option '--quite'" ERR_HELP "did you mean '--quiet'?" },
		{ "sample --out x", "unknown option '--out'" },
		{ "sample --x=5", "unknown option '--x'" },
		{ "sample --=5", "unknown option '--'" },
		{ "sample -ex", "unknown option '-x'" },
		{ "--size", "unknown option '--size'" },
		{ "sample -o", "-o needs a value: FILE" },
		{ "sample -o --deep", "-o needs a value: FILE" },
		{ "sample --output", "--output needs a value: FILE" },
		{ "sample --deep=yes", "--deep takes no value" },
		{ "sample --jobs x", "--jobs: 'x' is not a whole number" },
		{ "sample --color alway", "--color: 'alway' is not one of auto|always|never" ERR_HELP
					  "did you mean 'always'?" },
		{ "sample a --secret", "unknown option '--secret'" },
		{ "box --secret open x", "unknown option '--secret'" },
		{ "hiden", "unknown command 'hiden'" ERR_HELP "'trackway help' lists the commands" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cmdline line;
		struct err err;

		test_case("%s", cases[i].words);
		CHECK(!parse(&line, cases[i].words, &err));
		CHECK_INT(err.kind, ERR_USAGE);
		CHECK_STR(str_from(err.text), str_from(cases[i].text));
	}
}

TEST(every_command_has_the_global_options)
{
	struct cmdline line;
	struct err err;

	CHECK(parse(&line, "sample -hVvvq --help --no-pager --color=always", &err));
	CHECK(line.globals.short_help && line.globals.full_help && line.globals.version);
	CHECK(line.globals.quiet && line.globals.no_pager);
	CHECK_INT(line.globals.verbose, 2);
	CHECK_INT(line.globals.color, COLOR_ALWAYS);
	CHECK(parse(&line, "sample", &err));
	CHECK(!line.globals.short_help && !line.globals.full_help && !line.globals.quiet);
	CHECK_INT(line.globals.color, COLOR_AUTO);
}

TEST(the_colour_is_known_even_when_the_command_line_is_wrong)
{
	static const char *const lines[] = {
		"nothing --color always", "sample --wrong --color=always", "--color always sample -x",
		"sample --color x --color always",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct cmdline line;
		struct err err;

		test_case("%s", lines[i]);
		CHECK(!parse(&line, lines[i], &err));
		CHECK_INT(line.globals.color, COLOR_ALWAYS);
	}
}

TEST(the_environment_stands_in_for_an_option_that_is_not_given)
{
	struct cmdline line;
	struct err err;

	setenv("TRACKWAY_TEST_JOBS", "5", 1);
	setenv("TRACKWAY_TEST_DEEP", "1", 1);
	CHECK(parse(&line, "sample", &err));
	CHECK_STR(shown(&line), STR("sample: deep jobs=5"));
	CHECK(parse(&line, "sample --jobs 6", &err));
	CHECK_STR(shown(&line), STR("sample: deep jobs=6"));
	setenv("TRACKWAY_TEST_JOBS", "", 1);
	setenv("TRACKWAY_TEST_DEEP", "0", 1);
	CHECK(parse(&line, "sample", &err));
	CHECK_STR(shown(&line), STR("sample:"));
	setenv("TRACKWAY_TEST_JOBS", "many", 1);
	CHECK(!parse(&line, "sample", &err));
	CHECK_STR(str_from(err.text), STR("TRACKWAY_TEST_JOBS: 'many' is not a whole number"));
}

TEST(the_number_of_arguments_is_checked)
{
	static const struct {
		const char *words, *text; /* NULL: right */
	} cases[] = {
		{ "sample", NULL }, /* standard input may stand in */
		{ "sample a", NULL },
		{ "sample a b", NULL },
		{ "sample a b c", "too many arguments for 'trackway sample', the first of them 'c'" ERR_HELP
				  "usage: trackway sample FILE... [-o OUT]" },
		{ "box open", "'trackway box open' needs more arguments" ERR_HELP "usage: trackway box open ID" },
		{ "box open a", NULL },
		{ "box close a", "'trackway box close' takes no arguments, found 'a'" ERR_HELP
				 "usage: trackway box close" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cmdline line;
		struct err err;

		test_case("%s", cases[i].words);
		CHECK(parse(&line, cases[i].words, &err));
		CHECK_INT(cmdline_check_args(&line, &err), cases[i].text == NULL);
		if (cases[i].text)
			CHECK_STR(str_from(err.text), str_from(cases[i].text));
	}
}

TEST(a_program_without_even_a_name_has_nothing_given)
{
	static char *const argv[] = { NULL };
	struct arena a = { 0 };
	struct cmdline line;
	struct err err;

	CHECK(cmdline_parse(&line, &a, sample_commands, 0, argv, &err));
	CHECK(!line.command && line.args.count == 0);
	arena_free(&a);
}

TEST(a_command_is_found_by_one_or_two_words)
{
	static const struct {
		const char *first, *second;
		const struct command *want;
		size_t used;
		bool is_group;
	} cases[] = {
		{ "sample", "open", &sample_command, 1, false },
		{ "box", "open", &box_open_command, 2, true },
		{ "box", "close", &box_close_command, 2, true },
		{ "box", "shut", NULL, 1, true },
		{ "open", "box", NULL, 1, false },
		{ "box open", "", NULL, 1, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str words[] = { str_from(cases[i].first), str_from(cases[i].second) };
		size_t used;
		bool is_group;

		test_case("%s %s", cases[i].first, cases[i].second);
		CHECK(command_find(sample_commands, words, 2, &used, &is_group) == cases[i].want);
		CHECK(!cases[i].want || used == cases[i].used);
		CHECK_INT(is_group, cases[i].is_group);
	}
}

TEST(a_command_of_two_words_is_found_by_what_was_meant)
{
	static const struct {
		const char *word;
		bool near;
		const struct command *hyphened, *meant;
	} cases[] = {
		{ "box-open", false, &box_open_command, &box_open_command },
		{ "box-shut", false, NULL, NULL },
		{ "box-", false, NULL, NULL },
		{ "boxopen", false, NULL, NULL },
		{ "open", false, NULL, &box_open_command },
		{ "close", false, NULL, &box_close_command },
		{ "opne", false, NULL, NULL },
		{ "opeen", true, NULL, &box_open_command },
		{ "closing", true, NULL, NULL },
		{ "", true, NULL, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].word);
		CHECK(command_find_hyphened(sample_commands, str_from(cases[i].word)) == cases[i].hyphened);
		CHECK(command_find_meant(sample_commands, str_from(cases[i].word), cases[i].near) == cases[i].meant);
	}
}

TEST(the_first_word_of_a_group_is_its_row)
{
	struct str word = STR("box");
	size_t used;
	bool is_group;

	CHECK(command_find(sample_commands, &word, 1, &used, &is_group) == &box_command);
	CHECK_INT(used, 1);
	CHECK(command_is_member(&box_open_command, &box_command));
	CHECK(!command_is_member(&box_command, &box_command));
	CHECK(!command_is_member(&sample_command, &box_command));
	CHECK(!command_is_member(&box_open_command, &sample_command));
	CHECK(command_is_listed(&box_command) && command_is_listed(&sample_command));
	CHECK(!command_is_listed(&box_open_command) && !command_is_listed(&hidden_command));
}

TEST(values_of_options_are_not_taken_for_words)
{
	struct str words[] = { STR("-v"), STR("--jobs"), STR("3"), STR("box"), STR("--mode=slow"), STR("open") };
	size_t at[2];

	CHECK_INT(cmdline_find_words(sample_commands, words, 6, at), 2);
	CHECK_INT(at[0], 3);
	CHECK_INT(at[1], 5);
	words[3] = STR("--");
	CHECK_INT(cmdline_find_words(sample_commands, words, 6, at), 0);
}

TEST(an_option_waits_for_its_value_in_the_next_word)
{
	static const struct {
		const char *word, *want;
	} cases[] = {
		{ "--output", "output" }, { "-o", "output" },   { "-no", "output" }, { "-on", NULL },
		{ "--output=x", NULL },   { "--color", "color" }, { "--json", NULL },  { "--deep", NULL },
		{ "--", NULL },           { "-", NULL },          { "word", NULL },    { "", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct opt *o = cmdline_find_waiting(sample_commands, str_from(cases[i].word));

		test_case("%s", cases[i].word);
		CHECK_STR(str_from(o ? o->name : NULL), str_from(cases[i].want));
	}
}
