#include "provider/mock_json.h"

#include "harness/test.h"

TEST(a_template_shows_what_is_written)
{
	struct buf out;

	buf_init(&out);
	mock_json_add(&out, "{'a':[1,'b']}");
	CHECK_STR(buf_str(&out), STR("{\"a\":[1,\"b\"]}"));
	buf_free(&out);
}

TEST(each_placeholder_writes_its_kind)
{
	struct buf out;

	buf_init(&out);
	mock_json_add(&out, "[%s,%s,%s,%w,%w,%u,%j%j]", STR("a\"\n"), STR(""), str_of(NULL, 0), "w", NULL, UINT64_MAX,
		      STR("{}"), STR(""));
	CHECK_STR(buf_str(&out), STR("[\"a\\\"\\n\",\"\",null,\"w\",null,18446744073709551615,{}]"));
	buf_free(&out);
}

TEST(an_id_has_a_prefix_digits_and_a_number)
{
	static const char digits[] = "aaaaaaaaaaaaaaaaaaaabbbb";
	struct buf out;

	buf_init(&out);
	mock_json_add(&out, "%i", "x_", digits, (uint64_t)31);
	CHECK_STR(buf_str(&out), STR("\"x_aaaaaaaaaaaaaaaaaaaa001f\""));
	buf_free(&out);
}

TEST(only_quotes_of_the_template_are_turned)
{
	struct buf out;

	buf_init(&out);
	mock_json_add(&out, "{'k':%s}", STR("it's"));
	CHECK_STR(buf_str(&out), STR("{\"k\":\"it's\"}"));
	buf_free(&out);
}
