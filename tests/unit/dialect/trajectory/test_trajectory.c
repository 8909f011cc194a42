#include "unit/dialect/check_cases.h"

#define HEADER "{\"version\":1,\"format\":\"aec-bench-trajectory\"}\n"
#define ENTRY(step, role) "{\"step\":" #step ",\"role\":\"" role "\"}\n"
#define TYPED(step, role, type) "{\"step\":" #step ",\"role\":\"" role "\",\"call_type\":\"" type "\"}\n"

TEST(each_line_gives_exactly_its_code)
{
	CHECK(check_cases(&trajectory_dialect, "trajectory/headers.tsv", STR("")) > 10);
	CHECK(check_cases(&trajectory_dialect, "trajectory/cases.tsv", STR(HEADER)) > 50);
}

/* Lines and what is found between them. */
static const struct {
	const char *text, *expected;
} files[] = {
	{ HEADER, "" },
	{ "", "0:TJ001" },
	{ "\n  \n", "0:TJ001" },
	{ ENTRY(0, "user"), "1:TJ001" },
	{ ENTRY(0, "user") ENTRY(1, "assistant"), "1:TJ001" },
	{ ENTRY(0, "user") HEADER ENTRY(1, "assistant"), "1:TJ001" },
	{ "\n" HEADER "\n\n" ENTRY(0, "user") " \t\n", "" },
	{ HEADER HEADER ENTRY(0, "user") HEADER, "2:TJ004 4:TJ004" },
	{ HEADER "{\"step\":1,\"role\":\"\xff\"}\n" ENTRY(1, "user"), "2:TJ005" },
	{ HEADER ENTRY(2, "user") ENTRY(1, "assistant") ENTRY(2, "assistant"), "3:TJ015" },
	{ HEADER ENTRY(2, "user") ENTRY(2, "assistant") ENTRY(5, "assistant"), "" },
	{ HEADER ENTRY(9007199254740993, "user") ENTRY(9007199254740992, "user"), "3:TJ015" },
	{ HEADER ENTRY(1, "assistant") ENTRY(1, "tool_call") ENTRY(1, "tool_result") ENTRY(1, "tool_call")
	  ENTRY(1, "tool_result"), "" },
	{ HEADER ENTRY(1, "tool_call") ENTRY(1, "assistant"), "3:TJ016" },
	{ HEADER ENTRY(1, "tool_call") ENTRY(1, "tool_result") ENTRY(1, "assistant"), "4:TJ016" },
	{ HEADER ENTRY(1, "tool_call") ENTRY(2, "assistant"), "" },
	{ HEADER ENTRY(1, "tool_call") ENTRY(1, "tool_call") ENTRY(1, "tool_result"), "" },
	{ HEADER ENTRY(1, "tool_call") ENTRY(1, "tool_call") ENTRY(1, "tool_result") ENTRY(1, "tool_result"),
	  "5:TJ016" },
	{ HEADER ENTRY(1, "tool_call") ENTRY(1, "user") ENTRY(1, "tool_result"), "4:TJ016" },
	{ HEADER ENTRY(1, "tool_call") ENTRY(1, "metadata") ENTRY(1, "tool_result") ENTRY(1, "metadata"), "" },
	{ HEADER ENTRY(1, "assistant") ENTRY(1, "tool_result"), "3:TJ017" },
	{ HEADER ENTRY(1, "tool_call") ENTRY(1, "tool_result") ENTRY(1, "tool_result"), "4:TJ017" },
	{ HEADER ENTRY(1, "tool_call") ENTRY(2, "tool_result"), "3:TJ017" },
	{ HEADER TYPED(1, "tool_call", "main") TYPED(1, "assistant", "subagent") TYPED(1, "tool_result", "main"), "" },
	{ HEADER TYPED(1, "tool_call", "main") TYPED(1, "tool_result", "subagent"), "3:TJ017" },
	{ HEADER ENTRY(1, "tool_call") TYPED(1, "tool_result", "main"), "" },
	{ HEADER ENTRY(1, "user") "{\"step\":2,\"role\":\"assi", "3:TJ018" },
	{ HEADER ENTRY(1, "user") "{\"step\":2,\"role\":\"assistant\"}", "" },
	{ HEADER ENTRY(1, "user") "{\"step\":2,\"role\"}", "3:TJ006" },
	{ HEADER "{\"step\":2,\"role\":\"assi\n" ENTRY(1, "user"), "2:TJ006" },
};

TEST(what_lies_between_entries_is_found_however_the_file_is_cut)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		test_case("%zu: %s", i, files[i].text);
		check_feed_expect(&trajectory_dialect, str_from(files[i].text), files[i].expected);
	}
}

TEST(order_and_unknown_words_only_warn_and_a_step_back_does_not)
{
	static const struct {
		const char *text;
		unsigned errors, warnings;
	} cases[] = {
		{ HEADER ENTRY(1, "tool_call") ENTRY(1, "assistant"), 0, 1 },
		{ HEADER ENTRY(1, "tool_result"), 0, 1 },
		{ HEADER ENTRY(1, "tool"), 0, 1 },
		{ HEADER TYPED(1, "user", "other"), 0, 1 },
		{ "{\"version\":3,\"format\":\"aec-bench-trajectory\"}\n", 0, 1 },
		{ HEADER HEADER, 0, 1 },
		{ HEADER ENTRY(2, "user") ENTRY(1, "user"), 1, 0 },
		{ ENTRY(1, "user"), 1, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct check_feed f;

		test_case("%s", cases[i].text);
		check_feed(&f, &trajectory_dialect, str_from(cases[i].text), 0);
		CHECK_INT(f.findings.errors, cases[i].errors);
		CHECK_INT(f.findings.warnings, cases[i].warnings);
		arena_free(&f.arena);
	}
}

TEST(a_run_that_ends_with_a_call_is_interrupted)
{
	struct check_feed f;

	check_feed(&f, &trajectory_dialect, STR(HEADER ENTRY(1, "assistant") ENTRY(1, "tool_call")), 1);
	CHECK(f.tally.interrupted);
	CHECK_INT(f.tally.records, 3);
	check_feed(&f, &trajectory_dialect, STR(HEADER ENTRY(1, "tool_call") ENTRY(1, "tool_result")), 1);
	CHECK(!f.tally.interrupted);
}

TEST(a_file_that_breaks_off_anywhere_keeps_what_came_before)
{
	struct str text = STR(HEADER ENTRY(1, "assistant") ENTRY(1, "tool_call"));
	size_t lines = 0; /* that have ended */

	for (size_t n = 1; n < text.n; n++) {
		bool last_is_whole = text.p[n] == '\n', cut = !last_is_whole && text.p[n - 1] != '\n';
		struct check_feed f;

		test_case("%zu bytes", n);
		lines += text.p[n - 1] == '\n';
		check_feed(&f, &trajectory_dialect, str_of(text.p, n), 0);
		CHECK_STR(check_feed_list(&f), cut ? arena_printf(&f.arena, "%zu:TJ018", lines + 1) : STR(""));
		CHECK_INT(f.tally.records, lines + last_is_whole);
		arena_free(&f.arena);
	}
}

TEST(published_trajectories_have_no_findings)
{
	static const char *const names[] = {
		"aec/trajectory_ok.jsonl", "aec/trajectory_error.jsonl", "aec/trajectory_partial.jsonl",
		"aec/trajectory_warmup.jsonl",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		test_case("%s", names[i]);
		check_feed_expect(&trajectory_dialect, test_read(test_shared(names[i])), "");
	}
}

TEST(a_trajectory_is_recognised_by_its_header_or_by_step_and_role)
{
	static const struct {
		const char *text;
		int score;
	} cases[] = {
		{ "{\"version\":1,\"format\":\"aec-bench-trajectory\"}", 100 },
		{ "{\"version\":9,\"format\":\"aec-bench-trajectory\"}", 100 },
		{ "{\"version\":1,\"format\":\"other\"}", 0 },
		{ "{\"version\":1,\"format\":null}", 0 },
		{ "{\"step\":1,\"role\":\"tool_call\"}", 80 },
		{ "{\"step\":1,\"role\":\"tool\"}", 0 },
		{ "{\"step\":\"1\",\"role\":\"user\"}", 0 },
		{ "{\"role\":\"user\",\"content\":\"x\"}", 0 },
		{ "{\"step\":1}", 0 },
		{ "[]", 0 },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct val v;

		test_case("%s", cases[i].text);
		CHECK(json_parse_copy(p, str_from(cases[i].text), &v, NULL));
		CHECK_INT(trajectory_dialect.fits(v), cases[i].score);
	}
	json_parser_close(p);
}

TEST(every_rule_of_a_trajectory_can_be_explained)
{
	check_feed_rules(trajectory_dialect.rules, "TJ", "doc/formats/trajectory.md");
}
