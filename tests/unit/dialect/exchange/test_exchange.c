#include "dialect/exchange/exchange.h"

#include "dialect/exchange/http.h"
#include "harness/convert.h"
#include "harness/test.h"

#define URL "https://api.example.com/v1/chat/completions"
#define USER(text) "{\"role\":\"user\",\"content\":\"" text "\"}"
#define SAID(text) "{\"role\":\"assistant\",\"content\":\"" text "\"}"
#define CALL(id, name) \
	"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"" id "\",\"type\":\"function\"," \
	"\"function\":{\"name\":\"" name "\",\"arguments\":\"{\\\"a\\\": 1}\"}}]}"
#define TOOL(id, text) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"" text "\"}"
#define REQUEST(messages) "{\"model\":\"m-1\",\"messages\":[" messages "],\"temperature\":0.5}"
#define ANSWER(id, message) \
	"{\"id\":\"" id "\",\"object\":\"chat.completion\",\"created\":1700000000,\"model\":\"m-1\",\"choices\":[{\"index\":0," \
	"\"message\":" message ",\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2,\"total_tokens\":12}}"
#define EXCHANGE(request, response) \
	"{\"request\":{\"method\":\"POST\",\"url\":\"" URL "\",\"body\":" request "}," \
	"\"response\":{\"status\":200,\"headers\":{},\"body\":" response "}}\n"

static struct arena arena;

static struct str convert(const char *text)
{
	struct str first;
	struct converted c = convert_with(&arena, str_from(text), (struct convert_how){ .to = "otutl" });

	if (!c.done || !c.from)
		FAIL("not read: %s", text);
	if (convert_errors(&arena, "otutl", c.out, &first))
		FAIL("not valid: %.*s\n%.*s", STR_ARG(first), STR_ARG(c.out));
	return c.out;
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

static bool holds(struct str out, const char *text)
{
	return str_find(out, str_from(text)) != (size_t)-1;
}

/* How often a text occurs. */
static size_t times(struct str out, const char *text)
{
	size_t n = 0, at;

	while ((at = str_find(out, str_from(text))) != (size_t)-1) {
		out = str_of(out.p + at + 1, out.n - at - 1);
		n++;
	}
	return n;
}

/* ---- history ---- */

TEST(of_the_history_in_each_request_only_what_is_new_is_told)
{
	struct str out = convert(
		EXCHANGE(REQUEST(USER("first-question")), ANSWER("c1", CALL("t1", "add")))
		EXCHANGE(REQUEST(USER("first-question") "," CALL("t1", "add") "," TOOL("t1", "the-sum")), ANSWER("c2", SAID("first-answer")))
		EXCHANGE(REQUEST(USER("first-question") "," CALL("t1", "add") "," TOOL("t1", "the-sum") "," SAID("first-answer") ","
				 USER("second-question")), ANSWER("c3", SAID("second-answer"))));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.runs, 1);
	CHECK_INT(f.model_steps, 3);
	CHECK_INT(f.tool_calls, 1);
	CHECK_INT(f.tool_results, 1);
	CHECK_INT(f.orphan_calls, 0);
	CHECK_INT(f.input_total, 30);
	CHECK_INT(times(out, "first-question"), 1);
	CHECK_INT(times(out, "second-question"), 1);
	CHECK_INT(times(out, "first-answer"), 1);
}

TEST(calls_that_only_a_history_has_are_told_once_and_are_no_steps)
{
	struct str out = convert(
		EXCHANGE(REQUEST(USER("q") "," CALL("t1", "add") "," TOOL("t1", "2")), ANSWER("c1", CALL("t2", "sub")))
		EXCHANGE(REQUEST(USER("q") "," CALL("t1", "add") "," TOOL("t1", "2") "," CALL("t2", "sub") "," TOOL("t2", "3")),
			 ANSWER("c2", SAID("done"))));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.model_steps, 2);
	CHECK_INT(f.tool_calls, 2);
	CHECK_INT(f.tool_results, 2);
	CHECK_INT(f.orphan_calls, 0);
}

TEST(a_side_question_does_not_tell_the_main_conversation_again)
{
	struct str out = convert(
		EXCHANGE(REQUEST(USER("the-question")), ANSWER("c1", CALL("t1", "add")))
		EXCHANGE(REQUEST(USER("give it a title")), ANSWER("c2", SAID("Sums")))
		EXCHANGE(REQUEST(USER("the-question") "," CALL("t1", "add") "," TOOL("t1", "2")), ANSWER("c3", SAID("two"))));

	CHECK_INT(convert_count(out).model_steps, 3);
	CHECK_INT(convert_count(out).tool_calls, 1);
	CHECK_INT(convert_count(out).tool_results, 1);
	CHECK_INT(times(out, "the-question"), 1);
}

TEST(a_history_that_was_changed_does_not_repeat_its_calls)
{
	struct str out = convert(
		EXCHANGE(REQUEST(USER("long question")), ANSWER("c1", CALL("t1", "add")))
		EXCHANGE(REQUEST(USER("summary") "," CALL("t1", "add") "," TOOL("t1", "2")), ANSWER("c2", SAID("two")))
		EXCHANGE(REQUEST(USER("shorter") "," CALL("t1", "add") "," TOOL("t1", "2")), ANSWER("c3", SAID("again"))));

	CHECK_INT(convert_count(out).tool_calls, 1);
	CHECK_INT(convert_count(out).tool_results, 1);
	CHECK_INT(convert_count(out).model_steps, 3);
}

TEST(ids_that_a_client_uses_for_every_call_do_not_hide_calls)
{
	struct str out = convert(
		EXCHANGE(REQUEST(USER("q")), ANSWER("c1", CALL("0", "add")))
		EXCHANGE(REQUEST(USER("q") "," CALL("0", "add") "," TOOL("0", "2")), ANSWER("c2", CALL("0", "add")))
		EXCHANGE(REQUEST(USER("q") "," CALL("0", "add") "," TOOL("0", "2") "," CALL("0", "add") "," TOOL("0", "3")),
			 ANSWER("c3", SAID("done"))));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.tool_calls, 2);
	CHECK_INT(f.tool_results, 2);
	CHECK_INT(f.orphan_calls, 0);
}

TEST(a_call_that_the_client_renames_stays_the_same)
{
	struct str out = convert(
		EXCHANGE(REQUEST(USER("q")), ANSWER("c1", CALL("t1", "add")))
		EXCHANGE(REQUEST(USER("q") "," CALL("mine", "add") "," TOOL("mine", "2")), ANSWER("c2", CALL("t2", "add")))
		EXCHANGE(REQUEST(USER("q") "," CALL("mine", "add") "," TOOL("mine", "2") "," CALL("mine_too", "add") "," TOOL("mine_too", "3")),
			 ANSWER("c3", SAID("done"))));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.tool_calls, 2);
	CHECK_INT(f.tool_results, 2);
	CHECK_INT(f.orphan_calls, 0);
	CHECK(!holds(out, "\"call_id\":\"mine\""));
}

TEST(tools_and_prompts_that_do_not_change_are_told_once)
{
	struct str out = convert(
		EXCHANGE("{\"model\":\"m\",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"the-tool\"}}],\"messages\":["
			 "{\"role\":\"system\",\"content\":\"the-prompt\"}," USER("q") "]}", ANSWER("c1", SAID("a")))
		EXCHANGE("{\"model\":\"m\",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"the-tool\"}}],\"messages\":["
			 "{\"role\":\"system\",\"content\":\"the-prompt\"}," USER("q") "," SAID("a") "," USER("r") "]}",
			 ANSWER("c2", SAID("b"))));

	CHECK_INT(times(out, "the-tool"), 1);
	CHECK_INT(times(out, "the-prompt"), 1);
	CHECK_INT(convert_count(out).runs, 1);
}

TEST(marks_for_a_cache_do_not_make_a_message_new)
{
	struct str out = convert(
		EXCHANGE(REQUEST("{\"role\":\"user\",\"content\":\"the-question\"}"), ANSWER("c1", SAID("a")))
		EXCHANGE(REQUEST("{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"the-question\","
				 "\"cache_control\":{\"type\":\"ephemeral\"}}]}," SAID("a") "," USER("more")), ANSWER("c2", SAID("b"))));

	CHECK_INT(times(out, "the-question"), 1);
}

/* ---- envelopes ---- */

TEST(every_envelope_gives_the_step_behind_it)
{
	static const struct { const char *name, *text; } cases[] = {
		{ "bodies as objects", EXCHANGE(REQUEST(USER("q")), ANSWER("c1", SAID("yes"))) },
		{ "bodies as texts",
		  "{\"request\":{\"method\":\"POST\",\"url\":\"" URL "\",\"body\":\"{\\\"model\\\":\\\"m\\\",\\\"messages\\\":[{\\\"role\\\":"
		  "\\\"user\\\",\\\"content\\\":\\\"q\\\"}]}\"},\"response\":{\"status\":200,\"body\":\"{\\\"id\\\":\\\"c1\\\",\\\"object\\\":"
		  "\\\"chat.completion\\\",\\\"choices\\\":[{\\\"message\\\":{\\\"content\\\":\\\"yes\\\"}}]}\"}}\n" },
		{ "a stream as text",
		  "{\"request\":{\"url\":\"" URL "\",\"body\":" REQUEST(USER("q")) "},\"response\":{\"status\":200,\"body_text\":"
		  "\"data: {\\\"id\\\":\\\"c1\\\",\\\"object\\\":\\\"chat.completion.chunk\\\",\\\"choices\\\":[{\\\"index\\\":0,\\\"delta\\\":"
		  "{\\\"content\\\":\\\"ye\\\"}}]}\\n\\ndata: {\\\"id\\\":\\\"c1\\\",\\\"object\\\":\\\"chat.completion.chunk\\\","
		  "\\\"choices\\\":[{\\\"index\\\":0,\\\"delta\\\":{\\\"content\\\":\\\"s\\\"},\\\"finish_reason\\\":\\\"stop\\\"}]}\\n\\n"
		  "data: [DONE]\\n\\n\"}}\n" },
		{ "events of a tap",
		  "{\"timestamp\":\"2026-03-10T20:40:00Z\",\"duration_ms\":1200,\"request\":{\"path\":\"/v1/chat/completions\",\"body\":"
		  REQUEST(USER("q")) "},\"response\":{\"status\":200,\"body\":null,\"sse_events\":[{\"event\":\"message\",\"data\":"
		  "\"{\\\"id\\\":\\\"c1\\\",\\\"object\\\":\\\"chat.completion.chunk\\\",\\\"choices\\\":[{\\\"delta\\\":{\\\"content\\\":"
		  "\\\"yes\\\"},\\\"finish_reason\\\":\\\"stop\\\"}]}\"}]}}\n" },
		{ "packets of a tap",
		  "{\"session\":\"s\",\"agent\":\"demo\",\"packets\":[{\"index\":1,\"path\":\"/v1/chat/completions\",\"request\":{"
		  "\"body\":" REQUEST(USER("q")) "},\"response\":{\"status\":200,\"body\":" ANSWER("c1", SAID("yes")) "}}]}" },
		{ "HAR", "{\"log\":{\"version\":\"1.2\",\"entries\":[{\"startedDateTime\":\"2026-03-10T20:40:00.000Z\",\"time\":250,\"request\":{"
		  "\"method\":\"POST\",\"url\":\"" URL "\",\"headers\":[],\"postData\":{\"mimeType\":\"application/json\",\"text\":"
		  "\"{\\\"model\\\":\\\"m\\\",\\\"messages\\\":[{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"q\\\"}]}\"}},\"response\":{"
		  "\"status\":200,\"headers\":[],\"content\":{\"mimeType\":\"application/json\",\"text\":\"{\\\"id\\\":\\\"c1\\\",\\\"object\\\":"
		  "\\\"chat.completion\\\",\\\"choices\\\":[{\\\"message\\\":{\\\"content\\\":\\\"yes\\\"}}]}\"}}}]}}" },
		{ "halves on lines of their own",
		  "{\"timestamp\":\"2025-11-29T08:04:19.427777\",\"type\":\"request\",\"request_params\":" REQUEST(USER("q")) "}\n"
		  "{\"timestamp\":\"2025-11-29T08:04:20.182209\",\"type\":\"response\",\"response\":" ANSWER("c1", SAID("yes")) "}\n" },
		{ "both halves in one object",
		  "{\"n\":1,\"t\":1794855074.64,\"te\":1794855075.5,\"method\":\"POST\",\"path\":\"/v1/chat/completions\",\"headers\":"
		  "[[\"Host\",\"h\"]],\"body\":" REQUEST(USER("q")) ",\"status\":200,\"rheaders\":[[\"x-request-id\",\"req_1\"]],\"rbody\":"
		  ANSWER("c1", SAID("yes")) "}\n" },
		{ "litellm", "{\"messages\":[" USER("q") "],\"tools\":[],\"response\":" ANSWER("c1", SAID("yes"))
		  ",\"cost\":0.1,\"timestamp\":1757015029.090024,\"latency_sec\":3.5}" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str out = convert(cases[i].text);

		test_case("%s", cases[i].name);
		CHECK_INT(convert_count(out).runs, 1);
		CHECK_INT(convert_count(out).model_steps, 1);
		CHECK_STR(get(out, "model_step", 0, "/step_id"), STR("c1"));
		CHECK_STR(get(out, "model_step", 0, "/text"), STR("yes"));
	}
}

TEST(an_envelope_without_halves_says_the_same)
{
	struct str out = convert(
		"{\"t\":1794855074.5,\"te\":1794855075.75,\"method\":\"POST\",\"path\":\"/v1/chat/completions\",\"headers\":"
		"[[\"Authorization\",\"Bearer sesame\"],[\"User-Agent\",\"kept\"]],\"body\":" REQUEST(USER("q")) ",\"status\":200,"
		"\"rheaders\":[[\"x-request-id\",\"req_1\"],[\"set-cookie\",\"sesame\"]],\"answer\":" ANSWER("c1", SAID("yes")) "}\n"
		"{\"path\":\"/v1/chat/completions\",\"body\":" REQUEST(USER("q")) ",\"status\":529,\"answer\":\"overloaded\"}\n");

	CHECK_STR(get(out, "model_step", 0, "/latency_ms"), STR("1250"));
	CHECK_STR(get(out, "model_step", 0, "/request_id"), STR("req_1"));
	CHECK_STR(get(out, "error", 0, "/code"), STR("http_529"));
	CHECK(holds(out, "kept") && !holds(out, "sesame"));
}

/* ---- messages of a socket ---- */

#define ASK "{\\\"type\\\":\\\"response.create\\\",\\\"model\\\":\\\"m\\\",\\\"input\\\":[{\\\"type\\\":\\\"message\\\"," \
	"\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"q\\\"}]}"
#define WARM "{\\\"type\\\":\\\"response.create\\\",\\\"model\\\":\\\"m\\\",\\\"generate\\\":false,\\\"input\\\":[]}"
#define OPENED(id) "{\\\"type\\\":\\\"response.created\\\",\\\"response\\\":{\\\"id\\\":\\\"" id "\\\",\\\"object\\\":" \
	"\\\"response\\\",\\\"status\\\":\\\"in_progress\\\",\\\"output\\\":[]}}"
#define CLOSED(id, in, out, items) "{\\\"type\\\":\\\"response.completed\\\",\\\"response\\\":{\\\"id\\\":\\\"" id "\\\"," \
	"\\\"object\\\":\\\"response\\\",\\\"status\\\":\\\"completed\\\",\\\"output\\\":[" items "],\\\"usage\\\":{\\\"input_tokens\\\":" \
	in ",\\\"output_tokens\\\":" out "}}}"
#define YES "{\\\"type\\\":\\\"message\\\",\\\"id\\\":\\\"i\\\",\\\"role\\\":\\\"assistant\\\",\\\"content\\\":[{\\\"type\\\":" \
	"\\\"output_text\\\",\\\"text\\\":\\\"yes\\\"}]}"
#define SENT(at, text) "{\"type\":\"send\",\"time\":" at ",\"opcode\":1,\"data\":\"" text "\"}"
#define CAME(at, text) "{\"type\":\"receive\",\"time\":" at ",\"opcode\":1,\"data\":\"" text "\"}"
#define LINE(way, at, text) "{\"ts\":" at ",\"direction\":\"" way "\",\"payload\":\"" text "\"}\n"

TEST(messages_of_a_socket_are_requests_and_answers_however_they_are_logged)
{
	static const struct { const char *name, *text; } cases[] = {
		{ "HAR", "{\"log\":{\"entries\":[{\"startedDateTime\":\"2026-03-10T20:40:00.000Z\",\"request\":{\"method\":\"GET\",\"url\":"
		  "\"wss://h/v1/responses\",\"headers\":[{\"name\":\"Authorization\",\"value\":\"sesame\"}]},\"response\":{\"status\":101,"
		  "\"headers\":[]},\"_webSocketMessages\":[" SENT("1794855074.5", WARM) "," CAME("1794855074.6", OPENED("w")) ","
		  CAME("1794855074.7", CLOSED("w", "0", "0", "")) "," SENT("1794855075.5", ASK) "," CAME("1794855075.6", OPENED("r1")) ","
		  CAME("1794855075.75", CLOSED("r1", "7", "2", YES)) "]}]}}" },
		{ "lines", LINE("client", "1794855074.5", WARM) LINE("server", "1794855074.6", OPENED("w"))
		  LINE("server", "1794855074.7", CLOSED("w", "0", "0", "")) LINE("client", "1794855075.5", ASK)
		  LINE("server", "1794855075.6", OPENED("r1")) LINE("server", "1794855075.75", CLOSED("r1", "7", "2", YES)) },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str out = convert(cases[i].text);

		test_case("%s", cases[i].name);
		CHECK_INT(convert_count(out).runs, 1);
		CHECK_INT(convert_count(out).model_steps, 1); /* the first only warms a cache */
		CHECK_STR(get(out, "model_step", 0, "/step_id"), STR("r1"));
		CHECK_STR(get(out, "model_step", 0, "/text"), STR("yes"));
		CHECK_STR(get(out, "model_step", 0, "/usage/input_tokens"), STR("7"));
		CHECK_STR(get(out, "model_step", 0, "/ts"), STR("2026-11-16T18:51:15.750Z"));
		CHECK(holds(out, "prewarm") && !holds(out, "sesame"));
	}
}

TEST(the_envelope_says_where_when_and_how_long)
{
	struct str out = convert(
		"{\"timestamp\":\"2026-03-10T20:40:00.125Z\",\"duration_ms\":1200,\"upstream_base_url\":\"https://up.example.com\","
		"\"request\":{\"method\":\"POST\",\"path\":\"/v1/chat/completions?beta=true&api_key=sesame\",\"body\":"
		"{\"model\":\"m\",\"stream\":false,\"tool_choice\":\"auto\",\"messages\":[" USER("q") "]}},"
		"\"response\":{\"status\":200,\"headers\":{\"X-Request-Id\":\"req_1\"},\"body\":" ANSWER("c1", SAID("yes")) "}}\n");

	CHECK_STR(get(out, "model_step", 0, "/endpoint"), STR("https://up.example.com/v1/chat/completions"));
	CHECK_STR(get(out, "model_step", 0, "/request_id"), STR("req_1"));
	CHECK_STR(get(out, "model_step", 0, "/latency_ms"), STR("1200"));
	CHECK_STR(get(out, "model_step", 0, "/ts"), STR("2026-03-10T20:40:00.125Z"));
	CHECK_STR(get(out, "model_step", 0, "/tool_choice"), STR("auto"));
	CHECK_STR(get(out, "model_step", 0, "/stream"), STR("false"));
	CHECK_STR(get(out, "model_step", 0, "/ext/openai-chat~11/query"), STR("beta=true"));
	CHECK(!holds(out, "sesame"));
}

/* The id of the request is its header's, that of the answer its body's; a step that has none is given a name. */
TEST(the_id_of_an_answer_is_told_apart_from_that_of_its_request_and_from_a_made_up_one)
{
	struct str text = STR("{\"request\":{\"url\":\"" URL "\",\"body\":" REQUEST(USER("q")) "},\"response\":{\"status\":200,"
			      "\"headers\":{\"x-request-id\":\"req_1\"},\"body\":" ANSWER("c1", SAID("yes")) "}}\n");
	struct str out = convert(text.p), trace = convert_text(&arena, "openai-chat", text, "agent-trace");

	CHECK_STR(get(out, "model_step", 0, "/response_id"), STR("c1"));
	CHECK_STR(get(out, "model_step", 0, "/request_id"), STR("req_1"));
	CHECK(holds(trace, "\"request_id\":\"req_1\",") && holds(trace, "\"response_id\":\"c1\""));
	out = convert_text(&arena, "agent-trace", trace, "otutl");
	CHECK_STR(get(out, "model_step", 0, "/response_id"), STR("c1"));
	CHECK(!str_eq(get(out, "model_step", 0, "/step_id"), STR("c1")));
	CHECK(holds(convert_text(&arena, "agent-trace", trace, "agent-trace"), "\"response_id\":\"c1\""));
	out = convert("{\"messages\":[" USER("q") "," SAID("a") "]}\n");
	CHECK(!get(out, "model_step", 0, "/response_id").p);
}

TEST(headers_that_let_others_in_are_gone)
{
	struct str out = convert(
		"{\"request\":{\"method\":\"POST\",\"url\":\"https://me:sesame1@api.example.com/v1/chat/completions?key=sesame2\",\"headers\":"
		"{\"Authorization\":\"Bearer sesame3\",\"Cookie\":\"sesame4\",\"x-api-key\":[\"sesame5\"],\"User-Agent\":\"kept-agent\"},"
		"\"body\":{\"model\":\"m\",\"api_key\":\"sesame6\",\"messages\":[" USER("q") "]}},\"response\":{\"status\":200,"
		"\"headers\":[{\"name\":\"Set-Cookie\",\"value\":\"sesame7\"},{\"name\":\"x-ratelimit-remaining-tokens\",\"value\":\"kept-limit\"}],"
		"\"cookies\":[{\"name\":\"a\",\"value\":\"sesame8\"}],\"body\":" ANSWER("c1", SAID("yes")) "}}\n"
		/* nobody's API: kept, but not its keys */
		"{\"request\":{\"method\":\"POST\",\"url\":\"https://api.example.com/v1/other?token=sesame9\",\"headers\":{\"cookie\":\"sesame10\"},"
		"\"body\":{\"contents\":[]}},\"response\":{\"status\":200,\"body\":{}}}\n");

	CHECK(!holds(out, "sesame"));
	CHECK(holds(out, "kept-agent"));
	CHECK(holds(out, "kept-limit"));
	CHECK_STR(get(out, "model_step", 0, "/endpoint"), STR("https://api.example.com/v1/chat/completions"));
}

TEST(exchanges_of_other_services_are_notes_with_a_reason)
{
	struct str out = convert(
		"{\"request\":{\"method\":\"POST\",\"url\":\"https://g.example.com/v2/rerank\",\"body\":{\"documents\":"
		"[{\"text\":\"the-text\"}]}},\"response\":{\"status\":200,\"body\":{\"results\":[]}}}\n"
		EXCHANGE(REQUEST(USER("q")), ANSWER("c1", SAID("yes")))
		"{\"request\":{\"method\":\"GET\",\"url\":\"https://api.example.com/v1/models\"},"
		"\"response\":{\"status\":200,\"body\":{\"data\":[]}}}\n"
		"{\"request\":{\"method\":\"HEAD\",\"url\":\"https://api.example.com/api/hello\"},\"response\":{\"status\":404}}\n"
		"{\"request\":{\"method\":\"GET\",\"url\":\"https://api.example.com/v1/responses\"},\"response\":{\"status\":426,"
		"\"body\":{\"error\":{\"message\":\"no websocket\",\"type\":\"invalid_request_error\"}}}}\n"
		"{\"request\":{\"url\":\"" URL "\",\"body\":{\"generate\":false,\"messages\":[" USER("q") "]}},\"response\":{\"status\":200,"
		"\"body\":" ANSWER("c2", SAID("warm")) "}}\n");

	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_INT(times(out, "\"unknown_api\""), 4);
	CHECK(!holds(out, "\"type\":\"error\""));
	CHECK_INT(times(out, "\"prewarm\""), 1);
	CHECK(holds(out, "the-text"));
	CHECK_INT(convert_count(out).input_total, 10);
}

TEST(a_status_of_four_hundred_or_more_is_an_error_of_the_model)
{
	static const struct { const char *status, *body, *code, *message, *retryable; } cases[] = {
		{ "429", "{\"error\":{\"message\":\"slow down\",\"type\":\"requests\",\"code\":\"rate_limit_exceeded\"}}", "rate_limit_exceeded",
		  "slow down", "true" },
		{ "400", "{\"error\":{\"message\":\"bad\",\"type\":\"invalid_request_error\",\"code\":null}}", "invalid_request_error", "bad",
		  "false" },
		{ "503", "\"<html>gone</html>\"", "http_503", "the service answered with status 503", "true" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str text = arena_printf(&arena, "{\"request\":{\"url\":\"" URL "\",\"body\":" REQUEST(USER("q"))
					       "},\"response\":{\"status\":%s,\"body\":%s}}\n", cases[i].status, cases[i].body);
		struct str out = convert(text.p);

		test_case("status %s", cases[i].status);
		CHECK_INT(convert_count(out).model_steps, 0);
		CHECK_STR(get(out, "error", 0, "/class"), STR("model"));
		CHECK_STR(get(out, "error", 0, "/code"), str_from(cases[i].code));
		CHECK_STR(get(out, "error", 0, "/message"), str_from(cases[i].message));
		CHECK_STR(get(out, "error", 0, "/retryable"), str_from(cases[i].retryable));
	}
}

TEST(a_stream_in_an_exchange_that_just_ends_is_partial)
{
	static const struct { const char *tail, *partial; } cases[] = {
		{ "", "true" },
		{ "data: [DONE]\\n\\n", "" },
		{ "data: {\\\"id\\\":\\\"c1\\\",\\\"object\\\":\\\"chat.completion.chunk\\\",\\\"choices\\\":[{\\\"delta\\\":{},"
		  "\\\"finish_reason\\\":\\\"stop\\\"}]}\\n\\n", "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str text = arena_printf(&arena, "{\"request\":{\"url\":\"" URL "\",\"body\":" REQUEST(USER("q"))
			"},\"response\":{\"status\":200,\"body_text\":\"data: {\\\"id\\\":\\\"c1\\\",\\\"object\\\":\\\"chat.completion.chunk\\\","
			"\\\"choices\\\":[{\\\"delta\\\":{\\\"role\\\":\\\"assistant\\\",\\\"content\\\":\\\"hi\\\"}}]}\\n\\n%s\"}}\n",
			cases[i].tail);

		test_case("case %zu", i);
		CHECK_STR(get(convert(text.p), "model_step", 0, "/partial"), str_from(cases[i].partial));
	}
}

TEST(exchanges_of_all_three_apis_can_stand_in_one_log)
{
	struct str out = convert(
		EXCHANGE(REQUEST(USER("q")), ANSWER("c1", SAID("yes")))
		"{\"request\":{\"method\":\"POST\",\"url\":\"https://api.example.com/v1/messages\",\"body\":{\"model\":\"a\",\"max_tokens\":9,"
		"\"messages\":[" USER("q") "]}},\"response\":{\"status\":200,\"body\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\","
		"\"model\":\"a\",\"content\":[{\"type\":\"text\",\"text\":\"ja\"}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":5,"
		"\"output_tokens\":1}}}}\n"
		"{\"request\":{\"method\":\"POST\",\"url\":\"https://api.example.com/v1/responses\",\"body\":{\"model\":\"o\",\"input\":\"q\"}},"
		"\"response\":{\"status\":200,\"body\":{\"id\":\"resp_1\",\"object\":\"response\","
		"\"status\":\"completed\",\"model\":\"o\",\"output\":"
		"[{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"oui\"}]}],"
		"\"usage\":{\"input_tokens\":7,\"output_tokens\":1,\"total_tokens\":8}}}}\n");

	CHECK_INT(convert_count(out).model_steps, 3);
	CHECK_INT(convert_count(out).input_total, 22);
	CHECK_STR(get(out, "model_step", 1, "/text"), STR("ja"));
	CHECK_STR(get(out, "model_step", 2, "/text"), STR("oui"));
}

TEST(the_path_of_an_address_is_what_is_between_host_and_query)
{
	static const struct { const char *url, *path; } cases[] = {
		{ "https://h/v1/chat/completions", "/v1/chat/completions" },
		{ "https://h/v1/messages?beta=true#x", "/v1/messages" },
		{ "/v1/responses/", "/v1/responses" },
		{ "https://h", "" },
		{ "https://h?x=/a", "" },
		{ "", "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].url);
		CHECK_STR(exchange_http_path(str_from(cases[i].url)), str_from(cases[i].path));
	}
}

/* Pieces that all say something new are not merged again and again. */
TEST(very_many_pieces_with_something_new_are_kept_in_time)
{
	struct arena a;
	struct buf b;
	struct str out;

	arena_init(&a);
	buf_init(&b);
	for (int i = 0; i < 20000; i++)
		buf_printf(&b, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"k%d\":%d,"
			   "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n", i, i);
	out = convert_text(&a, "openai-chat", buf_str(&b), "otutl");
	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK(str_find(out, STR("\"k19999\":19999")) != (size_t)-1);
	buf_free(&b);
	arena_free(&a);
}
