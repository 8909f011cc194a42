/* What services state of their bills, whole and in streams, and what becomes of it in the formats that are written. */
#include "dialect/reading/billing.h"

#include "harness/convert.h"
#include "harness/test.h"

#define CHAT(usage_, more_) CHAT_AS("c1", usage_, more_)
#define CHAT_AS(id_, usage_, more_) \
	"{\"request\":{\"url\":\"https://h.example/v1/chat/completions\",\"body\":{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\"," \
	"\"content\":\"hi\"}]}},\"response\":{\"status\":200,\"body\":{\"id\":\"" id_ "\",\"object\":\"chat.completion\"," \
	"\"created\":1793577600,\"model\":\"gpt-5\"" more_ ",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"ok\"}," \
	"\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":100" usage_ "}}}}\n"

#define CHUNK(text_) "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1793577600,\"model\":\"gpt-5\"," text_ "}\n\n"
#define STREAM(usage_, more_) \
	CHUNK("\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"ok\"}}]") \
	CHUNK("\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]") \
	CHUNK("\"choices\":[]" more_ ",\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":100" usage_ "}") "data: [DONE]\n\n"

static struct arena arena;

static void begin(void)
{
	arena_init(&arena);
}

/* The n-th cost of what a log becomes. */
static struct str cost_of(const char *from, const char *text, size_t n)
{
	return convert_record(convert_valid(&arena, from, str_from(text), "otutl"), "cost", n);
}

static void check_cost(struct str cost, const char *usd, const char *source, const char *tier)
{
	CHECK_STR(convert_get(&arena, cost, "/estimated_cost_usd"), str_from(usd));
	CHECK_STR(convert_get(&arena, cost, "/cost_source"), str_from(source));
	CHECK_STR(convert_get(&arena, cost, "/service_tier"), str_from(tier));
}

TEST(what_the_service_states_is_the_cost_whole_and_streamed)
{
	static const struct { const char *whole, *stream, *usd; } cases[] = {
#define BOTH(usage_, usd_) { CHAT(usage_, ""), STREAM(usage_, ""), usd_ }
		BOTH(",\"cost\":0.25", "0.25"),
		BOTH(",\"cost\":0", "0"),
		BOTH(",\"cost\":0.25,\"cost_details\":{\"upstream_inference_cost\":null}", "0.25"),
		/* who pays the router pays the vendor by it */
		BOTH(",\"cost\":0.25,\"cost_details\":{\"upstream_inference_cost\":0.25}", "0.25"),
		BOTH(",\"cost\":0.25,\"is_byok\":false,\"cost_details\":{\"upstream_inference_cost\":9}", "0.25"),
		/* with a key of one's own both are to be paid */
		BOTH(",\"cost\":0.25,\"is_byok\":true,\"cost_details\":{\"upstream_inference_cost\":5}", "5.25"),
		BOTH(",\"cost\":0,\"is_byok\":true,\"cost_details\":{\"upstream_inference_cost\":5}", "5"),
		BOTH(",\"cost\":0.25,\"cost_details\":{\"upstream_inference_cost\":5}", "5.25"),
		BOTH(",\"cost_in_usd_ticks\":2500000000", "0.25"),
		BOTH(",\"cost\":{\"input_tokens_cost\":0.1,\"request_cost\":0.1,\"total_cost\":0.25}", "0.25"),
		BOTH(",\"estimated_cost\":0.25", "0.25"),
	};

	begin();
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		check_cost(cost_of("openai-chat", cases[i].whole, 0), cases[i].usd, "api", NULL);
		check_cost(cost_of("openai-chat", cases[i].stream, 0), cases[i].usd, "api", NULL);
	}
	arena_free(&arena);
}

TEST(what_is_no_whole_cost_is_worked_out_from_tokens)
{
	static const char *const cases[] = {
		CHAT("", ""),
		CHAT(",\"cost\":null", ""),
		CHAT(",\"cost\":-1", ""),
		CHAT(",\"cost\":\"0.25\"", ""),
		CHAT(",\"cost\":1e300", ""),
		CHAT(",\"cost\":0.25,\"is_byok\":true", ""), /* the fee of the router alone */
	};

	begin();
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		check_cost(cost_of("openai-chat", cases[i], 0), "0.00225", "estimated", NULL);
	}
	arena_free(&arena);
}

TEST(a_header_states_the_cost_too)
{
	begin();
	CHECK(amount_is_known(billing_header(STR("X-LiteLLM-Response-Cost"), STR(" 0.5 "))));
	CHECK(!amount_is_known(billing_header(STR("x-litellm-response-cost"), STR("None"))));
	CHECK(!amount_is_known(billing_header(STR("x-litellm-response-cost"), STR("-1"))));
	CHECK(!amount_is_known(billing_header(STR("x-cost"), STR("0.5"))));
	check_cost(cost_of("openai-chat", "{\"request\":{\"url\":\"https://h.example/v1/chat/completions\",\"body\":{\"model\":\"gpt-5\","
		   "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}},\"response\":{\"status\":200,\"headers\":{\"x-litellm-response-cost\":"
		   "\"0.5\"},\"body\":{\"id\":\"c1\",\"object\":\"chat.completion\",\"created\":1793577600,\"model\":\"gpt-5\","
		   "\"choices\":[{\"index\":0,"
		   "\"message\":{\"role\":\"assistant\",\"content\":\"ok\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,"
		   "\"completion_tokens\":1}}}}\n", 0), "0.5", "api", NULL);
	arena_free(&arena);
}

/* 1000 tokens in, 100 out, of gpt-5 in November 2026. */
TEST(tiers_have_their_own_prices)
{
	static const struct { const char *whole, *stream, *usd, *tier; } cases[] = {
#define TIER(word_, usd_, tier_) { CHAT("", ",\"service_tier\":" word_), STREAM("", ",\"service_tier\":" word_), usd_, tier_ }
		TIER("\"default\"", "0.00225", NULL),
		TIER("\"auto\"", "0.00225", NULL),
		TIER("\"standard\"", "0.00225", NULL),
		TIER("null", "0.00225", NULL),
		TIER("\"flex\"", "0.001125", "flex"),
		TIER("\"batch\"", "0.001125", "batch"),
		TIER("\"PRIORITY\"", "0.0045", "priority"),
		TIER("\"scale\"", "null", "scale"), /* no rate is known: not the ordinary one */
	};

	begin();
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *source = strcmp(cases[i].usd, "null") == 0 ? NULL : "estimated";

		test_case("%s", cases[i].tier ? cases[i].tier : "-");
		check_cost(cost_of("openai-chat", cases[i].whole, 0), cases[i].usd, source, cases[i].tier);
		check_cost(cost_of("openai-chat", cases[i].stream, 0), cases[i].usd, source, cases[i].tier);
	}
	arena_free(&arena);
}

#define MESSAGE(usage_) \
	"{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-opus-5-5\",\"content\":[{\"type\":\"text\"," \
	"\"text\":\"ok\"}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1000,\"output_tokens\":100" usage_ "}}"
#define ASKED(usage_) \
	"{\"request\":{\"url\":\"https://h.example/v1/messages\",\"body\":{\"model\":\"claude-opus-5-5\",\"max_tokens\":9,\"messages\":[{" \
	"\"role\":\"user\",\"content\":\"hi\"}]}},\"response\":{\"status\":200,\"headers\":{\"date\":\"Tue, 10 Nov 2026 10:00:00 GMT\"}," \
	"\"body\":" MESSAGE(usage_) "}}\n"

/* 4 in, 20 out, 0.2 read, 5 and 8 written, for a million; half of it in batches; twice when fast; a tenth more in the US. */
TEST(caches_of_five_minutes_and_an_hour_and_tiers_of_anthropic)
{
	static const struct { const char *text, *usd, *tier; } cases[] = {
		{ ASKED(""), "0.006", NULL },
		{ ASKED(",\"service_tier\":\"standard\",\"speed\":\"standard\",\"inference_geo\":\"global\""), "0.006", NULL },
		{ ASKED(",\"cache_creation_input_tokens\":1000,\"cache_creation\":{\"ephemeral_5m_input_tokens\":1000,"
			"\"ephemeral_1h_input_tokens\":0}"), "0.011", NULL },
		{ ASKED(",\"cache_creation_input_tokens\":1000,\"cache_creation\":{\"ephemeral_5m_input_tokens\":0,"
			"\"ephemeral_1h_input_tokens\":1000}"), "0.014", NULL },
		{ ASKED(",\"cache_creation_input_tokens\":1000,\"cache_creation\":{\"ephemeral_5m_input_tokens\":400,"
			"\"ephemeral_1h_input_tokens\":600}"), "0.0128", NULL },
		{ ASKED(",\"service_tier\":\"batch\""), "0.003", "batch" },
		{ ASKED(",\"speed\":\"fast\""), "0.012", "fast" },
		{ ASKED(",\"inference_geo\":\"us\""), "0.0066", "us" },
		{ ASKED(",\"service_tier\":\"priority\""), "null", "priority" },
		{ ASKED(",\"service_tier\":\"batch\",\"inference_geo\":\"us\""), "null", "batch+us" },
	};

	begin();
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		check_cost(cost_of("anthropic", cases[i].text, 0), cases[i].usd,
			   strcmp(cases[i].usd, "null") == 0 ? NULL : "estimated", cases[i].tier);
	}
	arena_free(&arena);
}

/* The tier of message_start holds, although message_delta does not name it. */
TEST(a_stream_of_anthropic_keeps_its_tier)
{
	begin();
	check_cost(cost_of("anthropic", "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\","
		   "\"role\":\"assistant\",\"model\":\"claude-opus-5-5\",\"content\":[],\"usage\":{\"input_tokens\":1000,\"output_tokens\":1,"
		   "\"service_tier\":\"batch\"}}}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\","
		   "\"delta\":{\"stop_reason\":\"end_turn\"},"
		   "\"usage\":{\"output_tokens\":100}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", 0),
		   "0.003", "estimated", "batch");
	arena_free(&arena);
}

/* A tier that was asked for is not the one that was given. */
TEST(the_last_word_of_a_response_about_its_tier_counts)
{
	static const struct { const char *asked, *given, *usd, *tier; } cases[] = {
		{ "auto", "flex", "0.001125", "flex" },
		{ "flex", "default", "0.00225", NULL },
	};

	begin();
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str text = arena_printf(&arena,
			"event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\",\"object\":\"response\","
			"\"created_at\":1793577600,\"status\":\"in_progress\",\"model\":\"gpt-5\",\"output\":[],\"service_tier\":\"%s\"}}\n\n"
			"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"object\":\"response\","
			"\"created_at\":1793577600,\"status\":\"completed\",\"model\":\"gpt-5\",\"output\":[{\"type\":\"message\","
			"\"id\":\"m1\",\"role\":"
			"\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"ok\"}]}],\"service_tier\":\"%s\","
			"\"usage\":{\"input_tokens\":1000,"
			"\"output_tokens\":100,\"total_tokens\":1100}}}\n\n", cases[i].asked, cases[i].given);

		test_case("%s", cases[i].given);
		check_cost(cost_of("openai-responses", text.p, 0), cases[i].usd, "estimated", cases[i].tier);
	}
	arena_free(&arena);
}

TEST(gemini_names_its_traffic)
{
	static const struct { const char *member, *usd, *tier; } cases[] = {
		{ "\"trafficType\":\"ON_DEMAND\"", "0.001125", NULL },
		{ "\"trafficType\":\"ON_DEMAND_FLEX\"", "0.0005625", "flex" },
		{ "\"serviceTier\":\"PRIORITY\"", "0.002025", "priority" },
		{ "\"trafficType\":\"PROVISIONED_THROUGHPUT\"", "null", "provisioned_throughput" },
	};

	begin();
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str text = arena_printf(&arena,
			"{\"request\":{\"url\":\"https://h.example/v1beta/models/gemini-3.8-flash:generateContent\","
			"\"body\":{\"contents\":[{\"role\":"
			"\"user\","
			"\"parts\":[{\"text\":\"hi\"}]}]}},\"response\":{\"status\":200,\"body\":{\"candidates\":[{\"content\":{\"role\":\"model\","
			"\"parts\":[{\"text\":\"ok\"}]},\"finishReason\":\"STOP\",\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":1000,"
			"\"candidatesTokenCount\":100,\"totalTokenCount\":1100,%s},\"modelVersion\":\"gemini-3.8-flash\",\"responseId\":\"r1\","
			"\"createTime\":\"2026-11-10T10:00:00.000Z\"}}}\n", cases[i].member);

		test_case("%s", cases[i].member);
		check_cost(cost_of("gemini", text.p, 0), cases[i].usd,
			   strcmp(cases[i].usd, "null") == 0 ? NULL : "estimated", cases[i].tier);
	}
	arena_free(&arena);
}

/* ---- totals ---- */

#define CLAUDE \
	"{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s1\",\"model\":\"claude-opus-5-5\",\"cwd\":\"/w\",\"tools\":[]}\n" \
	"{\"type\":\"assistant\",\"session_id\":\"s1\",\"message\":" MESSAGE("") "}\n" \
	"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"duration_ms\":5,\"num_turns\":1,\"result\":\"ok\",\"session_id\":" \
	"\"s1\",\"total_cost_usd\":0.25,\"usage\":{\"input_tokens\":1000,\"output_tokens\":100}}\n"

#define ATIF(step_, total_) \
	"{\"schema_version\":\"ATIF-v1.6\",\"session_id\":\"s1\",\"agent\":{\"name\":\"a\",\"version\":\"1\",\"model_name\":\"gpt-5\"}," \
	"\"steps\":[{\"step_id\":1,\"source\":\"user\",\"message\":\"hi\"},{\"step_id\":2,\"timestamp\":\"2026-11-10T10:00:00.000Z\"," \
	"\"source\":\"agent\",\"message\":\"ok\",\"metrics\":{\"prompt_tokens\":1000,\"completion_tokens\":100" step_ "}}]," \
	"\"final_metrics\":{\"total_prompt_tokens\":1000,\"total_completion_tokens\":100,\"total_steps\":2" total_ "}}"

/* What the service states of a run is its total in every format, and nothing is worked out beside it. */
TEST(the_total_of_a_run_is_the_stated_one_in_every_format)
{
	static const struct { const char *from, *text; } cases[] = {
		{ "claude-code", CLAUDE },
		{ "atif", ATIF("", ",\"total_cost_usd\":0.25") },
		{ "atif", ATIF(",\"cost_usd\":0.25", ",\"total_cost_usd\":0.25") },
		{ "openai-chat", CHAT(",\"cost\":0.25", "") },
	};

	begin();
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str otutl = convert_valid(&arena, cases[i].from, str_from(cases[i].text), "otutl"), out;

		test_case("%zu", i);
		CHECK_STR(convert_get(&arena, convert_record(otutl, "run_end", 0), "/totals/estimated_cost_usd"), STR("0.25"));
		out = convert_valid(&arena, cases[i].from, str_from(cases[i].text), "agent-trace");
		CHECK(str_has(out, STR("\"tool_args_redacted\":true},\"estimated_cost_usd\":0.25,\"cost_source\":\"api\"")));
		out = convert_text(&arena, "otutl", otutl, "atif");
		CHECK_STR(convert_get(&arena, out, "/final_metrics/total_cost_usd"), STR("0.25"));
		out = convert_valid(&arena, "atif", out, "otutl");
		CHECK_STR(convert_get(&arena, convert_record(out, "run_end", 0), "/totals/estimated_cost_usd"), STR("0.25"));
	}
	arena_free(&arena);
}

/* Nobody is told a part for the whole. */
TEST(a_total_of_which_a_part_is_not_known_is_not_told)
{
	static const char *const text = CHAT(",\"cost\":0.25", "") CHAT_AS("c2", "", ",\"service_tier\":\"scale\"");
	struct str otutl, out;

	begin();
	otutl = convert_valid(&arena, "openai-chat", str_from(text), "otutl");
	CHECK_STR(convert_get(&arena, convert_record(otutl, "run_end", 0), "/totals/estimated_cost_usd"), STR("null"));
	out = convert_valid(&arena, "openai-chat", str_from(text), "agent-trace");
	CHECK(str_has(out, STR("\"tool_args_redacted\":true}}")));
	out = convert_text(&arena, "otutl", otutl, "atif");
	CHECK(!convert_get(&arena, out, "/final_metrics/total_cost_usd").p);
	arena_free(&arena);
}

/* Spans state costs by several names; an estimate that was exported is not taken for the service's word. */
TEST(spans_state_their_cost)
{
	static const struct { const char *attributes, *usd, *source; } cases[] = {
		{ "\"llm.cost.total\":0.25", "0.25", "api" },
		{ "\"gen_ai.usage.cost\":0.25", "0.25", "api" },
		{ "\"operation.cost\":0.25", "0.25", "api" },
		{ "\"llm.cost.total\":0.25,\"agent_trace.cost.source\":\"estimated\"", "0.25", "estimated" },
		{ "\"gen_ai.usage.cost\":-1", "0.00225", "estimated" },
	};

	begin();
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str text = arena_printf(&arena,
			"{\"name\":\"chat gpt-5\",\"trace_id\":\"0x5b8efff798038103d269b633813fc60c\",\"span_id\":\"0xeee19b7ec3c1b174\",\"context\":"
			"{\"trace_id\":\"0x5b8efff798038103d269b633813fc60c\",\"span_id\":\"0xeee19b7ec3c1b174\"},\"start_time\":"
			"\"2026-11-10T10:00:00.000000Z\",\"end_time\":\"2026-11-10T10:00:01.000000Z\",\"attributes\":{\"gen_ai.operation.name\":"
			"\"chat\",\"gen_ai.request.model\":\"gpt-5\",\"gen_ai.usage.input_tokens\":1000,\"gen_ai.usage.output_tokens\":100,%s}}\n",
			cases[i].attributes);

		test_case("%s", cases[i].attributes);
		check_cost(cost_of("otlp-json", text.p, 0), cases[i].usd, cases[i].source, NULL);
	}
	arena_free(&arena);
}

/* "vendor" and "computed" of older logs are read, and stand as they were when the log is written again. */
TEST(the_old_words_of_a_log_are_still_read)
{
	static const struct { const char *old, *now; } cases[] = { { "vendor", "api" }, { "computed", "estimated" } };

	begin();
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str text = convert_valid(&arena, "openai-chat", STR(CHAT(",\"cost\":0.25", "")), "otutl"), out, rest, head;
		struct buf old;

		buf_init(&old);
		head = str_of(text.p, str_find(text, STR("\"cost_source\":\"api\"")));
		rest = str_skip(text, head.n + strlen("\"cost_source\":\"api\""));
		buf_printf(&old, "%.*s\"cost_source\":\"%s\"%.*s", STR_ARG(head), cases[i].old, STR_ARG(rest));
		test_case("%s", cases[i].old);
		CHECK_STR(convert_text(&arena, "otutl", buf_str(&old), "otutl"), buf_str(&old));
		out = convert_valid(&arena, "otutl", buf_str(&old), "agent-trace");
		CHECK(str_has(out, arena_printf(&arena, "\"estimated_cost_usd\":0.25,\"cost_source\":\"%s\"", cases[i].now)));
		buf_free(&old);
	}
	arena_free(&arena);
}
