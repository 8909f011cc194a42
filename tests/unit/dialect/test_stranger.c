#include "dialect/stranger.h"

#include "harness/test.h"

/* Parses for as long as the test lives. */
static struct val value_of(struct json_parser *p, const char *text)
{
	struct val v;

	CHECK(json_parse_copy(p, str_from(text), &v, NULL));
	return v;
}

TEST(others_are_named_and_it_is_known_which_are_surely_logs)
{
	static const struct {
		const char *text, *what;
		bool is_log;
	} cases[] = {
		{ "{\"seq\":1,\"ts\":\"t\",\"type\":\"message_append\",\"payload\":{\"message\":{}}}",
		  "the journal of a gptme conversation", false },
		{ "[{\"sessionId\":\"s\",\"title\":\"t\",\"dateCreated\":\"1\",\"workspaceDirectory\":\"/w\"}]",
		  "the list of Continue's sessions", false },
		{ "{\"traces\":[{\"object\":\"trace\",\"spans\":[]}]}", "a trace of the OpenAI Agents SDK", true },
		{ "{\"kind\":\"scope\",\"atof_version\":\"0.1\",\"uuid\":\"u\"}", "a log of NeMo's agent toolkit (ATOF)", true },
		{ "{\"messages\":[]}", "a list of messages", false },
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
	CHECK(s.is_damaged);
	CHECK(stranger_find_damaged(STR("version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 1\n"), &s));
	CHECK(str_has(str_from(s.what), STR("Git LFS pointer")));
	CHECK(!s.is_damaged); /* it never was JSON */
	CHECK(!stranger_find_damaged(STR(""), &s));
	CHECK(!s.help);
	CHECK(stranger_find_damaged(STR("SQLite format 3\0and more"), &s));
	CHECK(s.help && str_has(str_from(s.help), STR("export its tables as JSON")));
}
