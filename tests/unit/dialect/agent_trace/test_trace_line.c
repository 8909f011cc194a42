#include "dialect/agent_trace/trace_line.h"

#include <math.h>

#include "harness/test.h"
#include "json/json.h"
#include "trackway.h"

#define AT INT64_C(1750000000123456)

static const struct id one = { { 0x01, 0x97, 0x7b, 0x3a, 0x2c, 0x00, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1 } };
static const struct id two = { { 0x01, 0x97, 0x7b, 0x3a, 0x2c, 0x00, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 2 } };

static struct arena *arena_of_test(void)
{
	struct arena *a = test_alloc(sizeof(*a));

	arena_init(a);
	return a;
}

static struct trace_line usual_line(void)
{
	return (struct trace_line){
		.scratch = arena_of_test(),
		.trace_id = STR("01977b3a-2c00-7000-8000-000000000009"),
		.framework = STR("raw_openai"),
	};
}

static struct str node_text(const struct trace_line *t, const struct trace_node *n)
{
	struct buf *out = test_alloc(sizeof(*out));

	buf_init(out);
	trace_line_add_node(out, t, n);
	return buf_str(out);
}

static bool holds(struct str text, const char *word)
{
	return str_find(text, str_from(word)) != (size_t)-1;
}

static size_t count_findings(struct str text, const char *code)
{
	struct tw_validate_options o = { .size = sizeof(o), .format = "agent-trace", .mode = TW_STRICT };
	struct tw_report *r = tw_validate_memory(text.p, text.n, "t.jsonl", &o);
	size_t n = code ? tw_report_count_of(r, code) : tw_report_finding_count(r);

	for (size_t i = 0; !code && i < tw_report_finding_count(r); i++)
		test_case("%s %s in %.*s", tw_report_finding(r, i)->code, tw_report_finding(r, i)->message, STR_ARG(text));
	tw_report_free(r);
	return n;
}

static const struct trace_model full_model = {
	.endpoint = { "https://me:pw@h.example/v1/chat/completions?key=sk-1#x", 54 },
	.provider = { "openai", 6 },
	.model = { "/models/private/llama-3", 23 },
	.request_id = { "req_1", 5 },
	.usage = { .input = { FIGURE_KNOWN, FIGURE_API, 100 }, .output = { FIGURE_KNOWN, FIGURE_ESTIMATED, 11 },
		   .cache_read = { FIGURE_KNOWN, FIGURE_API, 7 } },
	.latency = 2.5,
	.ttft = 0.5,
	.ttfb = 0.25,
	.ttfc = 0.75,
	.tool_choice = "auto",
	.stop_reason = "end_turn",
	.stream = true,
	.partial = true,
	.measured = true,
	.usd = { FIGURE_KNOWN, FIGURE_ESTIMATED, 0.125 },
};

TEST(a_model_call_has_every_listed_field_and_what_was_seen_beyond)
{
	struct trace_line t = usual_line();
	struct trace_node n = { .kind = AT_MODEL_CALL, .id = one, .parents = &two, .parent_count = 1, .from_us = AT - 2500000, .to_us = AT,
				.model = &full_model, .agent = STR("a7") };

	CHECK_STR(node_text(&t, &n),
		  STR("{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"01977b3a-2c00-7000-8000-000000000009\","
		      "\"node_id\":\"01977b3a-2c00-7000-8000-000000000001\",\"parent_node_ids\":[\"01977b3a-2c00-7000-8000-000000000002\"],"
		      "\"timestamp_start\":1749999997.623456,\"timestamp_end\":1750000000.123456,\"kind\":\"model_call\",\"framework\":"
		      "\"raw_openai\",\"agent_id\":\"a7\",\"model_call\":{\"endpoint\":\"https://h.example/v1/chat/completions\",\"model\":"
		      "\"llama-3\",\"input_tokens\":100,\"input_tokens_source\":\"api\",\"output_tokens\":11,\"output_tokens_source\":"
		      "\"estimated\",\"ttft_seconds\":0.5,\"tpot_seconds\":0.2,\"latency_seconds\":2.5,\"tool_choice\":\"auto\",\"stream\":true,"
		      "\"stop_reason\":\"end_turn\",\"request_id\":\"req_1\",\"kv_pressure_label\":\"measured\",\"ttfb_seconds\":0.25,"
		      "\"ttfc_seconds\":0.75,\"cache_read_tokens\":7,\"partial\":true,"
		      "\"estimated_cost_usd\":0.125,\"cost_source\":\"estimated\"}}\n"));
}

TEST(of_a_path_the_users_own_address_and_words_of_apis_are_kept)
{
	struct trace_cache cache = { .own = 0 };
	struct trace_line t = usual_line();
	struct trace_model m = { .endpoint = STR("https://h.example/team-a/sk-helicone-eu-1/chat/completions") };
	struct trace_node n = { .kind = AT_MODEL_CALL, .id = one, .from_us = AT, .to_us = AT, .model = &m };

	t.cache = &cache;
	CHECK(holds(node_text(&t, &n), "\"endpoint\":\"https://h.example/.../chat/completions\""));
	m.endpoint_own = sizeof("https://h.example/team-a") - 1;
	CHECK(holds(node_text(&t, &n), "\"endpoint\":\"https://h.example/team-a/.../chat/completions\""));
	trace_cache_free(&cache);
}

TEST(what_is_not_known_is_null_and_a_plain_line_has_nothing_beyond_the_document)
{
	struct trace_model m = { .latency = -1, .ttft = -1, .ttfb = -1, .ttfc = -1 };
	struct trace_line t = usual_line();
	struct trace_node n = { .kind = AT_MODEL_CALL, .id = one, .from_us = AT, .to_us = AT, .model = &m };
	struct str text = node_text(&t, &n);

	CHECK(holds(text, "\"endpoint\":\"unknown\",\"model\":\"unknown\",\"input_tokens\":0,\"input_tokens_source\":\"estimated\""));
	CHECK(holds(text, "\"ttft_seconds\":null,\"tpot_seconds\":null,\"latency_seconds\":0,\"tool_choice\":null,\"stream\":false,"
			  "\"stop_reason\":null,\"request_id\":null,\"kv_pressure_label\":\"inferred_without_engine_metrics\"}}"));
	t.plain = true;
	n.model = &full_model;
	n.agent = STR("a7");
	n.inferred = true;
	text = node_text(&t, &n);
	CHECK(holds(text, "\"kv_pressure_label\":\"measured\"}}\n") && !holds(text, "agent_id") && !holds(text, "\"inferred\""));
}

TEST(tpot_needs_two_tokens_and_a_first_one)
{
	static const struct {
		double ttft, latency;
		uint64_t output;
		const char *want;
	} cases[] = {
		{ 1, 3, 3, "\"tpot_seconds\":1," },    { 1, 3, 2, "\"tpot_seconds\":2," },    { 1, 3, 1, "\"tpot_seconds\":null" },
		{ 1, 3, 0, "\"tpot_seconds\":null" }, { -1, 3, 9, "\"tpot_seconds\":null" }, { 4, 3, 9, "\"tpot_seconds\":null" },
	};
	struct trace_line t = usual_line();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_model m = { .latency = cases[i].latency, .ttft = cases[i].ttft, .ttfb = -1, .ttfc = -1,
					 .usage = { .output = FIGURE(cases[i].output) } };
		struct trace_node n = { .kind = AT_MODEL_CALL, .id = one, .model = &m };

		test_case("%zu", i);
		CHECK(holds(node_text(&t, &n), cases[i].want));
	}
}

TEST(a_tool_call_says_where_its_time_comes_from)
{
	struct trace_tool tool = { .name = STR("bash(rm -rf /x)"), .call = STR("call_1"), .wall = 1.5, .stall = -1, .size = FIGURE(12),
				   .result_kind = "text", .external = true, .wall_source = "inferred" };
	struct trace_line t = usual_line();
	struct trace_node n = { .kind = AT_TOOL_CALL, .id = one, .tool = &tool, .inferred = true };

	CHECK(holds(node_text(&t, &n),
		    "\"inferred\":true,\"tool_call\":{\"name\":\"bash\",\"wall_time_seconds\":1.5,\"stall_seconds\":null,\"result_size_bytes\":12,"
		    "\"result_kind\":\"text\",\"is_external\":true,\"is_io_bound\":true,\"wall_time_source\":\"inferred\",\"call_id\":\"call_1\"}}"));
	tool = (struct trace_tool){ .name = STR("x"), .call = STR("an id with words"), .wall = NAN, .stall = 0.25, .partial = true };
	CHECK(holds(node_text(&t, &n), "{\"name\":\"x\",\"wall_time_seconds\":0,\"stall_seconds\":0.25,\"result_size_bytes\":null,\"result_kind\":"
				       "null,\"is_external\":false,\"is_io_bound\":false,\"partial\":true}"));
}

TEST(a_branch_names_its_siblings_and_other_nodes_have_no_detail)
{
	const struct id ids[] = { one, two };
	struct trace_branch b = { .kind = "fan_out", .siblings = ids, .count = 2 };
	struct trace_line t = usual_line();
	struct trace_node n = { .kind = AT_BRANCH, .id = one, .branch = &b, .framework = STR("crewai") };

	CHECK(holds(node_text(&t, &n), "\"kind\":\"branch\",\"framework\":\"crewai\",\"branch\":{\"branch_kind\":\"fan_out\",\"siblings\":["
				       "\"01977b3a-2c00-7000-8000-000000000001\",\"01977b3a-2c00-7000-8000-000000000002\"]}}"));
	n = (struct trace_node){ .kind = AT_USER_INPUT, .id = one, .from_us = 5, .to_us = 3 };
	CHECK(holds(node_text(&t, &n), "\"timestamp_start\":0.000003,\"timestamp_end\":0.000003,\"kind\":\"user_input\",\"framework\":"
				       "\"raw_openai\"}"));
}

/* ---- the summary ---- */

static struct str trace_with(struct trace_summary s, int64_t node_from, int64_t node_to)
{
	struct trace_line t = usual_line();
	struct trace_node n = { .kind = AT_USER_INPUT, .id = one, .from_us = node_from, .to_us = node_to };
	struct buf *out = test_alloc(sizeof(*out));

	buf_init(out);
	trace_line_add_node(out, &t, &n);
	s.counts[AT_USER_INPUT] = 1;
	trace_line_add_summary(out, &t, &s);
	return buf_str(out);
}

TEST(a_summary_is_dated_in_milliseconds_that_hold_all_nodes)
{
	static const struct {
		int64_t from, to;
		const char *want;
	} cases[] = {
		{ AT, AT, "\"started_at\":\"2025-06-15T15:06:40.123Z\",\"completed_at\":\"2025-06-15T15:06:40.124Z\",\"total_seconds\":0.001000" },
		{ AT - 456, AT - 456, "\"completed_at\":\"2025-06-15T15:06:40.123Z\",\"total_seconds\":0.000000" },
		{ AT, AT + 1000000, "\"completed_at\":\"2025-06-15T15:06:41.124Z\",\"total_seconds\":1.001000" },
		{ AT, AT - 7000000, "\"completed_at\":\"2025-06-15T15:06:40.124Z\"" }, /* a clock that went back */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_summary s = { .from_us = cases[i].from, .to_us = cases[i].to, .exit_status = "success" };
		struct str text = trace_with(s, cases[i].from, cases[i].to > cases[i].from ? cases[i].to : cases[i].from);

		test_case("%zu", i);
		CHECK(holds(text, cases[i].want));
		CHECK_INT(count_findings(text, NULL), 0);
	}
}

TEST(whatever_the_microseconds_no_rule_about_times_is_broken)
{
	for (int64_t us = 0; us < 3000; us += 37) {
		struct trace_summary s = { .from_us = AT + us, .to_us = AT + us * 3, .exit_status = "success", .stall = (double)us * 2 / 1e6 };
		struct str text = trace_with(s, AT + us, AT + us * 3);

		test_case("%d", (int)us);
		CHECK_INT(count_findings(text, "AT111") + count_findings(text, "AT112") + count_findings(text, "AT053") +
				  count_findings(text, "AT052"), 0);
	}
}

TEST(stalls_are_a_share_of_the_time_unless_they_are_more)
{
	static const struct {
		double stall;
		int64_t length;
		const char *want;
	} cases[] = {
		{ 0, 0, "\"tool_stall_total_seconds\":0,\"tool_stall_pct\":0," },
		{ 1, 4000000, "\"tool_stall_total_seconds\":1,\"tool_stall_pct\":0.25," },
		{ 5, 4000000, "\"tool_stall_total_seconds\":5,\"tool_stall_pct\":null," },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_summary s = { .from_us = AT - 456, .to_us = AT - 456 + cases[i].length, .exit_status = "success",
					   .stall = cases[i].stall };

		test_case("%zu", i);
		CHECK(holds(trace_with(s, s.from_us, s.to_us), cases[i].want));
	}
}

/* Of calls that nobody measured nothing is known, and that is not 0. */
TEST(stalls_that_are_not_known_are_null_or_counted)
{
	static const struct {
		uint64_t calls, stalls;
		const char *want, *unknown;
	} cases[] = {
		{ 0, 0, "\"tool_stall_total_seconds\":0,\"tool_stall_pct\":0,", NULL },
		{ 3, 0, "\"tool_stall_total_seconds\":null,\"tool_stall_pct\":null,", NULL },
		{ 3, 1, "\"tool_stall_total_seconds\":1,\"tool_stall_pct\":0.25,", ",\"tool_stall_unknown\":2}" },
		{ 3, 3, "\"tool_stall_total_seconds\":1,\"tool_stall_pct\":0.25,", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_summary s = { .from_us = 0, .to_us = 4000000, .exit_status = "success", .stalls = cases[i].stalls,
					   .stall = cases[i].stalls ? 1 : 0 };
		struct trace_line t = { .trace_id = STR("x"), .framework = STR("unknown") };
		struct buf out = { 0 };

		s.counts[AT_TOOL_CALL] = cases[i].calls;
		for (int plain = 0; plain < 2; plain++) {
			test_case("case %zu, plain %d", i, plain);
			buf_clear(&out);
			t.plain = plain;
			trace_line_add_summary(&out, &t, &s);
			CHECK(holds(buf_str(&out), cases[i].want));
			CHECK_INT(holds(buf_str(&out), cases[i].unknown && !plain ? cases[i].unknown : "tool_stall_unknown"),
				  cases[i].unknown && !plain);
		}
		buf_free(&out);
	}
}

TEST(a_summary_says_how_it_ended_and_with_what)
{
	struct trace_summary s = {
		.from_us = AT, .to_us = AT, .exit_status = "error", .error = STR("child exited 3"), .rig = STR("h100"), .engine = STR("vllm"),
		.framework_version = STR("{\"crewai\":\"1.0\"}"), .usd = { FIGURE_KNOWN, FIGURE_ESTIMATED, 0.5 }, .input = 7, .output = 9,
		.digits = 6,
	};
	struct str text = trace_with(s, AT, AT);

	CHECK(holds(text, "\"started_at\":\"2025-06-15T15:06:40.123456Z\""));
	CHECK(holds(text, "\"node_counts\":{\"user_input\":1},\"total_tokens\":{\"input\":7,\"output\":9}"));
	CHECK(holds(text, "\"exit_status\":\"error\",\"error_message\":\"child exited 3\",\"framework_version\":{\"crewai\":\"1.0\"},\"rig_label\":"
			  "\"h100\",\"engine\":\"vllm\",\"redaction\":{\"prompts_redacted\":true,\"tool_args_redacted\":true},"
			  "\"estimated_cost_usd\":0.5,\"cost_source\":\"estimated\"}\n"));
	s = (struct trace_summary){ .exit_status = "success" };
	CHECK(holds(trace_with(s, 0, 0), "\"error_message\":null,\"framework_version\":{},\"rig_label\":null,"
					 "\"engine\":null"));
}

TEST(a_line_in_parts_is_the_line_as_a_whole)
{
	struct trace_line t = usual_line();
	struct trace_node n = { .kind = AT_MODEL_CALL, .id = one, .from_us = AT, .to_us = AT, .model = &full_model };
	struct json_writer j;
	struct buf out;

	buf_init(&out);
	trace_line_begin_node(&j, &out, &t, &n);
	trace_line_begin_model(&j, &t, &full_model);
	trace_line_write_usd(&j, &t, full_model.usd);
	json_write_end_object(&j);
	json_write_end_object(&j);
	buf_add_byte(&out, '\n');
	CHECK_STR(buf_str(&out), node_text(&t, &n));
	buf_free(&out);
}

TEST(a_price_that_is_none_is_left_out)
{
	static const double prices[] = { -1, NAN, INFINITY };
	struct trace_line t = usual_line();
	struct trace_model m = full_model;
	struct trace_node n = { .kind = AT_MODEL_CALL, .id = one, .model = &m };

	for (size_t i = 0; i < 3; i++) {
		m.usd.n = prices[i];
		CHECK(!holds(node_text(&t, &n), "estimated_cost_usd"));
	}
}
