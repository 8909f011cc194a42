#include "bench/report/summary.h"
#include "harness/convert.h"
#include "unit/bench/bench_run.h"

static struct str json_of(struct bench_run *b)
{
	struct buf *out = test_alloc(sizeof(*out)); /* lives as long as the test */
	struct summary s;
	struct err err;

	bench_run_save(b);
	if (!summary_make(&s, &b->arena, b->dir, RATE_WILSON, &err))
		FAIL("%s", err.text);
	buf_init(out);
	summary_write_json(out, &s, INT64_C(1771027800123000000));
	return buf_str(out);
}

static void check_valid(struct bench_run *b, struct str text)
{
	struct str first = { NULL, 0 };

	if (convert_errors(&b->arena, "summary", text, &first))
		FAIL("%.*s\n%.*s", STR_ARG(first), STR_ARG(text));
}

static void check_at(struct bench_run *b, struct str text, const char *pointer, const char *want)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct val v;

	test_case("%s", pointer);
	CHECK(json_parse_copy(p, text, &v, NULL));
	v = val_at(v, str_from(pointer));
	CHECK(!val_is_none(v));
	CHECK_STR(arena_copy(&b->arena, val_source(v)), str_from(want));
	json_parser_close(p);
}

TEST(a_summary_is_valid_and_has_its_members_in_order)
{
	struct bench_run *b = bench_run_new();
	struct str text;
	struct result r;

	for (int i = 1; i <= 8; i++) {
		r = bench_row("m1", i % 2 ? "P1" : "P2", i);
		r.pass = i % 3 ? VERDICT_TRUE : VERDICT_FALSE;
		r.expects = true;
		r.tool_success = true;
		r.usd = 0.5;
		bench_run_add(b, &r);
	}
	bench_run_fail(&r, PROVIDER_AUTH, "http_401");
	r.repetition = 9;
	bench_run_add(b, &r);
	text = json_of(b);
	check_valid(b, text);
	CHECK_STR(convert_strays(&b->arena, "summary", text), STR(""));
	CHECK(str_starts(text, STR("{\n  \"generated_at\": \"2026-02-14T00:10:00.123Z\",\n  \"run_id\": \"r1\",\n"
				   "  \"run_wall_clock_ms\": 7500,\n  \"models\": [\n    {\n      \"provider\": \"mock\",\n"
				   "      \"model\": \"m1\",\n      \"thinking_level\": null,\n      \"n_total\": 9,\n      \"n_ok\": 8,\n"
				   "      \"n_success\": 8,\n      \"n_skipped_unavailable\": 0,\n      \"n_rate_limited\": 0,\n"
				   "      \"n_error\": 1,\n      \"success_rate_ok\": 1,\n      \"objective_pass_rate\": 0.75,\n"
				   "      \"wall_clock_ms\": 7500,\n      \"latency_ms\": {\n        \"p50\": 500,\n        \"p95\": 500,\n"
				   "        \"p99\": 500,\n        \"mean\": 500,\n")));
	CHECK(str_ends(text, STR("}\n")));
	check_at(b, text, "/models/0/n_auth_error", "1");
	check_at(b, text, "/models/0/tool_tier", "1");
	check_at(b, text, "/models/0/recommended_for_subagents", "true");
	check_at(b, text, "/models/0/tool_use_success_rate_all", "1");
	check_at(b, text, "/models/0/objective_pass_n", "8");
	check_at(b, text, "/models/0/objective_pass_all_n", "9");
	check_at(b, text, "/models/0/cost/usd", "4.5");
	check_at(b, text, "/models/0/latency_ms/p99_interval", "null");
	check_at(b, text, "/models/0/repeats", "5");
	check_at(b, text, "/models/0/pass_at/0/any_of_k", "0.75");
	check_at(b, text, "/models/0/pass_at/2/k", "4");
	check_at(b, text, "/models/0/pass_at/2/prompts", "2");
	check_at(b, text, "/interval_method", "\"wilson\"");
	check_at(b, text, "/percentile_method", "\"linear (type 7)\"");
	check_at(b, text, "/client_was_bottleneck", "false");
	bench_run_free(b);
}

TEST(what_has_no_data_is_null)
{
	struct bench_run *b = bench_run_new();
	struct result r = bench_row("m1", "P1", 1);
	struct str text;

	bench_run_fail(&r, PROVIDER_UNAVAILABLE, "connect_error");
	r.started_at_ms = r.ended_at_ms = 0;
	bench_run_add(b, &r);
	text = json_of(b);
	check_valid(b, text);
	check_at(b, text, "/run_wall_clock_ms", "null");
	check_at(b, text, "/models/0/success_rate_ok", "null");
	check_at(b, text, "/models/0/objective_pass_rate", "null");
	check_at(b, text, "/models/0/success_rate_interval", "null");
	check_at(b, text, "/models/0/latency_ms/p50", "null");
	check_at(b, text, "/models/0/tool_tier", "null");
	check_at(b, text, "/models/0/recommended_for_subagents", "false");
	check_at(b, text, "/models/0/resources_before", "null");
	check_at(b, text, "/models/0/cost", "null");
	check_at(b, text, "/models/0/pass_at", "null");
	check_at(b, text, "/models/0/output_tokens_per_second", "null");
	check_at(b, text, "/models/0/objective_pass_mean", "null");
	bench_run_free(b);
}

TEST(a_run_without_rows_has_a_valid_summary)
{
	struct bench_run *b = bench_run_new();
	struct str text = json_of(b);

	check_valid(b, text);
	check_at(b, text, "/models", "[]");
	bench_run_free(b);
}

TEST(resources_are_told_and_a_forged_list_of_gpus_is_not_copied)
{
	struct bench_run *b = bench_run_new();
	struct result r = bench_row("m/1", "P1", 1);
	struct str text;

	bench_run_add(b, &r);
	bench_run_file(b, "resources_mock__m_1__none_before.txt",
		       STR("mem_total_bytes: 1000\nmem_available_bytes: 500\ndisk_free_bytes: 7\nload1: 0.5\ngpus: []\n"));
	bench_run_file(b, "resources_mock__m_1__none_after.txt",
		       STR("mem_total_bytes: 1000\nmem_available_bytes: 400\ngpus: [}],\"x\":1\n"));
	text = json_of(b);
	check_valid(b, text);
	CHECK_STR(convert_strays(&b->arena, "summary", text), STR(""));
	check_at(b, text, "/models/0/resources_before/mem_available_bytes", "500");
	check_at(b, text, "/models/0/resources_before/gpus", "[]");
	check_at(b, text, "/models/0/resources_after/mem_available_bytes", "400");
	check_at(b, text, "/models/0/resources_after/disk_free_bytes", "null");
	CHECK(str_find(text, STR("[}]")) == (size_t)-1);
	bench_run_free(b);
}
