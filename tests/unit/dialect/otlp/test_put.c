#include "dialect/otlp/put.h"

#include "harness/test.h"

#define KEY STR("k")
#define VALUE(inside) "{\"key\":\"k\",\"value\":{" inside "}}"

TEST(absent_null_and_known_are_three_things)
{
	static const struct {
		const char *text;
		uint8_t state, truth;
	} cases[] = {
		{ "", FIGURE_ABSENT, TRUTH_ABSENT },
		{ VALUE(""), FIGURE_NULL, TRUTH_NULL },
		{ VALUE("\"boolValue\":false"), FIGURE_KNOWN, TRUTH_FALSE },
		{ VALUE("\"boolValue\":true"), FIGURE_KNOWN, TRUTH_TRUE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct figure f = { cases[i].state, FIGURE_API, (uint64_t)-7 };
		struct amount a = { cases[i].state, FIGURE_API, 0.5 };
		struct buf out;

		test_case("%s", cases[i].text);
		buf_init(&out);
		otlp_put_truth(&out, KEY, cases[i].truth);
		CHECK_STR(buf_str(&out), str_from(cases[i].text));
		buf_clear(&out);
		otlp_put_count(&out, KEY, f);
		CHECK_STR(buf_str(&out), cases[i].state == FIGURE_KNOWN ? STR(VALUE("\"intValue\":\"18446744073709551609\"")) :
								      str_from(cases[i].text));
		buf_clear(&out);
		otlp_put_signed(&out, KEY, f);
		CHECK_STR(buf_str(&out),
			  cases[i].state == FIGURE_KNOWN ? STR(VALUE("\"intValue\":\"-7\"")) : str_from(cases[i].text));
		buf_clear(&out);
		otlp_put_number(&out, KEY, a);
		CHECK_STR(buf_str(&out),
			  cases[i].state == FIGURE_KNOWN ? STR(VALUE("\"doubleValue\":0.5")) : str_from(cases[i].text));
		buf_free(&out);
	}
}

TEST(attributes_are_joined_by_commas)
{
	struct buf out;

	buf_init(&out);
	buf_add_byte(&out, '[');
	otlp_put_text(&out, KEY, str_of(NULL, 0));
	otlp_put_text(&out, KEY, STR("a\"b"));
	otlp_put_word(&out, KEY, STR("w"));
	otlp_put_key(&out, KEY);
	CHECK_STR(buf_str(&out), STR("[" VALUE("\"stringValue\":\"a\\\"b\"") ","
				     VALUE("\"arrayValue\":{\"values\":[{\"stringValue\":\"w\"}]}") ",{\"key\":\"k\",\"value\":{"));
	buf_free(&out);
}
