#include "dialect/exchange/path_args.h"

#include "harness/test.h"

#define P(path, value) "{\"jsonPath\":\"" path "\"," value "}"

TEST(pieces_become_arguments)
{
	static const struct {
		const char *name, *lists[3], *want;
	} cases[] = {
		{ "nothing", { "[]" }, "{}" },
		{ "texts are joined", { "[" P("$.a", "\"stringValue\":\"x\\u00e9\"") "]", "[" P("$.a", "\"stringValue\":\"y\"") "]" }, "{\"a\":\""
			"x\xc3\xa9y\"}" },
		{ "all kinds", { "[" P("$.s", "\"stringValue\":\"\"") "," P("$.n", "\"numberValue\":1.5") "," P("$.b", "\"boolValue\":false") ","
			"" P("$.z", "\"nullValue\":null") "]" },
		  "{\"s\":\"\",\"n\":1.5,\"b\":false,\"z\":null}" },
		{ "inside", { "[" P("$.a.b[0].c", "\"numberValue\":1") "," P("$.a.b[1].c", "\"numberValue\":2") "]", "[" P("$.a.d", "\""
			"stringValue\":\"e\"") "]" },
		  "{\"a\":{\"b\":[{\"c\":1},{\"c\":2}],\"d\":\"e\"}}" },
		{ "quoted names", { "[" P("$['a b']", "\"numberValue\":1") "]" }, "{\"a b\":1}" },
		{ "no path of ours", { "[" P("a", "\"numberValue\":1") "," P("$", "\"numberValue\":2") "," P("$.x[y]", "\"numberValue\":3") "]" },
		  "{\"a\":1,\"$\":2,\"$.x[y]\":3}" },
		{ "through a value", { "[" P("$.a", "\"numberValue\":1") "," P("$.a.b", "\"numberValue\":2") "]" }, "{\"a\":1,\"$.a.b\":2}" },
		{ "over a container", { "[" P("$.a.b", "\"numberValue\":1") "," P("$.a", "\"numberValue\":2") "]" }, "{\"a\":{\"b\":1},\"$.a\":2}" },
		{ "what is no piece", { "[1,{},{\"stringValue\":\"x\"}]", "{", "{}" }, "{}" },
		{ "snake_case", { "[{\"json_path\":\"$.a\",\"string_value\":\"b\"}]" }, "{\"a\":\"b\"}" },
	};
	struct path_args g;
	struct buf out;

	path_args_init(&g);
	buf_init(&out);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].name);
		path_args_reset(&g);
		for (size_t j = 0; j < 3 && cases[i].lists[j]; j++)
			path_args_add(&g, str_from(cases[i].lists[j]));
		buf_clear(&out);
		path_args_end(&g, &out);
		CHECK_STR(buf_str(&out), str_from(cases[i].want));
	}
	buf_free(&out);
	path_args_free(&g);
}

TEST(depth_and_number_are_bounded)
{
	struct path_args g;
	struct buf out, list;

	path_args_init(&g);
	buf_init(&out);
	buf_init(&list);
	buf_add_str(&list, STR("[{\"jsonPath\":\"$"));
	for (int i = 0; i < 10000; i++)
		buf_add_str(&list, STR(".a"));
	buf_add_str(&list, STR("\",\"numberValue\":1}"));
	for (int i = 0; i < 2 * PATH_ARGS_NODES; i++)
		buf_printf(&list, ",{\"jsonPath\":\"$.n%d\",\"numberValue\":1}", i);
	buf_add_byte(&list, ']');
	path_args_add(&g, buf_str(&list));
	path_args_end(&g, &out);
	CHECK_INT(g.count, PATH_ARGS_NODES);
	CHECK(str_find(buf_str(&out), STR("\"n100\":1")) != (size_t)-1);
	CHECK(str_find(buf_str(&out), STR("\"n8000\"")) == (size_t)-1);
	buf_free(&list);
	buf_free(&out);
	path_args_free(&g);
}
