#include "bench/validate/jsonschema.h"

#include "bench/validate/regex.h"
#include "unit/bench/judging.h"

/* A schema, a value, and the keyword and place of its fault; NULL when the value is valid. */
static void check_value(const char *schema, const char *value, const char *keyword, const char *pointer)
{
	uint64_t budget = REGEX_BUDGET;
	struct jsonschema_fault fault;
	struct judging s, v;
	struct val schema_value = judging_read(&s, schema), instance = judging_read(&v, value);
	struct jsonschema *compiled = jsonschema_new(&s.arena, schema_value, &s.problems);
	enum jsonschema_answer answer;

	test_case("%s on %s", schema, value);
	CHECK(compiled);
	answer = jsonschema_check(compiled, instance, &v.arena, &budget, &fault);
	CHECK_INT(answer, keyword ? JSONSCHEMA_INVALID : JSONSCHEMA_VALID);
	if (keyword) {
		CHECK_STR(str_from(fault.keyword), str_from(keyword));
		CHECK_STR(fault.pointer, str_from(pointer));
	}
	judging_free(&s);
	judging_free(&v);
}

TEST(each_keyword_refuses_what_breaks_it)
{
	static const struct {
		const char *schema, *good, *bad, *keyword, *pointer;
	} cases[] = {
		{ "{\"type\":\"integer\"}", "1.0", "1.5", "type", "" },
		{ "{\"type\":[\"null\",\"string\"]}", "null", "1", "type", "" },
		{ "{\"enum\":[1,{\"a\":2}]}", "{\"a\":2.0}", "\"1\"", "enum", "" },
		{ "{\"const\":[1,\"x\"]}", "[1.0,\"\\u0078\"]", "[1]", "const", "" },
		{ "{\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"b\":1}", "{\"a\":1}", "type", "/a" },
		{ "{\"required\":[\"a\"]}", "{\"a\":null}", "{}", "required", "" },
		{ "{\"properties\":{\"a\":true},\"additionalProperties\":false}", "{\"a\":1}", "{\"b\":1}", "false", "/b" },
		{ "{\"items\":{\"minimum\":2}}", "[2,3]", "[2,1]", "minimum", "/1" },
		{ "{\"prefixItems\":[{\"const\":1}],\"items\":{\"const\":2}}", "[1,2,2]", "[1,1]", "const", "/1" },
		{ "{\"minItems\":1}", "[0]", "[]", "minItems", "" },
		{ "{\"maxItems\":1}", "[0]", "[0,0]", "maxItems", "" },
		{ "{\"minLength\":2}", "\"\xC3\xA9\xC3\xA9\"", "\"\xC3\xA9\"", "minLength", "" },
		{ "{\"maxLength\":1}", "\"\xF0\x9F\x98\x80\"", "\"ab\"", "maxLength", "" },
		{ "{\"maximum\":3}", "3", "3.1", "maximum", "" },
		{ "{\"exclusiveMinimum\":3}", "3.1", "3", "exclusiveMinimum", "" },
		{ "{\"exclusiveMaximum\":3}", "2.9", "1e999", "exclusiveMaximum", "" },
		{ "{\"pattern\":\"^a+$\"}", "\"aa\"", "\"ab\"", "pattern", "" },
		{ "{\"allOf\":[{\"minimum\":1},{\"maximum\":2}]}", "1", "3", "maximum", "" },
		{ "{\"anyOf\":[{\"const\":1},{\"const\":2}]}", "2", "3", "anyOf", "" },
		{ "{\"oneOf\":[{\"minimum\":2},{\"maximum\":2}]}", "3", "2", "oneOf", "" },
		{ "{\"oneOf\":[{\"const\":2}]}", "2", "1", "oneOf", "" },
		{ "{\"not\":{\"type\":\"null\"}}", "1", "null", "not", "" },
		/* bytes that only resemble digits: no "%" of the fragment is taken */
		{ "{\"$ref\":\"#/$defs/a%\\u0012\\u0015\",\"$defs\":{\"a%\\u0012\\u0015\":{\"const\":1}}}", "1", "2", "const", "" },
		{ "{\"$ref\":\"#/$defs/a%25b\",\"$defs\":{\"a%b\":{\"const\":1}}}", "1", "2", "const", "" },
		{ "{\"properties\":{\"n\":{\"$ref\":\"#\"}},\"required\":[\"v\"]}", "{\"v\":1,\"n\":{\"v\":2}}", "{\"v\":1,\"n\":{}}",
		  "required", "/n" },
		{ "{\"$ref\":\"#/$defs/a~1b\",\"minimum\":2,\"$defs\":{\"a/b\":{\"maximum\":5}}}", "3", "1", "minimum", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check_value(cases[i].schema, cases[i].good, NULL, NULL);
		check_value(cases[i].schema, cases[i].bad, cases[i].keyword, cases[i].pointer);
	}
	check_value("true", "{}", NULL, NULL);
	check_value("false", "{}", "false", "");
	check_value("{\"title\":\"x\",\"description\":\"\",\"default\":1,\"examples\":[],\"$comment\":\"\",\"deprecated\":true,"
		    "\"readOnly\":true,\"writeOnly\":true,\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"}", "1", NULL, NULL);
}

TEST(what_cannot_be_used_is_refused_all_at_once)
{
	static const struct {
		const char *schema, *told;
	} cases[] = {
		{ "{\"uniqueItems\":true,\"properties\":{\"a\":{\"format\":\"date\"}}}", "BS012 /uniqueItems;BS012 /properties/a/format;" },
		{ "1", "BS012 ;" },
		{ "{\"items\":[true]}", "BS012 /items;" },
		{ "{\"type\":\"float\"}", "BS012 /type;" },
		{ "{\"type\":[]}", "BS012 /type;" },
		{ "{\"enum\":1}", "BS012 /enum;" },
		{ "{\"required\":[1]}", "BS012 /required/0;" },
		{ "{\"minLength\":-1}", "BS012 /minLength;" },
		{ "{\"maxItems\":1.5}", "BS012 /maxItems;" },
		{ "{\"minimum\":\"1\"}", "BS012 /minimum;" },
		{ "{\"pattern\":\"(\"}", "BS011 /pattern;" },
		{ "{\"anyOf\":[]}", "BS012 /anyOf;" },
		{ "{\"properties\":[]}", "BS012 /properties;" },
		{ "{\"$ref\":\"https://x/\"}", "BS012 /$ref;" },
		{ "{\"$ref\":\"#/$defs/none\"}", "BS012 /$ref;" },
		{ "{\"$ref\":\"#/$defs\",\"$defs\":{\"a\":{}}}", "BS012 /$defs/a;" },
		{ "{\"const\":1e999}", "BS012 /const;" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct judging j;
		struct val v = judging_read(&j, cases[i].schema);

		test_case("%s", cases[i].schema);
		CHECK(!jsonschema_new(&j.arena, v, &j.problems));
		CHECK_STR(judging_told(&j), str_from(cases[i].told));
		judging_free(&j);
	}
}

TEST(circles_and_alternatives_that_multiply_end_at_a_limit)
{
	static const char *const schemas[] = {
		"{\"$ref\":\"#\"}",
		"{\"$defs\":{\"a\":{\"not\":{\"$ref\":\"#/$defs/b\"}},\"b\":{\"allOf\":[{\"$ref\":\"#/$defs/a\"}]}},\"$ref\":\"#/$defs/a\"}",
		"{\"pattern\":\"(a|a)*[bc]\"}",
	};
	char *value = test_alloc(40010);
	struct jsonschema_fault fault;

	memset(value, 'a', 40002);
	value[0] = value[40001] = '"';
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
		struct judging s, v;
		struct val schema = judging_read(&s, schemas[i]), instance = judging_read(&v, value);
		struct jsonschema *compiled = jsonschema_new(&s.arena, schema, &s.problems);
		uint64_t budget = REGEX_BUDGET;

		test_case("%s", schemas[i]);
		CHECK(compiled);
		CHECK_INT(jsonschema_check(compiled, instance, &v.arena, &budget, &fault), JSONSCHEMA_LIMIT);
		judging_free(&s);
		judging_free(&v);
	}
}
