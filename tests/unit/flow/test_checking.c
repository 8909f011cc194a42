#include "flow/checking.h"

#include <string.h>

#include "dialect/formats.h"
#include "harness/test.h"

/* Checks pieces of a text one after the other; a piece is gone when the next comes. */
static const struct validate_input *check(struct checking *c, const struct dialect *as, const char *const *pieces,
					  size_t count, bool lines)
{
	struct checking_result result = { 0 };
	struct check_chunk in = { .first_line = 1, .lines = lines };
	struct checking_tools tools;
	char held[4096];

	checking_tools_init(&tools, as, c->options);
	checking_begin(c, STR("x"));
	for (size_t i = 0; i < count; i++) {
		size_t n = strlen(pieces[i]);

		checking_lose(c);
		memset(held, 'x', sizeof(held));
		memcpy(held, pieces[i], n);
		memset(held + n, 0, JSON_PAD);
		in.bytes = str_of(held, n);
		checking_scan(&tools, &in, &result);
		checking_add(c, &in, &result);
		in.origin += n;
		in.first_line++;
	}
	checking_end(c);
	checking_result_free(&result);
	checking_tools_free(&tools);
	return &c->input;
}

TEST(the_first_chunk_decides_and_later_ones_are_done_again_if_they_look_otherwise)
{
	static const char *const pieces[] = { "{\"role\":\"user\",\"content\":\"a\"}\n",
					      "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"x\"}\n",
					      "nonsense\n" };
	struct check_options options = { .finding_limit = 50 };
	struct checking c;

	checking_init(&c, &options);
	CHECK(check(&c, NULL, pieces, 3, true)->dialect == &conversation_dialect);
	CHECK_INT(c.input.tally.records, 2);
	CHECK(c.findings.errors >= 2 && c.input.bytes > 80 && !c.input.failure);
	CHECK(check(&c, NULL, pieces + 1, 1, true)->dialect == &agent_trace_dialect);
	CHECK_STR(str_from(c.findings.kept[0].code), STR("AT011"));
	CHECK(check(&c, &jsonl_dialect, pieces, 3, true)->dialect == &jsonl_dialect);
	CHECK_INT(c.findings.errors, 1);
	checking_free(&c);
}

TEST(text_of_no_format_is_told_for_what_it_is)
{
	static const struct {
		const char *pieces[2];
		enum validate_text_kind text;
		const char *code, *message;
	} cases[] = {
		{ { "" }, TEXT_BLANK, "V002", "the file is empty" },
		{ { " \n", "\n" }, TEXT_BLANK, "V002", "the file holds nothing but white space" },
		{ { " \n", "x\n" }, TEXT_OTHER, "V001", "this is not JSON text" },
		{ { "hello\n" }, TEXT_OTHER, "V001", "this is not JSON text" },
		{ { "{}\n" }, TEXT_JSON, "V001", "the file is not in a format that can be checked" },
		{ { "\xff\xfe{" }, TEXT_UTF16, "V001", "this is UTF-16 text, and JSON is read as UTF-8" },
		{ { "{\"resourceSpans\":[]}\n" }, TEXT_JSON, "V001",
		  "this looks like an OpenTelemetry trace; 'trackway convert' reads it" },
		{ { "{\"observations\":[],\"trace\":{}}\n" }, TEXT_JSON, "V001",
		  "this looks like a Langfuse trace, which has no rules here" },
	};
	struct check_options options = { .finding_limit = 50 };
	struct checking c;

	checking_init(&c, &options);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].message);
		CHECK(check(&c, NULL, cases[i].pieces, cases[i].pieces[1] ? 2 : 1, true)->dialect == NULL);
		CHECK_INT(c.input.text, cases[i].text);
		CHECK_STR(str_from(c.findings.kept[0].code), str_from(cases[i].code));
		CHECK_STR(c.findings.kept[0].message, str_from(cases[i].message));
	}
	checking_free(&c);
}

TEST(a_file_that_fails_keeps_what_was_found_and_gets_no_word_about_its_format)
{
	static const char *const good[] = { "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"x\"}\n" };
	struct check_options options = { .finding_limit = 50 };
	struct err why;
	struct checking c;

	err_set(&why, ERR_IO, "gone");
	checking_init(&c, &options);
	checking_begin(&c, STR("y"));
	checking_fail(&c, &why);
	CHECK(checking_end(&c)->failure != NULL);
	CHECK_INT(c.findings.errors, 0);
	CHECK_STR(str_from(c.input.failure->text), STR("gone"));
	CHECK(check(&c, NULL, good, 1, true)->failure == NULL);
	checking_free(&c);
}
