#include "dialect/formats.h"
#include "dialect/record/field.h"
#include "unit/dialect/expect_run.h"

#define EVENT(id, second, type, more) "{\"event_id\":\"" id "\",\"timestamp\":\"2026-01-02T03:04:" second ".000Z\",\"type\":\"" type \
	"\",\"event_data\":{" more "}}\n"
#define CALL_OF(role, tool) "\"agent_role\":\"" role "\",\"tool_name\":\"" tool "\""
#define START EVENT("k", "00", "crew_kickoff_started", "\"crew_name\":\"crew\"")
#define END EVENT("z", "59", "crew_kickoff_completed", "\"output\":{\"raw\":\"4\"},\"total_tokens\":7")
#define ANSWER(id, second, role, more) \
	EVENT(id, second, "llm_call_completed", "\"agent_role\":\"" role "\",\"model\":\"m\"" more)
#define TRACING "{\"request\":{\"method\":\"POST\",\"url\":\"http://x/api/v1/tracing/batches\",\"body\":"
#define BATCH TRACING "{\"trace_id\":\"run-1\",\"execution_type\":\"crew\",\"execution_context\":{\"crewai_version\":\"1.2\"}}}," \
	"\"response\":{\"status\":201}}\n"

static struct arena arena;

static struct str to_otutl(struct str text)
{
	return convert_valid(&arena, "crewai", text, "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

#define IS(out, type, n, pointer, text) CHECK_STR(get(out, type, n, pointer), STR(text))

TEST(samples_have_the_figures_that_were_counted)
{
	expect_folder("vendors/crewai", "crewai", 8);
}

TEST(a_kickoff_is_a_run_of_crewai)
{
	struct str out = to_otutl(STR(START END START END));

	CHECK_INT(convert_count(out).runs, 2);
	IS(out, "run_start", 0, "/framework", "crewai");
	IS(out, "run_start", 0, "/vendor_run_id", "k");
	IS(out, "run_end", 0, "/status", "success");
	IS(out, "run_end", 0, "/output/raw", "4");
	IS(out, "run_end", 0, "/ext/crewai~11/event_data/total_tokens", "7");
}

TEST(a_failed_kickoff_is_an_error)
{
	struct str out = to_otutl(STR(START EVENT("f", "01", "crew_kickoff_failed", "\"error\":\"no luck\"")));

	IS(out, "error", 0, "/class", "harness");
	IS(out, "error", 0, "/message", "no luck");
	IS(out, "run_end", 0, "/status", "error");
}

TEST(a_batch_names_the_run_and_what_is_said_later_is_its_own)
{
	struct str out = to_otutl(STR(BATCH START END TRACING "{\"status\":\"completed\"}},\"response\":{\"status\":200}}\n"));

	CHECK_INT(convert_count(out).runs, 1);
	IS(out, "run_start", 0, "/vendor_run_id", "run-1");
	IS(out, "run_start", 0, "/agent/version", "1.2");
}

TEST(what_other_agents_do_meanwhile_is_inside_the_call)
{
	struct str out = to_otutl(STR(START ANSWER("s1", "02", "A", ",\"response\":\"go\"")
		EVENT("d", "03", "tool_usage_started", CALL_OF("A", "Delegate work") ",\"tool_args\":\"{\\\"to\\\": \\\"B\\\"}\"")
		ANSWER("s2", "04", "B", ",\"response\":\"hm\"")
		EVENT("d2", "05", "tool_usage_started", CALL_OF("B", "Delegate work") ",\"tool_args\":{}")
		EVENT("d3", "06", "tool_usage_finished", CALL_OF("B", "Delegate work") ",\"tool_args\":{},\"output\":\"inner\"")
		EVENT("d4", "07", "tool_usage_finished", CALL_OF("A", "Delegate work") ",\"tool_args\":{\"to\":\"B\"},\"output\":\"outer\""
		      ",\"started_at\":\"2026-01-01T20:00:00.100000\",\"finished_at\":\"2026-01-01T20:00:00.350000\"")
		END));

	IS(out, "tool_call", 0, "/call_id", "d");
	IS(out, "tool_call", 0, "/args/to", "B");
	IS(out, "tool_call", 1, "/parent_call_id", "d");
	IS(out, "tool_result", 0, "/call_id", "d2");
	IS(out, "tool_result", 0, "/result", "inner");
	IS(out, "tool_result", 1, "/call_id", "d");
	IS(out, "tool_result", 1, "/duration_ms", "250");
	IS(out, "tool_result", 1, "/is_error", "false");
	CHECK_INT(convert_count(out).orphan_calls, 0);
}

TEST(a_call_of_the_same_agent_is_not_inside_one_that_never_ended)
{
	struct str out = to_otutl(STR(START
		EVENT("a", "01", "tool_usage_started", CALL_OF("A", "t") ",\"tool_args\":\"{}\"")
		EVENT("b", "02", "tool_usage_started", CALL_OF("A", "t") ",\"tool_args\":\"{}\"")
		EVENT("c", "03", "tool_usage_finished", CALL_OF("A", "t") ",\"tool_args\":{},\"output\":1") END));

	CHECK_STR(get(out, "tool_call", 1, "/parent_call_id"), STR(""));
	IS(out, "tool_result", 0, "/call_id", "b");
	CHECK_INT(convert_count(out).orphan_calls, 1);
}

TEST(ids_of_events_say_what_ends_and_what_is_inside_where_there_are_some)
{
	struct str out = to_otutl(STR(START
		"{\"event_id\":\"a\",\"timestamp\":\"2026-01-02T03:04:01.000Z\",\"type\":\"tool_usage_started\",\"parent_event_id\":\"k\","
		"\"event_data\":{" CALL_OF("A", "t") ",\"tool_args\":{\"n\":1}}}\n"
		"{\"event_id\":\"b\",\"timestamp\":\"2026-01-02T03:04:01.000Z\",\"type\":\"tool_usage_started\",\"parent_event_id\":\"k\","
		"\"event_data\":{" CALL_OF("B", "t") ",\"tool_args\":{\"n\":2}}}\n"
		"{\"event_id\":\"c\",\"timestamp\":\"2026-01-02T03:04:02.000Z\",\"type\":\"tool_usage_finished\",\"started_event_id\":\"a\","
		"\"event_data\":{\"tool_name\":\"t\",\"tool_args\":{},\"output\":\"first\"}}\n" END));

	CHECK_STR(get(out, "tool_call", 1, "/parent_call_id"), STR(""));
	IS(out, "tool_result", 0, "/call_id", "a");
}

TEST(equal_tools_at_once_are_told_apart_by_their_arguments)
{
	struct str out = to_otutl(STR(START
		EVENT("a", "01", "tool_usage_started", CALL_OF("A", "t") ",\"tool_args\":\"{\\\"n\\\": 1}\"")
		EVENT("b", "02", "tool_usage_started", CALL_OF("A", "t") ",\"tool_args\":\"{\\\"n\\\": 2}\"")
		EVENT("c", "03", "tool_usage_finished", CALL_OF("A", "t") ",\"tool_args\":{\"n\":1},\"output\":\"one\"") END));

	IS(out, "tool_result", 0, "/call_id", "a");
}

TEST(a_tool_that_failed_has_a_result_that_is_an_error)
{
	struct str out = to_otutl(STR(START
		EVENT("a", "01", "tool_usage_started", CALL_OF("A", "t") ",\"tool_args\":\"{}\"")
		EVENT("b", "02", "tool_usage_error", CALL_OF("A", "t") ",\"tool_args\":{},\"error\":\"broken\"")
		EVENT("c", "03", "tool_usage_finished", CALL_OF("A", "u") ",\"tool_args\":{},\"output\":\"x\",\"failure\":{\"kind\":\"k\"}")
		EVENT("d", "04", "tool_selection_error", CALL_OF("A", "v") ",\"error\":\"no such tool\"") END));

	IS(out, "tool_result", 0, "/result", "broken");
	IS(out, "tool_result", 0, "/is_error", "true");
	IS(out, "tool_call", 1, "/tool", "tool://crewai/u"); /* it was told only when it ended */
	IS(out, "tool_result", 1, "/is_error", "true");
	IS(out, "error", 0, "/class", "tool");
	IS(out, "error", 0, "/code", "tool_selection_error");
}

TEST(an_answer_has_its_time_its_counts_and_only_new_messages)
{
	struct str out = to_otutl(STR(START
		EVENT("q", "01", "llm_call_started", "\"agent_role\":\"A\",\"call_id\":\"c1\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]")
		ANSWER("s", "03", "A", ",\"call_id\":\"c1\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"response\":\"yo\","
			"\"finish_reason\":\"stop\",\"response_id\":\"r1\",\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2,"
			"\"total_tokens\":7,\"cached_prompt_tokens\":3}")
		EVENT("q2", "04", "llm_call_started", "\"agent_role\":\"A\",\"call_id\":\"c2\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},"
			"{\"role\":\"assistant\",\"content\":\"yo\"},{\"role\":\"assistant\",\"content\":\"I said so\"}]")
		ANSWER("s2", "05", "A", ",\"call_id\":\"c2\",\"response\":{\"score\":4}") END));

	CHECK_INT(convert_count(out).model_steps, 2);
	IS(out, "model_step", 0, "/step_id", "c1");
	IS(out, "model_step", 0, "/latency_ms", "2000");
	IS(out, "model_step", 0, "/stop_reason", "stop");
	IS(out, "model_step", 0, "/response_id", "r1");
	CHECK_INT(convert_count(out).input_total, 5);
	CHECK_INT(convert_count(out).cache_read, 3);
	IS(out, "model_step", 1, "/text", "{\"score\":4}");
}

TEST(input_tokens_of_anthropic_leave_out_what_was_cached)
{
	struct str out = to_otutl(STR(START ANSWER("s", "03", "A", ",\"response\":\"yo\",\"usage\":{\"input_tokens\":5,"
		"\"output_tokens\":2,\"cached_prompt_tokens\":30}") END));

	CHECK_INT(convert_count(out).input_total, 35);
}

TEST(a_call_that_the_answer_names_is_told_once)
{
	struct str out = to_otutl(STR(START
		ANSWER("s", "03", "A", ",\"response\":[{\"id\":\"call_7\",\"type\":\"function\",\"function\":{\"name\":\"look_up\","
			"\"arguments\":\"{\\\"w\\\": 1}\"}}]")
		EVENT("a", "04", "tool_usage_started", CALL_OF("A", "Look up") ",\"tool_args\":{\"w\":1}")
		EVENT("b", "05", "tool_usage_finished", CALL_OF("A", "Look up") ",\"tool_args\":{\"w\":1},\"output\":\"x\"") END));

	CHECK_INT(convert_count(out).tool_calls, 1);
	IS(out, "tool_call", 0, "/call_id", "call_7");
	IS(out, "tool_result", 0, "/call_id", "call_7");
}

TEST(pieces_count_only_where_no_answer_comes)
{
	struct str out = to_otutl(STR(START
		EVENT("q", "01", "llm_call_started", "\"call_id\":\"c1\"") EVENT("p", "02", "llm_stream_chunk", "\"call_id\":\"c1\",\"chunk\":\"yo\"")
		EVENT("s", "03", "llm_call_completed", "\"call_id\":\"c1\",\"response\":\"yo!\"")
		EVENT("q2", "04", "llm_call_started", "\"call_id\":\"c2\"") EVENT("p2", "05", "llm_stream_chunk", "\"call_id\":\"c2\","
		"\"chunk\":\"half\"")
		EVENT("f", "06", "llm_call_failed", "\"call_id\":\"c2\",\"error\":\"cut\"") END));

	CHECK_INT(convert_count(out).model_steps, 2);
	IS(out, "model_step", 0, "/text", "yo!");
	IS(out, "model_step", 0, "/ttft_ms", "1000");
	IS(out, "model_step", 1, "/text", "half");
	IS(out, "error", 0, "/class", "model");
}

TEST(events_of_a_request_are_in_the_order_they_were_emitted)
{
	struct str out = to_otutl(STR("{\"events\":["
		"{\"event_id\":\"e2\",\"timestamp\":\"2026-01-02T03:04:02.000Z\",\"emission_sequence\":2,\"type\":\"tool_usage_started\","
		"\"event_data\":{" CALL_OF("A", "t") ",\"tool_args\":{}}},"
		"{\"event_id\":\"e1\",\"timestamp\":\"2026-01-02T03:04:01.000Z\",\"emission_sequence\":1,\"type\":\"crew_kickoff_started\","
		"\"event_data\":{\"crew_name\":\"c\"}}],\"batch_metadata\":{\"events_count\":2}}\n"));

	CHECK_INT(convert_count(out).runs, 1);
	IS(out, "run_start", 0, "/vendor_run_id", "e1");
}

TEST(flat_events_and_bodies_that_are_text_are_read_too)
{
	struct str flat = to_otutl(STR("{\"timestamp\":\"2026-01-02T03:04:01.000Z\",\"type\":\"llm_call_completed\",\"source_fingerprint\":null,"
				       "\"agent_role\":\"A\",\"model\":\"m\",\"response\":\"flat\"}\n"));
	struct str text = to_otutl(STR(TRACING "\"{\\\"events\\\":[{\\\"event_id\\\":\\\"k\\\",\\\"timestamp\\\":\\\"2026-01-02T03:04:01.000Z\\\","
				       "\\\"type\\\":\\\"llm_call_completed\\\",\\\"event_data\\\":{\\\"response\\\":\\\"text\\\"}}]}\"}}\n"));

	IS(flat, "model_step", 0, "/text", "flat");
	IS(flat, "run_start", 0, "/framework", "crewai");
	IS(text, "model_step", 0, "/text", "text");
}

#define EXCHANGE(said) "{\"request\":{\"method\":\"POST\",\"url\":\"https://api.openai.com/v1/chat/completions\",\"body\":{\"model\":\"m\"," \
	"\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}},\"response\":{\"status\":200,\"body\":{\"id\":\"chatcmpl-1\"," \
	"\"object\":\"chat.completion\",\"created\":1,\"model\":\"m-1\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\"," \
	"\"content\":\"" said "\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,\"total_tokens\":13}}}}\n"

TEST(a_request_to_the_model_in_the_same_log_gives_the_counts)
{
	struct str out = to_otutl(STR(BATCH EXCHANGE("yo") EXCHANGE("alone") START ANSWER("s", "03", "A", ",\"response\":\"yo\"") END));

	CHECK_INT(convert_count(out).runs, 1);
	CHECK_INT(convert_count(out).model_steps, 2); /* one of which no event tells */
	CHECK_INT(convert_count(out).input_total, 18);
	IS(out, "model_step", 0, "/text", "yo");
	IS(out, "model_step", 0, "/response_id", "chatcmpl-1");
}

TEST(a_crew_that_a_tool_starts_is_part_of_the_run)
{
	struct str out = to_otutl(STR(START
		EVENT("a", "01", "tool_usage_started", CALL_OF("A", "t") ",\"tool_args\":{}")
		"{\"event_id\":\"k2\",\"timestamp\":\"2026-01-02T03:04:02.000Z\",\"type\":\"crew_kickoff_started\",\"parent_event_id\":\"a\","
		"\"event_data\":{\"crew_name\":\"inner\"}}\n"
		EVENT("z2", "03", "crew_kickoff_completed", "\"output\":1")
		EVENT("b", "04", "tool_usage_finished", CALL_OF("A", "t") ",\"tool_args\":{},\"output\":\"x\"") END));

	CHECK_INT(convert_count(out).runs, 1);
	CHECK_INT(convert_count(out).tool_results, 1);
}

TEST(totals_of_a_run_count_where_its_steps_have_none)
{
#define USED "\"token_usage\":{\"prompt_tokens\":40,\"completion_tokens\":2,\"total_tokens\":42}"
	struct str out = to_otutl(STR(START EVENT("z", "59", "crew_kickoff_completed", "\"output\":{\"raw\":\"4\"," USED "}")));
	struct str told = to_otutl(STR(START ANSWER("s", "03", "A", ",\"response\":\"x\",\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}")
				       EVENT("z", "59", "crew_kickoff_completed", "\"output\":{\"raw\":\"4\"," USED "}")));

	CHECK_INT(convert_count(out).input_total, 40);
	CHECK_INT(convert_count(told).input_total, 5);
}

TEST(it_is_known_by_its_content)
{
	struct str trace = convert_text(&arena, NULL, STR(START ANSWER("s", "02", "A", ",\"response\":\"go\"") END), "agent-trace");

	CHECK(str_has(trace, STR("\"framework\":\"crewai\"")));
}
