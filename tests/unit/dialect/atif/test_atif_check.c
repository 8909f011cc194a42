/* One fault at a time: full.json holds every member, and each edit of it breaks one rule or stays just inside. */
#include <stdio.h>

#include "dialect/atif/rules.h"
#include "dialect/atif/time.h"
#include "unit/dialect/check_feed.h"

struct edit {
	const char *from, *to, *expected;
};

static struct str edit_apply(const struct edit *e)
{
	struct str whole = test_data("atif/full.json"), from = str_from(e->from), to = str_from(e->to);
	size_t at = str_find(whole, from);
	char *out = test_alloc(whole.n + to.n + 1);

	if (at == (size_t)-1)
		FAIL("full.json does not hold %s", e->from);
	memcpy(out, whole.p, at);
	memcpy(out + at, to.p, to.n);
	memcpy(out + at + to.n, whole.p + at + from.n, whole.n - at - from.n);
	return str_of(out, whole.n - from.n + to.n);
}

#define TOTALS \
	"\"notes\":\"n\",\"final_metrics\":{\"total_prompt_tokens\":110,\"total_completion_tokens\":22," \
	"\"total_cached_tokens\":50,\"total_cost_usd\":0.01,\"total_steps\":5"

static const struct edit edits[] = {
	{ "\"s-1\"", "\"s-1\"", "" },
	{ "ATIF-v1.8", "ATIF-\xff", "1:AF001" },
	{ "\"next.json\",", "\"next.json\"", "10:AF002" },
	{ "\"notes\":\"n\"", "\"notes\":\"n\",\"notes\":\"n\"", "9:AF003" },
	{ "\"notes\":", "\"note\":", "9:AF005" },
	{ "\"model_name\":\"m-1\",\"tool", "\"model\":\"m-1\",\"tool", "2:AF005" },
	{ "\"message\":\"be brief\",", "", "4:AF006" },
	{ "\"version\":\"1.0\",", "", "2:AF006" },
	{ "\"arguments\":{\"path\":\"a\"}", "\"arguments\":\"{}\"", "6:AF007" },
	{ "[{\"type\":\"function\",", "[\"read\",{\"type\":\"function\",", "2:AF007" },
	{ "\"prompt_tokens\":100", "\"prompt_tokens\":100.5", "6:AF007 9:AF018" },
	{ "\"prompt_tokens\":100", "\"prompt_tokens\":100.0", "" },
	{ "ATIF-v1.8", "ATIF-v1.9", "1:AF008" },
	{ "\"ATIF-v1.8\"", "\"1.4\"", "1:AF008" },
	{ "\"ATIF-v1.8\"", "null", "1:AF008" },
	{ "\"schema_version\":\"ATIF-v1.8\",\"session_id\"", "\"session_id\"", "" },
	{ "\"step_id\":2", "\"step_id\":3", "5:AF009 6:AF009" },
	{ "\"step_id\":5", "\"step_id\":7", "8:AF009" },
	{ "\"step_id\":1", "\"step_id\":0", "4:AF009 5:AF009" },
	{ "\"source\":\"system\"", "\"source\":\"tool\"", "4:AF010" },
	{ "\"message\":\"be brief\"", "\"message\":\"be brief\",\"metrics\":{}", "4:AF011" },
	{ "\"message\":\"be brief\"", "\"message\":\"be brief\",\"model_name\":\"m\"", "4:AF011" },
	{ "\"message\":\"be brief\"", "\"message\":\"be brief\",\"tool_calls\":[]", "4:AF011" },
	{ "\"message\":\"be brief\"", "\"message\":\"be brief\",\"reasoning_effort\":1", "4:AF011" },
	{ "\"message\":\"be brief\"", "\"message\":\"be brief\",\"reasoning_content\":\"\"", "4:AF011" },
	{ "\"message\":\"be brief\"", "\"message\":\"be brief\",\"metrics\":null,\"observation\":{\"results\":[]}", "" },
	{ "\"tool_call_id\":\"c-2\"", "\"tool_call_id\":\"c-1\"", "6:AF012 6:AF013" },
	{ "\"source_call_id\":\"c-1\"", "\"source_call_id\":\"c-3\"", "6:AF013" },
	{ "\"source_call_id\":\"c-1\"", "\"source_call_id\":null", "" },
	{ "\"content\":\"of no call\"", "\"source_call_id\":\"c-1\"", "7:AF013" },
	{ "10:00:01Z", "10.00", "5:AF014" },
	{ "2026-03-13T10:00:01Z", "20260313 100001", "" },
	{ "10:00:01Z", "10:00:00.999+00:01", "5:AF015" },
	{ "10:00:01Z", "10:00:00Z", "" },
	{ "10:00:02.5+00:00", "10:00:00", "" }, /* without a zone nobody knows */
	{ "\"cached_tokens\":50", "\"cached_tokens\":-50", "6:AF016" },
	{ "\"cached_tokens\":50", "\"cached_tokens\":0", "9:AF018" },
	{ "\"total_steps\":5", "\"total_steps\":-5", "9:AF016" },
	{ "\"duration_sec\":1.5", "\"duration_sec\":-1", "5:AF016" },
	{ "\"total_prompt_tokens\":110", "\"total_prompt_tokens\":109", "9:AF017" },
	{ "\"total_prompt_tokens\":110", "\"total_prompt_tokens\":111", "9:AF018" },
	{ "\"total_cost_usd\":0.01", "\"total_cost_usd\":0.01000001", "" },
	{ "\"total_cost_usd\":0.01", "\"total_cost_usd\":0.005", "9:AF017" },
	{ "\"total_cost_usd\":0.01,\"total_steps\":5", "\"total_steps\":9", "" }, /* the notes may say why */
	{ TOTALS, "\"final_metrics\":{\"total_steps\":9", "9:AF018" },
	{ TOTALS, "\"final_metrics\":{\"total_steps\":4", "9:AF017" },
	{ "\"type\":\"text\",\"text\":\"look\"", "\"type\":\"text\"", "5:AF019" },
	{ "\"type\":\"text\",\"text\":\"look\"", "\"type\":\"video\"", "5:AF019" },
	{ "\"text\":\"look\"", "\"text\":\"look\",\"source\":{\"media_type\":\"image/png\",\"path\":\"a\"}", "5:AF019" },
	{ "image/png", "audio/wav", "5:AF019" },
	{ "audio/mp3", " AUDIO/X-WAV ", "" },
	{ "audio/mp3", "image/png", "5:AF019" },
	{ ",\"path\":\"a.png\"}", ",\"path\":\"a.png\",\"duration_sec\":1}", "5:AF019" },
	{ ",\"source\":{\"media_type\":\"image/png\",\"path\":\"a.png\"}", "", "5:AF019" },
	{ ",\"source\":{\"media_type\":\"image/png\",\"path\":\"a.png\"}", ",\"text\":\"a\"", "5:AF019 5:AF019" },
	{ "{\"trajectory_path\":\"b.json\"}", "{\"session_id\":\"s-2\"}", "6:AF020" },
	{ "[{\"trajectory_id\":\"t-1\"", "[{\"trajectory_id\":\"t-9\"", "6:AF021" },
	{ "[{\"trajectory_id\":\"t-1\"", "[{\"trajectory_path\":\"x\",\"trajectory_id\":\"t-9\"", "" },
	{ ",\"trajectory_id\":\"t-1\",\"agent\"", ",\"agent\"", "6:AF021 12:AF022" },
	{ "ATIF-v1.8", "ATIF-v1.7", "5:AF023" }, /* audio */
	{ "ATIF-v1.8", "ATIF-v1.6", /* ids and sub-agents, counts of calls, extras of calls and results */
	  "1:AF023 5:AF023 6:AF023 6:AF023 6:AF023 6:AF023 7:AF023 11:AF023" },
	{ "ATIF-v1.8", "ATIF-v1.4", /* and lists of parts, copied context */
	  "1:AF023 5:AF023 5:AF023 5:AF023 6:AF023 6:AF023 6:AF023 6:AF023 6:AF023 7:AF023 11:AF023" },
	{ "\"llm_call_count\":1", "\"llm_call_count\":0", "6:AF024 6:AF024" },
	{ "\"steps\":[{\"step_id\":1,\"source\":\"agent\",\"message\":\"x\"}]", "\"steps\":[]", "12:AF025" },
	{ "\"session_id\":\"s-1\",\"trajectory_id\":\"t-0\"", "\"notes2\":1", "1:AF005 1:AF026" },
	{ "\"session_id\":\"s-1\",\"trajectory_id\"", "\"trajectory_id\"", "" },
};

TEST(each_edit_of_a_full_document_gives_exactly_its_code)
{
	for (size_t i = 0; i < COUNT(edits); i++) {
		struct check_feed f;

		test_case("%s -> %s", edits[i].from, edits[i].to);
		check_feed(&f, &atif_dialect, edit_apply(&edits[i]), CHECK_DOCUMENT);
		CHECK_STR(check_feed_list(&f), str_from(edits[i].expected));
		arena_free(&f.arena);
	}
}

TEST(what_is_no_trajectory_gives_the_code_of_its_fault)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "[{\"schema_version\":\"ATIF-v1.7\"}]", "1:AF004" },
		{ "null", "1:AF004" },
		{ "", "0:AF027" },
		{ " \n", "0:AF027" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct check_feed f;

		test_case("%s", cases[i].text);
		check_feed(&f, &atif_dialect, str_from(cases[i].text), CHECK_DOCUMENT);
		CHECK_STR(check_feed_list(&f), str_from(cases[i].expected));
		arena_free(&f.arena);
	}
}

TEST(every_rule_has_its_case)
{
	for (size_t i = 0; atif_rules[i].code; i++) {
		bool seen = i == ATIF_NOT_OBJECT || i == ATIF_EMPTY; /* above */

		for (size_t k = 0; k < COUNT(edits); k++)
			seen = seen || str_has(str_from(edits[k].expected), str_from(atif_rules[i].code));
		test_case("%s", atif_rules[i].code);
		CHECK(seen);
	}
}

TEST(steps_are_counted_and_one_document_may_stand_on_each_line)
{
	struct check_feed f;

	check_feed(&f, &atif_dialect, test_data("atif/full.json"), CHECK_DOCUMENT);
	CHECK_INT(f.tally.records, 6);
	arena_free(&f.arena);
	check_feed_expect(&atif_dialect,
			  STR("{\"schema_version\":\"ATIF-v1.0\",\"session_id\":\"s\",\"agent\":{\"name\":\"a\","
			      "\"version\":\"1\"},\"steps\":[{\"step_id\":1,\"source\":\"user\",\"message\":\"x\"}]}\n"
			      "{\"schema_version\":\"ATIF-v1.0\"}\n"),
			  "2:AF006 2:AF006 2:AF026");
}

TEST(times_are_read_as_iso_8601_has_them)
{
	static const struct {
		const char *text;
		int64_t seconds; /* -1: refused */
		bool has_zone;
	} cases[] = {
		{ "1970-01-01T00:00:00Z", 0, true },
		{ "1970-01-01", 0, false },
		{ "19700102", 86400, false },
		{ "1970-W01-5", 86400, false },
		{ "1970W015T01", 90000, false },
		{ "2024-02-29T23:59:59.123456789123+00:00", 1709251199, true },
		{ "2024-02-29 12:00:00,5-01:30", 1709213400, true },
		{ "2024-02-29T1200", 1709208000, false },
		{ "2023-02-29", -1, false },
		{ "2024-13-01", -1, false },
		{ "2024-W54-1", -1, false },
		{ "2024-02-29T24:00", -1, false },
		{ "2024-02-29T12:0", -1, false },
		{ "2024-02-29T12:00:00z", -1, false },
		{ "2024-02-29T12:00:00+00:00Z", -1, false },
		{ "2024-02-29T", -1, false },
		{ "2024-02-29T12:00:00.", -1, false },
		{ "1709208000", -1, false },
		{ "", -1, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct atif_time t;

		test_case("%s", cases[i].text);
		CHECK_INT(atif_time_parse(str_from(cases[i].text), &t), cases[i].seconds >= 0);
		if (cases[i].seconds < 0)
			continue;
		CHECK_INT(t.seconds, cases[i].seconds);
		CHECK_INT(t.has_zone, cases[i].has_zone);
	}
}
