#include "bench/validate/validator.h"

#include "base/buf.h"
#include "harness/test.h"
#include "json/json.h"

static void check_words(const char *json, const char *want)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct buf out;
	struct val v;

	test_case("%s", json);
	buf_init(&out);
	CHECK(json_parse_copy(p, str_from(json), &v, NULL));
	validator_add_words(&out, v);
	CHECK_STR(buf_str(&out), str_from(want));
	buf_free(&out);
	json_parser_close(p);
}

TEST(a_validator_is_told_in_words_with_its_members)
{
	check_words("{\"type\":\"exact\",\"value\":\"42\"}", "is exactly \"42\"\n");
	check_words("{\"type\":\"max_sentences\"}", "has at most one sentence\n");
	check_words("{\"type\":\"max_sentences\",\"value\":2}", "has at most this many sentences: 2\n");
	check_words("{\"type\":\"json_keys\",\"required_keys\":[\"a\"]}", "is a JSON object with the keys [\"a\"]\n");
	check_words("{\"type\":\"tool_sequence\",\"tools\":[\"a\",\"b\"],\"exact\":true}",
		    "calls the tools [\"a\",\"b\"] in this order; no others: true\n");
	check_words("{\"type\":\"noop\"}", "says anything: it is not judged\n");
}

TEST(groups_are_told_line_by_line)
{
	check_words("{\"type\":\"all_of\",\"validators\":[{\"type\":\"max_words\",\"value\":3},"
		    "{\"type\":\"not\",\"validator\":{\"type\":\"contains\",\"value\":\"x\"}},{\"type\":\"exact\",\"value\":\"y\"}]}",
		    "meets all of these:\n- has at most this many words: 3\n- does not meet this:\n  - contains \"x\"\n- is exactly \"y\"\n");
	check_words("{\"type\":\"any_of\",\"validators\":[]}", "meets one of these:\n");
}

TEST(what_is_not_known_or_too_deep_is_shown_as_it_is_written)
{
	struct buf text, want;

	check_words("{\"type\":\"spell\",\"value\":1}", "{\"type\":\"spell\",\"value\":1}\n");
	check_words("{\"type\":\"exact\"}", "{\"type\":\"exact\"}\n");
	check_words("{}", "{}\n");
	check_words("[1]", "");
	check_words("{\"type\":\"not\",\"validator\":7}", "does not meet this:\n");
	check_words("{\"type\":\"tool_args\",\"args\":{}}", "calls the tool ? with the arguments {}\n");
	buf_init(&text);
	buf_init(&want);
	for (int i = 0; i < 9; i++) {
		buf_add_str(&text, STR("{\"type\":\"not\",\"validator\":"));
		for (int k = 0; k < i; k++)
			buf_add_str(&want, k + 1 < i ? STR("  ") : STR("- "));
		buf_add_str(&want, i < 8 ? STR("does not meet this:\n") : STR("{\"type\":\"not\",\"validator\":{\"type\":\"noop\"}}\n"));
	}
	buf_add_str(&text, STR("{\"type\":\"noop\"}}}}}}}}}}"));
	buf_add_byte(&text, '\0');
	buf_add_byte(&want, '\0');
	check_words(text.p, want.p);
	buf_free(&text);
	buf_free(&want);
}
