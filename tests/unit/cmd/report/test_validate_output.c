/* What validate says of parts made up here; what it finds out itself is tested in tests/cli/validate. */
#include "cmd/report/validate_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/test.h"
#include "unit/cmd/said.h"

static const struct rule rules[] = {
	{ .code = "X1", .severity = SEV_ERROR, .sentence = "it is bad", .help = "make it good" },
	{ .code = "X2", .severity = SEV_WARNING, .sentence = "it is odd" },
	{ .code = NULL },
};

static const struct dialect format = { .name = "diary", .unit = "event", .rules = rules };
static const struct frame loud = { .out = { .width = 80 }, .err = { .width = 80 } };
static const struct frame quiet = { .out = { .width = 80 }, .err = { .width = 80 }, .quiet = true };
static const struct str named[] = { { "a.jsonl", 7 }, { "b.jsonl", 7 } };

static const struct rule *find_rule(const char *code)
{
	return strcmp(code, "X1") == 0 ? &rules[0] : NULL;
}

/* Without the time it took, which is another one each time. */
static struct str timeless(struct str text)
{
	char *out = test_alloc(text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == ' ' && i + 2 < text.n && text.p[i + 1] == '(' && text.p[i + 2] >= '0' &&
		    text.p[i + 2] <= '9' && str_find(str_of(text.p + i, text.n - i), STR("s)\n")) < 12)
			i += str_find(str_of(text.p + i, text.n - i), STR("s)\n")) + 2;
		out[n++] = text.p[i];
	}
	return str_of(out, n);
}

struct fixture {
	struct arena arena;
	struct findings good, odd, bad;
	struct validate_input part;
	struct validate_output output;
	struct said said;
	struct err err;
};

static void fixture_init(struct fixture *x, enum validate_form form, const struct frame *frame)
{
	struct finding error = { .code = "X1", .severity = SEV_ERROR, .message = STR("bad") };
	struct finding warning = { .code = "X2", .severity = SEV_WARNING, .message = STR("odd") };

	*x = (struct fixture){
		.part = { .name = named[0], .dialect = &format, .tally = { .records = 9 }, .bytes = 100 },
		.output = { .frame = frame, .form = form, .named = named, .named_count = 2 },
	};
	arena_init(&x->arena);
	findings_init(&x->good, &x->arena, 0);
	findings_init(&x->odd, &x->arena, 0);
	findings_init(&x->bad, &x->arena, 0);
	findings_add(&x->odd, &warning);
	findings_add(&x->bad, &error);
	findings_add(&x->bad, &warning);
	x->output.arena = &x->arena;
	x->output.json.given = form == VALIDATE_JSON;
}

static void begin(struct fixture *x)
{
	catch(&x->said);
	validate_output_init(&x->output);
}

static void add(struct fixture *x, struct str name, const struct findings *findings)
{
	x->part.name = name;
	x->part.findings = findings;
	validate_output_add(&x->output, &x->part);
}

static int end(struct fixture *x)
{
	int status = validate_output_end(&x->output, true, &x->err);

	caught(&x->said);
	arena_free(&x->arena);
	return status;
}

TEST(one_valid_file_is_one_line)
{
	struct fixture x;

	fixture_init(&x, VALIDATE_TEXT, &loud);
	x.part.tally.variant = "spoken";
	begin(&x);
	add(&x, named[0], &x.good);
	validate_output_show_progress(&x.output, NULL); /* too early to be due */
	CHECK_INT(end(&x), EXIT_YES);
	CHECK_STR(x.said.out, STR("a.jsonl: valid diary (spoken), 9 events\n"));
	CHECK_INT(x.said.err.n, 0);
}

TEST(one_invalid_file_has_its_findings_and_a_count)
{
	struct fixture x;

	fixture_init(&x, VALIDATE_TEXT, &loud);
	begin(&x);
	add(&x, named[0], &x.bad);
	CHECK_INT(end(&x), EXIT_NO);
	CHECK_STR(timeless(x.said.out), STR("error[X1]: bad\n  --> a.jsonl\n   = help: make it good\n"
					    "warning[X2]: odd\n  --> a.jsonl\n"
					    "1 error, 1 warning in 9 events\n"
					    "'trackway explain X1' says more about a code\n"));
}

TEST(of_several_files_the_bad_ones_are_named_and_all_are_counted)
{
	struct fixture x;

	fixture_init(&x, VALIDATE_TEXT, &loud);
	begin(&x);
	add(&x, named[0], &x.bad);
	add(&x, named[1], &x.good);
	x.part.tally.interrupted = true;
	add(&x, STR("c.jsonl"), &x.odd);
	add(&x, STR("d.jsonl"), &x.bad);
	CHECK_INT(end(&x), EXIT_NO);
	CHECK_STR(timeless(x.said.out),
		  STR("error[X1]: bad\n  --> a.jsonl\n   = help: make it good\nwarning[X2]: odd\n  --> a.jsonl\n"
		      "a.jsonl: 1 error, 1 warning in 9 events\n"
		      "warning[X2]: odd\n  --> c.jsonl\n"
		      "error[X1]: bad\n  --> d.jsonl\n   = help: make it good\nwarning[X2]: odd\n  --> d.jsonl\n"
		      "d.jsonl: 1 error, 1 warning in 9 events; interrupted: the end of the run is missing\n"
		      "4 files: 2 valid (1 interrupted), 2 invalid; 2 errors, 3 warnings\n"
		      "'trackway explain X1' says more about a code\n"));
}

TEST(quiet_leaves_errors_only)
{
	struct fixture x;

	fixture_init(&x, VALIDATE_TEXT, &quiet);
	begin(&x);
	add(&x, named[0], &x.odd);
	add(&x, named[1], &x.bad);
	CHECK_INT(end(&x), EXIT_NO);
	CHECK_STR(x.said.out, STR("error[X1]: bad\n  --> b.jsonl\n   = help: make it good\n"));
}

TEST(warnings_alone_are_a_yes_unless_they_count_as_errors)
{
	struct fixture x;

	fixture_init(&x, VALIDATE_TEXT, &loud);
	begin(&x);
	add(&x, named[0], &x.odd);
	CHECK_INT(end(&x), EXIT_YES);
	CHECK_STR(x.said.out, STR("warning[X2]: odd\n  --> a.jsonl\na.jsonl: valid diary, 9 events, 1 warning\n"
			     "'trackway explain X2' says more about a code\n"));

	fixture_init(&x, VALIDATE_TEXT, &loud);
	x.output.warnings_as_errors = true;
	begin(&x);
	add(&x, named[0], &x.odd);
	CHECK_INT(end(&x), EXIT_NO);
	CHECK_STR(timeless(x.said.out), STR("warning[X2]: odd\n  --> a.jsonl\n"
					    "1 warning in 9 events; warnings count as errors\n"
					    "'trackway explain X2' says more about a code\n"));

	fixture_init(&x, VALIDATE_TEXT, &quiet); /* what decides is not hidden */
	x.output.warnings_as_errors = true;
	begin(&x);
	add(&x, named[0], &x.odd);
	CHECK_INT(end(&x), EXIT_NO);
	CHECK_STR(x.said.out, STR("warning[X2]: odd\n  --> a.jsonl\n"));
}

TEST(a_file_that_cannot_be_read_is_exit_3_and_the_others_are_told)
{
	struct fixture x;
	struct err why = { .kind = ERR_NONE };

	err_set(&why, ERR_IO, "gone: no such file");
	fixture_init(&x, VALIDATE_TEXT, &loud);
	begin(&x);
	validate_output_add_failure(&x.output, STR("gone"), &why);
	add(&x, named[0], &x.good);
	CHECK_INT(end(&x), EXIT_CANNOT);
	CHECK_STR(timeless(x.said.out), STR("2 files: 1 valid, 1 unreadable\n"));
	CHECK_STR(x.said.err, STR("error: gone: no such file\n"));

	fixture_init(&x, VALIDATE_TEXT, &loud);
	begin(&x);
	validate_output_add_failure(&x.output, STR("gone"), &why);
	CHECK_INT(end(&x), EXIT_CANNOT);
	CHECK_INT(x.said.out.n, 0);
}

TEST(files_of_other_kinds_are_skipped_unless_they_were_named)
{
	struct fixture x;

	fixture_init(&x, VALIDATE_TEXT, &loud);
	begin(&x);
	add(&x, named[0], &x.good);
	x.part.dialect = NULL;
	add(&x, STR("dir/other.json"), &x.bad);
	add(&x, STR("dir/another.json"), &x.bad);
	CHECK_INT(end(&x), EXIT_YES);
	CHECK_STR(x.said.out, STR("a.jsonl: valid diary, 9 events\n2 files of other kinds skipped\n"));

	fixture_init(&x, VALIDATE_TEXT, &loud);
	begin(&x);
	x.part.dialect = NULL;
	add(&x, named[1], &x.bad);
	add(&x, STR("dir/agent-trace.jsonl"), &x.bad); /* one would expect a trace */
	add(&x, STR("dir/results.jsonl.gz"), &x.bad);
	add(&x, STR("dir/*.json"), &x.bad); /* nobody's usual name */
	CHECK_INT(end(&x), EXIT_NO);
	CHECK(str_find(timeless(x.said.out), STR("\n3 files: 3 invalid; 3 errors, 3 warnings\n1 file of another")) !=
	      (size_t)-1);
}

TEST(a_file_in_a_directory_that_is_no_json_is_not_skipped)
{
	static const struct {
		enum validate_text_kind text;
		const char *help;
	} cases[] = {
		{ TEXT_BLANK, "make it good" },
		{ TEXT_OTHER, "give a file of JSON" },
		{ TEXT_UTF16, "convert it: iconv -f UTF-16 -t UTF-8" },
	};
	struct fixture x;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("text %d", (int)cases[i].text);
		fixture_init(&x, VALIDATE_TEXT, &loud);
		findings_init(&x.good, &x.arena, 0);
		findings_add(&x.good, &(struct finding){ .code = "X1", .severity = SEV_ERROR, .message = STR("none") });
		begin(&x);
		x.part.dialect = NULL;
		x.output.report.find_rule = find_rule;
		x.part.text = cases[i].text;
		add(&x, STR("dir/x.json"), &x.good);
		CHECK_INT(end(&x), EXIT_NO);
		CHECK(str_find(x.said.out, str_from(cases[i].help)) != (size_t)-1);
	}
}

TEST(standard_input_has_a_name_for_people)
{
	struct fixture x;

	fixture_init(&x, VALIDATE_TEXT, &loud);
	begin(&x);
	add(&x, STR("-"), &x.good);
	CHECK_INT(end(&x), EXIT_YES);
	CHECK_STR(x.said.out, STR("standard input: valid diary, 9 events\n"));
}

TEST(a_limit_of_none_counts_only)
{
	struct fixture x;

	fixture_init(&x, VALIDATE_TEXT, &loud);
	x.output.limited = x.output.counts_only = true;
	begin(&x);
	add(&x, named[0], &x.bad);
	CHECK_INT(end(&x), EXIT_NO);
	CHECK(str_starts(x.said.out, STR("1 of X1 (above --limit; --all to list)\n1 of X2 (")));
}

TEST(a_mode_that_changes_nothing_is_told_once)
{
	struct fixture x;

	fixture_init(&x, VALIDATE_TEXT, &loud);
	x.output.mode = MODE_STRICT;
	begin(&x);
	add(&x, named[0], &x.good);
	add(&x, named[1], &x.good);
	CHECK_INT(end(&x), EXIT_YES);
	CHECK_STR(x.said.err, STR("info: --strict changes nothing for files of the format diary\n"));
}

TEST(nothing_but_files_of_other_kinds_is_exit_3)
{
	static const struct frame verbose = { .out = { .width = 80 }, .err = { .width = 80 }, .verbose = 1 };
	struct fixture x;

	fixture_init(&x, VALIDATE_TEXT, &verbose);
	begin(&x);
	x.part.dialect = NULL;
	x.part.looks_like = "a shopping list";
	add(&x, STR("dir/other.json"), &x.bad);
	CHECK_INT(end(&x), EXIT_CANNOT);
	CHECK_INT(x.said.out.n, 0);
	CHECK(str_starts(x.said.err, STR("skipped dir/other.json: it looks like a shopping list\n"
					 "error: nothing to check: no file has a known format (1 skipped)\n")));
}

TEST(skipped_files_are_named_in_documents)
{
	static const struct {
		enum validate_form form;
		const char *part;
	} cases[] = {
		{ VALIDATE_JSON, "\"skipped\":1,\"skipped_files\":[{\"path\":\"d/o.json\",\"looks_like\":\"a list\",\"format\":null}]," },
		{ VALIDATE_SARIF, "1 file in no format that has rules skipped: d/o.json" },
		{ VALIDATE_JUNIT, "<skipped message=\"of no known format; it looks like a list\"/>" },
	};
	struct fixture x;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("form %d", (int)cases[i].form);
		fixture_init(&x, cases[i].form, &loud);
		begin(&x);
		add(&x, named[0], &x.good);
		x.part.dialect = NULL;
		x.part.looks_like = "a list";
		add(&x, STR("d/o.json"), &x.bad);
		CHECK_INT(end(&x), EXIT_YES);
		CHECK(str_find(x.said.out, str_from(cases[i].part)) != (size_t)-1);
	}
}

TEST(as_json_it_is_one_document)
{
	struct err why = { .kind = ERR_NONE };
	struct fixture x;

	err_set(&why, ERR_IO, "torn");
	fixture_init(&x, VALIDATE_JSON, &loud);
	x.output.mode = MODE_STRICT;
	begin(&x);
	add(&x, named[0], &x.good);
	x.part.failure = &why;
	x.part.tally.interrupted = true;
	add(&x, STR("b\n"), &x.odd);
	CHECK_INT(end(&x), EXIT_CANNOT);
	CHECK_STR(x.said.out,
		  STR("{\"schema\":\"trackway.validate/1\",\"files\":[{\"path\":\"a.jsonl\",\"format\":\"diary\","
		      "\"verdict\":\"valid\",\"errors\":0,\"warnings\":0,\"events\":9,\"findings\":[],\"mode\":\"strict\","
		      "\"infos\":0,\"interrupted\":false,\"bytes\":100,\"findings_not_listed\":0,\"codes\":{}},"
		      "{\"path\":\"b\\n\",\"format\":\"diary\",\"verdict\":\"unreadable\",\"errors\":0,\"warnings\":1,"
		      "\"events\":9,\"findings\":[{\"code\":\"X2\",\"severity\":\"warning\",\"line\":null,\"column\":null,"
		      "\"byte_offset\":null,\"pointer\":\"\",\"message\":\"odd\"}],\"mode\":\"strict\",\"infos\":0,"
		      "\"interrupted\":true,\"bytes\":100,\"error\":\"torn\",\"findings_not_listed\":0,"
		      "\"codes\":{\"X2\":1}}],\"errors\":0,\"warnings\":1,\"infos\":0,\"valid\":1,\"invalid\":0,"
		      "\"unreadable\":1,\"skipped\":0,\"skipped_files\":[],\"unchecked\":0,\"unchecked_formats\":[]}\n"));
}

TEST(fields_of_the_json_can_be_chosen)
{
	struct fixture x;

	fixture_init(&x, VALIDATE_JSON, &loud);
	x.output.json.value = STR("verdict,path");
	begin(&x);
	add(&x, named[0], &x.bad);
	CHECK_INT(end(&x), EXIT_NO);
	CHECK(str_starts(x.said.out, STR("{\"schema\":\"trackway.validate/1\",\"files\":[{\"path\":\"a.jsonl\","
					 "\"verdict\":\"invalid\"}],\"errors\":1,")));
}

TEST(each_form_has_its_document_and_the_same_exit_status)
{
	static const struct {
		enum validate_form form;
		const char *start;
	} cases[] = {
		{ VALIDATE_TEXT, "error[X1]: bad\n" },
		{ VALIDATE_JSON, "{\"schema\":\"trackway.validate/1\"," },
		{ VALIDATE_SARIF, "{\"$schema\":" },
		{ VALIDATE_GITHUB, "::error file=a.jsonl,title=X1::bad%0Ahelp: make it good\n::warning file=a.jsonl,title=X2::odd\n" },
		{ VALIDATE_JUNIT, "<?xml version=\"1.0\"" },
	};
	struct err why = { .kind = ERR_NONE };
	struct fixture x;

	err_set(&why, ERR_IO, "gone");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("form %zu", i);
		CHECK(validate_output_limit(cases[i].form) >= REPORT_LIMIT);
		fixture_init(&x, cases[i].form, &loud);
		begin(&x);
		add(&x, named[0], &x.bad);
		CHECK_INT(end(&x), EXIT_NO);
		CHECK(str_starts(x.said.out, str_from(cases[i].start)));
		fixture_init(&x, cases[i].form, &loud);
		begin(&x);
		x.part.failure = &why;
		add(&x, named[0], &x.bad);
		CHECK_INT(end(&x), EXIT_CANNOT);
		CHECK(x.said.out.n); /* annotations are in the log of standard error already */
		CHECK_STR(x.said.err, cases[i].form == VALIDATE_GITHUB ? STR("") : STR("error: gone\n"));
	}
}

TEST(the_table_is_added_to_the_page_of_the_job)
{
	char path[] = "/tmp/test-validate-XXXXXX";
	int fd = mkstemp(path);
	struct fixture x;
	struct str page;

	CHECK(fd >= 0 && write(fd, "before\n", 7) == 7);
	close(fd);
	fixture_init(&x, VALIDATE_GITHUB, &loud);
	x.output.step_summary = str_from(path);
	begin(&x);
	add(&x, named[0], &x.bad);
	CHECK_INT(end(&x), EXIT_NO);
	page = test_read(path);
	CHECK(str_starts(page, STR("before\n### trackway validate\n\n1 file\\: 1 invalid; 1 error, 1 warning \\(")));
	CHECK(str_find(page, STR("| error | X1 | a\\.jsonl | bad |\n")) != (size_t)-1);
	CHECK_INT(x.said.err.n, 0);
	unlink(path);

	fixture_init(&x, VALIDATE_GITHUB, &loud);
	x.output.step_summary = STR("/tmp/no/such/directory/page.md");
	begin(&x);
	add(&x, named[0], &x.good);
	CHECK_INT(end(&x), EXIT_YES);
	CHECK(str_starts(x.said.err, STR("error: /tmp/no/such/directory/page.md: cannot open")));
}

TEST(a_file_is_written_only_when_everything_was_looked_at)
{
	char path[] = "/tmp/test-validate-XXXXXX";
	int fd = mkstemp(path);
	struct fixture x;

	CHECK(fd >= 0);
	close(fd);
	fixture_init(&x, VALIDATE_TEXT, &loud);
	x.output.path = str_from(path);
	begin(&x);
	add(&x, named[0], &x.good);
	CHECK_INT(validate_output_end(&x.output, false, &x.err), EXIT_CANNOT);
	caught(&x.said);
	arena_free(&x.arena);
	CHECK_INT(test_read(path).n, 0);

	fixture_init(&x, VALIDATE_TEXT, &loud);
	x.output.path = str_from(path);
	begin(&x);
	add(&x, named[0], &x.good);
	CHECK_INT(end(&x), EXIT_YES);
	CHECK_INT(x.said.out.n, 0);
	CHECK_STR(test_read(path), STR("a.jsonl: valid diary, 9 events\n"));
	CHECK(str_starts(x.said.err, STR("wrote /tmp/test-validate-")) && str_ends(x.said.err, STR(" (31 bytes)\n")));

	fixture_init(&x, VALIDATE_TEXT, &loud); /* it is one of a directory's files */
	x.output.path = str_from(path);
	begin(&x);
	add(&x, str_from(path), &x.bad);
	CHECK_INT(end(&x), EXIT_FAIL);
	CHECK_INT(x.err.kind, ERR_USAGE);
	CHECK_STR(test_read(path), STR("a.jsonl: valid diary, 9 events\n"));
	unlink(path);

	fixture_init(&x, VALIDATE_TEXT, &loud);
	x.output.path = STR("/tmp/no/such/directory/report.txt");
	begin(&x);
	add(&x, named[0], &x.good);
	CHECK_INT(end(&x), EXIT_FAIL);
	CHECK_INT(x.err.kind, ERR_IO);
}
