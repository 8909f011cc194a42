#include "cmd/frame/completion.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/test.h"
#include "unit/cmd/sample.h"

/* The answers to the words parted by blanks, of which a trailing blank begins an empty last one. */
static struct str answers_to(const char *line)
{
	static struct buf b;
	struct str words[20], left = str_from(line);
	size_t count = 0;

	while (left.n)
		words[count++] = str_cut(left, ' ', &left);
	if (*line == 0 || line[strlen(line) - 1] == ' ')
		words[count++] = STR("");
	buf_clear(&b);
	completion_add(&b, sample_commands, words, count);
	return buf_str(&b);
}

TEST(words_are_completed_by_what_stands_before_them)
{
	static const struct {
		const char *line, *want;
	} cases[] = {
		{ "", "sample\tlook at files\nbox\tboxes\n" },
		{ "s", "sample\tlook at files\n" },
		{ "-q s", "sample\tlook at files\n" },
		{ "x", "" },
		{ "box ", "open\topen a box\nclose\tclose it\n" },
		{ "box c", "close\tclose it\n" },
		{ "box open ", "" },
		{ "box --col", "--color\twhen to use colour (auto: on a terminal)\n" },
		{ "nothing ", "" },
		{ "sample ", ":files\n" },
		{ "sample a", ":files\n" },
		{ "sample --mo", "--mode\thow\n" },
		{ "sample --mode ", "slow\t\nfast\t\nexact\t\n" },
		{ "sample --mode f", "fast\t\n" },
		{ "sample --mode=", "--mode=slow\t\n--mode=fast\t\n--mode=exact\t\n" },
		{ "sample --mode=e", "--mode=exact\t\n" },
		{ "--mode f", "fast\t\n" },
		{ "sample -o ", ":files\n" },
		{ "sample --output=x", ":files\n" },
		{ "sample --jobs ", "" },
		{ "sample --no", "--no-pager\tnever start a pager\n" },
		{ "--col", "--color\twhen to use colour (auto: on a terminal)\n" },
		{ "sample --color a", "auto\t\nalways\t\n" },
		{ "sample -- --mo", ":files\n" },
		{ "sample -- --mode ", ":files\n" },
		{ "sample -- --mode=e", ":files\n" },
		{ "hid", "" },
		{ "--se", "" }, /* hidden */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("trackway %s", cases[i].line);
		CHECK_STR(answers_to(cases[i].line), str_from(cases[i].want));
	}
	CHECK(str_starts(answers_to("sample -"), STR("--deep\tlook deeper\n")));
}

TEST(runs_are_offered_recent_first_and_files_too)
{
	static const struct command looks = { .name = "look", .usage = "[RUN]", .args = ARGS_RUNS, .args_max = 1 };
	static const struct command *const table[] = { &looks, NULL };
	struct str words[] = { STR("look"), STR("") };
	char home[] = "/tmp/test-completion-XXXXXX";
	struct arena a;
	struct buf b;
	FILE *f;

	arena_init(&a);
	buf_init(&b);
	CHECK(mkdtemp(home) && setenv("TRACKWAY_HOME", home, 1) == 0);
	completion_add(&b, table, words, 2);
	CHECK_STR(buf_str(&b), STR(":files\n")); /* no run yet */
	f = fopen(arena_printf(&a, "%s/runs.jsonl", home).p, "w");
	CHECK(f && fputs("{\"run_id\":\"old\",\"dir\":\"/\",\"started\":\"1\",\"program\":\"a\"}\n"
			 "{\"run_id\":\"gone\",\"dir\":\"/no/such/directory\"}\n"
			 "{\"run_id\":\"new\",\"dir\":\"/tmp\",\"started\":\"2\",\"program\":\"b\\u001b\"}\n", f) >= 0 && fclose(f) == 0);
	buf_clear(&b);
	completion_add(&b, table, words, 2);
	CHECK_STR(buf_str(&b), STR("@last\tthe newest run\nnew\t2 b\\x1b\nold\t1 a\n:files\n"));
	words[1] = STR("o");
	buf_clear(&b);
	completion_add(&b, table, words, 2);
	CHECK_STR(buf_str(&b), STR("old\t1 a\n:files\n"));
	CHECK(remove(arena_printf(&a, "%s/runs.jsonl", home).p) == 0 && remove(home) == 0);
	buf_free(&b);
	arena_free(&a);
}

TEST(an_option_is_that_of_its_command)
{
	static const struct opt one[] = { { OPT_STR, 'o', "output", 0, "DIR", "" }, OPT_LAST };
	static const struct opt two[] = { { OPT_STR, 'o', "output", 0, "FILE", "" }, OPT_LAST };
	static const struct command first = { .name = "first", .usage = "", .options = one };
	static const struct command second = { .name = "second", .usage = "", .options = two };
	static const struct command *const table[] = { &first, &second, NULL };
	static const struct {
		const char *words[3], *want;
	} cases[] = {
		{ { "first", "-o", "" }, ":dirs\n" },
		{ { "second", "-o", "" }, ":files\n" },
		{ { "second", "--output", "" }, ":files\n" },
		{ { "second", "x", "--output=" }, ":files\n" },
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str words[3];

		for (size_t w = 0; w < 3; w++)
			words[w] = str_from(cases[i].words[w]);
		buf_clear(&b);
		completion_add(&b, table, words, 3);
		CHECK_STR(buf_str(&b), str_from(cases[i].want));
	}
	buf_free(&b);
}

TEST(no_words_have_no_answers)
{
	struct buf b;

	buf_init(&b);
	completion_add(&b, sample_commands, NULL, 0);
	CHECK_INT(b.n, 0);
	buf_free(&b);
}

TEST(each_shell_has_a_script_that_asks_us)
{
	for (size_t i = 0; completion_shells[i]; i++) {
		struct str script = completion_find_script(str_from(completion_shells[i]));

		test_case("%s", completion_shells[i]);
		CHECK(str_find(script, STR("trackway __complete --")) != (size_t)-1);
		CHECK(str_ends(script, STR("\n")));
	}
	CHECK(completion_find_script(STR("tcsh")).p == NULL);
}
