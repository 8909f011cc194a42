#include "dialect/dialect.h"

#include "dialect/formats.h"
#include "harness/test.h"

static const char *detect(const char *text, bool lines)
{
	struct json_parser *p = dialect_detect_open();
	size_t n = strlen(text);
	char *padded = test_alloc(n + JSON_PAD);
	const struct dialect *d;

	memcpy(padded, text, n);
	d = dialect_detect(p, str_of(padded, n), lines, NULL);
	json_parser_close(p);
	return d ? d->name : "none";
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

TEST(only_the_first_eight_lines_decide)
{
	CHECK_STR(str_from(detect("1\n2\n3\n4\n5\n6\n7\n{\"schema_version\":\"agent-trace/v1\"}\n", true)),
		  STR("agent-trace"));
	CHECK_STR(str_from(detect("1\n2\n3\n4\n5\n6\n7\n8\n{\"schema_version\":\"agent-trace/v1\"}\n", true)), STR("none"));
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
		CHECK((*d)->title && (*d)->file && (*d)->unit && (*d)->ops && (*d)->rules && (*d)->forms);
		for (const struct rule *r = (*d)->rules; r->code; r++) {
			test_case("%s", r->code);
			CHECK(dialect_find_rule(r->code, NULL) == r || (*d)->rules != agent_trace_dialect.rules);
		}
	}
}
