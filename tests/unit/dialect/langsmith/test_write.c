#include "base/id.h"
#include "harness/convert.h"
#include "harness/test.h"

#define RUN "019b7ca9-7900-7bf6-bd54-d612c0cd5571"
#define RECORD(n, type, more) "{\"run_id\":\"" RUN "\",\"seq\":" #n ",\"ts\":\"2026-01-02T03:04:0" #n ".000Z\",\"type\":\"" type "\"" more "}\n"
#define START(more) RECORD(0, "run_start", ",\"otutl\":\"1\",\"agent\":{\"name\":\"helper\"}" more)
#define STEP RECORD(1, "model_step", ",\"step_id\":\"s1\",\"text\":\"I look\",\"reasoning\":\"hm\",\"model\":\"m-1\",\"provider\":\"acme\"," \
	"\"latency_ms\":250,\"stop_reason\":\"tool_use\",\"call_ids\":[\"c1\"],\"usage\":{\"input_tokens\":9,\"output_tokens\":4," \
	"\"cache_read_tokens\":3,\"reasoning_tokens\":2,\"source\":\"api\"}," \
	"\"request\":{\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}")
#define COST RECORD(2, "cost", ",\"step_id\":\"s1\",\"tokens_in\":9,\"tokens_out\":4,\"scope\":\"step\"")
#define CALL RECORD(3, "tool_call", ",\"step_id\":\"s1\",\"call_id\":\"c1\",\"tool\":\"mcp://files/read\",\"args\":{\"path\":\"/a\"}")
#define RESULT RECORD(5, "tool_result", ",\"call_id\":\"c1\",\"result\":[\"no\"],\"is_error\":true,\"exit_code\":2")
#define END(n) RECORD(n, "run_end", ",\"status\":\"success\"")

static struct arena arena;

static struct str write_runs(const char *otutl)
{
	return convert_text(&arena, "otutl", str_from(otutl), "langsmith");
}

/* The n-th line. */
static struct str line_of(struct str out, size_t n)
{
	struct str line = str_cut(out, '\n', &out);

	while (n-- > 0)
		line = str_cut(out, '\n', &out);
	return line;
}

static void check_back(struct str runs, struct str otutl)
{
	struct converted c = convert_with(&arena, runs, (struct convert_how){ .to = "otutl", .no_prices = true });

	CHECK(c.done && c.from && strcmp(c.from->name, "langsmith") == 0);
	CHECK_STR(c.out, otutl);
	CHECK_INT((int64_t)c.coverage.leaves.left, 0);
}

/* What our own writer of OTUTL makes of a log: the form in which it must come back. */
static struct str own_form(const char *otutl)
{
	return convert_text(&arena, "otutl", str_from(otutl), "otutl");
}

TEST(a_run_is_a_tree_of_runs)
{
	struct str out = write_runs(START("") STEP COST CALL RESULT END(6)), llm = line_of(out, 0), tool = line_of(out, 1), root = line_of(out, 2);
	struct str id = convert_get(&arena, llm, "/id");

	CHECK(!line_of(out, 3).n);
	CHECK_STR(convert_get(&arena, root, "/id"), STR(RUN));
	CHECK_STR(convert_get(&arena, root, "/name"), STR("helper"));
	CHECK_STR(convert_get(&arena, root, "/run_type"), STR("chain"));
	CHECK_STR(convert_get(&arena, root, "/dotted_order"), STR("20260102T030400000000Z" RUN));
	CHECK(!convert_get(&arena, root, "/parent_run_id").p);
	CHECK(id_is_uuid(id));
	CHECK_STR(convert_get(&arena, llm, "/trace_id"), STR(RUN));
	CHECK_STR(convert_get(&arena, llm, "/parent_run_id"), STR(RUN));
	CHECK_STR(convert_get(&arena, llm, "/dotted_order"), ARENA_JOIN(&arena, STR("20260102T030400000000Z" RUN ".20260102T030400750000Z"), id));
	CHECK_STR(convert_get(&arena, llm, "/start_time"), STR("2026-01-02T03:04:00.750000Z"));
	CHECK_STR(convert_get(&arena, llm, "/end_time"), STR("2026-01-02T03:04:01.000000Z"));
	CHECK_STR(convert_get(&arena, llm, "/inputs/messages/0/content"), STR("hello"));
	CHECK_STR(convert_get(&arena, llm, "/outputs/generations/0/0/message/kwargs/content"), STR("I look"));
	CHECK_STR(convert_get(&arena, llm, "/outputs/generations/0/0/message/kwargs/tool_calls/0/id"), STR("c1"));
	CHECK_STR(convert_get(&arena, llm, "/outputs/generations/0/0/message/kwargs/tool_calls/0/args/path"), STR("/a"));
	CHECK_STR(convert_get(&arena, llm, "/outputs/generations/0/0/message/kwargs/usage_metadata/total_tokens"), STR("13"));
	CHECK_STR(convert_get(&arena, llm, "/outputs/generations/0/0/message/kwargs/usage_metadata/input_token_details/cache_read"), STR("3"));
	CHECK_STR(convert_get(&arena, llm, "/extra/metadata/ls_provider"), STR("acme"));
	CHECK_STR(convert_get(&arena, llm, "/extra/metadata/ls_model_name"), STR("m-1"));
	CHECK_STR(convert_get(&arena, tool, "/run_type"), STR("tool"));
	CHECK_STR(convert_get(&arena, tool, "/name"), STR("mcp__files__read"));
	CHECK_STR(convert_get(&arena, tool, "/inputs/path"), STR("/a"));
	CHECK_STR(convert_get(&arena, tool, "/outputs/output/0"), STR("no"));
	CHECK_STR(convert_get(&arena, tool, "/error"), STR("the call failed"));
	arena_free(&arena);
}

TEST(what_the_run_holds_is_not_told_again_in_its_record)
{
	struct str out = write_runs(START("") STEP COST CALL RESULT END(6));

	CHECK(!convert_get(&arena, line_of(out, 0), "/extra/metadata/trackway/records/0/text").p);
	CHECK(!convert_get(&arena, line_of(out, 0), "/extra/metadata/trackway/records/0/request").p);
	CHECK(!convert_get(&arena, line_of(out, 1), "/extra/metadata/trackway/records/0/args").p);
	CHECK(!convert_get(&arena, line_of(out, 1), "/extra/metadata/trackway/records/1/result").p);
	CHECK_STR(convert_get(&arena, line_of(out, 1), "/extra/metadata/trackway/records/1/exit_code"), STR("2"));
	arena_free(&arena);
}

TEST(every_log_comes_back_as_it_was)
{
	static const char *const logs[] = {
		START("") STEP COST CALL RESULT END(6),
		START(",\"vendor_run_id\":\"01a1e5ee-1252-79c4-a69f-2852e8882e3c\"") END(1),
		/* no text, arguments that are no object, no result at all, an error of the run, a cost of the run */
		START("") RECORD(1, "model_step", ",\"step_id\":\"s\"") RECORD(2, "tool_call", ",\"call_id\":\"c\",\"tool\":\"tool://"
		  "x/y\",\"args\":[1]")
		RECORD(3, "tool_result", ",\"call_id\":\"c\"") RECORD(4, "error", ",\"class\":\"harness\",\"message\":\"broken\"")
		RECORD(5, "cost", ",\"scope\":\"run\",\"tokens_in\":3") END(6),
		/* calls inside calls, one without a result */
		START("") RECORD(1, "tool_call", ",\"call_id\":\"a\",\"tool\":\"tool://langchain/retriever/Store\",\"args\":{}")
		RECORD(2, "tool_call", ",\"call_id\":\"b\",\"parent_call_id\":\"a\",\"tool\":\"tool://x/y\",\"args\":{}")
		RECORD(3, "tool_result", ",\"call_id\":\"b\",\"result\":\"ok\"") RECORD(4, "error", ",\"call_id\":\"a\",\"class\":\"t"
		  "ool\",\"code\":\"no_result\",\"message\":\"none\"")
		RECORD(5, "run_end", ",\"status\":\"error\",\"reason\":\"it broke\""),
		/* it breaks off */
		START("") STEP CALL,
		/* two runs, and the same one twice */
		START("") STEP END(2) START("") END(1),
	};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		test_case("%zu", i);
		check_back(write_runs(logs[i]), own_form(logs[i]));
	}
	arena_free(&arena);
}

TEST(parents_retrievers_and_ends_are_told_by_the_runs_themselves)
{
	struct str out = write_runs(START("") RECORD(1, "tool_call", ",\"call_id\":\"a\",\"tool\":\"tool://langchain/retriever/Store\",\"args\":{}")
		RECORD(2, "tool_call", ",\"call_id\":\"b\",\"parent_call_id\":\"a\",\"tool\":\"tool://x/y\",\"args\":{}")
		RECORD(3, "tool_result", ",\"call_id\":\"b\",\"result\":\"ok\"") RECORD(4, "tool_result", ",\"call_id\":\"a\",\"result\":\"ok\"")
		RECORD(5, "run_end", ",\"status\":\"error\",\"reason\":\"it broke\""));
	struct str inner = line_of(out, 0), outer = line_of(out, 1), root = line_of(out, 2), open;

	CHECK_STR(convert_get(&arena, inner, "/parent_run_id"), convert_get(&arena, outer, "/id"));
	CHECK(str_starts(convert_get(&arena, inner, "/dotted_order"), convert_get(&arena, outer, "/dotted_order")));
	CHECK_STR(convert_get(&arena, outer, "/run_type"), STR("retriever"));
	CHECK_STR(convert_get(&arena, outer, "/name"), STR("Store"));
	CHECK_STR(convert_get(&arena, root, "/error"), STR("it broke"));
	open = write_runs(START("") RECORD(1, "run_end", ",\"status\":\"interrupted\""));
	CHECK(!convert_get(&arena, open, "/end_time").p);
	arena_free(&arena);
}

TEST(a_foreign_run_among_ours_makes_the_runs_count)
{
	struct str out = write_runs(START("") STEP COST CALL RESULT END(6)), read;

	out = ARENA_JOIN(&arena, out, STR("{\"id\":\"x\",\"trace_id\":\"" RUN "\",\"parent_run_id\":\"" RUN "\",\"run_type\":"
		  "\"llm\",\"name\":\"more\","
					  "\"start_time\":\"2026-01-02T03:04:05Z\",\"end_time\":\"2026-01-02T03:04:06Z\"}\n"));
	read = convert_valid(&arena, "langsmith", out, "otutl");
	CHECK_INT(convert_count(read).model_steps, 2);
	CHECK_INT(convert_count(read).tool_calls, 1);
	CHECK_INT(convert_count(read).input_total, 9);
	arena_free(&arena);
}
