#include <zlib.h>
#include <zstd.h>

#include "dialect/record/field.h"
#include "harness/test.h"
#include "unit/capture/observer_bodies.h"
#include "unit/capture/observer_feed.h"

static bool holds(struct str text, const char *word)
{
	return str_find(text, str_from(word)) != (size_t)-1;
}

/* Every word, separated by '|', has to be in the text. */
static void check_words(struct str text, const char *words)
{
	struct str left = str_from(words);

	while (left.n) {
		struct str word = str_cut(left, '|', &left);

		if (str_find(text, word) == (size_t)-1)
			FAIL("no \"%.*s\" in %.*s", STR_ARG(word), STR_ARG(text));
	}
}

/* ---- what is seen ---- */

TEST(each_api_gives_its_figures_streamed_and_not)
{
	struct observers *l = observers_open(&test_room);
	struct buf text;

	buf_init(&text);
	for (size_t i = 0; i < BODIES; i++) {
		struct observer *k = feed_run(l, &bodies[i].feed);

		test_case("%s", bodies[i].name);
		check_words(feed_text(&text, observer_seen(k)), bodies[i].sees);
		observer_close(k);
	}
	buf_free(&text);
	observers_close(l);
}

TEST(what_is_seen_does_not_depend_on_the_pieces_it_came_in)
{
	struct observers *l = observers_open(&test_room);
	struct buf whole, cut;

	buf_init(&whole);
	buf_init(&cut);
	for (size_t i = 0; i < BODIES; i++) {
		struct feed f = bodies[i].feed;
		struct observer *k = feed_run(l, &f);

		feed_text(&whole, observer_seen(k));
		observer_close(k);
		for (size_t piece = 1; piece < 40 && piece < f.answer.n; piece++) {
			f.piece = piece;
			k = feed_run(l, &f);
			test_case("%s in pieces of %zu", bodies[i].name, piece);
			CHECK_STR(feed_text(&cut, observer_seen(k)), buf_str(&whole));
			observer_close(k);
		}
		f.piece = 0;
		for (f.first = 1; f.first < f.answer.n; f.first++) {
			k = feed_run(l, &f);
			test_case("%s cut at %zu", bodies[i].name, f.first);
			CHECK_STR(feed_text(&cut, observer_seen(k)), buf_str(&whole));
			observer_close(k);
		}
	}
	buf_free(&whole);
	buf_free(&cut);
	observers_close(l);
}

/* An answer that ends anywhere is partial, keeps what was there, and never has more than the whole one. */
TEST(an_answer_that_ends_early_is_partial)
{
	struct observers *l = observers_open(&test_room);

	for (size_t i = 0; i < BODIES; i++) {
		struct feed f = bodies[i].feed;
		size_t whole = f.answer.n;

		if (f.status || holds(str_from(bodies[i].sees), "failed") || holds(str_from(bodies[i].sees), "partial"))
			continue;
		f.how = PROXY_CLIENT_LEFT;
		for (size_t n = 1; n < (bodies[i].end ? str_find(bodies[i].feed.answer, str_from(bodies[i].end)) : whole); n++) {
			const struct observation *s;
			struct observer *k;

			f.answer.n = n;
			k = feed_run(l, &f);
			s = observer_seen(k);
			test_case("%s, %zu bytes of %zu", bodies[i].name, n, whole);
			CHECK(s->partial && !s->failed);
			CHECK(figure_is_known(s->usage.input) && figure_is_known(s->usage.output));
			observer_close(k);
		}
	}
	observers_close(l);
}

TEST(an_answer_that_was_all_there_when_the_client_left_is_whole)
{
	struct observers *l = observers_open(&test_room);

	for (size_t i = 0; i < BODIES; i++) {
		struct feed f = bodies[i].feed;
		struct observer *k;

		if (!f.type || holds(str_from(bodies[i].sees), "failed"))
			continue;
		f.how = PROXY_CLIENT_LEFT;
		k = feed_run(l, &f);
		test_case("%s", bodies[i].name);
		CHECK(!observer_seen(k)->partial && !observer_seen(k)->failed);
		observer_close(k);
	}
	observers_close(l);
}

TEST(calls_that_the_service_answers_itself_are_nobody_s_to_wait_for)
{
	struct observers *l = observers_open(&test_room);
	struct buf text;
	size_t n = 0;

	buf_init(&text);
	for (size_t i = 0; i < BODIES; i++) {
		struct observer *k = feed_run(l, &bodies[i].feed);

		n += holds(bodies[i].feed.answer, "srvtoolu_1");
		CHECK(!holds(feed_text(&text, observer_seen(k)), "srvtoolu_1"));
		observer_close(k);
	}
	CHECK(n > 0);
	buf_free(&text);
	observers_close(l);
}

/* ---- clocks ---- */

static int64_t at_of(const struct feed *f, const char *word)
{
	size_t at = str_find(f->answer, str_from(word));

	CHECK(at != (size_t)-1);
	while (at + 1 < f->answer.n && !(f->answer.p[at] == '\n' && f->answer.p[at + 1] == '\n'))
		at++;
	return feed_ns(f, at + 1);
}

TEST(a_frame_with_a_role_and_no_words_is_no_token)
{
	struct feed f = {
		.path = "/v1/chat/completions",
		.body = STR("{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"),
		.type = "text/event-stream",
		.answer = STR(CHUNK("{\"role\":\"assistant\",\"content\":\"\"}", "null")
				      CHUNK("{\"reasoning_content\":\"\"}", "null")
				      CHUNK("{\"reasoning_content\":\"first\"}", "null")
				      CHUNK("{\"reasoning_content\":\"more\",\"content\":\"second\"}", "null")
				      CHUNK("{}", "\"stop\"") "data: [DONE]\n\n"),
	};
	struct observers *l = observers_open(&test_room);
	struct observer *k = feed_run(l, &f);
	const struct observation *s = observer_seen(k);

	CHECK_INT(s->byte_ns, feed_ns(&f, 0));
	CHECK_INT(s->token_ns, at_of(&f, "first"));
	CHECK_INT(s->content_ns, at_of(&f, "second"));
	observer_close(k);
	observers_close(l);
}

TEST(the_first_token_may_be_a_call)
{
	static const struct {
		const char *path, *answer, *token;
	} cases[] = {
		{ "/v1/chat/completions",
		  CHUNK("{\"role\":\"assistant\",\"content\":null}", "null")
		  CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"function\":{\"name\":\"look_up\",\"arguments\":\"\"}}]}",
			"null"),
		  "look_up" },
		{ "/v1/messages",
		  EVENT("message_start", "\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\","
					 "\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}")
		  EVENT("content_block_start", "\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\","
					       "\"name\":\"look_up\",\"input\":{}}"),
		  "look_up" },
		{ "/v1/messages",
		  EVENT("message_start", "\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\","
					 "\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}")
		  EVENT("content_block_start", "\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}")
		  EVENT("content_block_delta", "\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"thought\"}"),
		  "thought" },
	};
	struct observers *l = observers_open(&test_room);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed f = {
			.path = cases[i].path,
			.body = STR("{\"model\":\"m\",\"stream\":true,\"max_tokens\":9,\"messages\":[{\"role\":\"user\","
				    "\"content\":\"hi\"}]}"),
			.type = "text/event-stream",
			.answer = str_from(cases[i].answer),
			.how = PROXY_CLIENT_LEFT,
		};
		struct observer *k = feed_run(l, &f);

		test_case("%zu", i);
		CHECK_INT(observer_seen(k)->token_ns, at_of(&f, cases[i].token));
		CHECK_INT(observer_seen(k)->content_ns, 0);
		observer_close(k);
	}
	observers_close(l);
}

/* ---- whose it is ---- */

TEST(only_requests_that_ask_a_model_are_model_calls)
{
	static const struct {
		const char *method, *path, *body, *api;
	} cases[] = {
		{ "GET", "/v1/models", "", NULL },
		{ "GET", "/v1/chat/completions", "", NULL },
		{ "POST", "/v1/files", "{\"purpose\":\"x\"}", NULL },
		{ "POST", "/v1/messages/count_tokens",
		  "{\"model\":\"claude-3\",\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}", NULL },
		{ "POST", "/v1beta/models/g:countTokens", "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"x\"}]}]}",
		  NULL },
		{ "POST", "/v1/threads/thread_1/messages", "{\"role\":\"user\",\"content\":\"x\"}", NULL },
		{ "POST", "/mcp", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", NULL },
		{ "POST", "/v1/chat/completions", "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}", "openai-chat" },
		{ "POST", "/openai/deployments/gpt/chat/completions", "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}",
		  "openai-chat" },
		{ "POST", "/v1/completions", "{\"model\":\"m\",\"prompt\":\"x\"}", "openai-chat" },
		{ "POST", "/v1/chat/completions", "not JSON at all", "openai-chat" },
		{ "POST", "/somewhere", "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"s\"},"
					"{\"role\":\"user\",\"content\":\"x\"}]}", "openai-chat" },
		{ "POST", "/v1/messages", "{\"model\":\"claude\",\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}",
		  "anthropic" },
		{ "POST", "/v1/responses", "{\"model\":\"m\",\"input\":\"x\"}", "openai-responses" },
		{ "POST", "/v1beta/models/gemini-2.5:generateContent",
		  "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"x\"}]}]}", "gemini" },
		{ "POST", "/api/chat", "{\"model\":\"llama3\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}", "ollama" },
		{ "POST", "/v1/embeddings", "{\"model\":\"e\",\"input\":[\"x\"]}", "embeddings" },
	};
	struct observers *l = observers_open(&test_room);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed f = { .path = cases[i].path, .method = cases[i].method, .body = str_from(cases[i].body) };
		struct observer *k = feed_open(l, &f);
		const struct observation *s = observer_seen(k);

		test_case("%s %s", cases[i].method, cases[i].path);
		CHECK_INT(s->kind, cases[i].api ? OBSERVED_MODEL : OBSERVED_OTHER);
		CHECK_STR(str_from(s->api), str_from(cases[i].api));
		observer_close(k);
	}
	observers_close(l);
}

TEST(headers_tell_the_framework_and_the_agent)
{
	static const struct {
		struct http_header header;
		const char *path, *words;
	} cases[] = {
		{ { WORD("X-Claude-Code-Session-Id"), WORD("s-1") }, "/v1/messages", "session=s-1|framework=claude_code" },
		{ { WORD("User-Agent"), WORD("claude-cli/2.0.1 (external, cli)") }, "/v1/messages", "framework=claude_code" },
		{ { WORD("user-agent"), WORD("LangChain/0.3") }, "/v1/chat/completions", "framework=langgraph" },
		{ { WORD("user-agent"), WORD("crewAI 1.0") }, "/v1/chat/completions", "framework=crewai" },
		{ { WORD("user-agent"), WORD("autogen-python/0.4") }, "/v1/chat/completions", "framework=autogen" },
		{ { WORD("user-agent"), WORD("OpenAI/Python 1.99") }, "/v1/chat/completions", "framework=raw_openai" },
		{ { WORD("x-claude-code-agent-id"), WORD("a7") }, "/v1/messages", "agent=a7" },
		{ { WORD("x-claude-code-parent-agent-id"), WORD("a1") }, "/v1/messages", "parent_agent=a1" },
	};
	struct observers *l = observers_open(&test_room);
	struct buf text;

	buf_init(&text);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed f = {
			.path = cases[i].path,
			.headers = { cases[i].header },
			.body = STR("{\"model\":\"claude-x\",\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}"),
		};
		struct observer *k = feed_open(l, &f);

		test_case("%zu", i);
		check_words(feed_text(&text, observer_seen(k)), cases[i].words);
		observer_close(k);
	}
	buf_free(&text);
	observers_close(l);
}

TEST(an_id_of_a_header_goes_before_that_of_the_body_and_may_not_be_prose)
{
	static const struct {
		struct http_header header;
		const char *words;
	} cases[] = {
		{ { WORD("request-id"), WORD("req_1") }, "request_id=req_1" },
		{ { WORD("X-Request-ID"), WORD("req_2") }, "request_id=req_2" },
		{ { WORD("x-oai-request-id"), WORD("req_3") }, "request_id=req_3" },
		{ { WORD("x-other"), WORD("req_4") }, "request_id=chatcmpl-9" },
		{ { WORD("x-request-id"), WORD("this is a sentence") }, "request_id=chatcmpl-9" },
	};
	struct observers *l = observers_open(&test_room);
	struct buf text;

	buf_init(&text);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed f = {
			.path = "/v1/chat/completions",
			.body = STR("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}"),
			.answer_headers = { cases[i].header },
			.answer = STR("{\"id\":\"chatcmpl-9\",\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":"
				      "{\"role\":\"assistant\",\"content\":\"y\"},\"finish_reason\":\"stop\"}]}"),
		};
		struct observer *k = feed_run(l, &f);

		test_case("%zu", i);
		check_words(feed_text(&text, observer_seen(k)), cases[i].words);
		observer_close(k);
	}
	buf_free(&text);
	observers_close(l);
}

/* ---- requests ---- */

TEST(the_digest_is_that_of_method_address_and_body)
{
	static const struct {
		const char *path, *body;
		bool same;
	} cases[] = {
		{ "/v1/chat/completions", "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}", true },
		{ "/v2/chat/completions", "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}", false },
		{ "/v1/chat/completions", "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"y\"}]}", false },
	};
	struct observers *l = observers_open(&test_room);
	uint64_t first = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int again = 0; again < 2; again++) {
			struct feed f = { .path = cases[i].path, .body = str_from(cases[i].body) };
			struct observer *k = feed_open(l, &f);

			first = first ? first : observer_seen(k)->digest;
			CHECK((observer_seen(k)->digest == first) == cases[i].same);
			observer_close(k);
		}
	}
	observers_close(l);
}

TEST(requests_of_which_the_body_was_lost_are_all_different)
{
	struct http_head head = { .method = STR("POST"), .target = STR("/v1/messages") };
	struct observers *l = observers_open(&test_room);
	uint64_t digests[2];

	for (size_t i = 0; i < 2; i++) {
		struct observer *k =
			observer_open(l, &(struct observer_begin){ .number = i + 1,
								   .provider = "anthropic",
								   .endpoint = STR("http://h/v1/messages"),
								   .head = &head });

		observer_request(k, STR(""), true, 5);
		digests[i] = observer_seen(k)->digest;
		CHECK_INT(observer_seen(k)->kind, OBSERVED_MODEL);
		observer_close(k);
	}
	CHECK(digests[0] != digests[1]);
	observers_close(l);
}

TEST(results_have_their_size_as_text_and_their_kind)
{
	static const struct {
		const char *content, *words;
	} cases[] = {
		{ "\"four\"", "size=4 kind=text" },
		{ "\"a\\nb\\u00e9\"", "size=5 kind=text" },
		{ "[{\"type\":\"text\",\"text\":\"abc\"},{\"type\":\"text\",\"text\":\"de\"}]", "size=5 kind=text" },
		{ "[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"AAAA\"}}]", "kind=image" },
		{ "[{\"type\":\"document\",\"source\":{\"type\":\"base64\",\"media_type\":\"application/pdf\",\"data\":\"AAAA\"}}]",
		  "kind=binary" },
		{ "\"{\\\"a\\\": 1}\\n\"", "size=9 kind=json" },
		{ "\"[1, 2]\"", "size=6 kind=json" },
		{ "\"{not json}\"", "size=10 kind=text" },
		{ "\"17\"", "size=2 kind=text" },
		{ "[{\"type\":\"text\",\"text\":\"{}\"}]", "size=2 kind=json" },
		{ "[{\"type\":\"search_result\",\"title\":\"x\"}]", "kind=json" },
		{ "[]", "size=0" },
	};
	struct observers *l = observers_open(&test_room);
	struct buf text;
	struct arena a;

	buf_init(&text);
	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed f = {
			.path = "/v1/messages",
			.body = arena_printf(&a, "{\"model\":\"m\",\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":\"x\"},"
						 "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"n\","
						 "\"input\":{}}]},{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
						 "\"tool_use_id\":\"toolu_1\",\"content\":%s}]}]}", cases[i].content),
		};
		struct observer *k = feed_open(l, &f);

		test_case("%s", cases[i].content);
		check_words(feed_text(&text, observer_seen(k)), "result[2] call=toolu_1");
		check_words(buf_str(&text), cases[i].words);
		observer_close(k);
	}
	buf_free(&text);
	arena_free(&a);
	observers_close(l);
}

/* ---- ends ---- */

#define PLAIN_BODY "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"12345678\"}]}"

TEST(failures_say_error_and_count_nothing)
{
	static const struct {
		int status;
		enum proxy_end how;
		const char *answer, *words;
	} cases[] = {
		{ 429, PROXY_WHOLE, "{\"error\":{\"message\":\"slow down\",\"type\":\"rate_limit\"}}", "failed|stop=error|input=~0 output=~0" },
		{ 500, PROXY_WHOLE, "<html>oh</html>", "failed|stop=error|input=~0 output=~0" },
		{ 502, PROXY_REFUSED, "", "failed|stop=error|input=~0 output=~0" },
		{ -1, PROXY_REFUSED, "", "status=0|failed|stop=error|input=~0 output=~0" },
		{ 200, PROXY_WHOLE, "{\"error\":{\"message\":\"no\",\"type\":\"x\"}}", "failed|stop=error|input=~0" },
		{ 200, PROXY_CUT, "{\"id\":\"x\",\"choices\":[", "partial|failed|stop=error" },
	};
	struct observers *l = observers_open(&test_room);
	struct buf text;

	buf_init(&text);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed f = {
			.path = "/v1/chat/completions",
			.body = STR(PLAIN_BODY),
			.status = cases[i].status,
			.how = cases[i].how,
			.answer = str_from(cases[i].answer),
		};
		struct observer *k = feed_run(l, &f);

		test_case("%zu", i);
		check_words(feed_text(&text, observer_seen(k)), cases[i].words);
		CHECK(!holds(buf_str(&text), "partial") || cases[i].how == PROXY_CUT);
		observer_close(k);
	}
	buf_free(&text);
	observers_close(l);
}

TEST(a_stream_without_its_end_is_partial_even_when_it_closed_in_order)
{
	static const struct {
		const char *answer;
		bool partial;
	} cases[] = {
		{ CHUNK("{\"content\":\"a\"}", "null"), true },
		{ CHUNK("{\"content\":\"a\"}", "\"stop\""), false },
		{ CHUNK("{\"content\":\"a\"}", "null") "data: [DONE]\n\n", false },
		{ CHUNK("{\"content\":\"a\"}", "null") "data: [DONE]", false },
		{ "", true },
		{ ": only comments\n\n", true },
	};
	struct observers *l = observers_open(&test_room);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed f = {
			.path = "/v1/chat/completions",
			.body = STR("{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}"),
			.type = "text/event-stream",
			.answer = str_from(cases[i].answer),
		};
		struct observer *k = feed_run(l, &f);

		test_case("%zu", i);
		CHECK_INT(observer_seen(k)->partial, cases[i].partial);
		CHECK(!observer_seen(k)->failed);
		observer_close(k);
	}
	observers_close(l);
}

TEST(what_the_api_does_not_count_is_estimated_from_bytes)
{
	struct feed f = {
		.path = "/v1/chat/completions",
		.body = STR("{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"1234\"},{\"role\":\"user\",\"content\":"
			    "[{\"type\":\"text\",\"text\":\"\\u00e9\\u00e93\"},{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:x\"}}]}],"
			    "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"n\","
			    "\"description\":\"long text\",\"content\":\"no text\"}}]}"),
		.answer = STR("{\"id\":\"c\",\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
			      "\"content\":\"abcde\",\"reasoning_content\":\"fgh\",\"tool_calls\":[{\"id\":\"i\",\"type\":\"function\",\"function\":"
			      "{\"name\":\"n\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}"),
	};
	struct observers *l = observers_open(&test_room);
	struct observer *k = feed_run(l, &f);
	const struct observation *s = observer_seen(k);

	CHECK_INT(s->usage.input.n, 3); /* nine bytes */
	CHECK_INT(s->usage.input.source, FIGURE_ESTIMATED);
	CHECK_INT(s->usage.output.n, 3); /* ten */
	CHECK_INT(s->usage.output.source, FIGURE_ESTIMATED);
	observer_close(k);
	observers_close(l);
}

TEST(what_the_service_says_of_its_bill_is_seen_whole_and_streamed)
{
	static const struct { const char *type, *answer; } cases[] = {
		{ NULL, "{\"id\":\"c\",\"object\":\"chat.completion\",\"service_tier\":\"flex\",\"choices\":[{\"index\":0,\"message\":{\"role\":"
			"\"assistant\",\"content\":\"a\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1,"
			"\"cost\":0.25}}" },
		{ "text/event-stream",
		  "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"service_tier\":\"auto\","
		  "\"choices\":[{\"index\":0,\"delta\":{\"content\":"
		  "\"a\"}}]}\n\ndata: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"service_tier\":\"flex\",\"choices\":[],\"usage\":{"
		  "\"prompt_tokens\":5,\"completion_tokens\":1,\"cost\":0.25}}\n\ndata: [DONE]\n\n" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct feed f = {
			.path = "/v1/chat/completions",
			.body = STR("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"),
			.type = cases[i].type,
			.answer = str_from(cases[i].answer),
		};
		struct observers *l = observers_open(&test_room);
		struct observer *k = feed_run(l, &f);
		const struct observation *s = observer_seen(k);

		test_case("%zu", i);
		CHECK(amount_is_known(s->usd) && s->usd.n == 0.25 && s->usd.source == FIGURE_API);
		CHECK_STR(s->tier, STR("flex"));
		observer_close(k);
		observers_close(l);
	}
}

TEST(a_message_that_was_cut_is_not_counted_by_what_its_beginning_said)
{
	struct feed f = {
		.path = "/v1/messages",
		.body = STR("{\"model\":\"m\",\"stream\":true,\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"),
		.type = "text/event-stream",
		.answer = STR(EVENT("message_start", "\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\","
						     "\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":7,\"output_tokens\":1}}")
			      EVENT("content_block_delta", "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"12345678901234567890\"}")),
		.how = PROXY_CLIENT_LEFT,
	};
	struct observers *l = observers_open(&test_room);
	struct observer *k = feed_run(l, &f);
	const struct observation *s = observer_seen(k);

	CHECK_INT(s->usage.input.n, 7);
	CHECK_INT(s->usage.input.source, FIGURE_API);
	CHECK_INT(s->usage.output.n, 5);
	CHECK_INT(s->usage.output.source, FIGURE_ESTIMATED);
	observer_close(k);
	observers_close(l);
}

/* ---- packed bodies ---- */

static struct str pack_zlib(struct arena *a, struct str text, int bits)
{
	z_stream z = { .zalloc = NULL };
	size_t room = text.n + 1024;
	char *out = arena_array(a, char, room);

	CHECK(deflateInit2(&z, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	z.next_in = (unsigned char *)(uintptr_t)text.p;
	z.avail_in = (unsigned)text.n;
	z.next_out = (unsigned char *)out;
	z.avail_out = (unsigned)room;
	CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
	deflateEnd(&z);
	return str_of(out, room - z.avail_out);
}

static struct str pack_zstd(struct arena *a, struct str text)
{
	size_t room = ZSTD_compressBound(text.n);
	char *out = arena_array(a, char, room);

	return str_of(out, ZSTD_compress(out, room, text.p, text.n, 3));
}

TEST(packed_bodies_are_read_as_plain_ones)
{
	static const char *const words[] = { "gzip", "deflate", "deflate", "zstd", "GZip" };
	const struct feed *plain = &bodies[0].feed;
	struct observers *l = observers_open(&test_room);
	struct buf whole, text;
	struct arena a;

	buf_init(&whole);
	buf_init(&text);
	arena_init(&a);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const int bits[] = { 31, 15, -15, 0, 31 };
		struct feed f = *plain, same = *plain;
		struct observer *k;

		f.body = bits[i] ? pack_zlib(&a, plain->body, bits[i]) : pack_zstd(&a, plain->body);
		f.answer = bits[i] ? pack_zlib(&a, plain->answer, bits[i]) : pack_zstd(&a, plain->answer);
		f.headers[0] = f.answer_headers[0] = (struct http_header){ STR("Content-Encoding"), str_from(words[i]) };
		for (size_t piece = 1; piece < 9; piece++) {
			const struct observation *s;

			f.piece = piece;
			k = feed_run(l, &same);
			feed_text(&whole, observer_seen(k));
			observer_close(k);
			k = feed_run(l, &f);
			s = observer_seen(k);
			feed_text(&text, s);
			test_case("%s, %d, in pieces of %zu", words[i], bits[i], piece);
			check_words(buf_str(&text), bodies[0].sees);
			CHECK(!s->partial && s->token_ns && s->content_ns);
			/* but for the clocks everything is the same */
			CHECK_STR(str_of(text.p + str_find(buf_str(&text), STR(" input=")), 40),
				  str_of(whole.p + str_find(buf_str(&whole), STR(" input=")), 40));
			observer_close(k);
		}
	}
	buf_free(&whole);
	buf_free(&text);
	arena_free(&a);
	observers_close(l);
}

TEST(what_cannot_be_unpacked_is_other_and_not_partial)
{
	struct feed f = bodies[0].feed;
	struct observers *l = observers_open(&test_room);
	struct observer *k;

	f.answer_headers[0] = (struct http_header){ STR("content-encoding"), STR("br") };
	k = feed_run(l, &f);
	CHECK(!observer_seen(k)->partial && !observer_seen(k)->failed);
	CHECK_INT(observer_seen(k)->kind, OBSERVED_MODEL);
	CHECK_INT(observer_seen(k)->usage.output.n, 0);
	CHECK_INT(observer_seen(k)->usage.output.source, FIGURE_ESTIMATED);
	observer_close(k);
	f.headers[0] = f.answer_headers[0];
	k = feed_run(l, &f);
	CHECK_INT(observer_seen(k)->kind, OBSERVED_MODEL);
	CHECK_INT(observer_seen(k)->usage.input.n, 0);
	observer_close(k);
	observers_close(l);
}

TEST(a_damaged_packed_answer_is_partial)
{
	struct feed f = bodies[0].feed;
	struct observers *l = observers_open(&test_room);
	struct observer *k;

	f.answer_headers[0] = (struct http_header){ STR("content-encoding"), STR("gzip") };
	f.answer = STR("\x1f\x8b\x08 not really gzip at all");
	k = feed_run(l, &f);
	CHECK(observer_seen(k)->partial);
	observer_close(k);
	observers_close(l);
}

/* ---- bounds ---- */

TEST(an_event_beyond_the_limit_makes_the_answer_partial_and_does_not_stop_it)
{
	struct feed f = bodies[0].feed;
	struct observers *l = observers_open(&test_room);
	struct buf answer;
	struct observer *k;

	buf_init(&answer);
	buf_add_str(&answer, STR("data: {\"x\":\""));
	while (answer.n < (size_t)9 << 20)
		buf_add_str(&answer, STR("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"));
	buf_add_str(&answer, STR("\"}\n\n"));
	buf_add_str(&answer, f.answer);
	f.answer = buf_str(&answer);
	f.coarse = true;
	f.piece = 100000;
	k = feed_run(l, &f);
	CHECK(observer_seen(k)->partial);
	CHECK_INT(observer_seen(k)->usage.input.n, 9);
	observer_close(k);
	buf_free(&answer);
	observers_close(l);
}

TEST(what_was_lost_makes_the_answer_partial)
{
	const struct feed *f = &bodies[0].feed;
	struct observer_arrival at = { .end = f->answer.n, .ns = FEED_BEGUN + 9 };
	struct observers *l = observers_open(&test_room);
	struct observer *k = feed_open(l, f);

	observer_answer(k, f->answer, &at, 1, true);
	observer_end(k, PROXY_WHOLE, FEED_BEGUN + 10);
	CHECK(observer_seen(k)->partial);
	CHECK_INT(observer_seen(k)->usage.input.n, 9);
	observer_close(k);
	observers_close(l);
}

TEST(many_looks_may_be_open_at_once)
{
	struct observers *l = observers_open(&test_room);
	struct observer *open[200];
	struct buf text, first;

	buf_init(&text);
	buf_init(&first);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < 200; i++)
			open[i] = feed_open(l, &bodies[i % BODIES].feed);
		for (size_t i = 0; i < 200; i++)
			feed_answer(open[i], &bodies[i % BODIES].feed);
		for (size_t i = 0; i < 200; i++) {
			feed_text(&text, observer_seen(open[i]));
			check_words(buf_str(&text), bodies[i % BODIES].sees);
			observer_close(open[i]);
		}
	}
	buf_free(&text);
	buf_free(&first);
	observers_close(l);
}

/* ---- content ---- */

TEST(nothing_of_what_was_said_is_in_an_observation)
{
	struct observers *l = observers_open(&test_room);
	struct buf text;
	size_t canaries = 0;

	buf_init(&text);
	for (size_t i = 0; i < BODIES; i++) {
		struct observer *k = feed_run(l, &bodies[i].feed);

		test_case("%s", bodies[i].name);
		canaries += holds(bodies[i].feed.body, "canary") + holds(bodies[i].feed.answer, "canary");
		CHECK(!holds(feed_text(&text, observer_seen(k)), "canary"));
		observer_close(k);
	}
	CHECK(canaries >= BODIES);
	buf_free(&text);
	observers_close(l);
}
