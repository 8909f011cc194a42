#include "provider/mock_script.h"

#include "base/file.h"
#include "harness/test.h"

#define RULE(text) "{\"schema\":\"trackway.mock/1\",\"rules\":[" text "]}"

static struct mock_script read_script(struct arena *a, const char *text)
{
	struct err err = { .kind = ERR_NONE };
	struct mock_script s;

	if (!mock_script_parse(a, str_from(text), STR("s.json"), &s, &err))
		FAIL("%s", err.text);
	return s;
}

TEST(a_script_with_everything_is_read)
{
	struct mock_script s;
	const struct mock_rule *r;
	struct arena a;

	arena_init(&a);
	s = read_script(&a, RULE("{\"match\":{\"path\":\"/chat\",\"model\":\"gpt-*\",\"contains\":\"x\",\"last\":\"y\",\"times\":3,\"nth\":2},"
				 "\"reply\":{\"text\":\"t\\u00e9\",\"reasoning\":\"r\",\"finish\":\"length\","
				 "\"tool_calls\":[{\"name\":\"n\",\"arguments\":{ \"a\" : \" b \\\" c\" }}],"
				 "\"usage\":{\"input\":5,\"output\":6,\"cache_read\":1,\"cache_write\":2,\"reasoning\":3}},"
				 "\"pace\":{\"ttft_ms\":7,\"itl_ms\":8,\"chunk\":9},"
				 "\"fault\":{\"status\":503,\"headers\":{\"Retry-After\":2,\"x\":\" y \"},\"cut_after\":3,"
				 "\"bad_json\":true,\"stall_ms\":4}}, {}"));
	CHECK_INT(s.count, 2);
	r = &s.rules[0];
	CHECK_STR(r->match.path, STR("/chat"));
	CHECK_STR(r->match.model, STR("gpt-*"));
	CHECK_STR(r->match.contains, STR("x"));
	CHECK_STR(r->match.last, STR("y"));
	CHECK_INT(r->match.nth, 2);
	CHECK_INT(r->match.times, 3);
	CHECK_STR(r->reply.text, STR("t\xC3\xA9"));
	CHECK_STR(r->reply.reasoning, STR("r"));
	CHECK_STR(r->reply.finish, STR("length"));
	CHECK_INT(r->reply.call_count, 1);
	CHECK_STR(r->reply.calls[0].name, STR("n"));
	CHECK_STR(r->reply.calls[0].arguments, STR("{\"a\":\" b \\\" c\"}"));
	CHECK_INT(r->reply.usage.input, 5);
	CHECK_INT(r->reply.usage.output, 6);
	CHECK_INT(r->reply.usage.cache_read, 1);
	CHECK_INT(r->reply.usage.cache_write, 2);
	CHECK_INT(r->reply.usage.reasoning, 3);
	CHECK_INT(r->pace.ttft_ms, 7);
	CHECK_INT(r->pace.itl_ms, 8);
	CHECK_INT(r->pace.chunk, 9);
	CHECK_INT(r->fault.status, 503);
	CHECK_INT(r->fault.header_count, 2);
	CHECK_STR(r->fault.headers[0].name, STR("Retry-After"));
	CHECK_STR(r->fault.headers[0].value, STR("2"));
	CHECK_STR(r->fault.headers[1].value, STR("y"));
	CHECK(r->fault.cuts && r->fault.cut_plain && r->fault.cut_events == 3);
	CHECK(r->fault.bad_json && !r->echoes);
	CHECK_INT(r->fault.stall_ms, 4);
	arena_free(&a);
}

TEST(what_a_script_does_not_say_is_known_as_such)
{
	struct mock_script s;
	struct arena a;

	arena_init(&a);
	s = read_script(&a, RULE("{\"reply\":{\"usage\":{\"input\":0}},\"pace\":{\"chunk\":\"word\"}}"));
	CHECK(s.rules[0].echoes && !s.rules[0].match.path.p && !s.rules[0].reply.text.p);
	CHECK(s.rules[0].reply.usage.input == 0 && s.rules[0].reply.usage.output == MOCK_UNSAID);
	CHECK_INT(s.rules[0].pace.chunk, 0);
	CHECK(!s.rules[0].fault.cuts);
	CHECK_INT(read_script(&a, RULE("")).count, 0);
	arena_free(&a);
}

TEST(arguments_may_be_text_and_are_an_object_where_they_can_be)
{
	static const struct {
		const char *given, *arguments, *object;
	} cases[] = {
		{ "{ }", "{}", "{}" },
		{ "\"{\\\"a\\\": 1}\"", "{\"a\": 1}", "{\"a\":1}" },
		{ "\"{broken\"", "{broken", "{}" },
		{ "\"[1]\"", "[1]", "{}" },
		{ "\"\"", "", "{}" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = arena_printf(&a, RULE("{\"reply\":{\"tool_calls\":[{\"name\":\"n\",\"arguments\":%s}]}}"),
					       cases[i].given);
		struct mock_script s = read_script(&a, text.p);

		test_case("%s", cases[i].given);
		CHECK_STR(s.rules[0].reply.calls[0].arguments, str_from(cases[i].arguments));
		CHECK_STR(s.rules[0].reply.calls[0].object, str_from(cases[i].object));
	}
	arena_free(&a);
}

TEST(a_cut_counts_events_or_bytes)
{
	struct mock_script s;
	struct arena a;

	arena_init(&a);
	s = read_script(&a, RULE("{\"fault\":{\"cut_after\":{\"events\":2}}},{\"fault\":{\"cut_after\":{\"bytes\":0}}}"));
	CHECK(s.rules[0].fault.cut_events == 2 && s.rules[0].fault.cut_bytes == MOCK_UNSAID && !s.rules[0].fault.cut_plain);
	CHECK(s.rules[1].fault.cut_bytes == 0 && s.rules[1].fault.cut_events == MOCK_UNSAID);
	arena_free(&a);
}

TEST(a_wrong_script_is_refused_with_place_and_remedy)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "{", "s.json:1:2: the script is not JSON: expected a name in quotes or '}', found the end of the text" },
		{ "[]", "s.json: a mock script is an object with \"schema\" and \"rules\"" },
		{ "{\"rules\":[]}", "s.json: a mock script begins with \"schema\": \"trackway.mock/1\"" },
		{ "{\"schema\":\"trackway.mock/1\"}", "s.json: the script has no \"rules\"; an empty list is enough" },
		{ "{\"schema\":\"trackway.mock/2\",\"rules\":[]}",
		  "s.json:1:11: /schema should be \"trackway.mock/1\", found \"trackway.mock/2\"" },
		{ "{\"schema\":\"trackway.mock/1\",\n \"rules\":{}}", "s.json:2:10: /rules should be a list of rules, found {}" },
		{ RULE("\n7"), "s.json:2:1: /rules/0 should be an object, found 7" },
		{ RULE("{\n  \"mach\":{}}"),
		  "s.json:2:3: /rules/0 has an unknown member \"mach\"; known are match, reply, pace, fault" },
		{ RULE("{\"reply\":{\"txt\":1}}"), "s.json:1:48: /rules/0/reply has an unknown member \"txt\"; "
						   "known are text, reasoning, tool_calls, usage, finish" },
		{ RULE("{\"reply\":{\"text\":1}}"), "s.json:1:55: /rules/0/reply/text should be a string, found 1" },
		{ RULE("{\"match\":{\"times\":0}}"),
		  "s.json:1:56: /rules/0/match/times should be a whole number from 1 to 1000000000, found 0" },
		{ RULE("{\"match\":{\"nth\":0}}"),
		  "s.json:1:54: /rules/0/match/nth should be a whole number from 1 to 1000000000, found 0" },
		{ RULE("{\"pace\":{\"ttft_ms\":-1}}"),
		  "s.json:1:57: /rules/0/pace/ttft_ms should be a whole number from 0 to 3600000, found -1" },
		{ RULE("{\"pace\":{\"itl_ms\":1.5}}"),
		  "s.json:1:56: /rules/0/pace/itl_ms should be a whole number from 0 to 3600000, found 1.5" },
		{ RULE("{\"pace\":{\"chunk\":\"line\"}}"),
		  "s.json:1:55: /rules/0/pace/chunk should be \"word\", or a number of characters from 1 to 1000000, found \"line\"" },
		{ RULE("{\"fault\":{\"status\":200}}"),
		  "s.json:1:57: /rules/0/fault/status should be the status of an error, from 400 to 599, found 200" },
		{ RULE("{\"fault\":{\"bad_json\":1}}"), "s.json:1:59: /rules/0/fault/bad_json should be true or false, found 1" },
		{ RULE("{\"fault\":{\"headers\":[]}}"), "s.json:1:58: /rules/0/fault/headers should be an object of headers, found []" },
		{ RULE("{\"fault\":{\"headers\":{\"a b\":\"\"}}}"),
		  "s.json:1:65: /rules/0/fault/headers/a b should be under a name of letters, digits and dashes, found \"\"" },
		{ RULE("{\"fault\":{\"headers\":{\"a\":\"b\\r\\nc: d\"}}}"), "s.json:1:63: /rules/0/fault/headers/a should be "
									    "a header's value, without control characters, found \"b\\r\\nc: d\"" },
		{ RULE("{\"fault\":{\"headers\":{\"Content-LENGTH\":\"1\"}}}"),
		  "s.json:1:76: /rules/0/fault/headers/Content-LENGTH should be left out: Content-Length, Transfer-Encoding and "
		  "Connection are the server's, found \"1\"" },
		{ RULE("{\"fault\":{\"headers\":{\"a\":null}}}"),
		  "s.json:1:63: /rules/0/fault/headers/a should be a string or a number, found null" },
		{ RULE("{\"fault\":{\"cut_after\":\"3\"}}"),
		  "s.json:1:60: /rules/0/fault/cut_after should be a number of events, {\"events\": N} or {\"bytes\": N}, found \"3\"" },
		{ RULE("{\"fault\":{\"cut_after\":{\"lines\":3}}}"),
		  "s.json:1:61: /rules/0/fault/cut_after has an unknown member \"lines\"; known are events, bytes" },
		{ RULE("{\"reply\":{\"tool_calls\":{}}}"),
		  "s.json:1:61: /rules/0/reply/tool_calls should be a list of {\"name\", \"arguments\"} or {\"name\", \"input\"}, found {}" },
		{ RULE("{\"reply\":{\"tool_calls\":[{\"name\":\"n\",\"input\":{}}]}}"),
		  "s.json:1:82: /rules/0/reply/tool_calls/0/input should be a string, found {}" },
		{ RULE("{\"reply\":{\"tool_calls\":[{\"name\":\"n\",\"input\":\"\",\"arguments\":{}}]}}"),
		  "s.json:1:62: /rules/0/reply/tool_calls/0 should be a call with \"arguments\" or \"input\", not both, "
		  "found {\"name\":\"n\",\"input\":\"\",\"arguments\":{}}" },
		{ RULE("{\"reply\":{\"tool_calls\":[{}]}}"),
		  "s.json:1:62: /rules/0/reply/tool_calls/0 should be a call with a \"name\", found {}" },
		{ RULE("{\"reply\":{\"tool_calls\":[{\"name\":\"n\",\"arguments\":[]}]}}"),
		  "s.json:1:86: /rules/0/reply/tool_calls/0/arguments should be an object, or a string that is sent as it stands, "
		  "found []" },
		{ RULE("{\"reply\":{\"usage\":{\"input\":1,\"cache_read\":2}}}"),
		  "s.json:1:56: /rules/0/reply/usage should be such that input, which includes the cached tokens, is not less "
		  "than they are, found {\"input\":1,\"cache_read\":2}" },
		{ RULE("{\"reply\":{\"usage\":{\"output\":1,\"reasoning\":2}}}"),
		  "s.json:1:56: /rules/0/reply/usage should be such that output, which includes reasoning, is not less than it is, "
		  "found {\"output\":1,\"reasoning\":2}" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { .kind = ERR_NONE };
		struct mock_script s;

		test_case("%s", cases[i].text);
		CHECK(!mock_script_parse(&a, str_from(cases[i].text), STR("s.json"), &s, &err));
		CHECK_STR(str_from(err.text), str_from(cases[i].message));
		CHECK_INT(err.kind, ERR_DATA);
	}
	arena_free(&a);
}

TEST(the_shipped_example_is_a_script)
{
	struct mock_script s = { .rules = NULL, .count = 0 };
	struct err err = { .kind = ERR_NONE };
	struct arena a;

	arena_init(&a);
	if (!mock_script_parse(&a, test_read("doc/examples/mock.json"), STR("mock.json"), &s, &err))
		FAIL("%s", err.text);
	CHECK(s.count > 3);
	arena_free(&a);
}
