#include "unit/lib/report_text.h"

#include "json/json.h"

static struct val parse(struct json_parser *p, struct str text)
{
	struct json_issue issue;
	struct val v;

	if (!json_parse_copy(p, text, &v, &issue))
		FAIL("the report is no JSON: %.*s", STR_ARG(text));
	return v;
}

static struct val member(struct val v, const char *name)
{
	struct val found = val_get(v, str_from(name));

	test_case("%s", name);
	CHECK(!val_is_none(found));
	return found;
}

TEST(the_json_of_any_report_parses_and_has_the_promised_members)
{
	static const char *const texts[] = {
		"", "x", "{}", "{\"agent_trace\":1}", "\xff\xfe\n\n", "[1,2", "{\"resourceSpans\":[]}", "{\"a\\u0000\":1,\"a\\u0000\":2}",
	};
	static const char *const names[] = { "path", "format", "verdict", "errors", "warnings", "events", "findings" };
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (int form = 0; form < 3; form++) {
			static const char *const formats[] = { NULL, "jsonl", "agent-trace" };
			struct tw_validate_options o = { .size = sizeof(o), .format = formats[form] };
			struct val v = parse(p, report_of_memory(str_from(texts[i]), &o));

			for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
				member(v, names[n]);
		}
	json_parser_close(p);
}

TEST(the_json_says_what_the_functions_say)
{
	struct tw_validate_options o = { .size = sizeof(o), .finding_limit = 2 };
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct tw_report *r = tw_validate_file("doc/examples/damaged.agent-trace.jsonl", &o);
	uint64_t all = tw_report_errors(r) + tw_report_warnings(r) + tw_report_infos(r);
	size_t kept = tw_report_finding_count(r), listed = 0;
	char *json = tw_report_json(r);
	struct val v = parse(p, str_from(json)), list = member(v, "findings"), f;
	double number;

	for (struct val_iter it = val_begin(list); val_next(&it, &f); listed++)
		CHECK(val_text_is(member(f, "code"), str_from(tw_report_finding(r, listed)->code)));
	CHECK_INT(listed, kept);
	CHECK_INT(kept, 2);
	CHECK(all > kept);
	CHECK(val_double(member(v, "findings_not_listed"), &number));
	CHECK_INT(number, all - kept);
	tw_text_free(json);
	tw_report_free(r);
	json_parser_close(p);
}

TEST(freeing_nothing_is_fine)
{
	tw_report_free(NULL);
	tw_text_free(NULL);
}

TEST(an_interrupted_run_is_told)
{
	struct str text = test_read("doc/examples/agent-trace.jsonl");
	struct tw_report *r;

	r = tw_validate_memory(text.p, text.n, NULL, NULL);
	CHECK_INT(tw_report_is_interrupted(r), 0);
	tw_report_free(r);
	text.n--;
	while (text.p[text.n - 1] != '\n')
		text.n--;
	r = tw_validate_memory(text.p, text.n, NULL, NULL);
	CHECK_INT(tw_report_is_interrupted(r), 1);
	tw_report_free(r);
}
