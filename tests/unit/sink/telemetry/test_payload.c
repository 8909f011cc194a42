/* Buckets by their edges, and a payload of nodes that were made by hand. */
#include "sink/telemetry/payload.h"

#include <math.h>

#include "harness/test.h"

TEST(times_are_rounded_up_to_one_two_or_five)
{
	static const struct {
		double seconds, bucket;
	} cases[] = {
		{ 0, 0.001 },   { 0.001, 0.001 }, { 0.0011, 0.002 }, { 0.0021, 0.005 }, { 0.42, 0.5 },   { 0.5, 0.5 },
		{ 0.51, 1 },    { 1, 1 },         { 1.01, 2 },       { 2.5, 5 },        { 999, 1000 },   { 1000, 1000 },
		{ 5e9, 1000 },  { INFINITY, 1000 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%g", cases[i].seconds);
		CHECK(payload_bucket_seconds(cases[i].seconds) == cases[i].bucket);
	}
	CHECK(isnan(payload_bucket_seconds(-1)) && isnan(payload_bucket_seconds(NAN)));
}

TEST(shares_are_steps_of_a_twentieth)
{
	static const struct {
		double share, bucket;
	} cases[] = {
		{ 0, 0 }, { 0.024, 0 }, { 0.026, 0.05 }, { 0.449, 0.45 }, { 0.99, 1 }, { 1.5, 1 }, { -1, 0 }, { INFINITY, 1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%g", cases[i].share);
		CHECK(payload_bucket_share(cases[i].share) == cases[i].bucket);
	}
	CHECK(isnan(payload_bucket_share(NAN)));
}

TEST(counts_are_rounded_up_and_nothing_stays_nothing)
{
	static const struct {
		uint64_t count, bucket;
	} cases[] = {
		{ 0, 0 },     { 1, 1 },     { 2, 2 },         { 3, 5 },           { 5, 5 },
		{ 6, 10 },    { 11, 20 },   { 21, 50 },       { 501, 1000 },      { 500000001, 1000000000 },
		{ UINT64_MAX, 1000000000 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%llu", (unsigned long long)cases[i].count);
		CHECK_INT(payload_bucket_count(cases[i].count), cases[i].bucket);
	}
}

TEST(gpus_have_four_buckets)
{
	static const struct {
		uint64_t count;
		const char *bucket;
	} cases[] = {
		{ 0, NULL }, { 1, "8" }, { 8, "8" }, { 9, "16" }, { 16, "16" }, { 17, "32" }, { 32, "32" }, { 33, "64+" },
		{ 64, "64+" }, { UINT64_MAX, "64+" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK_STR(str_from(payload_bucket_gpus(cases[i].count)), str_from(cases[i].bucket));
}

TEST(of_a_version_only_the_first_two_parts_are_told)
{
	static const struct {
		const char *text, *cut; /* NULL: refused */
	} cases[] = {
		{ "0.10.2", "0.10" },      { "v1.2", "1.2" }, { "0.10.1rc2+me.host", "0.10" }, { "0.10rc2", "0.10" },
		{ "9999.9999", "9999.9999" }, { "1", NULL },  { "", NULL },                    { "v", NULL },
		{ "1.", NULL },            { ".1", NULL },    { "main", NULL },                { "12345.1", NULL },
		{ "1.12345", NULL },       { "1-2", NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char out[PAYLOAD_VERSION];
		bool good = payload_cut_version(str_from(cases[i].text), out);

		test_case("'%s'", cases[i].text);
		CHECK_INT(good, cases[i].cut != NULL);
		if (good)
			CHECK_STR(str_from(out), str_from(cases[i].cut));
	}
}

TEST(a_file_that_must_stay_here_says_so_in_its_first_line)
{
	static const struct {
		const char *text;
		bool local;
	} cases[] = {
		{ "{\"local_only\":true}\n{}\n", true },
		{ "\n {\"a\":1, \"local_only\" : true}", true },
		{ "{\n\"local_only\":\n true\n}", true },
		{ "{\"local_only\":false}\n{\"local_only\":true}\n", false },
		{ "{\"local_only\":\"true\"}", false },
		{ "{\"a\":{\"local_only\":true}}", false },
		{ "local_only", false },
		{ "", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(payload_is_local_only(str_from(cases[i].text)), cases[i].local);
	}
}

/* ---- whole payloads ---- */

static struct trace_entry node(enum at_kind kind, const char *trace, int64_t from_s, int64_t to_s)
{
	return (struct trace_entry){ .row = { .type = TRACE_ROW_NODE, .kind = kind, .trace = str_from(trace),
					      .from_us = from_s * 1000000, .to_us = to_s * 1000000, .ttft = -1,
					      .stall = -1, .total = -1 } };
}

static void add_tool(struct payload *p, const char *trace, double stall)
{
	struct trace_entry e = node(AT_TOOL_CALL, trace, 0, 10);

	e.row.stall = stall;
	payload_add(p, &e);
}

static void add_summary(struct payload *p, const char *trace, double total, const char *rig, const char *engine)
{
	payload_add(p, &(struct trace_entry){ .row = { .type = TRACE_ROW_SUMMARY, .trace = str_from(trace), .total = total,
						       .rig = str_from(rig), .engine = str_from(engine) } });
}

static void check_payload(struct payload *p, const char *rest)
{
	struct err err = { .kind = ERR_NONE };
	struct buf out;

	buf_init(&out);
	payload_end_input(p);
	if (!payload_write(p, &out, &err))
		FAIL("%s", err.text);
	CHECK(str_starts(buf_str(&out), STR("{\"schema\":\"trackway.telemetry-payload/1\",")));
	CHECK_STR(str_skip(buf_str(&out), strlen("{\"schema\":\"trackway.telemetry-payload/1\",")), str_from(rest));
	buf_free(&out);
	payload_free(p);
}

#define NO_HARDWARE "\"gpu_model\":null,\"gpu_count_bucket\":null,\"engine\":null,\"engine_version\":null,"
#define NO_TTFT "\"ttft_seconds_p50\":null,\"ttft_seconds_p99\":null,"
#define COUNTS(models, tools) "\"node_counts\":{\"model_call\":" models ",\"tool_call\":" tools \
	",\"branch\":0,\"retry\":0,\"user_input\":0,\"system\":0}}"

TEST(everything_that_is_known_is_told_in_buckets)
{
	struct payload p;
	struct trace_entry e = node(AT_MODEL_CALL, "a", 0, 1);

	payload_init(&p);
	p.gpus = payload_bucket_gpus(12);
	CHECK(payload_cut_version(STR("0.10.2"), p.engine_version));
	for (size_t i = 0; i < 3; i++) {
		e.row.ttft = i < 2 ? 0.42 : 7;
		payload_add(&p, &e);
	}
	add_tool(&p, "a", 4);
	add_summary(&p, "a", 10, "h200", "vllm");
	check_payload(&p, "\"gpu_model\":\"h200\",\"gpu_count_bucket\":\"16\",\"engine\":\"vllm\",\"engine_version\":\"0.10\","
			  "\"ttft_seconds_p50\":0.5,\"ttft_seconds_p99\":10,\"tool_stall_share\":0.4," COUNTS("5", "1"));
}

TEST(what_is_not_known_is_null_and_not_zero)
{
	struct payload p;

	payload_init(&p);
	add_tool(&p, "a", -1);
	check_payload(&p, NO_HARDWARE NO_TTFT "\"tool_stall_share\":null," COUNTS("0", "1"));
}

TEST(without_a_tool_call_nothing_waited)
{
	struct payload p;
	struct trace_entry e = node(AT_MODEL_CALL, "a", 0, 1);

	payload_init(&p);
	payload_add(&p, &e);
	check_payload(&p, NO_HARDWARE NO_TTFT "\"tool_stall_share\":0," COUNTS("1", "0"));
}

TEST(a_total_is_no_call_and_has_no_first_token)
{
	struct payload p;
	struct trace_entry e = node(AT_MODEL_CALL, "a", 0, 1);

	payload_init(&p);
	e.row.total_only = true;
	e.row.ttft = 1;
	payload_add(&p, &e);
	check_payload(&p, NO_HARDWARE NO_TTFT "\"tool_stall_share\":0," COUNTS("1", "0"));
}

TEST(a_run_without_summary_is_as_long_as_its_nodes)
{
	struct payload p;

	payload_init(&p);
	add_tool(&p, "a", 5);
	check_payload(&p, NO_HARDWARE NO_TTFT "\"tool_stall_share\":0.5," COUNTS("0", "1"));
}

TEST(runs_that_alternate_are_told_apart_and_the_same_id_in_another_input_is_another_run)
{
	struct payload p;

	payload_init(&p);
	for (size_t i = 0; i < 2; i++) {
		add_tool(&p, "a", 5);
		add_tool(&p, "b", 5);
		add_summary(&p, "a", 40, NULL, NULL);
		add_summary(&p, "b", 10, NULL, NULL);
		payload_end_input(&p);
	}
	check_payload(&p, NO_HARDWARE NO_TTFT "\"tool_stall_share\":0.2," COUNTS("0", "5"));
}

TEST(words_that_no_table_has_and_words_that_differ_are_not_told)
{
	struct payload p;

	payload_init(&p);
	add_tool(&p, "a", 0);
	add_summary(&p, "a", 10, "acme-lab-7", "vllm");
	add_summary(&p, "b", 10, "auto", "sglang");
	check_payload(&p, NO_HARDWARE NO_TTFT "\"tool_stall_share\":0," COUNTS("0", "1"));
}

TEST(without_a_node_there_is_no_payload)
{
	struct err err = { .kind = ERR_NONE };
	struct payload p;
	struct buf out;

	buf_init(&out);
	payload_init(&p);
	add_summary(&p, "a", 10, "h200", "vllm");
	payload_end_input(&p);
	CHECK(!payload_write(&p, &out, &err) && err.kind == ERR_DATA);
	CHECK_INT(out.n, 0);
	payload_free(&p);
}
