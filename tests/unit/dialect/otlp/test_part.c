#include "dialect/otlp/part.h"

#include "dialect/writing.h"
#include "harness/test.h"

static struct arena arena;

/* What becomes of a value, and what comes back of that. */
static void check(const char *text, const char *want, bool tools)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct buf out = { 0 }, back = { 0 };
	struct val v = writing_parse(p, str_from(text));

	if (tools)
		otlp_tools_put(&out, v);
	else
		otlp_part_put(&out, v);
	if (want)
		CHECK_STR(buf_str(&out), str_from(want));
	v = writing_parse(p, buf_str(&out));
	if (tools)
		otlp_tools_back(&back, v);
	else
		otlp_part_back(&back, v, &arena);
	CHECK_STR(buf_str(&back), str_from(text));
	buf_free(&out);
	buf_free(&back);
	json_parser_close(p);
}

TEST(parts_get_the_shape_of_the_conventions_and_come_back_as_they_were)
{
	static const struct { const char *text, *part; } cases[] = {
		{ "{\"type\":\"text\",\"text\":\"a\\\"b\"}", "{\"type\":\"text\",\"content\":\"a\\\"b\",\"trackway.part\":\"text\"}" },
		{ "{\"type\":\"text\",\"text\":\"a\",\"cache_control\":{\"type\":\"e\"}}",
		  "{\"type\":\"text\",\"content\":\"a\",\"cache_control\":{\"type\":\"e\"},\"trackway.part\":\"text\"}" },
		{ "{\"type\":\"input_text\",\"text\":\"a\"}", "{\"type\":\"text\",\"content\":\"a\",\"trackway.part\":\"input_text\"}" },
		{ "{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"s\"}",
		  "{\"type\":\"reasoning\",\"content\":\"t\",\"signature\":\"s\",\"trackway.part\":\"thinking\"}" },
		{ "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"AA==\"}}",
		  "{\"type\":\"blob\",\"modality\":\"image\",\"mime_type\":\"image/png\",\"content\":\"AA==\","
		  "\"trackway.part\":\"image_base64\"}" },
		{ "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://h/i\"}}",
		  "{\"type\":\"uri\",\"modality\":\"image\",\"uri\":\"https://h/i\",\"trackway.part\":\"image_url\"}" },
		{ "{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,AA==\",\"detail\":\"low\"}",
		  "{\"type\":\"blob\",\"modality\":\"image\",\"mime_type\":\"image/png\",\"content\":\"AA==\",\"detail\":\"low\","
		  "\"trackway.part\":\"input_image\"}" },
		{ "\"plain\"", "{\"type\":\"text\",\"content\":\"plain\",\"trackway.part\":\"string\"}" },
		{ "{\"odd\":[1]}", "{\"type\":\"text\",\"content\":\"{\\\"odd\\\":[1]}\",\"trackway.part\":\"json\"}" },
		/* as the conventions have it */
		{ "{\"type\":\"text\",\"content\":\"a\"}", "{\"type\":\"text\",\"content\":\"a\"}" },
		{ "{\"type\":\"tool_call_response\",\"response\":1}", "{\"type\":\"tool_call_response\",\"response\":1}" },
		/* members that would meet, and types that are no texts */
		{ "{\"type\":\"text\",\"text\":\"a\",\"content\":\"b\"}", NULL },
		{ "{\"type\":\"text\",\"text\":\"a\",\"trackway.part\":\"json\"}", NULL },
		{ "{\"type\":\"text\",\"content\":\"[1]\",\"trackway.part\":\"json\"}", NULL },
		{ "{\"type\":\"text\",\"text\":7}", NULL },
		{ "{\"type\":\"tool_call_response\",\"result\":\"r\"}", NULL },
		{ "{\"type\":\"image_url\",\"image_url\":{\"url\":\"u\",\"detail\":\"low\"}}", NULL },
		{ "null", NULL },
	};

	arena_init(&arena);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		check(cases[i].text, cases[i].part, false);
	}
	arena_free(&arena);
}

TEST(tools_get_the_shape_of_the_conventions_and_come_back_as_they_were)
{
	static const struct { const char *text, *list; } cases[] = {
		{ "[\"Bash\"]", "[{\"type\":\"function\",\"name\":\"Bash\",\"trackway.tool\":\"name\"}]" },
		{ "[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{}}}]",
		  "[{\"type\":\"function\",\"name\":\"f\",\"parameters\":{},\"trackway.tool\":\"function\"}]" },
		{ "[{\"input_schema\":{\"type\":\"object\"},\"name\":\"f\",\"description\":\"d\"}]",
		  "[{\"type\":\"function\",\"name\":\"f\",\"description\":\"d\",\"parameters\":{\"type\":\"object\"},"
		  "\"trackway.tool\":\"input_schema\"}]" },
		{ "[{\"name\":\"f\",\"parameters\":{}}]",
		  "[{\"type\":\"function\",\"name\":\"f\",\"parameters\":{},\"trackway.tool\":\"untyped\"}]" },
		{ "[{\"type\":\"web_search\"}]",
		  "[{\"name\":\"web_search\",\"type\":\"web_search\",\"trackway.tool\":\"unnamed\"}]" },
		{ "[{\"type\":\"function\",\"name\":\"f\"}]", "[{\"type\":\"function\",\"name\":\"f\"}]" },
		{ "[{\"functionDeclarations\":[]},7,null]",
		  "[{\"type\":\"function\",\"name\":\"unknown\",\"value\":{\"functionDeclarations\":[]},\"trackway.tool\":\"value\"},"
		  "{\"type\":\"function\",\"name\":\"unknown\",\"value\":7,\"trackway.tool\":\"value\"},"
		  "{\"type\":\"function\",\"name\":\"unknown\",\"value\":null,\"trackway.tool\":\"value\"}]" },
		{ "[{\"name\":\"f\",\"input_schema\":{},\"parameters\":{}}]", NULL },
		{ "[{\"type\":\"function\",\"name\":\"f\",\"trackway.tool\":\"name\"}]", NULL },
		{ "[]", "[]" },
	};

	arena_init(&arena);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		check(cases[i].text, cases[i].list, true);
	}
	arena_free(&arena);
}
