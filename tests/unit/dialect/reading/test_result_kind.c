#include "dialect/reading/result_kind.h"

#include "harness/test.h"

TEST(a_result_has_the_kind_of_its_media_or_of_what_its_text_is)
{
	static const struct { const char *content, *media, *kind; } cases[] = {
		{ "\"plain words\"", NULL, "text" },
		{ "\"{\\\"a\\\":1}\"", NULL, "json" },
		{ "\" [1,2]\\n\"", NULL, "json" },
		{ "\"{\\\"a\\\":1\"", NULL, "text" }, /* breaks off */
		{ "\"{a}\"", NULL, "text" },
		{ "\"{} {}\"", NULL, "text" },
		{ "\"17\"", NULL, "text" },
		{ "\"\\\"quoted\\\"\"", NULL, "text" },
		{ "\"\"", NULL, "text" },
		{ "{\"a\":1}", NULL, "json" },
		{ "[1,2]", NULL, "json" },
		{ "[]", NULL, "json" },
		{ "true", NULL, "json" },
		{ "null", NULL, NULL },
		{ "", NULL, NULL },
		{ "[{\"text\":\"hello\",\"type\":\"text\"}]", NULL, "text" },
		{ "[{\"text\":\"{\\\"a\\\":1}\",\"type\":\"text\"}]", NULL, "json" },
		{ "[{\"text\":\"{\",\"type\":\"text\"},{\"text\":\"}\",\"type\":\"text\"}]", NULL, "text" },
		{ "[{\"text\":\"a\"}]", NULL, "json" },
		{ "[{\"source\":{},\"type\":\"image\"}]", NULL, "image" },
		{ "\"x\"", "[\"image/png\"]", "image" },
		{ "\"x\"", "[\"application/pdf\"]", "binary" },
		{ "\"x\"", "[]", "text" },
	};
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 64 });
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event e = { .kind = EVENT_RESULT, .content = str_from(cases[i].content) };
		const char *kind;

		if (cases[i].media)
			e.media = str_from(cases[i].media);
		test_case("%s", cases[i].content);
		kind = result_kind(p, &a, &e);
		CHECK_STR(str_from(kind ? kind : "none"), str_from(cases[i].kind ? cases[i].kind : "none"));
	}
	json_parser_close(p);
	arena_free(&a);
}
