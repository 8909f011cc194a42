#include "cmd/frame/help.h"

#include "base/utf8.h"
#include "cmd/frame/cmdline.h"
#include "cmd/frame/commands.h"
#include "harness/test.h"
#include "unit/cmd/sample.h"

static size_t count_lines(struct str text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	return lines;
}

static void check_width(struct str text, size_t width)
{
	while (text.n) {
		struct str line = str_cut(text, '\n', &text);

		if (utf8_width(line) > width)
			FAIL("this line is wider than %zu: %.*s", width, STR_ARG(line));
		CHECK(line.n == 0 || line.p[line.n - 1] != ' ');
	}
}

TEST(the_program_alone_says_at_most_twelve_lines_with_three_examples)
{
	struct term t = { .width = 80 };
	struct buf b;
	struct str left;
	size_t examples = 0;

	buf_init(&b);
	help_add_intro(&b, &t, commands);
	CHECK(count_lines(buf_str(&b)) <= 12);
	check_width(buf_str(&b), 80);
	for (left = buf_str(&b); left.n;)
		examples += str_starts(str_cut(left, '\n', &left), STR("  trackway "));
	CHECK_INT(examples, 3);
	buf_free(&b);
}

TEST(every_page_fits_the_terminal)
{
	static const size_t widths[] = { 60, 80, 120 };

	for (size_t i = 0; i < 3; i++) {
		struct term t = { .width = widths[i] };
		struct buf b;

		buf_init(&b);
		test_case("width %zu", widths[i]);
		for (size_t c = 0; commands[c]; c++) {
			if (commands[c]->hidden)
				continue;
			buf_clear(&b);
			help_add_command(&b, &t, commands, commands[c], false);
			help_add_command(&b, &t, commands, commands[c], true);
			check_width(buf_str(&b), widths[i] < 80 ? 80 : widths[i]);
		}
		buf_clear(&b);
		help_add_overview(&b, &t, commands);
		check_width(buf_str(&b), widths[i]);
		for (const struct topic *topic = topics; topic->name; topic++) {
			buf_clear(&b);
			help_add_topic(&b, &t, topic);
			check_width(buf_str(&b), widths[i] < 80 ? 80 : widths[i]);
		}
		buf_free(&b);
	}
}

static struct str page_of(bool is_full, size_t width)
{
	static struct buf b;
	struct term t = { .width = width };

	buf_clear(&b);
	help_add_command(&b, &t, sample_commands, &sample_command, is_full);
	return buf_str(&b);
}

TEST(the_page_of_a_group_lists_its_commands)
{
	static const char want[] = "trackway box: boxes\n"
				   "\n"
				   "A session\n"
				   "  # look into one\n"
				   "  trackway box open 1 && trackway box close\n"
				   "\n"
				   "Usage\n"
				   "  trackway box COMMAND\n"
				   "\n"
				   "Commands\n"
				   "  box open   open a box\n"
				   "  box close  close it\n"
				   "\n"
				   "'trackway box --help' shows more, and so does -h after each of these.\n";
	struct term t = { .width = 70 };
	struct buf b;

	buf_init(&b);
	help_add_command(&b, &t, sample_commands, &box_command, false);
	CHECK_STR(buf_str(&b), str_from(want));
	buf_clear(&b);
	help_add_overview(&b, &t, sample_commands);
	CHECK(str_find(buf_str(&b), STR("box     boxes\n")) != (size_t)-1);
	CHECK(str_find(buf_str(&b), STR("box open  ")) == (size_t)-1);
	buf_free(&b);
}

TEST(the_short_page_has_examples_usage_and_options)
{
	static const char want[] = "trackway sample: look at files\n"
				   "\n"
				   "Examples\n"
				   "  trackway sample a.json  look at one file\n"
				   "\n"
				   "Usage\n"
				   "  trackway sample FILE... [-o OUT]\n"
				   "\n"
				   "Options\n"
				   "  -e, --deep                  look deeper (environment:\n"
				   "                              TRACKWAY_TEST_DEEP)\n"
				   "  -n, --often                 once more\n"
				   "  -o, --output FILE           write there\n"
				   "      --size SIZE             at most so large\n"
				   "      --jobs N                so many at once (environment:\n"
				   "                              TRACKWAY_TEST_JOBS)\n"
				   "      --mode slow|fast|exact  how\n"
				   "      --tag K=V               a tag; may be repeated\n"
				   "      --json[=FIELDS]         as JSON\n"
				   "\n"
				   "'trackway sample --help' shows more.\n";

	CHECK_STR(page_of(false, 68), str_from(want));
}

TEST(the_full_page_has_the_description_and_the_global_options_too)
{
	static const char description[] =
		"\nDescription\n  Looks at every file.\n\n    a  table\n    of words\n\n  Then it ends.\n";
	struct str page = page_of(true, 80);

	CHECK(str_find(page, str_from(description)) != (size_t)-1);
	for (const struct opt *o = global_options; o->kind != OPT_END; o++)
		CHECK(str_find(page, str_from(o->help)) != (size_t)-1);
	CHECK(str_find(page, STR("\n      --color auto|always|never\n                  when to use")) != (size_t)-1);
	CHECK(str_find(page, STR("exit-codes")) != (size_t)-1);
}

TEST(examples_stand_above_each_other_on_a_narrow_screen)
{
	CHECK(str_find(page_of(false, 40), STR("\n  # look at one file\n  trackway sample a.json\n")) != (size_t)-1);
}

TEST(labels_show_letter_name_and_argument)
{
	static const struct {
		size_t row;
		const char *aligned, *loose;
	} cases[] = {
		{ 0, "-e, --deep", "-e, --deep" },
		{ 2, "-o, --output FILE", "-o, --output FILE" },
		{ 3, "    --size SIZE", "--size SIZE" },
		{ 7, "    --json[=FIELDS]", "--json[=FIELDS]" },
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&b);
		help_add_label(&b, &sample_table[cases[i].row], true);
		CHECK_STR(buf_str(&b), str_from(cases[i].aligned));
		buf_clear(&b);
		help_add_label(&b, &sample_table[cases[i].row], false);
		CHECK_STR(buf_str(&b), str_from(cases[i].loose));
	}
	buf_clear(&b);
	help_add_label(&b, &global_options[0], true);
	CHECK_STR(buf_str(&b), STR("-h"));
	buf_free(&b);
}

TEST(the_variable_of_an_option_is_found)
{
	CHECK_STR(str_from(help_find_variable(&sample_command, &sample_table[4])), STR("TRACKWAY_TEST_JOBS"));
	CHECK(help_find_variable(&sample_command, &sample_table[2]) == NULL);
	CHECK(help_find_variable(&box_open_command, &sample_table[4]) == NULL);
	CHECK(help_find_variable(&sample_command, &global_options[0]) == NULL);
}

TEST(colour_marks_the_titles_only)
{
	struct term t = { .width = 80, .color = true };
	struct buf b;

	buf_init(&b);
	help_add_command(&b, &t, sample_commands, &sample_command, false);
	CHECK(str_find(buf_str(&b), STR("\n\033[1mUsage\033[0m\n")) != (size_t)-1);
	buf_clear(&b);
	help_add_topic(&b, &t, topic_find(STR("formats")));
	CHECK(str_starts(buf_str(&b), STR("\033[1mformats\033[0m: ")));
	buf_free(&b);
}

TEST(a_page_lists_the_fields_of_json)
{
	static const char *const fields[] = { "path", "size", NULL };
	struct command c = { .fields = fields };
	struct buf b;

	buf_init(&b);
	help_add_fields(&b, &c);
	CHECK_STR(buf_str(&b), STR("The fields of --json: path, size."));
	buf_clear(&b);
	c.fields = NULL;
	help_add_fields(&b, &c);
	CHECK_INT(b.n, 0);
	buf_free(&b);
}
