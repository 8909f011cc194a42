#include <stdio.h>

#include "dialect/bench/rules.h"
#include "dialect/formats.h"
#include "unit/dialect/bench_feed.h"

static const struct bench_case cases[] = {
	{ "BR001", "BR001", "/run_id" },
	{ "BR002", "BR002", NULL },
	{ "BR003", "BR003", NULL },
	{ "BR004_array", "BR004", "" },
	{ "BR005", "BR005", "/models/0" },
	{ "BR005_inside", "BR005", "/models/0/ttft_ms" },
	{ "BR006", "BR006", "/models/0/n_total" },
	{ "BR006_tier", "BR006", "/models/0/tool_tier" },
	{ "BR007", "BR007", "/models/0/provider" },
	{ "BR008", "BR008", "/models/0/thinking_level" },
	{ "BR009", "BR009", "/models/0/cost" },
	{ "BR028", "BR028", "/generated_at" },
	{ "BR029", "BR029", "/models/0/n_total" },
	{ "BR030", "BR030", "/models/0/n_success" },
	{ "BR031", "BR031", "/models/0/n_auth_error" },
	{ "BR032", "BR032", "/models/0/success_rate_ok" },
	{ "BR032_null", "BR032", "/models/0/success_rate_ok" },
	{ "BR032_none", "BR032", "/models/0/success_rate_ok" },
	{ "BR033", "BR033", "/models/0/objective_pass_rate" },
	{ "BR034", "BR034", "/models/0/latency_ms/p95" },
	{ "BR034_ttft", "BR034", "/models/0/ttft_ms/p99" },
	{ "BR035", "BR035", "/models/0/success_rate_interval" },
	{ "BR035_three", "BR035", "/models/0/success_rate_interval" },
	{ "BR035_range", "BR035", "/models/0/tool_use_interval/1" },
	{ "BR036", "BR036", "/models/0/tool_tier" },
	{ "BR037", "BR037", "/models/0/recommended_for_subagents" },
	{ "BR037_false", "BR037", "/models/0/recommended_for_subagents" },
	{ "BR038", "BR038", "/models/1" },
};

static struct str text_of(const char *name)
{
	return bench_text(name, "summary.json");
}

TEST(every_rule_is_broken_by_its_file_and_no_other_is)
{
	bench_check(&summary_dialect, "summary.json", cases, COUNT(cases));
}

TEST(a_good_summary_has_no_finding_in_any_mode)
{
	for (int mode = MODE_DEFAULT; mode <= MODE_PERMISSIVE; mode++)
		CHECK_STR(codes_of(feed(&summary_dialect, text_of("valid"), (enum check_mode)mode, 0)), STR(""));
}

TEST(an_empty_file_is_no_summary)
{
	CHECK_STR(codes_of(feed(&summary_dialect, STR(""), MODE_DEFAULT, 0)), STR("BR002"));
	CHECK_STR(codes_of(feed(&summary_dialect, STR(" \n"), MODE_DEFAULT, 0)), STR("BR002"));
}

TEST(a_summary_is_known_by_the_entries_of_its_models)
{
	static const struct {
		const char *text;
		bool fits;
	} texts[] = {
		{ "{\"models\":[{\"provider\":\"a\",\"model\":\"b\",\"n_total\":1}]}", true },
		{ "[{\"provider\":\"a\",\"model\":\"b\",\"n_total\":1}]", true },
		{ "{\"run_wall_clock_ms\":1,\"models\":[]}", true },
		{ "{\"models\":[]}", false },
		{ "{\"models\":{\"m1\":{\"count\":1}}}", false },
		{ "{\"models\":[{\"id\":\"gpt-4\"}]}", false },
		{ "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"summary\",\"trace_id\":\"t\","
		  "\"node_counts\":{},\"total_seconds\":1}",
		  false },
		{ "[]", false },
		{ "1", false },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct val v;

		test_case("%s", texts[i].text);
		CHECK(json_parse_copy(p, str_from(texts[i].text), &v, NULL));
		CHECK_INT(summary_dialect.fits(v) > 0, texts[i].fits);
	}
	json_parser_close(p);
}

/* Later programs of the same project write sums of another shape. */
TEST(sums_of_another_shape_are_no_summary)
{
	static const char *const files[] = { "openclaw/benchmark_results_2026_02_14.json",
					     "openclaw/bench_results_canonical.json" };
	struct json_parser *p = json_parser_open((struct json_options){ 0 });

	for (size_t i = 0; i < COUNT(files); i++) {
		struct val v;

		test_case("%s", files[i]);
		CHECK(json_parse_copy(p, test_read(test_shared(files[i])), &v, NULL));
		CHECK_INT(summary_dialect.fits(v), 0);
	}
	json_parser_close(p);
}
