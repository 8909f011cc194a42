#include "cmd/completion.h"

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
		{ "", "sample\tlook at files\nbox\t\n" },
		{ "s", "sample\tlook at files\n" },
		{ "-q s", "sample\tlook at files\n" },
		{ "x", "" },
		{ "box ", "open\topen a box\nclose\tclose it\n" },
		{ "box c", "close\tclose it\n" },
		{ "box open ", "" },
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
