#include "replay/versions.h"

#include "harness/test.h"

TEST(versions_of_a_live_request_are_those_that_a_cassette_keeps)
{
	struct http_header list[] = {
		{ STR("Anthropic-Beta"), STR("a") }, { STR("user-agent"), STR("x") }, { STR("anthropic-beta"), STR("b") },
		{ STR("anthropic-version"), STR("2023-06-01") },
	};
	struct http_head head = { .headers = list, .count = COUNT(list) }, none = { .count = 0 };
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct str want = STR("anthropic-version: 2023-06-01; anthropic-beta: a, b");
	struct arena a;
	struct val v;

	arena_init(&a);
	CHECK_STR(versions_of_head(&a, &head), want);
	CHECK_STR(versions_of_head(&a, &none), STR(""));
	CHECK(json_parse_copy(p, STR("{\"accept\":\"x\",\"anthropic-beta\":\"a, b\",\"anthropic-version\":\"2023-06-01\"}"), &v,
			      NULL));
	CHECK_STR(versions_of_recorded(&a, v), want);
	CHECK_STR(versions_of_recorded(&a, VAL_NONE), STR(""));
	arena_free(&a);
	json_parser_close(p);
}
