#include "bench/validate/validator.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "unit/bench/judging.h"

struct trial {
	const char *validator, *answer;
	enum verdict_pass pass;
	const char *violation; /* "" for none */
	const char *parsed;    /* NULL: not looked at */
};

static struct verdict run_one(struct judging *j, const char *validator, struct validator_input *in)
{
	struct validator_options options = { .allow_commands = true, .unsandboxed = true };
	struct val v = judging_read(j, validator);
	const struct validator *compiled = validator_new(&j->arena, v, &options, &j->problems);

	if (!compiled)
		FAIL("%s: %.*s", validator, STR_ARG(judging_told(j)));
	if (in->tools.count == 0)
		in->tools = detect_tools(&j->arena, (struct detect_how){ DETECT_DEFAULT, NULL, 0 }, in->output, NULL, 0);
	return validator_run(compiled, &j->arena, in);
}

static void check_trials(const struct trial *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct validator_input in = { .output = str_from(cases[i].answer), .output_tokens = 12 };
		struct judging j;
		struct verdict v;

		test_case("%s on %s", cases[i].validator, cases[i].answer);
		v = run_one(&j, cases[i].validator, &in);
		CHECK_INT(v.pass, cases[i].pass);
		CHECK_STR(v.violation, str_from(cases[i].violation));
		if (cases[i].parsed)
			CHECK_STR(v.parsed, str_from(cases[i].parsed));
		judging_free(&j);
	}
}

#define CHECK_TRIALS(cases) check_trials(cases, sizeof(cases) / sizeof(cases[0]))
#define Y VERDICT_TRUE
#define N VERDICT_FALSE
#define NIL VERDICT_NULL

TEST(the_answer_as_text)
{
	static const struct trial cases[] = {
		{ "{\"type\":\"noop\"}", "x", NIL, "", "" },
		{ "{\"type\":\"exact\",\"value\":\"OK\"}", " \t\r\nOK\n", Y, "", "{\"text\":\"OK\"}" },
		{ "{\"type\":\"exact\",\"value\":\"OK\"}", "\xC2\xA0OK", N, "exact_mismatch want='OK'", NULL },
		{ "{\"type\":\"one_of\",\"values\":[\"yes\",\"it's\"]}", "yes", Y, "", "{\"text\":\"yes\"}" },
		{ "{\"type\":\"one_of\",\"values\":[\"yes\",\"it's\"]}", "Yes", N, "not_one_of ['yes', \"it's\"]", "{\"text\":\"Yes\"}" },
		{ "{\"type\":\"regex_fullmatch\",\"pattern\":\"[0-9]+\"}", "16", Y, "", "{\"text\":\"16\"}" },
		{ "{\"type\":\"regex_fullmatch\",\"pattern\":\"[0-9]+\"}", "16G", N, "regex_fullmatch_failed pattern='[0-9]+'", NULL },
		{ "{\"type\":\"max_words\",\"value\":2}", "a b", Y, "", "{\"words\":2,\"text\":\"a b\"}" },
		{ "{\"type\":\"max_words\",\"value\":2}", "a b c", N, "too_many_words got=3 limit=2", "{\"words\":3,\"text\":\"a b c\"}" },
		{ "{\"type\":\"max_words\",\"value\":0}", " ", Y, "", "{\"words\":0,\"text\":\"\"}" },
		{ "{\"type\":\"max_sentences\"}", "RAM 7.6 GiB.", Y, "", "{\"sentences\":1,\"text\":\"RAM 7.6 GiB.\"}" },
		{ "{\"type\":\"max_sentences\",\"value\":1}", "A. B", N, "too_many_sentences got=2 limit=1", NULL },
		{ "{\"type\":\"max_sentences\",\"value\":2}", "Hm?!\xE2\x80\x83Yes...", Y, "", NULL },
		{ "{\"type\":\"exact_bullets\",\"value\":2}", "- a\n\n  -b\nc \n", Y, "", "{\"bullets\":2,\"lines\":[\"- a\",\"  -b\",\"c\"]}" },
		{ "{\"type\":\"exact_bullets\",\"value\":1}", "* a", N, "bullet_count got=0 want=1", "{\"bullets\":0,\"lines\":[\"* a\"]}" },
		{ "{\"type\":\"max_tokens\",\"value\":12}", "x", Y, "", "{\"tokens\":12}" },
		{ "{\"type\":\"max_tokens\",\"value\":11}", "x", N, "too_many_tokens got=12 limit=11", "{\"tokens\":12}" },
	};

	CHECK_TRIALS(cases);
}

TEST(what_an_answer_contains)
{
	static const struct trial cases[] = {
		{ "{\"type\":\"contains\",\"value\":\"b\"}", "abc", Y, "", "{\"text\":\"abc\"}" },
		{ "{\"type\":\"contains\",\"value\":\"B\"}", "abc", N, "not_contained 'B'", NULL },
		{ "{\"type\":\"contains\",\"value\":\"B\",\"ignore_case\":true}", "abc", Y, "", NULL },
		{ "{\"type\":\"contains\",\"values\":[\"a\",\"x\"]}", "abc", N, "not_contained 'x'", NULL },
		{ "{\"type\":\"contains\",\"values\":[\"a\",\"C\"],\"ignore_case\":true}", "abc", Y, "", NULL },
		{ "{\"type\":\"contains\",\"pattern\":\"b.?$\"}", "abc", Y, "", NULL },
		{ "{\"type\":\"contains\",\"pattern\":\"^b\"}", "abc", N, "not_contained pattern='^b'", NULL },
	};

	CHECK_TRIALS(cases);
}

TEST(json_in_an_answer)
{
	static const struct trial cases[] = {
		{ "{\"type\":\"json_keys\",\"required_keys\":[\"a\"]}", "{\"a\": 1}", Y, "", "{\"a\":1}" },
		{ "{\"type\":\"json_keys\",\"required_keys\":[\"a\"]}", "So:\n```json\n{\"a\": [1, {\"b\": \"x y\"}]}\n```\n{}", Y, "",
		  "{\"a\":[1,{\"b\":\"x y\"}]}" },
		{ "{\"type\":\"json_keys\",\"required_keys\":[\"a\"]}", "I say {\"a\":{}} here", Y, "", "{\"a\":{}}" },
		{ "{\"type\":\"json_keys\",\"required_keys\":[\"a\"]}", "{\"a\":1,\"b\":2,\"a\":{\"c\":1,\"c\":3}}", Y, "",
		  "{\"b\":2,\"a\":{\"c\":3}}" },
		{ "{\"type\":\"json_keys\",\"required_keys\":[]}", "{\"\\ud800\":\"\\udfff\"}", Y, "",
		  "{\"\xEF\xBF\xBD\":\"\xEF\xBF\xBD\"}" },
		{ "{\"type\":\"json_keys\",\"required_keys\":[\"a\"]}", "[1]", N, "json_not_object", "" },
		{ "{\"type\":\"json_keys\",\"required_keys\":[\"a\",\"b\"]}", "{\"a\":1}", N, "missing_key:b", "{\"a\":1}" },
		{ "{\"type\":\"json_keys\",\"required_keys\":[],\"key_rules\":{\"a\":{\"type\":\"one_of\",\"values\":[\"x\",1]}}}",
		  "{\"a\":true}", N, "key_rule_one_of_failed:a", "{\"a\":true}" },
		{ "{\"type\":\"json_keys\",\"required_keys\":[],\"key_rules\":{\"a\":{\"type\":\"one_of\",\"values\":[\"x\",1]}}}",
		  "{\"a\":1.0}", Y, "", NULL },
		{ "{\"type\":\"json_keys\",\"required_keys\":[],\"key_rules\":{\"a\":{\"type\":\"number\"}}}", "{\"a\":\"7\"}", N,
		  "key_rule_number_failed:a", NULL },
		{ "{\"type\":\"json_keys\",\"required_keys\":[],\"key_rules\":{\"a\":{\"type\":\"integer\"}}}", "{\"a\":7.5}", N,
		  "key_rule_integer_failed:a", NULL },
		{ "{\"type\":\"json_keys\",\"required_keys\":[],\"key_rules\":{\"a\":{\"type\":\"null\"}}}", "{}", Y, "", "{}" },
		{ "{\"type\":\"json_schema\",\"schema\":{\"required\":[\"a\"]}}", "{\"a\":1}", Y, "", "{\"a\":1}" },
		{ "{\"type\":\"json_schema\",\"schema\":{\"properties\":{\"a\":{\"type\":\"string\"}}}}", "{\"a\":1}", N,
		  "json_schema_failed keyword=type at=/a", "{\"a\":1}" },
		{ "{\"type\":\"json_schema\",\"schema\":{\"$ref\":\"#\"}}", "1", N, "json_schema_limit keyword=limit at=/", "" },
	};
	struct validator_input in = { .output = STR("{\"a\":}"), .output_tokens = -1 };
	struct judging j;

	CHECK_TRIALS(cases);
	CHECK(str_starts(run_one(&j, "{\"type\":\"json_keys\",\"required_keys\":[]}", &in).violation, STR("json_parse_error: expected")));
	judging_free(&j);
}

TEST(tools_that_an_answer_calls)
{
	static const struct trial cases[] = {
		{ "{\"type\":\"tool_invocation\",\"expected_tools\":[\"Free\",\"du\"]}", "`free -h`", Y, "",
		  "{\"detected_tools\":[\"free\"],\"count\":1}" },
		{ "{\"type\":\"tool_invocation\",\"expected_tools\":[\"free\",\"du\"]}", "it's", N,
		  "no_tool_invocation expected=['free', 'du']", "{\"detected_tools\":[],\"count\":0}" },
		{ "{\"type\":\"tool_invocation\",\"expected_tools\":[]}", "`x`", Y, "", NULL },
		{ "{\"type\":\"tool_sequence\",\"tools\":[\"a\",\"c\"]}", "`a` `b` `c`", Y, "",
		  "{\"detected_tools\":[\"a\",\"b\",\"c\"],\"count\":3}" },
		{ "{\"type\":\"tool_sequence\",\"tools\":[\"c\",\"a\"]}", "`a` `c`", N, "tool_sequence want=['c', 'a'] got=['a', 'c']", NULL },
		{ "{\"type\":\"tool_sequence\",\"tools\":[\"a\",\"c\"],\"exact\":true}", "`a` `b` `c`", N,
		  "tool_sequence want=['a', 'c'] got=['a', 'b', 'c']", NULL },
		{ "{\"type\":\"tool_args\",\"tool\":\"free\",\"args\":{}}", "`free`", N, "no_tool_call tool='free'", NULL },
	};

	CHECK_TRIALS(cases);
}

TEST(arguments_of_calls_that_the_service_reported)
{
	static const struct validator_call calls[] = { { { "Search", 6 }, { "{\"q\":\"x\",\"n\":2.0,\"o\":[]}", 24 } },
						       { { "other", 5 }, { "{", 1 } } };
	static const struct str names[] = { { "Search", 6 }, { "other", 5 } };
	static const struct {
		const char *validator;
		enum verdict_pass pass;
		const char *violation;
	} cases[] = {
		{ "{\"type\":\"tool_args\",\"tool\":\"search\",\"args\":{\"n\":2}}", Y, "" },
		{ "{\"type\":\"tool_args\",\"tool\":\"search\",\"args\":{\"n\":3}}", N, "tool_args_mismatch tool='search'" },
		{ "{\"type\":\"tool_args\",\"tool\":\"search\",\"schema\":{\"required\":[\"q\"]}}", Y, "" },
		{ "{\"type\":\"tool_args\",\"tool\":\"search\",\"schema\":{\"required\":[\"z\"]}}", N, "tool_args_mismatch tool='search'" },
		{ "{\"type\":\"tool_args\",\"tool\":\"other\",\"args\":{}}", N, "tool_args_mismatch tool='other'" },
		{ "{\"type\":\"tool_args\",\"tool\":\"none\",\"args\":{}}", N, "no_tool_call tool='none'" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct validator_input in = { .output = STR(""), .tools = { TOOLS_FROM_API, names, 2 }, .calls = calls, .call_count = 2 };
		struct judging j;
		struct verdict v;

		test_case("%s", cases[i].validator);
		v = run_one(&j, cases[i].validator, &in);
		CHECK_INT(v.pass, cases[i].pass);
		CHECK_STR(v.violation, str_from(cases[i].violation));
		CHECK_STR(v.parsed, STR("{\"detected_tools\":[\"Search\",\"other\"],\"count\":2}"));
		judging_free(&j);
	}
}

#define A "{\"type\":\"exact\",\"value\":\"a\"}"
#define B "{\"type\":\"exact\",\"value\":\"b\"}"
#define NOOP "{\"type\":\"noop\"}"

TEST(validators_made_of_others)
{
	static const struct trial cases[] = {
		{ "{\"type\":\"all_of\",\"validators\":[" NOOP "," A "]}", "a", Y, "",
		  "{\"results\":[{\"type\":\"noop\",\"objective_pass\":null,\"violation\":null},"
		  "{\"type\":\"exact\",\"objective_pass\":true,\"violation\":null}]}" },
		{ "{\"type\":\"all_of\",\"validators\":[" A "," B "]}", "a", N, "all_of: exact_mismatch want='b'", NULL },
		{ "{\"type\":\"all_of\",\"validators\":[" NOOP "]}", "a", NIL, "", NULL },
		{ "{\"type\":\"any_of\",\"validators\":[" A "," B "]}", "b", Y, "", NULL },
		{ "{\"type\":\"any_of\",\"validators\":[" A "," NOOP "," B "]}", "c", N,
		  "any_of: exact_mismatch want='a'; exact_mismatch want='b'", NULL },
		{ "{\"type\":\"any_of\",\"validators\":[" NOOP "]}", "a", NIL, "", NULL },
		{ "{\"type\":\"not\",\"validator\":" A "}", "b", Y, "", NULL },
		{ "{\"type\":\"not\",\"validator\":" A "}", "a", N, "not_failed exact", NULL },
		{ "{\"type\":\"not\",\"validator\":" NOOP "}", "a", NIL, "", NULL },
		{ "{\"type\":\"not\",\"validator\":{\"type\":\"any_of\",\"validators\":[" A ",{\"type\":\"all_of\",\"validators\":[" B "]}]}}",
		  "c", Y, "", NULL },
		{ "{\"type\":\"not\",\"validator\":{\"type\":\"json_schema\",\"schema\":{\"$ref\":\"#\"}}}", "1", N,
		  "json_schema_limit keyword=limit at=/", NULL },
	};

	CHECK_TRIALS(cases);
}

TEST(a_program_judges_by_its_exit_status)
{
	static const struct trial cases[] = {
		{ "{\"type\":\"command\",\"argv\":[\"grep\",\"-q\",\"yes\"]}", "well, yes", Y, "", "{\"status\":0}" },
		{ "{\"type\":\"command\",\"argv\":[\"grep\",\"-q\",\"yes\"]}", "no", N, "command_failed status=1", "{\"status\":1}" },
		{ "{\"type\":\"command\",\"argv\":[\"/nonexistent/x\"]}", "no", N, "command_error: no such program", "" },
		{ "{\"type\":\"command\",\"argv\":[\"sleep\",\"60\"],\"timeout_ms\":50}", "no", N, "command_timeout", "" },
		{ "{\"type\":\"command\",\"argv\":[\"sh\",\"-c\",\"sleep 60 & kill -9 $$\"]}", "no", N, "command_error: ended by a signal", "" },
		{ "{\"type\":\"command\",\"argv\":[\"sh\",\"-c\",\"test -z \\\"$SECRET_KEY\\\" && test -n \\\"$PATH\\\"\"]}", "", Y, "", NULL },
		{ "{\"type\":\"not\",\"validator\":{\"type\":\"command\",\"argv\":[\"false\"]}}", "", Y, "", NULL },
		{ "{\"type\":\"not\",\"validator\":{\"type\":\"command\",\"argv\":[\"/nonexistent/x\"]}}", "", N,
		  "command_error: no such program", NULL },
	};
	uint64_t start = clock_mono_ns();

	setenv("SECRET_KEY", "geheim", 1);
	CHECK_TRIALS(cases);
	CHECK(clock_mono_ns() - start < (uint64_t)30 * 1000000000u * test_slower());
}

TEST(bytes_that_are_not_utf8_become_replacement_characters)
{
	static const struct trial cases[] = {
		{ "{\"type\":\"exact\",\"value\":\"a\"}", "a\xFF\xC3", N, "exact_mismatch want='a'", "{\"text\":\"a\xEF\xBF\xBD\xEF\xBF\xBD\"}" },
		{ "{\"type\":\"regex_fullmatch\",\"pattern\":\"a..\"}", "a\xFF\xC3", Y, "", NULL },
	};

	CHECK_TRIALS(cases);
}

TEST(a_match_that_is_given_up_is_a_violation_of_its_own)
{
	struct validator_input in = { .output_tokens = -1 };
	char *text = test_alloc(40000);
	struct judging j;
	struct verdict v;

	memset(text, 'a', 40000);
	in.output = str_of(text, 40000);
	v = run_one(&j, "{\"type\":\"regex_fullmatch\",\"pattern\":\"(a|a)*[bc]\"}", &in);
	CHECK_INT(v.pass, N);
	CHECK_STR(v.violation, STR("regex_limit pattern='(a|a)*[bc]'"));
	judging_free(&j);
	v = run_one(&j, "{\"type\":\"not\",\"validator\":{\"type\":\"contains\",\"pattern\":\"(a|a)*[bc]\"}}", &in);
	CHECK_INT(v.pass, N);
	CHECK_STR(v.violation, STR("regex_limit pattern='(a|a)*[bc]'"));
	judging_free(&j);
}

TEST(what_is_wrong_with_a_validator_is_told_when_it_is_compiled)
{
	static const struct {
		const char *validator, *told;
	} cases[] = {
		{ "[]", "BS005 ;" },
		{ "{}", "BS004 ;" },
		{ "{\"type\":\"exakt\"}", "BS009 /type;" },
		{ "{\"type\":1}", "BS009 /type;" },
		{ "{\"type\":\"exact\"}", "BS004 ;" },
		{ "{\"type\":\"exact\",\"value\":1}", "BS005 /value;" },
		{ "{\"type\":\"one_of\",\"values\":[]}", "BS010 /values;" },
		{ "{\"type\":\"one_of\",\"values\":[\"a\",1,2]}", "BS005 /values/1;BS005 /values/2;" },
		{ "{\"type\":\"regex_fullmatch\",\"pattern\":\"[\"}", "BS011 /pattern;" },
		{ "{\"type\":\"max_words\",\"value\":\"8\"}", "BS005 /value;" },
		{ "{\"type\":\"max_words\",\"value\":1.5}", "BS005 /value;" },
		{ "{\"type\":\"max_words\",\"value\":-1}", "BS010 /value;" },
		{ "{\"type\":\"json_keys\"}", "BS004 ;" },
		{ "{\"type\":\"json_keys\",\"required_keys\":\"a\",\"key_rules\":1}", "BS005 /required_keys;BS005 /key_rules;" },
		{ "{\"type\":\"json_keys\",\"required_keys\":[],\"key_rules\":{\"a\":{\"type\":\"float\"},\"b\":1,"
		  "\"c\":{\"type\":\"one_of\"},\"d\":{}}}",
		  "BS010 /key_rules/a/type;BS005 /key_rules/b;BS004 /key_rules/c;BS004 /key_rules/d;" },
		{ "{\"type\":\"contains\"}", "BS004 ;" },
		{ "{\"type\":\"contains\",\"value\":\"a\",\"pattern\":\"b\"}", "BS004 ;" },
		{ "{\"type\":\"contains\",\"value\":\"a\",\"ignore_case\":1}", "BS005 /ignore_case;" },
		{ "{\"type\":\"tool_args\",\"tool\":\"a\"}", "BS004 ;" },
		{ "{\"type\":\"tool_args\",\"tool\":\"a\",\"args\":[]}", "BS005 /args;" },
		{ "{\"type\":\"all_of\",\"validators\":[]}", "BS010 /validators;" },
		{ "{\"type\":\"all_of\",\"validators\":[{\"type\":\"x\"},{\"type\":\"not\",\"validator\":1}]}",
		  "BS009 /validators/0/type;BS005 /validators/1/validator;" },
		{ "{\"type\":\"json_schema\",\"schema\":{\"format\":1}}", "BS012 /schema/format;" },
		{ "{\"type\":\"command\",\"argv\":[\"x\"]}", "BS013 ;" },
	};
	struct validator_options options = { .allow_commands = false };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct judging j;
		struct val v = judging_read(&j, cases[i].validator);

		test_case("%s", cases[i].validator);
		CHECK(!validator_new(&j.arena, v, &options, &j.problems));
		CHECK_STR(judging_told(&j), str_from(cases[i].told));
		judging_free(&j);
	}
}

TEST(a_member_without_meaning_is_a_warning)
{
	struct validator_options options = { .allow_commands = false };
	struct judging j;
	struct val v = judging_read(&j, "{\"type\":\"noop\",\"value\":1}");

	CHECK(validator_new(&j.arena, v, &options, &j.problems));
	CHECK_STR(judging_told(&j), STR("BS007 /value;"));
	judging_free(&j);
}

TEST(too_many_validators_inside_one_are_refused)
{
	struct validator_options options = { .allow_commands = false };
	struct buf text;
	struct judging j;
	struct val v;

	buf_init(&text);
	for (size_t i = 0; i <= VALIDATOR_NODES; i++)
		buf_add_str(&text, STR("{\"type\":\"not\",\"validator\":"));
	buf_add_str(&text, STR(NOOP));
	for (size_t i = 0; i <= VALIDATOR_NODES; i++)
		buf_add_byte(&text, '}');
	buf_add_byte(&text, '\0');
	v = judging_read(&j, text.p);
	CHECK(!validator_new(&j.arena, v, &options, &j.problems));
	CHECK_STR(str_from(j.findings.kept[0].code), STR("BS017"));
	judging_free(&j);
	buf_free(&text);
}

TEST(a_validator_knows_its_type_and_the_tools_it_expects)
{
	struct validator_options options = { .allow_commands = false };
	const struct validator *c;
	const struct str *tools;
	struct judging j;
	size_t count;
	struct val v = judging_read(&j, "{\"type\":\"tool_invocation\",\"expected_tools\":[\"free\"]}");

	c = validator_new(&j.arena, v, &options, &j.problems);
	CHECK_STR(str_from(validator_type(c)), STR("tool_invocation"));
	tools = validator_expected_tools(c, &count);
	CHECK_INT(count, 1);
	CHECK_STR(tools[0], STR("free"));
	judging_free(&j);
	v = judging_read(&j, NOOP);
	CHECK(!validator_expected_tools(validator_new(&j.arena, v, &options, &j.problems), &count) && count == 0);
	judging_free(&j);
}
