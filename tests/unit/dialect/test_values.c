#include "dialect/values.h"

#include "harness/test.h"
#include "json/json.h"

/* The value of a JSON text; it lasts until the next. */
static struct val read_text(struct json_parser *p, const char *json)
{
	struct val v;

	return json_parse_copy(p, str_from(json), &v, NULL) ? v : VAL_NONE;
}

TEST(a_walk_goes_over_the_elements_of_a_list)
{
	static const struct { const char *json; int sum, turns; } cases[] = {
		{ "[1,2,3]", 6, 3 }, { "[]", 0, 0 }, { "{\"a\":1}", 0, 0 }, { "\"12\"", 0, 0 }, { "nothing", 0, 0 },
		{ "[1,0,5,9,7]", 6, 4 }, /* 0 is passed over, 9 ends it */
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });

	for (size_t i = 0; i < COUNT(cases); i++) {
		int sum = 0, turns = 0;
		int64_t n;

		VALUES_EACH(v, read_text(p, cases[i].json)) {
			turns++;
			CHECK(val_i64(v, &n));
			if (n == 0)
				continue;
			if (n == 9)
				break;
			sum += (int)n;
		}
		CHECK_INT(sum, cases[i].sum);
		CHECK_INT(turns, cases[i].turns);
	}
	json_parser_close(p);
}

TEST(the_first_element_may_be_absent)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });

	CHECK(val_text_is(values_first(read_text(p, "[\"a\",\"b\"]")), STR("a")));
	CHECK(val_is_none(values_first(read_text(p, "[]"))));
	CHECK(val_is_none(values_first(read_text(p, "{\"a\":1}"))));
	CHECK(val_is_none(values_first(VAL_NONE)));
	json_parser_close(p);
}

TEST(names_and_words_are_looked_for_in_a_list)
{
	static const struct str words[] = { { "a", 1 }, { "b", 1 } };
	struct json_parser *p = json_parser_open((struct json_options){ 0 });

	CHECK_INT(values_count_names(read_text(p, "{\"b\":null,\"a\":1,\"c\":2}"), words, 2), 2);
	CHECK_INT(values_count_names(read_text(p, "{\"c\":\"a\"}"), words, 2), 0);
	CHECK_INT(values_count_names(read_text(p, "[\"a\"]"), words, 2), 0);
	CHECK(values_is_word(read_text(p, "\"b\""), words, 2));
	CHECK(!values_is_word(read_text(p, "\"ab\""), words, 2));
	CHECK(!values_is_word(VAL_NONE, words, 2));
	json_parser_close(p);
}
