#include "dialect/record/schema.h"

#include "dialect/formats.h"
#include "dialect/otutl/schema.h"
#include "dialect/record/record.h"
#include "harness/test.h"

/* ---- a format that has one of everything ---- */

enum { RULE_JSON, RULE_OBJECT, RULE_MISSING, RULE_TYPE_OF, RULE_UNKNOWN, RULE_VALUE, RULE_ODD, RULE_CROSS, RULE_BETWEEN };

static const struct rule rules[] = {
	[RULE_JSON] = { .code = "X001", .severity = SEV_ERROR },
	[RULE_OBJECT] = { .code = "X002", .severity = SEV_ERROR },
	[RULE_MISSING] = { .code = "X003", .severity = SEV_ERROR },
	[RULE_TYPE_OF] = { .code = "X004", .severity = SEV_ERROR },
	[RULE_UNKNOWN] = { .code = "X005", .severity = SEV_ERROR },
	[RULE_VALUE] = { .code = "X006", .severity = SEV_ERROR },
	[RULE_ODD] = { .code = "X007", .severity = SEV_WARNING, .in_strict = RULE_ERROR },
	[RULE_CROSS] = { .code = "X008", .severity = SEV_ERROR },
	[RULE_BETWEEN] = { .code = "X009", .severity = SEV_ERROR, .scope = RULE_FILE },
	{ .code = NULL },
};

static const struct field part_fields[] = {
	{ "n", T_INTEGER, FIELD_REQUIRED, CHECK_NOT_NEGATIVE, RULE_VALUE, .about = "a count" },
};
static const struct record_type part_type = { .name = "part", RECORD_TYPE(part_fields), .closed = true };
static const struct record_type other_part_type = { .name = "part", RECORD_TYPE(part_fields) };
static const struct field text_each = { "text", T_STRING, FIELD_REQUIRED, CHECK_NOT_EMPTY, .rule = RULE_VALUE };
static const struct field row_each = { "row", T_ARRAY, FIELD_REQUIRED, CHECK_NONE, 0, .each = &text_each };

static const struct field whole_fields[] = {
	{ "kind", T_STRING, FIELD_REQUIRED, CHECK_WORD, RULE_VALUE, .words = WORDS(WORD("whole")) },
	{ "level", T_STRING, FIELD_OPTIONAL, CHECK_WORD, RULE_VALUE, .words = WORDS(WORD("low"), WORD("high")) },
	{ "mixed", T_STRING | T_NUMBER, FIELD_EXTRA, CHECK_WORD, RULE_VALUE, .words = WORDS(WORD("all")) },
	{ "name", T_STRING | T_NULL, FIELD_REQUIRED, CHECK_NOT_BLANK, .rule = RULE_VALUE },
	{ "share", T_NUMBER, FIELD_EXTRA, CHECK_RANGE, RULE_ODD, .min = 0, .max = 1 },
	{ "when", T_STRING, FIELD_EXTRA, CHECK_STAMP, .rule = RULE_VALUE },
	{ "part", T_OBJECT, FIELD_EXTRA, CHECK_NONE, 0, .object = &part_type },
	{ "other", T_OBJECT, FIELD_EXTRA, CHECK_NONE, 0, .object = &other_part_type },
	{ "rows", T_ARRAY, FIELD_EXTRA, CHECK_NONE, 0, .each = &row_each },
	{ "named", T_OBJECT, FIELD_EXTRA, CHECK_NONE, 0, .each = &text_each },
	{ "any", T_ANY, FIELD_EXTRA, CHECK_NONE, .rule = 0 },
};
static const struct record_type whole_type = {
	.name = "whole",
	RECORD_TYPE(whole_fields),
	.schema = "\"allOf\":[{\"$comment\":\"X008\",\"not\":{\"required\":[\"part\",\"other\"]}},[1.0,{}]],\"x\":null",
};

static const struct record_format format = {
	.on_utf8 = RULE_JSON,
	.on_syntax = RULE_JSON,
	.on_duplicate = RULE_JSON,
	.on_not_object = RULE_OBJECT,
	.on_missing = RULE_MISSING,
	.on_type = RULE_TYPE_OF,
	.on_unknown = RULE_UNKNOWN,
	.strict_wants_optional = true,
};
static const struct record_type *const one_root[] = { &whole_type, NULL };
static const struct record_type *const two_roots[] = { &whole_type, &part_type, NULL };
static const struct dialect sample = { .name = "sample", .title = "a \"sample\"", .file = "sample.jsonl", .unit = "line",
				       .rules = rules, .record = &format, .roots = one_root };
static const struct dialect double_sample = { .name = "double", .title = "two", .file = "f", .unit = "line",
					      .rules = rules, .record = &format, .roots = two_roots };

/* ---- looking at a schema ---- */

/* It lives as long as the test: its parser is kept, not closed. */
static struct val schema_of(const struct dialect *d, enum check_mode mode)
{
	static struct json_parser *kept[64];
	static size_t count;
	struct json_parser *p = kept[count++ % 64] = json_parser_open((struct json_options){ 0 });
	struct json_issue issue;
	struct val v;
	struct buf out;

	buf_init(&out);
	schema_add(&out, d, mode);
	CHECK(out.n > 0 && out.p[out.n - 1] == '\n');
	if (!json_parse_copy(p, buf_str(&out), &v, &issue))
		FAIL("not JSON: %s at %llu", issue.message, (unsigned long long)issue.line);
	buf_free(&out);
	return v;
}

/* The value a pointer leads to, without white space: "" when there is none. */
static struct str at(struct val schema, const char *pointer)
{
	struct val v = val_at(schema, str_from(pointer));
	struct str source;
	char *out;
	size_t n = 0;

	if (val_is_none(v))
		return STR("");
	source = val_source(v);
	out = test_alloc(source.n + 1);
	for (size_t i = 0; i < source.n; i++)
		if (source.p[i] != '\n' && (source.p[i] != ' ' || val_is(v, JSON_STRING)))
			out[n++] = source.p[i];
	return str_of(out, n);
}

TEST(a_schema_says_what_it_is)
{
	struct val s = schema_of(&sample, MODE_DEFAULT);

	CHECK_STR(at(s, "/$schema"), STR("\"https://json-schema.org/draft/2020-12/schema\""));
	CHECK_STR(at(s, "/$id"), STR("\"urn:trackway:schema:sample:1\""));
	CHECK_STR(at(schema_of(&sample, MODE_STRICT), "/$id"), STR("\"urn:trackway:schema:sample:1:strict\""));
	CHECK_STR(at(s, "/title"), STR("\"a \\\"sample\\\"\""));
	CHECK_STR(at(s, "/type"), STR("\"object\""));
	CHECK_STR(at(s, "/$ref"), STR("\"#/$defs/whole\""));
	CHECK_STR(at(schema_of(&double_sample, MODE_DEFAULT), "/anyOf"),
		  STR("[{\"$ref\":\"#/$defs/whole\"},{\"$ref\":\"#/$defs/part\"}]"));
}

TEST(every_kind_of_row_has_its_keywords)
{
	static const struct {
		const char *pointer, *want;
	} cases[] = {
		{ "/$defs/whole/properties/kind", "{\"type\":\"string\",\"const\":\"whole\"}" },
		{ "/$defs/whole/properties/level", "{\"type\":[\"null\",\"string\"],\"enum\":[\"low\",\"high\",null]}" },
		{ "/$defs/whole/properties/mixed/if", "{\"type\":\"string\"}" },
		{ "/$defs/whole/properties/mixed/then", "{\"const\":\"all\"}" },
		{ "/$defs/whole/properties/name/type", "[\"null\",\"string\"]" },
		{ "/$defs/whole/properties/share", "{\"type\":[\"null\",\"number\"]}" },
		{ "/$defs/whole/properties/when", "{\"type\":[\"null\",\"string\"],\"$ref\":\"#/$defs/stamp\"}" },
		{ "/$defs/whole/properties/part", "{\"type\":[\"null\",\"object\"],\"$ref\":\"#/$defs/part\"}" },
		{ "/$defs/whole/properties/other/$ref", "\"#/$defs/part_2\"" },
		{ "/$defs/whole/properties/rows/items",
		  "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":1}}" },
		{ "/$defs/whole/properties/named/additionalProperties", "{\"type\":\"string\",\"minLength\":1}" },
		{ "/$defs/whole/properties/any", "{}" },
		{ "/$defs/whole/required", "[\"kind\",\"name\"]" },
		{ "/$defs/whole/additionalProperties", "" },
		{ "/$defs/whole/allOf", "[{\"$comment\":\"X008\",\"not\":{\"required\":[\"part\",\"other\"]}},[1.0,{}]]" },
		{ "/$defs/whole/x", "null" },
		{ "/$defs/part/properties/n", "{\"description\":\"acount\",\"type\":\"integer\",\"minimum\":0}" },
		{ "/$defs/part/additionalProperties", "false" },
		{ "/$defs/part_2/additionalProperties", "" },
	};
	struct val s = schema_of(&sample, MODE_DEFAULT);

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].pointer);
		CHECK_STR(at(s, cases[i].pointer), str_from(cases[i].want));
	}
}

TEST(the_strict_schema_wants_more_and_takes_less)
{
	struct val s = schema_of(&sample, MODE_STRICT);

	CHECK_STR(at(s, "/$defs/whole/required"), STR("[\"kind\",\"level\",\"name\"]"));
	CHECK_STR(at(s, "/$defs/whole/additionalProperties"), STR("false"));
	CHECK_STR(at(s, "/$defs/part_2/additionalProperties"), STR("false"));
	CHECK_STR(at(s, "/$defs/whole/properties/share"),
		  STR("{\"type\":[\"null\",\"number\"],\"minimum\":0,\"maximum\":1}"));
}

TEST(what_a_schema_cannot_say_is_listed)
{
	CHECK_STR(at(schema_of(&sample, MODE_DEFAULT), "/$comment"),
		  STR("\"Errors that no schema can find: X001, X009. Warnings are not in it.\""));
}

TEST(a_format_without_tables_has_no_schema)
{
	static const struct dialect none = { .name = "none", .rules = rules };

	CHECK(!schema_has(&none));
	CHECK(schema_has(&sample));
}

TEST(every_format_with_tables_has_a_schema_in_every_mode)
{
	size_t schemas = 0;

	for (size_t i = 0; dialects[i]; i++) {
		if (!schema_has(dialects[i]))
			continue;
		test_case("%s", dialects[i]->name);
		for (int mode = MODE_DEFAULT; mode <= MODE_PERMISSIVE; mode++)
			CHECK_STR(at(schema_of(dialects[i], (enum check_mode)mode), "/type"), STR("\"object\""));
		schemas++;
	}
	CHECK_INT(schemas, 12);
	CHECK(otutl_dialect.roots == otutl_roots);
}
