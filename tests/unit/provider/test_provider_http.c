/* The engine: what is sent, what comes, when, and what becomes of it when it goes wrong. */
#include "base/clock.h"
#include "unit/provider/ask_stage.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define SSE OK "Content-Type: text/event-stream\r\nConnection: close\r\n\r\n"
#define LINES OK "Content-Type: application/x-ndjson\r\nConnection: close\r\n\r\n"
#define JSON OK "Content-Type: application/json\r\nConnection: close\r\n\r\n"
#define NO_KEY ((struct str){ NULL, 0 })

static const struct provider_question hello = {
	.model = { "m", 1 }, .prompt = { "hello there", 11 }, .temperature = -1, .arrivals = true,
};

/* As an Ollama or a vLLM sends it: the role alone, words, the reason, figures with no choice, the end. */
#define CHAT                                                                                                      \
	SSE "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"model\":\"llama\",\"choices\":[{\"index\":0," \
	    "\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n"                   \
	    "data: {\"id\":\"c1\",\"model\":\"llama\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Gr\\u00fc\"}}]}\n\n" \
	    "data: {\"id\":\"c1\",\"model\":\"llama\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xc3\x9f dich\"}}]}\n\n" \
	    "data: {\"id\":\"c1\",\"model\":\"llama\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" \
	    "data: {\"id\":\"c1\",\"model\":\"llama\",\"choices\":[],\"usage\":{\"prompt_tokens\":7," \
	    "\"completion_tokens\":3,\"total_tokens\":10}}\n\n"                                                    \
	    "data: [DONE]\n\n"

static void check_chat(const struct kept *k)
{
	CHECK_INT(k->a.status, PROVIDER_OK);
	CHECK(k->a.failure == NULL);
	CHECK_INT(k->a.http_status, 200);
	CHECK_STR(k->a.text, STR("Gr\xc3\xbc\xc3\x9f dich"));
	CHECK_STR(k->a.model, STR("llama"));
	CHECK_STR(k->a.request_id, STR("c1"));
	CHECK_STR(str_from(k->a.stop_reason), STR("end_turn"));
	CHECK_INT(k->a.usage.input.n, 7);
	CHECK_INT(k->a.usage.output.n, 3);
	CHECK_INT(k->a.events, 5);
	CHECK_INT(k->a.arrival_count, 2);
	CHECK(k->a.sent_ns && k->a.sent_ns <= k->a.byte_ns && k->a.byte_ns <= k->a.token_ns);
	CHECK(k->a.token_ns == k->a.content_ns && k->a.content_ns == k->a.arrivals[0]);
	CHECK(k->a.arrivals[1] >= k->a.arrivals[0] && k->a.ended_ns >= k->a.arrivals[1]);
	CHECK_INT(k->a.retry_after_ms, -1);
	CHECK(!k->a.retryable);
	CHECK_INT(k->a.message.n, 0);
}

TEST(a_stream_is_read_the_same_in_pieces_of_any_size)
{
	static const size_t pieces[] = { 0, 1, 2, 3, 7, 64, 300 };

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct stage *s = stage_bytes(STR(CHAT), pieces[i]);

		test_case("pieces of %zu", pieces[i]);
		s->bytes.random = i > 4;
		check_chat(stage_one(s, &provider_ollama_openai, NO_KEY));
		stage_close(s);
	}
}

/* Many reads of what came at once: the kernel has one time for all of it, known to us with some nanoseconds' error. */
TEST(no_piece_came_before_the_one_before_it)
{
	enum { PIECES = 800, LETTERS = 1000 };
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, STR(SSE));
	for (int i = 0; i < PIECES; i++) {
		buf_add_str(&b, STR("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\""));
		for (int k = 0; k < LETTERS; k++)
			buf_add_byte(&b, 'x');
		buf_add_str(&b, STR("\"},\"finish_reason\":null}]}\n\n"));
	}
	buf_add_str(&b, STR("data: [DONE]\n\n"));
	for (int round = 0; round < 10; round++) {
		struct stage *s = stage_bytes(buf_str(&b), 0);
		struct kept *k = stage_one(s, &provider_ollama_openai, NO_KEY);

		test_case("round %d", round);
		CHECK_INT(k->a.arrival_count, PIECES);
		for (size_t i = 1; i < PIECES; i++)
			CHECK(k->a.arrivals[i] >= k->a.arrivals[i - 1]);
		CHECK(k->a.ended_ns >= k->a.arrivals[PIECES - 1]);
		stage_close(s);
	}
	buf_free(&b);
}

TEST(the_role_alone_is_no_token_and_thought_is_a_token_but_no_content)
{
	struct stage *s = stage_bytes(STR(SSE
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"hm\"}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"yes\"},\"finish_reason\":\"stop\"}]}\n\n"
		"data: [DONE]\n\n"), 1);
	struct kept *k = stage_one(s, &provider_ollama_openai, NO_KEY);

	CHECK_STR(k->a.text, STR("yes"));
	CHECK_INT(k->a.arrival_count, 3);
	CHECK(k->a.byte_ns < k->a.token_ns && k->a.token_ns < k->a.content_ns);
	CHECK(k->a.token_ns == k->a.arrivals[0] && k->a.content_ns == k->a.arrivals[2]);
	stage_close(s);
}

TEST(usage_is_read_in_whatever_chunk_it_comes)
{
	/* in every chunk; before the last choice; with it; after [DONE] nothing is expected any more */
	static const char *const streams[] = {
		SSE "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}\n\n"
		    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}],"
		    "\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
		SSE "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n"
		    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ab\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		SSE "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ab\"},\"finish_reason\":\"stop\"}],\"usage\":null}\n\n"
		    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
	};

	for (size_t i = 0; i < 3; i++) {
		struct stage *s = stage_bytes(str_from(streams[i]), 11);
		struct kept *k = stage_one(s, &provider_ollama_openai, NO_KEY);

		test_case("stream %zu", i);
		CHECK_INT(k->a.status, PROVIDER_OK);
		CHECK_STR(k->a.text, STR("ab"));
		CHECK_INT(k->a.usage.input.n, 5);
		CHECK_INT(k->a.usage.output.n, 2);
		stage_close(s);
	}
}

TEST(calls_in_pieces_are_joined)
{
	struct stage *s = stage_bytes(STR(SSE
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\","
		"\"function\":{\"name\":\"ls\",\"arguments\":\"\"}}]}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"c2\",\"function\":{\"name\":\"cat\","
		"\"arguments\":\"{}\"}}]}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\":1}\"}}]}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"), 5);
	struct kept *k = stage_one(s, &provider_ollama_openai, NO_KEY);

	CHECK_INT(k->a.status, PROVIDER_OK);
	CHECK_INT(k->a.call_count, 2);
	CHECK_STR(k->a.calls[0].name, STR("ls"));
	CHECK_STR(k->a.calls[0].arguments, STR("{\"a\":1}"));
	CHECK_STR(k->a.calls[1].name, STR("cat"));
	CHECK_STR(k->a.calls[1].arguments, STR("{}"));
	CHECK_STR(str_from(k->a.stop_reason), STR("tool_use"));
	CHECK(k->a.token_ns > 0 && k->a.content_ns == 0);
	stage_close(s);
}

TEST(lines_of_ollama_are_a_stream)
{
	struct stage *s = stage_bytes(STR(LINES
		"{\"model\":\"q\",\"created_at\":\"2025-01-01T00:00:00Z\",\"message\":{\"role\":\"assistant\",\"content\":\"\","
		"\"thinking\":\"hm\"},\"done\":false}\n"
		"{\"model\":\"q\",\"created_at\":\"2025-01-01T00:00:01Z\",\"message\":{\"role\":\"assistant\",\"content\":\"ye\"},\"done\":false}\n"
		"{\"model\":\"q\",\"message\":{\"role\":\"assistant\",\"content\":\"s\",\"tool_calls\":[{\"function\":{\"name\":\"ls\","
		"\"arguments\":{\"p\":\"/\"}}},{\"function\":{\"name\":\"ls\",\"arguments\":{\"p\":\"/\"}}}]},\"done\":false}\n"
		"{\"model\":\"q\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done_reason\":\"stop\",\"done\":true,"
		"\"total_duration\":5,\"prompt_eval_count\":11,\"eval_count\":4}\n"), 3);
	struct kept *k = stage_one(s, &provider_ollama_native, NO_KEY);

	CHECK_INT(k->a.status, PROVIDER_OK);
	CHECK_STR(k->a.text, STR("yes"));
	CHECK_INT(k->a.call_count, 2); /* told twice because it was asked for twice */
	CHECK_STR(k->a.calls[1].arguments, STR("{\"p\":\"/\"}"));
	CHECK_INT(k->a.usage.input.n, 11);
	CHECK_INT(k->a.usage.output.n, 4);
	CHECK_INT(k->a.events, 4);
	CHECK(k->a.token_ns && k->a.token_ns < k->a.content_ns);
	stage_close(s);
}

TEST(the_responses_api_tells_everything_three_times_and_it_counts_once)
{
	struct stage *s = stage_bytes(STR(SSE
		"event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r1\",\"model\":\"g\",\"status\":\""
		"in_progress\",\"output\":[]}}\n\n"
		"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"item_id\":\"i\",\""
		"content_index\":0,\"delta\":\"he\"}\n\n"
		"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"item_id\":\"i\",\""
		"content_index\":0,\"delta\":\"y\"}\n\n"
		"event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"id\":\"i\",\""
		"type\":\"message\","
		"\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hey\"}]}}\n\n"
		"event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"id\":\"f\",\""
		"type\":\"function_call\","
		"\"call_id\":\"c\",\"name\":\"ls\",\"arguments\":\"{\\\"a\\\":1}\"}}\n\n"
		"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r1\",\"model\":\"g\",\"status\":\""
		"completed\",\"output\":["
		"{\"id\":\"i\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hey\"}]},"
		"{\"id\":\"f\",\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"ls\",\"arguments\":\"{\\\"a\\\":1}\"}],"
		"\"usage\":{\"input_tokens\":9,\"output_tokens\":2,\"output_tokens_details\":{\"reasoning_tokens\":1}}}}\n\n"), 13);
	struct kept *k = stage_one(s, &provider_openai_responses, STR("sk-test"));

	CHECK_INT(k->a.status, PROVIDER_OK);
	CHECK_STR(k->a.text, STR("hey"));
	CHECK_INT(k->a.call_count, 1);
	CHECK_STR(k->a.calls[0].name, STR("ls"));
	CHECK_STR(k->a.calls[0].arguments, STR("{\"a\":1}"));
	CHECK_INT(k->a.usage.input.n, 9);
	CHECK_INT(k->a.usage.output.n, 2);
	CHECK_INT(k->a.usage.reasoning.n, 1);
	CHECK_INT(k->a.arrival_count, 2);
	CHECK_STR(str_from(k->a.stop_reason), STR("tool_use"));
	stage_close(s);
}

TEST(the_first_token_of_the_responses_api_may_come_in_a_whole_item)
{
	struct stage *s = stage_bytes(STR(SSE
		"data: {\"type\":\"response.created\",\"response\":{\"id\":\"r1\",\"model\":\"g\",\"status\":\"in_progress\",\"output\":[]}}\n\n"
		"data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"id\":\"i\",\"type\":\"message\","
		"\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hey\"}]}}\n\n"
		"data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r1\",\"model\":\"g\",\"status\":\"completed\",\"output\":["
		"{\"id\":\"i\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hey\"}]}]}}\n\n"), 1);
	struct kept *k = stage_one(s, &provider_openai_responses, STR("sk-test"));

	CHECK_STR(k->a.text, STR("hey"));
	CHECK(k->a.token_ns > k->a.byte_ns && k->a.token_ns < k->a.ended_ns);
	CHECK(k->a.content_ns == k->a.token_ns);
	CHECK_INT(k->a.arrival_count, 0); /* a gap between pieces is one between deltas */
	stage_close(s);
}

TEST(messages_of_anthropic_are_read)
{
	struct stage *s = stage_bytes(STR(OK "Content-Type: text/event-stream\r\nrequest-id: req_1\r\nConnection: close\r\n\r\n"
		"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"type\":\"message\",\"role\":\"assistant\","
		"\"model\":\"claude\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":3,\"cache_read_input_tokens\":4,\""
		"output_tokens\":1}}}\n\n"
		"event: ping\ndata: {\"type\":\"ping\"}\n\n"
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\""
		"thinking\":\"\"}}\n\n"
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\""
		"thinking\":\"hm\"}}\n\n"
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\""
		"\"}}\n\n"
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\""
		"hi\"}}\n\n"
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":"
		"\"t\",\"name\":\"ls\",\"input\":{}}}\n\n"
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\""
		"partial_json\":\"{\\\"a\\\"\"}}\n\n"
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\""
		"partial_json\":\":2}\"}}\n\n"
		"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":2}\n\n"
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":"
		"12}}\n\n"
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"), 17);
	struct kept *k = stage_one(s, &provider_anthropic_messages, STR("sk-ant-test"));

	CHECK_INT(k->a.status, PROVIDER_OK);
	CHECK_STR(k->a.text, STR("hi"));
	CHECK_STR(k->a.request_id, STR("req_1"));
	CHECK_STR(k->a.model, STR("claude"));
	CHECK_INT(k->a.call_count, 1);
	CHECK_STR(k->a.calls[0].arguments, STR("{\"a\":2}"));
	CHECK_INT(k->a.usage.input.n, 7);
	CHECK_INT(k->a.usage.cache_read.n, 4);
	CHECK_INT(k->a.usage.output.n, 12);
	CHECK(k->a.token_ns < k->a.content_ns);
	stage_close(s);
}

TEST(an_answer_that_is_not_streamed_has_no_first_token)
{
	struct stage *s = stage_bytes(STR(JSON "{\"id\":\"x\",\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
		"\"content\":\"whole\"},\"finish_reason\":\"length\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}"), 9);
	struct kept *k = stage_one(s, &provider_ollama_openai, NO_KEY);

	CHECK_INT(k->a.status, PROVIDER_OK);
	CHECK_STR(k->a.text, STR("whole"));
	CHECK_STR(str_from(k->a.stop_reason), STR("length"));
	CHECK(k->a.byte_ns && !k->a.token_ns && !k->a.content_ns);
	CHECK_INT(k->a.events, 0);
	CHECK_INT(k->a.arrival_count, 0);
	stage_close(s);
}

TEST(an_empty_answer_is_an_answer)
{
	struct stage *s = stage_bytes(STR(SSE "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"), 0);
	struct kept *k = stage_one(s, &provider_ollama_openai, NO_KEY);

	CHECK_INT(k->a.status, PROVIDER_OK);
	CHECK(k->a.text.p != NULL);
	CHECK_INT(k->a.text.n, 0);
	CHECK_INT(k->a.token_ns, 0);
	stage_close(s);
}

TEST(statuses_are_failures_by_the_table)
{
	static const struct {
		const char *answer, *status, *failure;
		bool retryable;
		long long wait_ms;
	} cases[] = {
		{ "401 Unauthorized\r\n", "auth_error", "http_401", false, -1 },
		{ "403 Forbidden\r\n", "auth_error", "http_403", false, -1 },
		{ "404 Not Found\r\n", "skipped_unavailable", "model_not_found", false, -1 },
		{ "429 Too Many Requests\r\nRetry-After: 7\r\n", "rate_limited", "http_429", true, 7000 },
		{ "429 Too Many Requests\r\nRetry-After: 0.25\r\n", "rate_limited", "http_429", true, 250 },
		{ "429 Too Many Requests\r\nRetry-After: 999999\r\n", "rate_limited", "http_429", true, 3600000 },
		{ "429 Too Many Requests\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n", "rate_limited", "http_429", true, 0 },
		{ "503 Service Unavailable\r\nretry-after-ms: 120\r\n", "error", "http_503", true, 120 },
		{ "529 Overloaded\r\n", "error", "http_529", true, -1 },
		{ "500 Internal Server Error\r\n", "error", "http_500", false, -1 },
		{ "302 Found\r\nLocation: http://elsewhere/\r\n", "error", "http_302", false, -1 },
		{ "400 Bad Request\r\n", "error", "http_400", false, -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena a;
		struct stage *s;
		struct kept *k;

		arena_init(&a);
		test_case("%s", cases[i].answer);
		s = stage_bytes(arena_printf(&a, "HTTP/1.1 %sConnection: close\r\nContent-Length: 2\r\n\r\n{}", cases[i].answer), 4);
		k = stage_one(s, &provider_ollama_openai, NO_KEY);
		CHECK_STR(str_from(provider_status_name(k->a.status)), str_from(cases[i].status));
		CHECK_STR(str_from(k->a.failure), str_from(cases[i].failure));
		CHECK_INT(k->a.retryable, cases[i].retryable);
		CHECK_INT(k->a.retry_after_ms, cases[i].wait_ms);
		CHECK(k->a.http_status > 300 && k->a.ended_ns >= k->a.sent_ns);
		stage_close(s);
		arena_free(&a);
	}
}

TEST(streams_that_go_wrong_are_told_apart)
{
	static const struct {
		const char *bytes, *status, *failure, *text;
		bool retryable;
	} cases[] = {
		/* the connection ends without the end of the stream */
		{ SSE "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"half\"}}]}\n\n", "error", "cut_stream", "half", false },
		{ SSE "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"half\"}}]}\n\ndata: {\"choi", "error", "cut_stream", "half", false },
		{ SSE, "error", "cut_stream", "", false },
		/* fewer bytes than promised */
		{ OK "Content-Length: 100\r\n\r\n{\"choices\":[", "error", "cut_stream", "", false },
		{ "HTTP/1.1 200 OK\r\nTransfer-Enc", "error", "cut_stream", "", false },
		{ "garbage that is no HTTP\r\n\r\n", "error", "cut_stream", "", false },
		/* not JSON where JSON must be */
		{ SSE "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\ndata: {oops\n\ndata: [DONE]\n\n", "error",
		  "bad_json", "a", false },
		{ SSE "data: hello\n\ndata: [DONE]\n\n", "error", "bad_json", "", false },
		{ OK "Content-Length: 14\r\n\r\n<html>hi</html", "error", "bad_json", "", false },
		{ OK "Content-Length: 13\r\n\r\n{\"choices\": [}", "error", "bad_json", "", false },
		{ OK "Content-Length: 12\r\n\r\n{\"choices\":[", "error", "bad_json", "", false },
		/* it says so itself */
		{ SSE "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"
		      "data: {\"error\":{\"message\":\"out of memory\",\"type\":\"CUDA Error\"}}\n\n", "error", "cuda_error", "a", false },
		{ SSE "data: {\"error\":{\"message\":\"no words\"}}\n\n", "error", "stream_error", "", false },
		{ SSE "data: {\"error\":{\"message\":\"slow down\",\"code\":\"rate_limit_exceeded\"}}\n\n", "rate_limited", "http_429", "", true },
		{ JSON "{\"error\":{\"message\":\"The model `x` does not exist.\",\"code\":"
			"404}}", "skipped_unavailable", "model_not_found", "", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stage *s = stage_bytes(str_from(cases[i].bytes), i % 2 ? 1 : 0);
		struct kept *k = stage_one(s, &provider_ollama_openai, NO_KEY);

		test_case("%zu: %s", i, cases[i].bytes);
		CHECK_STR(str_from(provider_status_name(k->a.status)), str_from(cases[i].status));
		CHECK_STR(str_from(k->a.failure), str_from(cases[i].failure));
		CHECK_STR(k->a.text, str_from(cases[i].text));
		CHECK_INT(k->a.retryable, cases[i].retryable);
		stage_close(s);
	}
}

TEST(an_end_mark_makes_a_stream_whole_even_when_the_connection_breaks)
{
	struct stage *s = stage_bytes(STR(OK "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
		"50\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n\r\n"
		"e\r\ndata: [DONE]\n\n\r\n"), 0);
	struct kept *k = stage_one(s, &provider_ollama_openai, NO_KEY);

	CHECK_INT(k->a.status, PROVIDER_OK);
	CHECK_STR(k->a.text, STR("a"));
	stage_close(s);
}

TEST(a_server_that_is_not_there_is_unavailable)
{
	struct stage *s = stage_bytes(STR(""), 0);
	struct provider_client *c = stage_client(s, &provider_ollama_openai, "/v1", NO_KEY);
	struct kept *k;

	byte_server_refuse(&s->bytes);
	uv_run(&s->loop, UV_RUN_NOWAIT);
	k = stage_ask(s, c, &hello);
	stage_run(s);
	CHECK_FAILURE(k, "skipped_unavailable", "connect_error");
	CHECK(k->a.retryable);
	CHECK_INT(k->a.http_status, 0);
	CHECK(str_find(k->a.message, STR("refused")) != (size_t)-1);
	CHECK_INT(k->a.sent_ns, 0);
	stage_close(s);
}

TEST(without_its_key_a_provider_is_not_asked)
{
	static const struct {
		const struct provider *row;
		const char *env, *failure;
	} cases[] = {
		{ &provider_openai_responses, "OPENAI_API_KEY", "openai_api_key_missing" },
		{ &provider_anthropic_messages, "ANTHROPIC_API_KEY", "anthropic_api_key_missing" },
	};

	for (size_t i = 0; i < 2; i++) {
		struct stage *s = stage_bytes(STR(""), 0);
		struct kept *k, *second;
		struct provider_client *c;

		unsetenv(cases[i].env);
		c = stage_client(s, cases[i].row, "", NO_KEY);
		k = stage_ask(s, c, &hello);
		second = stage_ask(s, c, &hello);
		stage_run(s);
		CHECK(second->came);
		CHECK_STR(str_from(provider_status_name(k->a.status)), STR("auth_error"));
		CHECK_STR(str_from(k->a.failure), str_from(cases[i].failure));
		CHECK(!k->a.retryable);
		CHECK(s->bytes.guests == NULL);
		CHECK(str_find(k->a.message, str_from(cases[i].env)) != (size_t)-1);
		stage_close(s);
	}
}

TEST(a_key_is_sent_and_never_given_back)
{
	static const char key[] = "sk-proj-Zz9SecretSecretSecretSecret0123456789";
	struct stage *s = stage_bytes(STR("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n{\"error\":{\"message\":"
		"\"Incorrect API key provided:\\n sk-proj-Zz9SecretSecretSecretSecret0123456789. Find it elsewhere.\",\"code\":\""
		"invalid_api_key\"}}"), 0);
	struct kept *k = stage_one(s, &provider_openai_responses, str_from(key));
	size_t line = str_find(buf_str(&s->bytes.got), STR("Authorization: Bearer sk-proj-Zz9Secret"));

	CHECK(line != (size_t)-1);
	CHECK(str_find(str_of(s->bytes.got.p + line + 30, s->bytes.got.n - line - 30), str_from(key)) == (size_t)-1);
	CHECK_FAILURE(k, "auth_error", "http_401");
	CHECK(str_find(k->a.message, STR("Incorrect API key provided")) != (size_t)-1);
	CHECK(str_find(k->a.message, STR("Secret")) == (size_t)-1);
	CHECK(str_find(k->a.message, STR("\n")) == (size_t)-1);
	stage_close(s);
}

TEST(the_model_that_is_not_there_is_found_in_the_words_of_each_server)
{
	static const char *const bodies[] = {
		"404 Not Found\r\nConnection: close\r\n\r\n{\"error\":{\"message\":\"model 'x' not found\",\"type\":\"api_error\"}}",
		"404 Not Found\r\nConnection: close\r\n\r\n{\"error\":\"model 'x' not found, try pulling it first\"}",
		"400 Bad Request\r\nConnection: close\r\n\r\n{\"error\":{\"message\":\"no\",\"code\":\"model_not_found\"}}",
		"404 Not Found\r\nConnection: close\r\n\r\n{\"object\":\"error\",\"message\":\"The model `x` does not exist.\",\"code\":404}",
		"400 Bad Request\r\nConnection: close\r\n\r\n{\"object\":\"error\",\"message\":\"The model `x` does not exist.\"}",
	};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct arena a;
		struct stage *s;
		struct kept *k;

		arena_init(&a);
		test_case("%zu", i);
		s = stage_bytes(arena_printf(&a, "HTTP/1.1 %s", bodies[i]), 0);
		k = stage_one(s, i == 1 ? &provider_ollama_native : &provider_ollama_openai, NO_KEY);
		CHECK_FAILURE(k, "skipped_unavailable", "model_not_found");
		CHECK(k->a.message.n > 0);
		stage_close(s);
		arena_free(&a);
	}
}

TEST(a_call_that_is_given_up_shows_what_came)
{
	struct stage *s = stage_bytes(STR(SSE "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"half\"}}]}\n\n"), 0);
	struct provider_client *c = stage_client(s, &provider_ollama_openai, "/v1", NO_KEY);
	struct kept *k = arena_new(&s->arena, struct kept);
	struct provider_call *call;

	s->bytes.stays_open = true;
	s->open = 1;
	k->stage = s;
	call = provider_ask(c, &hello, answer_came, k);
	for (int i = 0; i < 20; i++)
		uv_run(&s->loop, UV_RUN_NOWAIT);
	CHECK(!k->came);
	provider_cancel(call, answer_seen);
	CHECK(k->seen);
	CHECK_STR(k->a.text, STR("half"));
	CHECK(k->a.token_ns > 0);
	call = provider_ask(c, &hello, answer_came, k); /* and one that nobody hears of */
	provider_cancel(call, NULL);
	stage_close(s);
}

TEST(what_is_open_when_a_pool_closes_is_given_up_without_a_word)
{
	struct stage *s = stage_bytes(STR(SSE), 0);
	struct provider_client *c = stage_client(s, &provider_ollama_openai, "/v1", NO_KEY);
	struct kept *k[5];

	s->bytes.stays_open = true;
	for (size_t i = 0; i < 5; i++)
		k[i] = stage_ask(s, c, &hello);
	for (int i = 0; i < 10; i++)
		uv_run(&s->loop, UV_RUN_NOWAIT);
	stage_close(s);
	for (size_t i = 0; i < 5; i++)
		(void)k[i]; /* their memory is gone with the stage; `answer_came` would have failed the test */
}

TEST(an_answer_without_end_is_too_large)
{
	struct buf b;
	struct stage *s;
	struct kept *k;

	buf_init(&b);
	buf_add_str(&b, STR(SSE));
	for (size_t i = 0; i < 17; i++) {
		buf_add_str(&b, STR("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\""));
		memset(buf_reserve(&b, 1 << 20), 'x', 1 << 20);
		b.n += 1 << 20;
		buf_add_str(&b, STR("\"}}]}\n\n"));
	}
	s = stage_bytes(buf_str(&b), 0);
	k = stage_one(s, &provider_ollama_openai, NO_KEY);
	CHECK_FAILURE(k, "error", "too_large");
	CHECK(k->a.text.n <= (size_t)16 << 20 && k->a.text.n >= (size_t)15 << 20);
	stage_close(s);
	buf_free(&b);
}

TEST(five_hundred_streams_at_once_are_kept_apart)
{
	enum { STREAMS = 500 };
	struct stage *s = stage_mock("{\"schema\":\"trackway.mock/1\",\"rules\":[{\"pace\":{\"ttft_ms\":20,\"itl_ms\":2}}]}");
	const struct provider *const rows[] = {
		&provider_ollama_openai, &provider_openai_responses, &provider_ollama_native, &provider_anthropic_messages,
	};
	const char *const paths[] = { "/v1", "/v1", "", "/v1" };
	struct provider_client *clients[4];
	struct kept *k[STREAMS];

	for (size_t i = 0; i < 4; i++)
		clients[i] = stage_client(s, rows[i], paths[i], STR("sk-x"));
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < STREAMS; i++) {
			struct provider_question q = hello;

			q.prompt = arena_printf(&s->arena, "stream %zu of round %d says this and no more", i, round);
			k[i] = stage_ask(s, clients[i % 4], &q);
		}
		stage_run(s);
		for (size_t i = 0; i < STREAMS; i++) {
			struct str want = arena_printf(&s->arena, "stream %zu of round %d says this", i, round);

			test_case("%zu %s %s", i, rows[i % 4]->name, k[i]->a.failure ? k[i]->a.failure : "");
			CHECK_INT(k[i]->a.status, PROVIDER_OK);
			CHECK(str_find(k[i]->a.text, want) != (size_t)-1);
			CHECK(figure_is_known(k[i]->a.usage.output) && k[i]->a.usage.output.n > 0);
			CHECK(k[i]->a.token_ns - k[i]->a.sent_ns >= 10000000);
			CHECK(k[i]->a.arrival_count > 3);
		}
	}
	stage_close(s);
}

TEST(a_question_is_unsent_until_the_system_has_all_of_it_or_nobody_wants_it)
{
	struct stage *s = stage_bytes(STR(CHAT), 0);
	struct provider_client *c = stage_client(s, &provider_ollama_openai, "/v1", NO_KEY);
	struct kept *k = stage_ask(s, c, &hello);

	CHECK_INT(provider_unsent(c), 1); /* it is being connected */
	CHECK(!provider_has_stamps(c));
	stage_run(s);
	CHECK_INT(provider_unsent(c), 0);
	CHECK_INT(k->a.status, PROVIDER_OK);
	provider_cancel(provider_ask(c, &hello, answer_came, k), NULL);
	CHECK_INT(provider_unsent(c), 0);
	stage_close(s);
}
