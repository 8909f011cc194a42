/* Sessions that are written: what a line holds, how lines hang together, and that everything comes back. */
#include "harness/convert.h"
#include "harness/test.h"

#define RUN "\"run_id\":\"019de368-f600-7000-8000-00000000000a\""
#define RECORD(seq, second, type, rest) \
	"{" RUN ",\"seq\":" #seq ",\"ts\":\"2026-05-01T12:00:" second ".000Z\",\"type\":\"" type "\"" rest "}\n"
#define START RECORD(0, "00", "run_start", ",\"agent\":{\"name\":\"demo\",\"version\":\"7\"},\"vendor\":\"acme\",\"vendor_run_id\":\"r-1\"")

/* A step that thinks, says and calls, a nested agent, and all that a session has no member for. */
static const char whole[] =
	START
	RECORD(1, "01", "model_step",
	       ",\"call_ids\":[\"c1\"],\"latency_ms\":812,"
	       "\"model\":\"m\",\"provider\":\"acme\",\"reasoning\":\"hm\",\"request\":{\"messages\":"
	       "[{\"content\":\"be brief\",\"role\":\"system\"},{\"content\":\"<command-name>x\",\"role\":\"user\"}]},\"step_id\":\"s1\","
	       "\"stop_reason\":\"tool_calls\",\"text\":\"I look\",\"usage\":{\"cache_read_tokens\":30,\"cache_write_1h_tokens\":2,"
	       "\"cache_write_tokens\":5,\"input_tokens\":100,\"output_tokens\":20,\"reasoning_tokens\":4,\"source\":\"api\"}")
	RECORD(2, "01", "cost", ",\"scope\":\"step\",\"source\":\"api\",\"step_id\":\"s1\",\"tokens_in\":100,\"tokens_out\":20")
	RECORD(3, "02", "tool_call", ",\"args\":[1],\"call_id\":\"c1\",\"step_id\":\"s1\",\"tool\":\"mcp://docs/find\"")
	RECORD(4, "03", "model_step",
	       ",\"call_ids\":[\"c2\"],\"ext\":{\"trackway/1\":{\"branch\":\"sub\"}},\"parent_call_id\":\"c1\",\"step_id\":\"s2\"")
	RECORD(5, "04", "tool_call",
	       ",\"args\":{\"n\":1},\"call_id\":\"c2\",\"ext\":{\"trackway/1\":{\"branch\":\"sub\"}},\"parent_call_id\":\"c1\","
	       "\"step_id\":\"s2\",\"tool\":\"tool://acme/sh\"")
	RECORD(6, "05", "error",
	       ",\"call_id\":\"c2\",\"class\":\"tool\",\"code\":\"denied\",\"ext\":{\"trackway/1\":{\"branch\":\"sub\"}},\"message\":\"no\"")
	RECORD(7, "06", "tool_result",
	       ",\"call_id\":\"c1\",\"duration_ms\":5,\"exit_code\":3,\"ext\":{\"acme/1\":{\"a\":\"b\"}},"
	       "\"is_error\":true,\"result\":{\"k\":[\"v\"]}")
	RECORD(8, "07", "error", ",\"class\":\"model\",\"code\":\"overloaded\",\"message\":\"busy\",\"retryable\":true")
	RECORD(9, "08", "run_end", ",\"output\":\"done\",\"reason\":\"asked to\",\"status\":\"interrupted\"");

static struct str line_of(struct str text, size_t n)
{
	struct str line = STR("");

	for (size_t i = 0; i <= n && text.n; i++)
		line = str_cut(text, '\n', &text);
	return line;
}

TEST(a_step_is_a_line_for_each_block_with_its_id_and_tokens_on_each)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = convert_valid(&a, "otutl", str_from(whole), "claude-code");
	CHECK_STR(convert_get(&a, line_of(out, 3), "/message/content/0/thinking"), STR("hm"));
	CHECK_STR(convert_get(&a, line_of(out, 4), "/message/content/0/text"), STR("I look"));
	CHECK_STR(convert_get(&a, line_of(out, 5), "/message/content/0/name"), STR("mcp__docs__find"));
	CHECK_STR(convert_get(&a, line_of(out, 5), "/message/content/0/input/raw/0"), STR("1"));
	for (size_t i = 3; i < 6; i++) {
		test_case("line %zu", i);
		CHECK_STR(convert_get(&a, line_of(out, i), "/type"), STR("assistant"));
		CHECK_STR(convert_get(&a, line_of(out, i), "/message/id"), STR("s1"));
		CHECK_STR(convert_get(&a, line_of(out, i), "/message/model"), STR("m"));
		CHECK_STR(convert_get(&a, line_of(out, i), "/message/usage/input_tokens"), STR("65"));
		CHECK_STR(convert_get(&a, line_of(out, i), "/message/usage/cache_creation/ephemeral_5m_input_tokens"), STR("3"));
		CHECK_STR(convert_get(&a, line_of(out, i), "/message/usage/output_tokens_details/thinking_tokens"), STR("4"));
		CHECK_STR(convert_get(&a, line_of(out, i), "/parentUuid"), convert_get(&a, line_of(out, i - 1), "/uuid"));
		CHECK_STR(convert_get(&a, line_of(out, i), "/sessionId"), STR("r-1"));
		CHECK_STR(convert_get(&a, line_of(out, i), "/version"), STR("7"));
	}
	arena_free(&a);
}

TEST(lines_of_a_sub_agent_say_whose_they_are_and_the_result_of_its_call_names_it)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = convert_valid(&a, "otutl", str_from(whole), "claude-code");
	/* a step that says nothing stands on the line of its call */
	CHECK_STR(convert_get(&a, line_of(out, 6), "/isSidechain"), STR("true"));
	CHECK_STR(convert_get(&a, line_of(out, 6), "/agentId"), STR("sub"));
	CHECK_STR(convert_get(&a, line_of(out, 6), "/parentUuid"), STR("null"));
	CHECK_STR(convert_get(&a, line_of(out, 6), "/message/content/0/id"), STR("c2"));
	CHECK_STR(convert_get(&a, line_of(out, 7), "/message/content/0/is_error"), STR("true"));
	CHECK_STR(convert_get(&a, line_of(out, 8), "/toolUseResult/agentId"), STR("sub"));
	CHECK_STR(convert_get(&a, line_of(out, 8), "/message/content/0/content"), STR("{\"k\":[\"v\"]}"));
	CHECK_STR(convert_get(&a, line_of(out, 9), "/isApiErrorMessage"), STR("true"));
	CHECK_STR(convert_get(&a, line_of(out, 9), "/message/content/0/text"), STR("busy"));
	arena_free(&a);
}

TEST(what_no_line_can_say_comes_back)
{
	struct arena a;
	struct str session, back;

	arena_init(&a);
	session = convert_valid(&a, "otutl", str_from(whole), "claude-code");
	back = convert_valid(&a, "claude-code", session, "otutl");
	CHECK_STR(convert_get(&a, convert_record(back, "run_start", 0), "/agent/name"), STR("demo"));
	CHECK_STR(convert_get(&a, convert_record(back, "model_step", 0), "/latency_ms"), STR("812"));
	CHECK_STR(convert_get(&a, convert_record(back, "model_step", 0), "/provider"), STR("acme"));
	CHECK_STR(convert_get(&a, convert_record(back, "model_step", 0), "/usage/source"), STR("api"));
	CHECK_STR(convert_get(&a, convert_record(back, "model_step", 0), "/usage/input_tokens"), STR("100"));
	CHECK_STR(convert_get(&a, convert_record(back, "model_step", 0), "/stop_reason"), STR("tool_calls"));
	CHECK_STR(convert_get(&a, convert_record(back, "model_step", 0), "/request/messages/0/role"), STR("system"));
	CHECK_STR(convert_get(&a, convert_record(back, "model_step", 0), "/request/messages/1/content"), STR("<command-name>x"));
	CHECK_STR(convert_get(&a, convert_record(back, "model_step", 1), "/ts"), STR("2026-05-01T12:00:03.000Z"));
	CHECK(!convert_get(&a, convert_record(back, "model_step", 1), "/stop_reason").p);
	CHECK(!convert_get(&a, convert_record(back, "model_step", 1), "/model").p);
	CHECK_STR(convert_get(&a, convert_record(back, "tool_call", 0), "/args"), STR("[1]"));
	CHECK_STR(convert_get(&a, convert_record(back, "tool_call", 0), "/tool"), STR("mcp://docs/find"));
	CHECK_STR(convert_get(&a, convert_record(back, "tool_call", 1), "/tool"), STR("tool://acme/sh"));
	CHECK_STR(convert_get(&a, convert_record(back, "tool_call", 1), "/parent_call_id"), STR("c1"));
	CHECK_STR(convert_get(&a, convert_record(back, "tool_result", 0), "/result/k/0"), STR("v"));
	CHECK_STR(convert_get(&a, convert_record(back, "tool_result", 0), "/exit_code"), STR("3"));
	CHECK_STR(convert_get(&a, convert_record(back, "tool_result", 0), "/ext/acme~11/a"), STR("b"));
	CHECK_STR(convert_get(&a, convert_record(back, "error", 0), "/call_id"), STR("c2"));
	CHECK_STR(convert_get(&a, convert_record(back, "error", 1), "/retryable"), STR("true"));
	CHECK_STR(convert_get(&a, convert_record(back, "run_end", 0), "/status"), STR("interrupted"));
	CHECK_STR(convert_get(&a, convert_record(back, "run_end", 0), "/output"), STR("done"));
	CHECK_INT(convert_count(back).input_total, 100);
	arena_free(&a);
}

TEST(two_runs_in_one_session_are_two_again_also_when_they_have_one_name)
{
	struct arena a;
	struct str log = STR(START RECORD(1, "01", "run_end", ",\"status\":\"success\"")), out;

	arena_init(&a);
	out = convert_text(&a, "otutl", log, "claude-code");
	out = convert_valid(&a, "claude-code", ARENA_JOIN(&a, out, out), "otutl");
	CHECK_INT(convert_count(out).runs, 1); /* the same lines twice */
	out = convert_text(&a, "otutl", ARENA_JOIN(&a, log, STR("{\"run_id\":\"019de368-f601-7000-8000-00000000000a\",\"seq\":0,"
		"\"ts\":\"2026-05-01T12:00:09.000Z\",\"type\":\"run_start\",\"vendor\":\"acme\",\"vendor_run_id\":\"r-1\"}\n")),
		"claude-code");
	CHECK_INT(convert_count(convert_valid(&a, "claude-code", out, "otutl")).runs, 2);
	arena_free(&a);
}

TEST(a_line_of_a_session_gets_back_what_it_was)
{
	static const char session[] =
		"{\"type\":\"user\",\"uuid\":\"u1\",\"parentUuid\":null,\"sessionId\":\"s\",\"cwd\":\"/w\",\"version\":\"2\",\"gitBranch\":\"b\","
		"\"timestamp\":\"2026-05-01T12:00:00.000Z\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n"
		"{\"type\":\"assistant\",\"uuid\":\"u2\",\"parentUuid\":\"u1\",\"sessionId\":\"s\",\"timestamp\":\"2026-05-01T12:00:01.000Z\","
		"\"message\":{\"id\":\"m\",\"model\":\"c\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"sig\"}],"
		"\"usage\":{\"input_tokens\":1,\"output_tokens\":1,\"service_tier\":\"odd\"}}}\n"
		"{\"type\":\"assistant\",\"uuid\":\"u3\",\"parentUuid\":\"u2\",\"sessionId\":\"s\",\"timestamp\":\"2026-05-01T12:00:02.000Z\","
		"\"message\":{\"id\":\"m\",\"model\":\"c\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Read\",\"input\":{}},"
		"{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"Read\",\"input\":{}}]}}\n"
		"{\"type\":\"user\",\"uuid\":\"u4\",\"parentUuid\":\"u3\",\"sessionId\":\"s\",\"timestamp\":\"2026-05-01T12:00:03.000Z\","
		"\"toolUseResult\":{\"a\":1},\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\","
		"\"content\":\"ok\"}]}}\n"
		"{\"type\":\"ai-title\",\"aiTitle\":\"a title\",\"sessionId\":\"s\"}\n";
	struct arena a;
	struct str out;

	arena_init(&a);
	out = convert_valid(&a, "claude-code", str_from(session), "claude-code");
	CHECK_STR(convert_get(&a, line_of(out, 1), "/uuid"), STR("u1"));
	CHECK_STR(convert_get(&a, line_of(out, 1), "/gitBranch"), STR("b"));
	CHECK_STR(convert_get(&a, line_of(out, 2), "/message/content/0/signature"), STR("sig"));
	CHECK_STR(convert_get(&a, line_of(out, 2), "/parentUuid"), STR("u1"));
	CHECK_STR(convert_get(&a, line_of(out, 3), "/uuid"), STR("u3"));
	/* of a line of two blocks two are made, and what followed it follows the second */
	CHECK_STR(convert_get(&a, line_of(out, 4), "/parentUuid"), STR("u3"));
	CHECK_STR(convert_get(&a, line_of(out, 4), "/cwd"), STR("/w"));
	CHECK_STR(convert_get(&a, line_of(out, 5), "/parentUuid"), convert_get(&a, line_of(out, 4), "/uuid"));
	CHECK_STR(convert_get(&a, line_of(out, 5), "/toolUseResult/a"), STR("1"));
	CHECK_STR(convert_get(&a, line_of(out, 6), "/aiTitle"), STR("a title"));
	CHECK(!convert_get(&a, line_of(out, 6), "/uuid").p);
	arena_free(&a);
}

TEST(a_result_that_no_call_waits_for_is_an_error_and_the_session_stays_valid)
{
	static const char log[] =
		START RECORD(1, "01", "tool_call", ",\"args\":{},\"call_id\":\"c\",\"tool\":\"tool://a/b\"")
		RECORD(2, "02", "tool_result", ",\"call_id\":\"c\",\"result\":\"x\"")
		RECORD(3, "03", "tool_result", ",\"call_id\":\"c\",\"result\":\"y\"")
		RECORD(4, "04", "tool_result", ",\"call_id\":\"d\",\"result\":\"z\"")
		RECORD(5, "05", "run_end", ",\"status\":\"success\"");
	struct arena a;
	struct str out;

	arena_init(&a);
	out = convert_valid(&a, "claude-code", convert_valid(&a, "otutl", str_from(log), "claude-code"), "otutl");
	CHECK_INT(convert_count(out).tool_results, 1);
	CHECK_STR(convert_get(&a, convert_record(out, "error", 1), "/code"), STR("orphan_result"));
	CHECK_STR(convert_get(&a, convert_record(out, "error", 1), "/ext/trackway~11/result"), STR("z"));
	arena_free(&a);
}

#define SAID(uuid, content) \
	"{\"type\":\"assistant\",\"uuid\":\"" uuid "\",\"sessionId\":\"s\",\"timestamp\":\"2026-05-01T12:00:01.000Z\"," \
	"\"message\":{\"id\":\"m\",\"model\":\"c\",\"content\":[" content "]}}\n"
#define THOUGHT SAID("u1", "{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"sig\"}")
#define TEXT(uuid) SAID(uuid, "{\"type\":\"text\",\"text\":\"x\"}")

TEST(of_a_text_that_came_on_several_lines_the_members_of_all_but_one_are_told_as_lost)
{
	struct convert_how how = { .from = "claude-code", .to = "claude-code" };
	struct arena a;

	arena_init(&a);
	CHECK_STR(convert_with(&a, STR(THOUGHT TEXT("u2")), how).losses, STR(""));
	CHECK_STR(convert_with(&a, STR(TEXT("u2") TEXT("u3")), how).losses, STR("members of lines that became one (1)\n"));
	CHECK_STR(convert_with(&a, STR(THOUGHT TEXT("u2") TEXT("u3")), how).losses,
		  STR("members of lines that became one (1)\n"));
	arena_free(&a);
}
