#include "bench/validate/judge.h"

#include "harness/test.h"

struct fixture {
	struct arena arena;
	struct suite suite;
};

static const struct suite_prompt *prompt_of(struct fixture *f, const char *text)
{
	struct suite_text file = { STR("s.json"), str_from(text) };

	arena_init(&f->arena);
	suite_parse(&f->suite, &f->arena, &file, 1, NULL, &(struct suite_options){ .finding_limit = 0 });
	CHECK_INT(f->suite.errors, 0);
	CHECK_INT(f->suite.count, 1);
	return &f->suite.prompts[0];
}

#define PROMPT(rest) "[{\"id\":\"a\",\"name\":\"A\",\"prompt\":\"p\"," rest "}]"

TEST(an_answer_is_judged_by_its_validator)
{
	static const struct {
		const char *output;
		enum verdict_pass pass;
		const char *violation; /* NULL for none */
	} cases[] = {
		{ "OK", VERDICT_TRUE, NULL },
		{ " OK\n", VERDICT_TRUE, NULL },
		{ "no", VERDICT_FALSE, "exact_mismatch want='OK'" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct judged j = { .output = str_from(cases[i].output), .output_tokens = -1 };
		struct result r = { .success = true };
		struct fixture f;
		const struct suite_prompt *p = prompt_of(&f, PROMPT("\"validator\":{\"type\":\"exact\",\"value\":\"OK\"}"));

		test_case("%s", cases[i].output);
		judge(&r, &f.arena, p, DETECT_DEFAULT, &j);
		CHECK_INT(r.pass, cases[i].pass);
		CHECK_INT(r.violation.p != NULL, cases[i].violation != NULL);
		if (cases[i].violation)
			CHECK_STR(r.violation, str_from(cases[i].violation));
		CHECK(r.parsed.n > 0);
		CHECK(!r.expects);
		CHECK_INT(r.tool_source, TOOLS_FROM_TEXT);
		arena_free(&f.arena);
	}
}

TEST(what_judges_nothing_leaves_null)
{
	struct judged j = { .output = STR("anything"), .output_tokens = -1 };
	struct result r = { .success = true, .pass = VERDICT_TRUE, .violation = STR("old"), .parsed = STR("{}") };
	struct fixture f;

	judge(&r, &f.arena, prompt_of(&f, PROMPT("\"validator\":{\"type\":\"noop\"}")), DETECT_DEFAULT, &j);
	CHECK_INT(r.pass, VERDICT_NULL);
	CHECK(!r.violation.p);
	CHECK(!r.parsed.p);
	arena_free(&f.arena);
}

TEST(calls_that_the_service_reports_are_taken_as_they_are)
{
	const struct provider_call_made calls[] = {
		{ STR("Exec"), STR("{\"command\":\"free\"}") },
		{ STR("exec"), STR("{}") },
	};
	struct judged j = { .output = STR("`du`"), .calls = calls, .call_count = 2, .output_tokens = -1 };
	struct result r = { .success = true };
	struct fixture f;

	judge(&r, &f.arena,
	      prompt_of(&f, PROMPT("\"validator\":{\"type\":\"tool_args\",\"tool\":\"exec\",\"args\":{\"command\":\"free\"}},"
				   "\"expected_tool_calls\":[\"exec\"]")),
	      DETECT_DEFAULT, &j);
	CHECK_INT(r.tool_source, TOOLS_FROM_API);
	CHECK_INT(r.tool_count, 2);
	CHECK_STR(r.tools[0], STR("Exec"));
	CHECK(r.expects);
	CHECK(r.tool_success);
	CHECK_INT(r.pass, VERDICT_TRUE); /* its arguments are seen */
	arena_free(&f.arena);
}

TEST(without_a_report_tools_are_looked_for_in_the_text)
{
	struct judged j = { .output = STR("it's `free -h`"), .output_tokens = -1 };
	struct result r = { .success = true };
	struct fixture f;
	const struct suite_prompt *p =
		prompt_of(&f, PROMPT("\"validator\":{\"type\":\"tool_invocation\",\"expected_tools\":[\"free\"]}"));

	judge(&r, &f.arena, p, DETECT_DEFAULT, &j);
	CHECK_INT(r.pass, VERDICT_TRUE);
	CHECK_INT(r.tool_count, 1);
	CHECK_STR(r.tools[0], STR("free"));
	CHECK(r.tool_success);
	/* the other detector finds what it is known to find */
	judge(&r, &f.arena, p, DETECT_REFERENCE, &j);
	CHECK_INT(r.tool_count, 2);
	arena_free(&f.arena);
}

TEST(a_row_without_success_is_not_judged)
{
	struct judged j = { .output = STR("`free`"), .output_tokens = -1 };
	struct result r = { .success = false, .pass = VERDICT_TRUE, .tool_count = 3, .tool_success = true };
	struct fixture f;

	judge(&r, &f.arena,
	      prompt_of(&f, PROMPT("\"validator\":{\"type\":\"tool_invocation\",\"expected_tools\":[\"free\"]}")),
	      DETECT_DEFAULT, &j);
	CHECK_INT(r.pass, VERDICT_NULL);
	CHECK(!r.violation.p);
	CHECK_INT(r.tool_count, 0);
	CHECK(!r.tool_success);
	CHECK(r.expects);
	arena_free(&f.arena);
}

TEST(tokens_are_judged_as_they_were_reported)
{
	struct judged j = { .output = STR("one two"), .output_tokens = 9 };
	struct result r = { .success = true };
	struct fixture f;

	judge(&r, &f.arena, prompt_of(&f, PROMPT("\"validator\":{\"type\":\"max_tokens\",\"value\":8}")), DETECT_DEFAULT, &j);
	CHECK_INT(r.pass, VERDICT_FALSE);
	arena_free(&f.arena);
}
