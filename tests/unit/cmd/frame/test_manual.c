#include "cmd/frame/manual.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/frame/commands.h"
#include "dialect/dialect.h"
#include "harness/test.h"
#include "unit/cmd/sample.h"

TEST(a_page_has_name_synopsis_examples_description_and_options)
{
	static const char *const parts[] = {
		".TH TRACKWAY-SAMPLE 1 ",
		".SH NAME\ntrackway\\-sample \\- look at files\n",
		".SH SYNOPSIS\n.B trackway sample\nFILE... [\\-o OUT]\n",
		".SH EXAMPLES\n.TP\n.B trackway sample a.json\nlook at one file.\n",
		".SH DESCRIPTION\nLooks at every file.\n.PP\n.nf\n  a  table\n  of words\n.fi\n.PP\nThen it ends.\n",
		".SH OPTIONS\n.TP\n.B \\-e, \\-\\-deep\nlook deeper (environment: TRACKWAY_TEST_DEEP).\n",
		".TP\n.B \\-\\-json[=FIELDS]\nas JSON.\n",
	};
	struct buf b;

	buf_init(&b);
	manual_add_command(&b, sample_commands, &sample_command);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		test_case("%s", parts[i]);
		CHECK(str_find(buf_str(&b), str_from(parts[i])) != (size_t)-1);
	}
	buf_free(&b);
}

TEST(the_name_of_a_page_has_no_blanks)
{
	struct buf b;

	buf_init(&b);
	manual_add_name(&b, &box_open_command);
	CHECK_STR(buf_str(&b), STR("trackway-box-open"));
	buf_free(&b);
}

TEST(text_that_looks_like_a_request_is_not_one)
{
	static const struct command c = {
		.name = "c", .summary = "s", .usage = "", .description = ".hidden files\n'quoted' text and a \\ ~ ^"
	};
	struct buf b;

	buf_init(&b);
	manual_add_command(&b, sample_commands, &c);
	CHECK(str_find(buf_str(&b), STR("\n\\&.hidden files\n\\&\\(aqquoted\\(aq text and a \\e \\(ti \\(ha\n")) !=
	      (size_t)-1);
	buf_free(&b);
}

TEST(the_page_of_a_group_names_its_commands)
{
	struct buf b;

	buf_init(&b);
	manual_add_command(&b, sample_commands, &box_command);
	CHECK(str_find(buf_str(&b), STR(".SH COMMANDS\n.TP\n.B box open\nopen a box.\n.TP\n.B box close\n")) != (size_t)-1);
	CHECK(str_find(buf_str(&b), STR(".BR trackway\\-box\\-close (1) ,\n.BR trackway (1)\n")) != (size_t)-1);
	CHECK(str_find(buf_str(&b), STR("sample")) == (size_t)-1);
	buf_free(&b);
}

TEST(the_page_of_the_program_names_every_command)
{
	struct buf b;

	buf_init(&b);
	manual_add_program(&b, sample_commands);
	CHECK(str_find(buf_str(&b), STR(".TP\n.B box\nboxes.\n")) != (size_t)-1);
	CHECK(str_find(buf_str(&b), STR("box open")) == (size_t)-1 || str_find(buf_str(&b), STR(".B box open")) == (size_t)-1);
	CHECK(str_find(buf_str(&b), STR(".BR trackway\\-sample (1)")) != (size_t)-1);
	CHECK(str_find(buf_str(&b), STR("\\-\\-secret")) == (size_t)-1);
	CHECK(str_find(buf_str(&b), STR(".SH EXIT STATUS\n")) != (size_t)-1);
	buf_free(&b);
}

TEST(the_page_of_the_formats_has_their_fields_and_codes)
{
	static const char *const parts[] = {
		".TH TRACKWAY-TRACE 5 ",
		".SH NAME\ntrackway\\-trace \\- the formats ",
		".SH AGENT-TRACE\n",
		".SS model_call\none request to a model.\n.TP\n.B endpoint\nstring (required); where the request went.\n",
		".TP\n.B input_tokens\ninteger (required), not negative; the full prompt.\n",
		".TP\n.B tool_choice\nstring (optional, but not with \\-\\-strict): \"auto\", \"required\" or \"none\".\n",
		".TP\n.B parent_node_ids\narray of strings (required); ",
		".TP\n.B model_call\nobject (model_call) (optional).\n",
		".TP\n.B ttft_ms\ninteger or null (required), not negative; until the first token.\n",
		".TP\n.B AT001\nerror: the line is not well\\-formed UTF\\-8.\n",
		".SH JSONL\n",
		".TP\n.B V001\n",
	};
	struct buf b;

	buf_init(&b);
	manual_add_formats(&b);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		test_case("%s", parts[i]);
		CHECK(str_find(buf_str(&b), str_from(parts[i])) != (size_t)-1);
	}
	buf_free(&b);
}

TEST(the_page_of_the_formats_lists_every_rule_once)
{
	struct buf b;

	buf_init(&b);
	manual_add_formats(&b);
	for (const struct dialect *const *d = dialects; *d; d++) {
		for (const struct rule *r = (*d)->rules; r->code; r++) {
			struct str page = buf_str(&b);
			char item[64];
			size_t at;

			snprintf(item, sizeof(item), ".TP\n.B %s\n", r->code);
			test_case("%s %s", (*d)->name, r->code);
			at = str_find(page, str_from(item));
			CHECK(at != (size_t)-1);
			CHECK(str_find(str_of(page.p + at + 1, page.n - at - 1), str_from(item)) == (size_t)-1);
		}
	}
	buf_free(&b);
}

/* Fails when `command`, given the page on its standard input, says anything or fails. */
static void check_with(const char *command, struct str page)
{
	char line[300], said[1000] = "", path[] = "/tmp/trackway-manual-XXXXXX";
	int fd = mkstemp(path);
	FILE *f;
	size_t n;

	CHECK(fd >= 0 && write(fd, page.p, page.n) == (ssize_t)page.n);
	close(fd);
	snprintf(line, sizeof(line), "%s <%s 2>&1", command, path);
	f = popen(line, "r");
	n = fread(said, 1, sizeof(said) - 1, f);
	unlink(path);
	if (pclose(f) != 0 || n)
		FAIL("%s: %s", command, said);
}

static void check_pages_with(const char *program, const char *command)
{
	char find[100];
	struct buf b;

	snprintf(find, sizeof(find), "command -v %s >/dev/null", program);
	if (system(find) != 0)
		SKIP("%s is not installed", program);
	buf_init(&b);
	manual_add_program(&b, commands);
	test_case("trackway");
	check_with(command, buf_str(&b));
	buf_clear(&b);
	manual_add_formats(&b);
	test_case("trackway-trace");
	check_with(command, buf_str(&b));
	for (size_t i = 0; commands[i]; i++) {
		if (commands[i]->hidden)
			continue;
		buf_clear(&b);
		test_case("%s", commands[i]->name);
		manual_add_command(&b, commands, commands[i]);
		check_with(command, buf_str(&b));
	}
	buf_free(&b);
}

TEST(mandoc_has_nothing_to_say_about_the_pages)
{
	check_pages_with("mandoc", "mandoc -Tlint -W warning");
}

TEST(groff_has_nothing_to_say_about_the_pages)
{
	check_pages_with("groff", "groff -man -ww -Tascii -z");
}
