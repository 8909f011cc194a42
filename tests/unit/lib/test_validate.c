#include "unit/lib/report_text.h"

#include <stdio.h>
#include <unistd.h>

static struct str example(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "doc/examples/%s", name);
	return test_read(path);
}

TEST(a_valid_file_has_a_valid_report)
{
	struct tw_report *r = tw_validate_file("doc/examples/agent-trace.jsonl", NULL);

	CHECK_INT(tw_report_verdict(r), TW_VALID);
	CHECK_STR(str_from(tw_report_verdict_name(r)), STR("valid"));
	CHECK_STR(str_from(tw_report_format(r)), STR("agent-trace"));
	CHECK_STR(str_from(tw_report_name(r)), STR("doc/examples/agent-trace.jsonl"));
	CHECK(tw_report_error(r) == NULL);
	CHECK_INT(tw_report_errors(r), 0);
	CHECK(tw_report_records(r) > 0);
	CHECK_INT(tw_report_bytes(r), example("agent-trace.jsonl").n);
	tw_report_free(r);
}

TEST(findings_have_their_codes_places_and_sentences)
{
	struct str text = STR("{\"a\":1}\n{\"a\":1,x}\n");
	struct tw_validate_options o = { .size = sizeof(o), .format = "jsonl" };
	struct tw_report *r = tw_validate_memory(text.p, text.n, "two.jsonl", &o);
	const struct tw_finding *f;

	CHECK_INT(tw_report_verdict(r), TW_INVALID);
	CHECK_INT(tw_report_finding_count(r), 1);
	f = tw_report_finding(r, 0);
	CHECK(tw_rule_find(f->code) != NULL);
	CHECK_INT(f->severity, TW_ERROR);
	CHECK_INT(f->line, 2);
	CHECK_INT(f->column, 8);
	CHECK_INT(f->byte_offset, 15);
	CHECK(f->message_size > 0 && f->message_size == strlen(f->message));
	CHECK_INT(f->pointer_size, strlen(f->pointer));
	CHECK_INT(tw_report_count_of(r, f->code), 1);
	CHECK_INT(tw_report_count_of(r, "E_NO_SUCH"), 0);
	CHECK_INT(tw_report_count_of(r, NULL), 0);
	CHECK(tw_report_finding(r, 1) == NULL);
	CHECK(tw_report_finding(r, SIZE_MAX) == NULL);
	tw_report_free(r);
}

TEST(what_cannot_be_read_has_an_unreadable_report_that_says_why)
{
	static const struct {
		const char *path, *why;
	} cases[] = {
		{ "doc/examples/nothing.jsonl", "No such file" },
		{ "doc/examples", "directory" },
		{ "", "no path" },
		{ NULL, "no path" },
		{ "LAYERS/below", "Not a directory" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_report *r = tw_validate_file(cases[i].path, NULL);

		test_case("%s", cases[i].path ? cases[i].path : "NULL");
		CHECK_INT(tw_report_verdict(r), TW_UNREADABLE);
		CHECK_STR(str_from(tw_report_verdict_name(r)), STR("unreadable"));
		CHECK(tw_report_error(r) && strstr(tw_report_error(r), cases[i].why));
		CHECK_INT(tw_report_finding_count(r), 0);
		CHECK(tw_report_format(r) == NULL);
		tw_report_free(r);
	}
}

TEST(memory_and_a_file_are_checked_alike)
{
	static const char *const names[] = {
		"agent-trace.jsonl", "damaged.agent-trace.jsonl", "run.otutl.jsonl", "damaged.otutl.jsonl", "value.json",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct str text = example(names[i]);
		char path[200];

		test_case("%s", names[i]);
		snprintf(path, sizeof(path), "doc/examples/%s", names[i]);
		CHECK_STR(report_text(tw_validate_memory(text.p, text.n, path, NULL)), report_text(tw_validate_file(path, NULL)));
	}
}

TEST(nothing_at_all_is_an_empty_file)
{
	static const struct {
		const void *bytes;
		const char *name;
	} cases[] = { { NULL, NULL }, { "", "" }, { "", "x" }, { NULL, "-" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_report *r = tw_validate_memory(cases[i].bytes, 0, cases[i].name, NULL);

		CHECK_INT(tw_report_verdict(r), TW_INVALID);
		CHECK_INT(tw_report_finding_count(r), 1);
		CHECK_STR(str_from(tw_report_finding(r, 0)->code), STR("V002"));
		CHECK_INT(tw_report_finding(r, 0)->line, 0);
		CHECK_STR(str_from(tw_report_finding(r, 0)->pointer), STR(""));
		tw_report_free(r);
	}
}

TEST(bytes_that_are_not_there_are_refused)
{
	struct tw_report *r = tw_validate_memory(NULL, 5, NULL, NULL);

	CHECK_INT(tw_report_verdict(r), TW_UNREADABLE);
	CHECK_STR(str_from(tw_report_name(r)), STR("(memory)"));
	tw_report_free(r);
}

TEST(threads_change_nothing)
{
	struct str text = report_repeat(example("damaged.agent-trace.jsonl"), 400);
	struct tw_validate_options one = { .size = sizeof(one) }, four = { .size = sizeof(four), .jobs = 4 };

	CHECK(text.n > 600000);
	CHECK_STR(report_of_memory(text, &four), report_of_memory(text, &one));
}

TEST(a_million_findings_are_counted_and_a_few_kept)
{
	enum { LINES = 1000000 };
	struct tw_validate_options o = { .size = sizeof(o), .format = "jsonl", .finding_limit = 20 };
	struct tw_report *r;
	struct str text = report_repeat(STR("{]\n"), LINES);

	r = tw_validate_memory(text.p, text.n, NULL, &o);
	CHECK_INT(tw_report_errors(r), LINES);
	CHECK_INT(tw_report_finding_count(r), 20);
	CHECK_INT(tw_report_count_of(r, tw_report_finding(r, 0)->code), LINES);
	tw_report_free(r);
	r = report_of_pieces(text, 1000, &o);
	CHECK_INT(tw_report_errors(r), LINES);
	CHECK_INT(tw_report_finding_count(r), 20);
	tw_report_free(r);
}

TEST(standard_input_is_a_file_too)
{
	struct str text = example("run.otutl.jsonl");
	struct tw_report *r;
	int ends[2];

	CHECK(pipe(ends) == 0 && write(ends[1], text.p, text.n) == (ssize_t)text.n);
	close(ends[1]);
	CHECK(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
	r = tw_validate_file("-", NULL);
	CHECK_INT(tw_report_verdict(r), TW_VALID);
	CHECK_INT(tw_report_bytes(r), text.n);
	tw_report_free(r);
}
