#include "provider/claude_lines.h"

#include <stdio.h>

#include "harness/test.h"
#include "provider/provider_program.h"

struct lines {
	struct answer_parser parser;
	struct claude_lines c;
	struct provider_answer a;
};

static void begin(struct lines *l)
{
	*l = (struct lines){ .a = { .status = PROVIDER_OK } };
	answer_parser_init(&l->parser);
	claude_lines_init(&l->c, &l->parser);
}

static void end(struct lines *l)
{
	claude_lines_free(&l->c);
	answer_parser_free(&l->parser);
}

static unsigned take(struct lines *l, const char *line)
{
	return claude_lines_take(&l->c, str_from(line));
}

#define MESSAGE(within, content) \
	"{\"type\":\"assistant\",\"session_id\":\"s\",\"parent_tool_use_id\":" within ",\"message\":{\"id\":\"m\",\"model\":\"c\"," \
	"\"role\":\"assistant\",\"content\":" content "}}"
#define ASSISTANT(content) MESSAGE("null", content)
#define WITHIN(content) MESSAGE("\"t\"", content)

TEST(a_line_says_what_it_brought)
{
	static const struct {
		const char *line;
		unsigned news;
	} cases[] = {
		{ "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}", PROGRAM_READ },
		{ ASSISTANT("[{\"type\":\"text\",\"text\":\"hi\"}]"), PROGRAM_READ | ANSWER_TOKEN | ANSWER_CONTENT },
		{ ASSISTANT("[{\"type\":\"thinking\",\"thinking\":\"hm\"}]"), PROGRAM_READ | ANSWER_TOKEN },
		{ ASSISTANT("[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Read\",\"input\":{}}]"), PROGRAM_READ | ANSWER_TOKEN },
		{ ASSISTANT("[{\"type\":\"text\",\"text\":\"\"}]"), PROGRAM_READ },
		{ ASSISTANT("[]"), PROGRAM_READ },
		{ WITHIN("[{\"type\":\"text\",\"text\":\"hi\"}]"), PROGRAM_READ },
		{ "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"hi\",\"session_id\":\"s\"}", PROGRAM_READ | PROGRAM_WHOLE },
		{ "{\"type\":\"user\",\"session_id\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}", PROGRAM_READ },
		{ "{\"type\":\"stream_event\",\"session_id\":\"s\",\"event\":{\"type\":\"content_block_delta\",\"index\":0,"
		  "\"delta\":{\"type\":\"text_delta\",\"text\":\"h\"}}}", PROGRAM_READ | ANSWER_TOKEN | ANSWER_CONTENT },
		{ "{\"type\":\"stream_event\",\"session_id\":\"s\",\"event\":{\"type\":\"content_block_delta\",\"index\":0,"
		  "\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"h\"}}}", PROGRAM_READ | ANSWER_TOKEN },
		{ "{\"type\":\"stream_event\",\"session_id\":\"s\",\"event\":{\"type\":\"ping\"}}", PROGRAM_READ },
		{ "{}", PROGRAM_READ },
		{ "{\"type\":7}", PROGRAM_READ },
		{ "[]", 0 },
		{ "null", 0 },
		{ "hello", 0 },
		{ "{\"type\":\"result\"", 0 },
		{ "\xff\xfe", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lines l;

		test_case("%s", cases[i].line);
		begin(&l);
		CHECK_INT(take(&l, cases[i].line), cases[i].news);
		CHECK_INT(l.c.read, cases[i].news & PROGRAM_READ ? 1 : 0);
		end(&l);
	}
}

TEST(the_result_is_the_text_and_messages_are_when_there_is_none)
{
	struct lines l;

	begin(&l);
	take(&l, ASSISTANT("[{\"type\":\"text\",\"text\":\"one\"}]"));
	take(&l, ASSISTANT("[{\"type\":\"text\",\"text\":\"two\"}]"));
	claude_lines_end(&l.c, &l.a);
	CHECK_STR(l.a.text, STR("one\ntwo"));
	CHECK_STR(l.a.request_id, STR("s"));
	CHECK(l.a.stop_reason == NULL);
	take(&l, "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"two\"}");
	claude_lines_end(&l.c, &l.a);
	CHECK_STR(l.a.text, STR("two"));
	CHECK_STR(str_from(l.a.stop_reason), STR("end_turn"));
	end(&l);
}

TEST(a_result_with_an_error_is_not_what_the_model_said)
{
	struct lines l;

	begin(&l);
	take(&l, "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"API Error\",\"api_error_status\":500}");
	claude_lines_end(&l.c, &l.a);
	CHECK_STR(l.a.text, STR(""));
	CHECK(l.c.is_error && l.c.has_result);
	CHECK_INT(l.c.api_status, 500);
	end(&l);
	begin(&l);
	take(&l, "{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"errors\":[\"it broke\"]}");
	CHECK(l.c.is_error);
	CHECK_STR(l.c.trouble, STR("it broke"));
	CHECK_STR(l.c.reason, STR("error_during_execution"));
	end(&l);
}

TEST(calls_of_several_messages_are_as_many)
{
	struct lines l;

	begin(&l);
	take(&l, ASSISTANT("[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Read\",\"input\":{\"a\":1}}]"));
	take(&l, ASSISTANT("[{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"Read\",\"input\":{\"a\":2}},"
			   "{\"type\":\"tool_use\",\"id\":\"t3\",\"name\":\"Read\",\"input\":{\"a\":3}}]"));
	take(&l, ASSISTANT("[{\"type\":\"tool_use\",\"name\":\"Bash\",\"input\":{\"a\":4}}]"));
	take(&l, ASSISTANT("[{\"type\":\"tool_use\",\"name\":\"Bash\",\"input\":{\"a\":5}}]"));
	claude_lines_end(&l.c, &l.a);
	CHECK_INT(l.a.call_count, 5);
	CHECK_STR(l.a.calls[2].arguments, STR("{\"a\":3}"));
	CHECK_STR(l.a.calls[4].arguments, STR("{\"a\":5}"));
	end(&l);
}

TEST(a_stop_of_the_service_is_kept)
{
	struct lines l;

	begin(&l);
	take(&l, "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"x\",\"stop_reason\":\"max_tokens\"}");
	claude_lines_end(&l.c, &l.a);
	CHECK_STR(str_from(l.a.stop_reason), STR("length"));
	end(&l);
}

TEST(a_limit_counts_only_when_it_is_hit)
{
	struct lines l;

	begin(&l);
	take(&l, "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"allowed\",\"resetsAt\":1775005200}}");
	CHECK(!l.c.is_refused && l.c.resets_at == 0);
	take(&l, "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\",\"resetsAt\":1775005200}}");
	CHECK(l.c.is_refused && l.c.resets_at == 1775005200);
	take(&l, "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\",\"resetsAt\":-5}}");
	CHECK(l.c.resets_at == 1775005200);
	end(&l);
}

TEST(what_the_program_says_itself_is_trouble_until_the_model_goes_on)
{
	static const char made_up[] = "{\"type\":\"assistant\",\"error\":\"server_error\",\"session_id\":\"s\",\"message\":"
				      "{\"model\":\"<synthetic>\",\"content\":[{\"type\":\"text\",\"text\":\"API Error\"}]}}";
	struct lines l;

	begin(&l);
	CHECK_INT(take(&l, made_up), PROGRAM_READ); /* nothing that a model said */
	CHECK(l.c.made_up);
	CHECK_STR(l.c.trouble, STR("API Error"));
	CHECK_STR(l.c.trouble_code, STR("server_error"));
	take(&l, ASSISTANT("[{\"type\":\"text\",\"text\":\"fine\"}]"));
	CHECK(!l.c.made_up);
	claude_lines_end(&l.c, &l.a);
	CHECK_STR(l.a.text, STR("fine"));
	end(&l);
}

TEST(lines_that_are_no_json_are_kept_in_part)
{
	size_t n = 10000;
	char *text = test_alloc(n + 1);
	struct lines l;

	memset(text, 'x', n);
	begin(&l);
	take(&l, "Please run /login");
	for (int i = 0; i < 5; i++)
		claude_lines_take(&l.c, str_of(text, n));
	CHECK_INT(l.c.plain.n, CLAUDE_PLAIN);
	CHECK(str_starts(buf_str(&l.c.plain), STR("Please run /login\nx")));
	end(&l);
}

TEST(usage_without_a_sum_is_that_of_the_models)
{
	struct lines l;

	begin(&l);
	take(&l, "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"x\",\"session_id\":\"s\",\"modelUsage\":"
		 "{\"c\":{\"inputTokens\":1,\"outputTokens\":2,\"cacheReadInputTokens\":30,\"cacheCreationInputTokens\":400}}}");
	claude_lines_end(&l.c, &l.a);
	CHECK_INT(l.a.usage.input.n, 431);
	CHECK_INT(l.a.usage.output.n, 2);
	CHECK(!amount_is_known(l.a.usd));
	end(&l);
}

TEST(a_real_stream_is_read_as_its_result_says)
{
	char path[600];
	struct str text, line;
	uint64_t lines = 0;
	struct lines l;

	snprintf(path, sizeof(path), "%s/dev/enterprisebench-cal-err-flask-blueprint-001_hybrid.stream.jsonl",
		 test_shared("vendors/claude_code_stream_json"));
	text = test_read(path);
	begin(&l);
	while (text.n) {
		line = str_cut(text, '\n', &text);
		lines += line.n > 0;
		if (line.n)
			claude_lines_take(&l.c, line);
	}
	claude_lines_end(&l.c, &l.a);
	CHECK_INT(l.c.read, lines);
	CHECK(l.c.has_result && !l.c.is_error && !l.c.is_refused);
	CHECK_INT(l.a.text.n, 1498);
	CHECK_INT(l.a.call_count, 7);
	CHECK_INT(l.a.usage.input.n, 9 + 17622 + 152223);
	CHECK_INT(l.a.usage.output.n, 2981);
	CHECK(l.a.usd.n == 0.2999989);
	CHECK_STR(l.a.request_id, STR("37ea7f6a-f9fb-4b12-8b33-82ddaca1a24d"));
	CHECK_STR(str_from(l.a.stop_reason), STR("end_turn"));
	end(&l);
}
