#include "dialect/stranger.h"

#include "harness/test.h"

/* Parses for as long as the test lives. */
static struct val value_of(struct json_parser *p, const char *text)
{
	struct val v;

	CHECK(json_parse_copy(p, str_from(text), &v, NULL));
	return v;
}

TEST(logs_that_are_like_ours_are_known_first)
{
	static const struct {
		const char *text, *what;
	} cases[] = {
		{ "{\"sessionId\":\"s\",\"origin\":{\"source\":\"cli\"},\"messages\":[]}", "a Cline session" },
		{ "{\"messages\":[{\"role\":\"user\",\"ts\":1},{\"role\":\"assistant\",\"modelInfo\":{}}]}",
		  "a Cline session" },
		{ "{\"uuid\":\"u\",\"parentUuid\":null,\"sessionId\":\"s\",\"type\":\"user\","
		  "\"message\":{\"role\":\"user\",\"content\":\"a\"}}", NULL },
		{ "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}", NULL },
		{ "{\"role\":\"system\",\"content\":\"a\",\"timestamp\":\"t\",\"pinned\":true,\"hide\":true}", "a gptme conversation" },
		{ "{\"role\":\"assistant\",\"content\":\"a\",\"timestamp\":\"t\",\"metadata\":{\"served_model\":\"m\",\"usage\":{}}}",
		  "a gptme conversation" },
		{ "{\"role\":\"user\",\"content\":\"a\",\"timestamp\":\"t\",\"metadata\":{}}", NULL },
		{ "1", NULL },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stranger s = { .what = NULL };
		bool found = stranger_is_alike(value_of(p, cases[i].text), &s);

		test_case("%s", cases[i].text);
		CHECK(found == (cases[i].what != NULL));
		if (found) {
			CHECK_STR(str_from(s.what), str_from(cases[i].what));
			CHECK(s.is_log);
		}
	}
	json_parser_close(p);
}

TEST(others_are_named_and_it_is_known_which_are_surely_logs)
{
	static const struct {
		const char *text, *what;
		bool is_log;
	} cases[] = {
		{ "{\"type\":\"session\",\"version\":3,\"cwd\":\"/w\"}", "a session of pi", true },
		{ "{\"type\":\"session\",\"id\":\"s\",\"cwd\":\"/w\",\"thinkingLevel\":\"off\"}", "a session of pi", true },
		{ "[{\"run_type\":\"llm\",\"inputs\":{}}]", "a LangSmith run", true },
		{ "{\"type\":\"session.start\",\"data\":{\"copilotVersion\":\"1\"}}", "a GitHub Copilot CLI session", true },
		{ "{\"messages\":[],\"info\":{\"slug\":\"a\",\"projectID\":\"b\"}}", "an opencode session", true },
		{ "{\"messages\":[]}", "a list of messages", false },
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", "an MCP log", false },
		{ "{\"session_id\":\"s\",\"workspace_root\":\"/w\",\"enable_tools\":true}",
		  "the record of a Cline session", false },
		{ "{\"nothing\":1}", NULL, false },
		{ "[]", NULL, false },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stranger s = { .what = NULL };
		bool found = stranger_find(value_of(p, cases[i].text), &s);

		test_case("%s", cases[i].text);
		CHECK(found == (cases[i].what != NULL));
		if (found) {
			CHECK_STR(str_from(s.what), str_from(cases[i].what));
			CHECK(s.is_log == cases[i].is_log);
		}
	}
	json_parser_close(p);
}

TEST(what_a_damaged_document_was_is_seen_in_its_text)
{
	struct stranger s = { .what = NULL };

	CHECK(stranger_find_damaged(STR("{\"version\":2,\"eval\":{\"task_id\":\"t\"},\"plan\":{"), &s));
	CHECK_STR(str_from(s.what), STR("a damaged Inspect log"));
	CHECK(s.is_log);
	CHECK(!stranger_find_damaged(STR("{\"version\":2,\"eval\":{\"task_id\":\"t\"}"), &s));
	CHECK(stranger_find_damaged(STR("{\"schema_version\":\"ATIF-v1.2\",\"steps\":["), &s));
	CHECK(!stranger_find_damaged(STR(""), &s));
}
