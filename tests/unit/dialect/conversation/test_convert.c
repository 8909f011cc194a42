/* Conversations in their three dialects, to events and back, and one as another. */
#include "unit/dialect/round_check.h"

static struct arena *arena(void)
{
	struct arena *a = test_alloc(sizeof(*a));

	arena_init(a);
	return a;
}

TEST(each_dialect_comes_back_from_otutl_with_every_field)
{
	static const struct {
		const char *data, *to;
	} cases[] = {
		{ "conversation/canonical.jsonl", "conversation" },
		{ "conversation/openai.jsonl", "conversation-openai" },
		{ "conversation/anthropic.jsonl", "conversation-anthropic" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].data);
		round_check(arena(), "conversation", cases[i].to, test_data(cases[i].data));
	}
}

TEST(the_sample_comes_back)
{
	struct arena *a = arena();
	struct str text = test_read(test_shared("aec/conversation_canonical.jsonl"));
	struct convert_figures f = convert_count(round_check(a, NULL, "conversation", text));

	CHECK_INT(f.model_steps, 2);
	CHECK_INT(f.tool_calls, 1);
	CHECK_INT(f.tool_results, 1);
	CHECK_INT(f.tool_errors, 0);
}

/* Lines with a role and a text alone are right in every dialect, and stay as they are in each. */
TEST(plain_lines_are_every_dialects)
{
	static const char *const to[] = { "conversation", "conversation-openai", "conversation-anthropic" };
	static const char text[] = "{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"assistant\",\"content\":\"\"}\n";

	for (size_t i = 0; i < 3; i++)
		round_check(arena(), "conversation", to[i], str_from(text));
}

TEST(a_result_is_an_error_when_it_says_so)
{
	static const struct {
		const char *fields, *error;
		bool inferred;
	} cases[] = {
		{ "\"content\":\"fine\"", NULL, false },
		{ "\"content\":\"fine\",\"is_error\":true", "true", false },
		{ "\"content\":\"Error: no\",\"is_error\":false", "false", false },
		{ "\"content\":\"Error: no\"", "true", true },
		{ "\"content\":\"Syntax error\"", "true", true },
		{ "\"content\":\"Traceback (most recent call last)\"", "true", true },
		{ "\"content\":\"sh: x: command not found\"", "true", true },
		{ "\"content\":\"x: No such file or directory\"", "true", true },
		{ "\"content\":\"x: Permission denied\"", "true", true },
		{ "\"content\":\"ok [exit code: 0] [exit code: 12]\"", "true", true },
		{ "\"content\":\"ok [exit code: 0]\"", NULL, false },
		{ "\"content\":\"ok [exit code: x]\"", NULL, false },
		{ "\"content\":null", NULL, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena();
		struct str text = arena_printf(a, "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"function\":"
					       "{\"name\":\"t\",\"arguments\":\"\"}}]}\n"
					       "{\"role\":\"tool\",\"tool_call_id\":\"c\",%s}\n", cases[i].fields);
		struct str out = round_check(a, "conversation", "conversation-openai", text);
		struct str record = convert_record(out, "tool_result", 0);

		test_case("%s", cases[i].fields);
		CHECK_STR(convert_get(a, record, "/is_error"), str_from(cases[i].error));
		CHECK(!convert_get(a, record, "/ext/trackway~11/inferred").p == !cases[i].inferred);
	}
}

TEST(tokens_are_counted_as_their_provider_counts)
{
	static const struct {
		const char *usage;
		int64_t input, output, cache_read, cache_write;
	} cases[] = {
		{ "\"input_tokens\":5,\"output_tokens\":2,\"cache_read_input_tokens\":10,\"cache_creation_input_tokens\":3", 18, 2,
		  10, 3 },
		{ "\"input_tokens\":18,\"output_tokens\":2,\"cache_read_tokens\":10,\"cache_write_tokens\":3", 18, 2, 10, 3 },
		{ "\"prompt_tokens\":18,\"completion_tokens\":2,\"prompt_tokens_details\":{\"cached_tokens\":10}", 18, 2, 10, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena();
		struct convert_figures f = convert_count(convert_text(a, "conversation",
			arena_printf(a, "{\"role\":\"assistant\",\"content\":\"a\",\"usage\":{%s}}\n", cases[i].usage), "otutl"));

		test_case("%s", cases[i].usage);
		CHECK_INT(f.input_total, cases[i].input);
		CHECK_INT(f.output_total, cases[i].output);
		CHECK_INT(f.cache_read, cases[i].cache_read);
		CHECK(f.cache_write == cases[i].cache_write || (f.cache_write == -1 && cases[i].cache_write == 0));
	}
}

TEST(arguments_that_are_no_json_become_raw)
{
	static const char text[] =
		"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":"
		"{\"name\":\"t\",\"arguments\":\"ls -l\"}}]}\n";
	struct arena *a = arena();
	struct str otutl = convert_text(a, "conversation", str_from(text), "otutl");

	CHECK_STR(convert_get(a, convert_record(otutl, "tool_call", 0), "/args"), STR("ls -l"));
	CHECK_STR(convert_get(a, convert_record(otutl, "tool_call", 0), "/args_encoding"), STR("raw"));
	CHECK_STR(convert_get(a, convert_text(a, "conversation", str_from(text), "conversation-anthropic"),
			      "/content/0/input/raw"),
		  STR("ls -l"));
	CHECK_STR(convert_get(a, convert_text(a, "conversation", str_from(text), "conversation"), "/content"), STR(""));
}

TEST(each_dialect_is_written_as_each_other)
{
	static const char *const data[] = {
		"conversation/canonical.jsonl", "conversation/openai.jsonl", "conversation/anthropic.jsonl",
	};
	static const char *const to[] = { "conversation", "conversation-openai", "conversation-anthropic" };
	static const struct convert_figures want[] = {
		{ .model_steps = 2, .tool_calls = 2, .tool_results = 2 },
		{ .model_steps = 5, .tool_calls = 6, .tool_results = 4 },
		{ .model_steps = 4, .tool_calls = 3, .tool_results = 3 },
	};

	for (size_t i = 0; i < 9; i++) {
		struct arena *a = arena();
		struct str out = convert_text(a, "conversation", test_data(data[i / 3]), to[i % 3]);
		struct convert_figures f = convert_count(convert_text(a, "conversation", out, "otutl"));

		test_case("%s to %s", data[i / 3], to[i % 3]);
		CHECK_INT(f.tool_calls, want[i / 3].tool_calls);
		CHECK_INT(f.tool_results, want[i / 3].tool_results);
	}
}

TEST(results_that_stand_together_are_one_line_of_the_user)
{
	static const char want[] =
		"{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"x\",\"input\":{}},"
		"{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"y\",\"input\":{\"k\":[1]}}]}\n"
		"{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"b\",\"content\":\"2\"},"
		"{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"1\",\"is_error\":true}]}\n";
	static const char openai[] =
		"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
		"{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"x\",\"arguments\":\"{}\"}},"
		"{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"y\",\"arguments\":\"{\\\"k\\\":[1]}\"}}]}\n"
		"{\"role\":\"tool\",\"content\":\"2\",\"tool_call_id\":\"b\"}\n"
		"{\"role\":\"tool\",\"content\":\"1\",\"tool_call_id\":\"a\",\"is_error\":true}\n";
	struct arena *a = arena();

	CHECK_STR(round_canonical(a, convert_text(a, "conversation", str_from(openai), "conversation-anthropic")),
		  round_canonical(a, str_from(want)));
	CHECK_STR(round_canonical(a, convert_text(a, "conversation", str_from(want), "conversation-openai")),
		  round_canonical(a, str_from(openai)));
}

#define LINE(seq, type, more) "{\"type\":\"" type "\",\"ts\":\"2026-01-02T03:04:05.000Z\",\"run_id\":" \
			      "\"019b7c9a-1c88-7000-8000-000000000001\",\"seq\":" #seq more "}\n"

static const char *const targets[] = { "conversation", "conversation-openai", "conversation-anthropic" };

/* What a request told again is no answer, and a call that no step asked for makes none. */
TEST(a_history_comes_back_as_one)
{
	static const char log[] =
		LINE(0, "run_start", "")
		LINE(1, "tool_call", ",\"call_id\":\"h\",\"tool\":\"tool://x/f\",\"args\":{\"a\":1},\"step_id\":\"history\"")
		LINE(2, "tool_result", ",\"call_id\":\"h\",\"result\":\"done\"")
		LINE(3, "model_step", ",\"step_id\":\"m\",\"text\":\"so\",\"reasoning\":\"hm\",\"request\":{\"messages\":["
		     "{\"role\":\"user\",\"content\":\"go\"},{\"role\":\"assistant\",\"content\":\"earlier\"},"
		     "{\"role\":\"tool\",\"content\":\"told\"}]},"
		     "\"usage\":{\"input_tokens\":30,\"output_tokens\":4,\"cache_read_tokens\":10,\"cache_write_tokens\":5,"
		     "\"reasoning_tokens\":2}")
		LINE(4, "run_end", ",\"status\":\"success\"");
	static const struct { const char *pointer, *want; } cases[] = {
		{ "/text", "so" },
		{ "/reasoning", "hm" },
		{ "/request/messages/1/role", "assistant" },
		{ "/request/messages/1/content", "earlier" },
		{ "/request/messages/2/role", "tool" },
		{ "/request/messages/3", NULL },
		{ "/usage/input_tokens", "30" },
		{ "/usage/cache_write_tokens", "5" },
		{ "/usage/reasoning_tokens", "2" },
	};

	for (size_t i = 0; i < 3; i++) {
		struct arena *a = arena();
		struct str lines = convert_text(a, "otutl", str_from(log), targets[i]);
		struct str out = round_check(a, "conversation", targets[i], lines);

		CHECK_INT(convert_errors(a, "conversation", lines, NULL), 0);
		CHECK_INT(convert_count(out).model_steps, 1);
		CHECK_INT(convert_count(out).tool_calls, 1);
		CHECK_INT(convert_count(out).tool_results, 1);
		for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
			test_case("%s: %s", targets[i], cases[k].pointer);
			CHECK_STR(convert_get(a, convert_record(out, "model_step", 0), cases[k].pointer),
				  str_from(cases[k].want));
		}
	}
}

TEST(whether_a_result_failed_is_not_guessed_where_we_wrote_it)
{
	static const struct { const char *said, *want; } cases[] = {
		{ "", NULL },
		{ ",\"is_error\":true", "true" },
		{ ",\"is_error\":false", "false" },
	};

	for (size_t i = 0; i < 9; i++) {
		struct arena *a = arena();
		struct str log = arena_printf(a, LINE(0, "run_start", "")
			LINE(1, "model_step", ",\"step_id\":\"m\",\"text\":\"\"")
			LINE(2, "tool_call", ",\"call_id\":\"h\",\"tool\":\"tool://x/f\",\"args\":{},\"step_id\":\"m\"")
			LINE(3, "tool_result", ",\"call_id\":\"h\",\"result\":\"Error: none at all\"%s")
			LINE(4, "run_end", ",\"status\":\"success\""), cases[i / 3].said);
		struct str lines = convert_text(a, "otutl", log, targets[i % 3]);
		struct str out = round_check(a, "conversation", targets[i % 3], lines);

		test_case("%s: %s", targets[i % 3], cases[i / 3].said);
		CHECK_STR(convert_get(a, convert_record(out, "tool_result", 0), "/is_error"), str_from(cases[i / 3].want));
	}
}

TEST(numbers_that_no_double_holds_are_numbers_again)
{
	static const char log[] =
		LINE(0, "run_start", "")
		LINE(1, "model_step", ",\"step_id\":\"m\",\"text\":\"\"")
		LINE(2, "tool_call", ",\"call_id\":\"a\",\"tool\":\"tool://x/f\",\"args\":{\"n\":\"9007199254740993\"},\"step_id\":\"m\","
		     "\"ext\":{\"trackway/1\":{\"bigint\":[\"/args/n\"]}}")
		LINE(3, "tool_result", ",\"call_id\":\"a\",\"result\":{\"n\":\"9007199254740995\"},"
		     "\"ext\":{\"trackway/1\":{\"bigint\":[\"/result/n\"]}}")
		LINE(4, "run_end", ",\"status\":\"success\"");

	for (size_t i = 0; i < 3; i++) {
		struct arena *a = arena();
		struct str lines = convert_text(a, "otutl", str_from(log), targets[i]);
		struct str out = convert_text(a, "conversation", lines, "otutl");

		test_case("%s", targets[i]);
		CHECK(str_find(lines, STR("9007199254740993")) != (size_t)-1);
		CHECK_INT(str_find(lines, STR("\"9007199254740993")), (size_t)-1);
		CHECK(str_find(lines, STR("{\\\"n\\\":9007199254740995}")) != (size_t)-1);
		CHECK_STR(convert_get(a, convert_record(out, "tool_call", 0), "/ext/trackway~11/bigint/0"), STR("/args/n"));
		round_check(a, "conversation", targets[i], lines);
	}
}

TEST(numbers_in_blocks_of_the_user_are_numbers_again)
{
	static const char line[] = "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
				   "{\"type\":\"image\",\"id\":9007199254740993},"
				   "{\"type\":\"tool_result\",\"tool_use_id\":\"x\",\"content\":\"1\"}]}\n";
	struct arena *a = arena();
	struct str otutl = convert_text(a, "conversation", str_from(line), "otutl");
	struct str out = convert_text(a, "otutl", otutl, "conversation-anthropic");

	CHECK(str_find(otutl, STR("/content/1/id")) != (size_t)-1);
	CHECK(str_find(out, STR("\"id\":9007199254740993,")) != (size_t)-1);
}

TEST(what_a_conversation_cannot_hold_is_told)
{
	struct arena *a = arena();
	struct converted c = convert_with(a, test_data("agent-trace/convert.jsonl"),
					  (struct convert_how){ .from = "agent-trace", .to = "conversation", .no_prices = true });

	CHECK(c.done);
	CHECK(str_find(c.losses, STR("step.model (2)")) != (size_t)-1);
	CHECK(str_find(c.losses, STR("branch (1)")) != (size_t)-1);
	CHECK(str_find(c.losses, STR("note")) != (size_t)-1);
}
