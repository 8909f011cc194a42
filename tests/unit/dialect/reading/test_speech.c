#include "dialect/reading/speech.h"

#include "harness/test.h"

TEST(what_was_said_is_one_text)
{
	static const struct {
		const char *json, *text;
		bool whole;
	} cases[] = {
		{ "\"a\\nb\"", "a\nb", true },
		{ "\"\"", "", true },
		{ "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\\\"\"}]", "a\nb\"", false },
		{ "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\"}]",
		  "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\"}]", false },
		{ "[]", "[]", false },
		{ "{\"a\":1}", "{\"a\":1}", false },
		{ "7", "7", false },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool whole;

		test_case("%s", cases[i].json);
		CHECK_STR(speech_text(&a, p, str_from(cases[i].json), &whole), str_from(cases[i].text));
		CHECK_INT(whole, cases[i].whole);
	}
	arena_free(&a);
	json_parser_close(p);
}
