#include "dialect/autogen/repr.h"
#include "harness/test.h"

TEST(objects_of_python_become_json)
{
	static const struct { const char *text, *json; } cases[] = {
		{ "None", "null" },
		{ " True ", "true" },
		{ "[1, -2.5, 1e-3]", "[1,-2.5,1e-3]" },
		{ "(1,)", "[1]" },
		{ "()", "[]" },
		{ "{'a': 'x', 'b': {}}", "{\"a\":\"x\",\"b\":{}}" },
		{ "Choice(index=0, message=M(content=None))", "{\"index\":0,\"message\":{\"content\":null}}" },
		{ "X()", "{}" },
		{ "'it\\'s'", "\"it's\"" },
		{ "\"it's \\\"x\\\"\"", "\"it's \\\"x\\\"\"" },
		{ "'a\\n\\x41\\u00e9\\U0001f600\\q'", "\"a\\nA\xC3\xA9\xF0\x9F\x98\x80\\\\q\"" },
		{ "'\\ud800'", "\"\xEF\xBF\xBD\"" },
		{ "<E.A: 'a'>", "\"<E.A: 'a'>\"" },
		{ "nan", "\"nan\"" },
		{ "007", "\"007\"" },
	};
	struct buf out;

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		buf_init(&out);
		CHECK(repr_to_json(&out, str_from(cases[i].text)));
		CHECK_STR(buf_str(&out), str_from(cases[i].json));
		buf_free(&out);
	}
}

TEST(what_is_broken_or_too_deep_is_refused)
{
	static const char *const cases[] = { "", "'a", "'a\\", "[1", "X(a=1", "X(1)", "{'a'}", "<x", "]", "X(a=)" };
	char deep[2 * REPR_DEPTH + 4];
	struct buf out;

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i]);
		buf_init(&out);
		CHECK(!repr_to_json(&out, str_from(cases[i])));
		buf_free(&out);
	}
	memset(deep, '[', sizeof(deep) / 2);
	memset(deep + sizeof(deep) / 2, ']', sizeof(deep) / 2);
	buf_init(&out);
	CHECK(!repr_to_json(&out, str_of(deep, sizeof(deep))));
	buf_clear(&out);
	CHECK(repr_to_json(&out, str_of(deep + 2, sizeof(deep) - 4)));
	buf_free(&out);
}
