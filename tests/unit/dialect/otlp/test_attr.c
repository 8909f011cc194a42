#include "dialect/otlp/attr.h"

#include "harness/test.h"

static struct json_parser *parser(void)
{
	return json_parser_open((struct json_options){ .max_depth = 0 });
}

static struct val parse(struct json_parser *p, const char *text)
{
	struct val v;

	CHECK(json_parse_copy(p, str_from(text), &v, NULL));
	return v;
}

TEST(values_lose_what_otlp_wraps_them_in)
{
	static const struct {
		const char *wrapped, *inner;
	} cases[] = {
		{ "{\"stringValue\":\"a\"}", "\"a\"" },
		{ "{\"intValue\":\"7\"}", "\"7\"" },
		{ "{\"int_value\":7}", "7" },
		{ "{\"boolValue\":false}", "false" },
		{ "{\"arrayValue\":{\"values\":[{\"intValue\":1}]}}", "[{\"intValue\":1}]" },
		{ "{\"kvlistValue\":{\"values\":[]}}", "[]" },
		{ "{\"arrayValue\":{}}", "{}" },
		{ "{\"other\":1}", "{\"other\":1}" },
		{ "{}", "{}" },
		{ "3", "3" },
	};
	struct json_parser *p = parser();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].wrapped);
		CHECK_STR(val_source(otlp_attr_unwrap(parse(p, cases[i].wrapped))), str_from(cases[i].inner));
	}
	json_parser_close(p);
}

TEST(lists_tags_and_objects_give_the_same_attributes)
{
	static const struct {
		enum otlp_shape shape;
		const char *text;
	} cases[] = {
		{ OTLP_NATIVE, "[{\"key\":\"gen_ai.tool.name\",\"value\":{\"stringValue\":\"x\"}},{\"key\":1},{}]" },
		{ OTLP_JAEGER, "[{\"key\":\"gen_ai.tool.name\",\"type\":\"string\",\"value\":\"x\"}]" },
		{ OTLP_SDK, "{\"gen_ai.tool.name\":\"x\"}" },
		{ OTLP_NATIVE, "{\"gen_ai.tool.name\":\"x\"}" },
		{ OTLP_SDK, "[{\"key\":\"gen_ai.tool.name\",\"value\":{\"stringValue\":\"x\"}}]" },
	};
	struct json_parser *p = parser();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct otlp_attrs a = { .flat = false };

		test_case("%s", cases[i].text);
		otlp_attr_gather(&a, parse(p, cases[i].text), cases[i].shape);
		CHECK(otlp_attr_has(&a, OTLP_TOOL_NAME));
		CHECK_STR(val_raw(a.slots[OTLP_TOOL_NAME]), STR("x"));
		CHECK(!otlp_attr_has(&a, OTLP_TOOL_ID));
		CHECK(!a.flat);
	}
	json_parser_close(p);
}

TEST(of_several_names_for_one_thing_the_newest_wins_wherever_it_stands)
{
	static const char *const texts[] = {
		"{\"gen_ai.system\":\"old\",\"gen_ai.provider.name\":\"new\",\"llm.provider\":\"other\"}",
		"{\"gen_ai.provider.name\":\"new\",\"llm.provider\":\"other\",\"gen_ai.system\":\"old\"}",
	};
	struct json_parser *p = parser();

	for (size_t i = 0; i < 2; i++) {
		struct otlp_attrs a = { .flat = false };

		otlp_attr_gather(&a, parse(p, texts[i]), OTLP_SDK);
		CHECK_STR(val_raw(a.slots[OTLP_PROVIDER]), STR("new"));
	}
	json_parser_close(p);
}

TEST(flat_messages_are_noticed_and_taken_apart)
{
	struct json_parser *p = parser();
	struct otlp_attrs a = { .flat = false };
	uint32_t n = 0;
	struct str rest;

	otlp_attr_gather(&a, parse(p, "{\"gen_ai.prompt.0.role\":\"user\"}"), OTLP_SDK);
	CHECK(a.flat);
	CHECK(otlp_attr_indexed(STR("gen_ai.prompt.12.tool_calls.0.id"), STR("gen_ai.prompt."), &n, &rest));
	CHECK_INT(n, 12);
	CHECK_STR(rest, STR("tool_calls.0.id"));
	CHECK(!otlp_attr_indexed(STR("gen_ai.prompt.x.role"), STR("gen_ai.prompt."), &n, &rest));
	CHECK(!otlp_attr_indexed(STR("gen_ai.prompt.99999999999.role"), STR("gen_ai.prompt."), &n, &rest));
	CHECK(!otlp_attr_indexed(STR("gen_ai.other.1.role"), STR("gen_ai.prompt."), &n, &rest));
	json_parser_close(p);
}

TEST(only_true_is_true)
{
	static const struct {
		const char *text;
		bool is;
	} cases[] = { { "{\"error\":true}", true }, { "{\"error\":\"true\"}", true }, { "{\"error\":false}", false },
		      { "{\"error\":1}", false }, { "{}", false } };
	struct json_parser *p = parser();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct otlp_attrs a = { .flat = false };

		test_case("%s", cases[i].text);
		otlp_attr_gather(&a, parse(p, cases[i].text), OTLP_SDK);
		CHECK_INT(otlp_attr_is_true(&a, OTLP_ERROR_FLAG), cases[i].is);
	}
	json_parser_close(p);
}

TEST(texts_are_joined_also_when_one_is_absent)
{
	struct arena a;

	arena_init(&a);
	arena_free(&a);
}

TEST(wrapped_values_inside_wrapped_values_become_plain)
{
	static const struct {
		const char *json, *plain; /* NULL: it is nothing of the kind */
	} cases[] = {
		{ "[{\"stringValue\":\"a\\n\"},{\"intValue\":\"7\"},{\"boolValue\":true},{}]", "[\"a\\n\",7,true,null]" },
		{ "[{\"kvlistValue\":{\"values\":[{\"key\":\"k\",\"value\":{\"arrayValue\":{\"values\":[{\"stringValue\":\"7\"}]}}}]}}]",
		  "[{\"k\":[\"7\"]}]" },
		{ "[{\"key\":\"k\",\"value\":{\"doubleValue\":0.5}},{\"key\":5},{\"key\":\"l\",\"value\":{}}]", "{\"k\":0.5,\"l\":null}" },
		{ "[{\"role\":\"user\",\"parts\":[]}]", NULL },
		{ "[{\"key\":\"k\",\"value\":\"plain\"}]", NULL },
		{ "[1]", NULL },
		{ "[]", NULL },
		{ "{\"a\":1}", NULL },
		{ "\"a\"", NULL },
	};
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct val v;

		test_case("%s", cases[i].json);
		CHECK(json_parse_copy(p, str_from(cases[i].json), &v, NULL));
		if (cases[i].plain)
			CHECK_STR(otlp_attr_plain(&a, v), str_from(cases[i].plain));
		else
			CHECK(otlp_attr_plain(&a, v).p == NULL);
	}
	arena_free(&a);
	json_parser_close(p);
}
