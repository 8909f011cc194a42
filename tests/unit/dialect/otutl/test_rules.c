/* One small log per rule, in tests/data/otutl; every finding is listed, errors and warnings. */
#include <stdio.h>

#include "dialect/otutl/rules.h"
#include "unit/dialect/otutl_feed.h"

static const struct {
	const char *file, *findings;
} cases[] = {
	{ "E_ARGS_MISSING", "2:E_ARGS_MISSING" },
	{ "E_BOM", "1:E_BOM 2:E_RUN_START" },
	{ "E_CALL_DUP", "4:E_CALL_DUP" },
	{ "E_CALL_ID", "2:E_CALL_ID 3:E_CALL_ID 4:E_CALL_ID" },
	{ "E_CALL_UNRESOLVED", "2:E_CALL_UNRESOLVED 3:E_CALL_UNRESOLVED" },
	{ "E_CHUNKS_CONCAT", "3:E_CHUNKS_CONCAT" },
	{ "E_CTRL", "2:E_CALL_UNRESOLVED 3:E_CTRL 4:E_SEQ_GAP" },
	{ "E_DEPTH", "2:E_CALL_UNRESOLVED 3:E_DEPTH 4:E_SEQ_GAP" },
	{ "E_DUP_KEY", "2:E_CALL_UNRESOLVED 3:E_DUP_KEY 4:E_SEQ_GAP" },
	{ "E_FIELD", "1:E_FIELD 2:E_FIELD 3:E_FIELD 5:E_FIELD 5:E_FIELD 7:E_FIELD 9:E_FIELD 10:E_FIELD" },
	{ "E_FIELD_cost", "7:E_FIELD 8:E_FIELD 8:E_FIELD" },
	{ "E_FIELD_declared", "1:E_FIELD 1:E_FIELD 4:E_FIELD" },
	{ "E_NOT_OBJECT", "1:E_NOT_OBJECT" },
	{ "E_NUM_RANGE", "2:E_CALL_UNRESOLVED 3:E_NUM_RANGE 4:E_SEQ_GAP" },
	{ "E_NUM_UNDERFLOW", "2:E_CALL_UNRESOLVED 3:E_NUM_UNDERFLOW 4:E_SEQ_GAP" },
	{ "E_NUM_UNSAFE_INT", "3:E_NUM_UNSAFE_INT 3:E_NUM_UNSAFE_INT" },
	{ "E_PARENT_UNKNOWN", "2:E_PARENT_UNKNOWN 3:E_PARENT_UNKNOWN" },
	{ "E_RESULT_DUP", "4:E_RESULT_DUP" },
	{ "E_RESULT_ORPHAN", "2:E_CALL_UNRESOLVED 3:E_RESULT_ORPHAN" },
	{ "E_RUN_END", "2:E_RUN_END" },
	{ "E_RUN_ID_MIXED", "2:E_RUN_ID_MIXED" },
	{ "E_RUN_START", "2:E_RUN_START" },
	{ "E_RUN_START_missing", "1:E_RUN_START" },
	{ "E_SEQ_DUP", "3:E_SEQ_DUP" },
	{ "E_SEQ_GAP", "3:E_SEQ_GAP" },
	{ "E_SEQ_START", "1:E_SEQ_START" },
	{ "E_SEQ_TYPE", "2:E_SEQ_TYPE 3:E_SEQ_TYPE 5:E_SEQ_TYPE 6:E_SEQ_TYPE" },
	{ "E_SEQ_TYPE_large", "2:E_NUM_UNSAFE_INT 2:E_SEQ_TYPE" },
	{ "E_SURROGATE", "2:E_CALL_UNRESOLVED 3:E_SURROGATE 4:E_SEQ_GAP" },
	{ "E_SYNTAX", "2:E_CALL_UNRESOLVED 3:E_SYNTAX 4:E_SEQ_GAP" },
	{ "E_TOOL_URI", "2:E_TOOL_URI 4:E_TOOL_URI 6:E_TOOL_URI 8:E_TOOL_URI" },
	{ "E_TOOL_URI_missing", "2:E_TOOL_URI" },
	{ "E_TORN_TAIL", "3:W_PARTIAL 4:E_TORN_TAIL" },
	{ "E_TORN_TAIL_in_character", "3:W_PARTIAL 4:E_TORN_TAIL" },
	{ "E_TRAILING", "2:E_CALL_UNRESOLVED 3:E_TRAILING 4:E_SEQ_GAP" },
	{ "E_TS", "1:E_TS 2:E_TS 3:E_TS 4:E_TS 5:E_TS" },
	{ "E_TYPE", "2:E_TYPE 3:E_TYPE 4:E_TYPE" },
	{ "E_UTF8", "2:E_CALL_UNRESOLVED 3:E_UTF8 4:E_SEQ_GAP" },
	{ "E_UUID7", "2:E_UUID7 3:E_UUID7 4:E_UUID7 5:E_UUID7 6:E_UUID7" },
	{ "I_COMPACTED", "4:I_COMPACTED 4:I_COMPACTED" },
	{ "W_ARGS_STRING", "2:W_ARGS_STRING" },
	{ "W_BLANK", "3:W_BLANK 4:W_BLANK" },
	{ "W_CALL_OPEN", "2:W_CALL_OPEN 2:W_PARTIAL" },
	{ "W_NONCHAR", "3:W_NONCHAR" },
	{ "W_NO_FINAL_LF", "4:W_NO_FINAL_LF" },
	{ "W_NUM_PRECISION", "3:W_NUM_PRECISION" },
	{ "W_PARENT_CLOSED", "4:W_PARENT_CLOSED" },
	{ "W_PARTIAL", "3:W_PARTIAL" },
	{ "W_RUN_ID_TWICE", "5:W_RUN_ID_TWICE" },
	{ "W_SEQ_ORDER", "2:W_SEQ_ORDER 3:W_SEQ_ORDER" },
	{ "W_TS", "1:W_TS 2:W_TS 3:W_TS 4:W_TS" },
	{ "W_TS_BACKWARDS", "3:W_TS_BACKWARDS" },
	{ "W_URI_CREDENTIALS", "2:W_URI_CREDENTIALS" },
	{ "W_UUID7_SKEW", "1:W_UUID7_SKEW" },
	{ "chunks_add_up", "" },
	{ "depth_limit", "" },
	{ "no_skew", "" },
	{ "not_torn", "5:E_SYNTAX" },
	{ "seq_from_1", "" },
	{ "two_runs", "" },
	{ "two_runs_first_not_ended", "3:W_PARTIAL 4:E_RUN_START" },
	{ "two_runs_second_bad", "6:E_TOOL_URI" },
	{ "valid", "" },
};

#define CASES (sizeof(cases) / sizeof(cases[0]))

TEST(every_rule_finds_its_fault_and_nothing_else)
{
	static const size_t splits[] = { 0, 1, 2 };

	for (size_t i = 0; i < CASES; i++) {
		char path[256];

		snprintf(path, sizeof(path), "otutl/%s.jsonl", cases[i].file);
		for (size_t k = 0; k < sizeof(splits) / sizeof(splits[0]); k++) {
			struct feed f = { .lines_per_chunk = splits[k] };

			test_case("%s, %zu lines per chunk", cases[i].file, splits[k]);
			feed_log(&f, test_data(path));
			CHECK_STR(feed_list(&f, ""), str_from(cases[i].findings));
			feed_free(&f);
		}
	}
}

TEST(a_log_has_hashes_unless_it_has_an_error_other_than_a_torn_tail)
{
	for (size_t i = 0; i < CASES; i++) {
		char path[256];
		struct feed f = { 0 };
		bool any = false;

		test_case("%s", cases[i].file);
		snprintf(path, sizeof(path), "otutl/%s.jsonl", cases[i].file);
		feed_log(&f, test_data(path));
		for (size_t k = 0; k < f.run_count; k++)
			any = any || f.runs[k].hashed;
		if (f.run_count == 1)
			CHECK_INT(any, f.findings.errors == feed_count(&f, "E_TORN_TAIL", 0));
		feed_free(&f);
	}
}

/* The list at the end of the spec page, W_TS for the odd times it wants warned about, I_COMPACTED, and two limits of ours. */
static const char *const spec_codes[] = {
	"E_BOM", "E_UTF8", "E_CTRL", "E_SYNTAX", "E_TRAILING", "E_DEPTH", "E_DUP_KEY", "E_SURROGATE", "E_NUM_RANGE",
	"E_NUM_UNDERFLOW", "E_NUM_UNSAFE_INT", "E_NOT_OBJECT", "E_TORN_TAIL", "E_TYPE", "E_TS", "E_UUID7",
	"E_FIELD", "W_RUN_ID_TWICE", "E_RUN_ID_MIXED", "E_SEQ_TYPE", "E_SEQ_START", "E_SEQ_GAP", "E_SEQ_DUP", "E_RUN_START", "E_RUN_END", "E_CALL_ID",
	"E_CALL_DUP", "E_TOOL_URI", "E_ARGS_MISSING", "E_RESULT_ORPHAN", "E_RESULT_DUP", "E_CALL_UNRESOLVED",
	"E_PARENT_UNKNOWN", "E_CHUNKS_CONCAT", "W_BLANK", "W_NO_FINAL_LF", "W_PARTIAL", "W_SEQ_ORDER", "W_TS_BACKWARDS",
	"W_UUID7_SKEW", "W_ARGS_STRING", "W_NUM_PRECISION", "W_NONCHAR", "W_PARENT_CLOSED", "W_CALL_OPEN",
	"W_URI_CREDENTIALS", "W_TS", "I_COMPACTED",
};

TEST(every_code_has_a_rule_and_a_log_that_shows_it)
{
	size_t count = sizeof(spec_codes) / sizeof(spec_codes[0]);

	CHECK_INT(OTUTL_CODES, count + 2);
	CHECK(otutl_find_rule("E_LIMIT") && otutl_find_rule("W_GROUP_LIMIT"));
	for (size_t i = 0; i < count; i++) {
		const struct rule *r = otutl_find_rule(spec_codes[i]);
		bool shown = false;

		test_case("%s", spec_codes[i]);
		CHECK(r != NULL);
		CHECK_INT(r->severity, spec_codes[i][0] == 'E' ? SEV_ERROR : spec_codes[i][0] == 'W' ? SEV_WARNING : SEV_INFO);
		for (size_t k = 0; k < CASES; k++)
			shown = shown || strstr(cases[k].findings, spec_codes[i]);
		CHECK(shown);
	}
}

TEST(every_rule_says_what_is_wrong_what_to_do_and_where_it_is_written)
{
	for (const struct rule *r = otutl_rules; r->code; r++) {
		test_case("%s", r->code);
		CHECK(strlen(r->sentence) > 10 && strlen(r->help) > 10 && strlen(r->section) > 5);
		CHECK(r->sentence[strlen(r->sentence) - 1] != '.');
		CHECK(otutl_find_rule(r->code) == r);
	}
	CHECK(otutl_find_rule("E_NOTHING") == NULL);
}

TEST(json_codes_are_the_rules_of_the_same_name)
{
	for (int c = JSON_E_BOM; c < JSON_CODES; c++)
		CHECK_STR(str_from(otutl_rules[otutl_code_of_json((enum json_code)c)].code),
			  str_from(json_code_name((enum json_code)c)));
}

TEST(a_finding_has_the_column_in_characters_and_a_window_of_the_line)
{
	char line[4000];
	struct finding f = { .code = NULL };
	size_t at;

	memset(line, 'x', sizeof(line));
	memcpy(line + 1000, "\xc3\xa9\xc3\xa9", 4);
	at = 2000;
	otutl_finding_set(&f, OTUTL_E_TS, str_of(line, sizeof(line)), 7, 100, at, 3000);
	CHECK_STR(str_from(f.code), STR("E_TS"));
	CHECK_INT(f.severity, SEV_ERROR);
	CHECK_INT(f.at.line, 7);
	CHECK_INT(f.at.column, at - 2 + 1);
	CHECK_INT(f.at.offset, 100 + at);
	CHECK(f.excerpt.n < 1000 && f.excerpt.p + f.mark == line + at);
	CHECK_INT(f.mark + f.mark_length, f.excerpt.n);

	/* beyond the end is the end */
	otutl_finding_set(&f, OTUTL_W_TS, str_of(line, 10), 1, 0, 50, 1);
	CHECK_INT(f.severity, SEV_WARNING);
	CHECK_INT(f.at.column, 11);
	CHECK_INT(f.mark, 10);
	CHECK_INT(f.mark_length, 0);
}

TEST(a_password_is_not_repeated_in_the_finding)
{
	struct feed f = { 0 };

	feed_log(&f, test_data("otutl/W_URI_CREDENTIALS.jsonl"));
	CHECK_INT(f.findings.kept_count, 1);
	CHECK_INT(f.findings.kept[0].excerpt.n, 0);
	CHECK(str_find(f.findings.kept[0].message, STR("secret")) == (size_t)-1);
	feed_free(&f);
}

TEST(a_seq_that_is_too_large_says_why)
{
	struct feed f = { 0 };
	size_t told = 0;

	feed_log(&f, test_data("otutl/E_SEQ_TYPE_large.jsonl"));
	for (size_t i = 0; i < f.findings.kept_count; i++)
		told += str_find(f.findings.kept[i].message, STR("neither can the hash")) != (size_t)-1;
	CHECK_INT(told, 1);
	feed_free(&f);
}

TEST(a_finding_points_at_the_member_it_is_about)
{
	static const struct {
		const char *file, *code, *pointer, *marked;
	} places[] = {
		{ "E_NUM_UNSAFE_INT", "E_NUM_UNSAFE_INT", "/result/1", "-9007199254740992" },
		{ "E_TS", "E_TS", "/ts", "\"2026-05-01T12:00:00Z\"" },
		{ "E_RESULT_ORPHAN", "E_RESULT_ORPHAN", "/call_id", "b" },
		{ "E_RUN_ID_MIXED", "E_RUN_ID_MIXED", "/run_id", "019de368-f600-7000-8000-00000000000b" },
		{ "W_NONCHAR", "W_NONCHAR", "/result", NULL },
		{ "W_SEQ_ORDER", "W_SEQ_ORDER", "/seq", "1" },
		{ "E_SYNTAX", "E_SYNTAX", "/result", "NaN" },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char path[256];
		struct feed f = { 0 };
		const struct finding *k = NULL;

		test_case("%s", places[i].file);
		snprintf(path, sizeof(path), "otutl/%s.jsonl", places[i].file);
		feed_log(&f, test_data(path));
		for (size_t j = f.findings.kept_count; j > 0; j--)
			if (strcmp(f.findings.kept[j - 1].code, places[i].code) == 0)
				k = &f.findings.kept[j - 1];
		CHECK(k != NULL);
		CHECK_STR(k->pointer, str_from(places[i].pointer));
		if (places[i].marked)
			CHECK_STR(str_of(k->excerpt.p + k->mark, k->mark_length), str_from(places[i].marked));
		feed_free(&f);
	}
}
