#include "dialect/dialect.h"

#include <stdio.h>

#include "dialect/formats.h"
#include "harness/test.h"

static const char *detect_to(const char *text, bool lines, enum dialect_use use, struct dialect_looks *looks)
{
	struct json_parser *p = dialect_detect_open();
	size_t n = strlen(text);
	char *padded = test_alloc(n + JSON_PAD);
	const struct dialect *d;

	memcpy(padded, text, n);
	d = dialect_detect(p, str_of(padded, n), lines, use, looks);
	json_parser_close(p);
	return d ? d->name : "none";
}

static const char *detect(const char *text, bool lines)
{
	return detect_to(text, lines, DIALECT_TO_CHECK, NULL);
}

TEST(formats_are_recognised_by_content)
{
	static const struct {
		const char *text, *name;
	} cases[] = {
		{ "{\"schema_version\":\"agent-trace/v1\"}", "agent-trace" },
		{ "{\"schema_version\":\"agent-trace/v9\"}", "agent-trace" },
		{ "{\"event_type\":\"node\",\"trace_id\":\"a\",\"node_id\":\"b\"}", "agent-trace" },
		{ "{\"type\":\"run_start\",\"run_id\":\"x\",\"seq\":0}", "otutl" },
		{ "{\"version\":1,\"format\":\"aec-bench-trajectory\"}", "trajectory" },
		{ "{\"step\":0,\"role\":\"user\",\"content\":\"x\"}", "trajectory" },
		{ "{\"role\":\"user\",\"content\":\"x\",\"event\":\"message\"}", "conversation" },
		{ "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[]}", "conversation" },
		{ "{\"trial_id\":\"a\",\"experiment_id\":\"b\",\"task\":{},\"agent\":{},\"evaluation\":{}}", "trial" },
		{ "{\"review_id\":\"a\",\"trial_id\":\"t\",\"judgment\":\"pass\"}", "review" },
		{ "{\"record_type\":\"result\",\"run_id\":\"a\",\"provider\":\"p\",\"model\":\"m\",\"prompt_id\":\"P0\"}",
		  "results" },
		{ "not JSON at all", "none" },
		{ "{}", "none" },
		{ "[]", "none" },
		{ "\n\nbroken {\n{\"schema_version\":\"agent-trace/v1\"}", "agent-trace" },
		{ "{\"schema_version\":\"agent-trace/v1\",\"event_ty", "agent-trace" },
		{ "{\"version\":1,\"format\":\"aec-bench-trajectory\"", "trajectory" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_STR(str_from(detect(cases[i].text, true)), str_from(cases[i].name));
	}
}

TEST(only_the_first_fifty_lines_decide)
{
	static const char trace[] = "{\"schema_version\":\"agent-trace/v1\"}\n";
	char text[400];
	size_t n = 0;

	for (int i = 0; i < 49; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%d\n", i);
	memcpy(text + n, trace, sizeof(trace));
	CHECK_STR(str_from(detect(text, true)), STR("agent-trace"));
	memcpy(text + n, "49\n", 3);
	CHECK(dialect_head_is_full(str_of(text, n + 3)));
	CHECK(!dialect_head_is_full(str_of(text, n)));
	memcpy(text + n + 3, trace, sizeof(trace));
	CHECK_STR(str_from(detect(text, true)), STR("none"));
}

TEST(what_is_only_read_is_named_to_whoever_wants_to_check_it)
{
	static const char message[] = "{\"type\":\"message\",\"role\":\"assistant\",\"id\":\"m\",\"model\":\"x\",\"content\":[],"
				      "\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}";
	struct dialect_looks looks;

	CHECK_STR(str_from(detect_to(message, false, DIALECT_TO_READ, &looks)), STR("anthropic"));
	CHECK_STR(str_from(detect_to(message, false, DIALECT_TO_CHECK, &looks)), STR("none"));
	CHECK_STR(str_from(looks.like), STR("an Anthropic message log"));
	CHECK(looks.best == &anthropic_dialect);
	CHECK_STR(str_from(detect_to("{\"trial_id\":\"a\",\"experiment_id\":\"b\",\"task\":{},\"agent\":{},\"evaluation\":{}}",
				     false, DIALECT_TO_READ, &looks)), STR("none"));
	CHECK(looks.best == &trial_dialect);
}

TEST(a_value_to_be_read_may_stand_behind_something_on_its_line)
{
	static const char *const lines[] = {
		"data: {\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\"}",
		"event: x\ndata:{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\"}",
		"INFO:run:{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\"}",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		test_case("%s", lines[i]);
		CHECK_STR(str_from(detect_to(lines[i], true, DIALECT_TO_READ, NULL)), STR("agent-trace"));
	}
}

/* Each in the likeness of something we read: what is taken for a run must be one. */
TEST(what_only_looks_like_a_log_of_ours_is_not_read)
{
	static const struct {
		const char *what, *text;
	} cases[] = {
		{ "a session of pi",
		  "{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n"
		  "{\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[],"
		  "\"api\":\"anthropic-messages\"}}\n"
		  "{\"type\":\"agent_end\",\"messages\":[{\"role\":\"assistant\","
		  "\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}]}" },
		{ "telemetry of an agent", "{\"type\":\"agent.end\",\"agentId\":\"main\",\"messages\":"
		  "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}]}" },
		{ "a stream of Gemini's CLI", "{\"type\":\"init\",\"session_id\":\"s\",\"model\":\"gemini-2.5\"}\n"
		  "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"a\",\"delta\":true}" },
		{ "messages of a web page", "{\"messages\":[{\"id\":\"1\",\"role\":\"user\",\"parts\":[{\"type\":\"text\"}]}]}" },
		{ "a program's log", "{\"level\":\"error\",\"error\":{\"message\":\"disk full\",\"code\":5},\"time\":1}" },
		{ "any error", "{\"error\":{\"message\":\"disk full\"}}" },
		{ "an error with a type", "{\"type\":\"error\",\"error\":{\"type\":\"IOError\",\"message\":\"disk full\"}}" },
		{ "a form", "{\"choices\":[],\"model\":\"estate car\"}" },
		{ "a web server", "{\"request\":{\"method\":\"GET\",\"url\":\"/messages\"},"
		  "\"response\":{\"status\":200,\"body\":\"ok\"}}" },
		{ "a web form", "{\"request\":{\"method\":\"POST\",\"url\":\"/poll/responses\",\"body\":{\"age\":1}},"
		  "\"response\":{\"status\":200,\"body\":{\"ok\":true}}}" },
		{ "another's event", "{\"type\":\"response.text\",\"response\":\"a\"}" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].what);
		CHECK_STR(str_from(detect_to(cases[i].text, true, DIALECT_TO_READ, NULL)), STR("none"));
	}
}

TEST(what_is_like_them_and_ours_is_read)
{
	static const struct {
		const char *name, *text;
	} cases[] = {
		{ "openai-chat", "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},"
		  "{\"role\":\"assistant\",\"content\":\"b\"}]}" },
		{ "openai-chat", "{\"error\":{\"message\":\"no such model\",\"type\":\"invalid_request_error\",\"code\":null}}" },
		{ "openai-chat", "{\"choices\":[],\"created\":0,\"id\":\"\",\"model\":\"\",\"object\":\"\"}" },
		{ "anthropic", "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"a\"}}" },
		{ "anthropic", "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"model\":\"m\"}" },
		{ "anthropic", "{\"request\":{\"method\":\"POST\",\"url\":\"/v1/messages\","
		  "\"body\":\"{\\\"model\\\":\\\"m\\\"}\"},"
		  "\"response\":{\"status\":200,\"body\":\"\"}}" },
		{ "openai-responses", "{\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"a\"}" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_STR(str_from(detect_to(cases[i].text, true, DIALECT_TO_READ, NULL)), str_from(cases[i].name));
	}
}

/* Inspect writes NaN for what has no score. */
TEST(what_is_to_be_read_may_hold_nan)
{
	static const char log[] = "{\"version\":2,\"eval\":{\"task\":\"t\"},\"results\":{\"value\":NaN}}";

	CHECK_STR(str_from(detect_to(log, false, DIALECT_TO_READ, NULL)), STR("inspect"));
	CHECK_STR(str_from(detect_to(log, true, DIALECT_TO_READ, NULL)), STR("inspect"));
}

TEST(a_damaged_document_is_named)
{
	static const char half[] = "{\"version\":2,\"eval\":{\"task_id\":\"t\"},\"plan\":{";
	struct dialect_looks looks;

	CHECK_STR(str_from(detect_to(half, false, DIALECT_TO_READ, &looks)), STR("none"));
	CHECK(looks.is_damaged && looks.is_log);
	CHECK_STR(str_from(looks.like), STR("a damaged Inspect log"));
	CHECK_STR(str_from(detect_to("{\"sessionId\":\"s\",\"projectHash\":\"h\",\"messages\":[{", false, DIALECT_TO_READ, &looks)),
		  STR("none"));
	CHECK_STR(str_from(looks.like), STR("a damaged Gemini CLI session"));
}

TEST(while_more_may_come_only_a_value_decides)
{
	static const char torn[] = "{\"schema_version\":\"agent-trace/v1\",\"event_ty";

	CHECK_STR(str_from(detect_to(torn, true, DIALECT_TO_READ, NULL)), STR("agent-trace"));
	CHECK_STR(str_from(detect_to(torn, true, DIALECT_TO_READ_ON, NULL)), STR("none"));
}

TEST(names_and_codes_are_found_and_none_is_used_twice)
{
	const struct dialect *owner;

	CHECK(dialect_find(STR("agent-trace")) == &agent_trace_dialect);
	CHECK(dialect_find(STR("nothing")) == NULL);
	CHECK(dialect_find_rule("AT041", &owner) != NULL && owner == &agent_trace_dialect);
	CHECK(dialect_find_rule("V001", &owner) != NULL && owner == NULL);
	CHECK(dialect_find_rule("AT999", NULL) == NULL);
	for (const struct dialect *const *d = dialects; *d; d++) {
		CHECK(dialect_find(str_from((*d)->name)) == *d);
		CHECK((*d)->title && (*d)->file && (*d)->unit && ((*d)->ops || (*d)->read) && (*d)->rules && (*d)->forms);
		for (const struct rule *r = (*d)->rules; r->code; r++) {
			test_case("%s", r->code);
			CHECK(dialect_find_rule(r->code, NULL) == r || (*d)->rules != agent_trace_dialect.rules);
		}
	}
}
