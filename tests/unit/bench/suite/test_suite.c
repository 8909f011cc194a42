#include "bench/suite/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/suite/fill.h"
#include "harness/test.h"

#define V "\"validator\":{\"type\":\"noop\"}"
#define P(id, rest) "{\"id\":\"" id "\",\"name\":\"n\",\"prompt\":\"p\"," rest "}"

static const struct suite_options plain = { .finding_limit = 0 };

static void parse_one(struct suite *s, struct arena *a, const char *text, const struct suite_options *o)
{
	struct suite_text one = { STR("s.json"), str_from(text) };

	suite_parse(s, a, &one, 1, NULL, o);
}

/* "BS004 1:2 /0;" and so on, of all files. */
static struct str told(struct arena *a, const struct suite *s)
{
	struct str out = STR("");

	for (size_t i = 0; i < s->file_count; i++)
		for (size_t f = 0; f < s->files[i].findings.kept_count; f++) {
			const struct finding *k = &s->files[i].findings.kept[f];

			out = arena_printf(a, "%.*s%s %llu:%llu %.*s;", STR_ARG(out), k->code, (unsigned long long)k->at.line,
					   (unsigned long long)k->at.column, STR_ARG(k->pointer));
		}
	return out;
}

TEST(a_prompt_has_all_its_members)
{
	struct suite s;
	struct arena a;

	arena_init(&a);
	parse_one(&s, &a,
		  "[\n {\"id\":\"P0\",\"name\":\"sanity\",\"prompt\":\"Say\\nyes\",\"variant\":\"v\",\"tags\":[\"t\",\"u\"],"
		  "\"validator\":{\"type\":\"exact\",\"value\":\"yes\"},\"expected_tool_calls\":[\"free\"]},\n"
		  "  {\"id\":\"P1\",\"name\":\"x\",\"prompt\":\"y\",\"expected_tool_calls\":[\"a\"],"
		  "\"validator\":{\"type\":\"tool_invocation\",\"expected_tools\":[\"b\",\"c\"]}}]",
		  &plain);
	CHECK_STR(told(&a, &s), STR(""));
	CHECK_INT(s.count, 2);
	CHECK_STR(s.prompts[0].id, STR("P0"));
	CHECK_STR(s.prompts[0].name, STR("sanity"));
	CHECK_STR(s.prompts[0].prompt, STR("Say\nyes"));
	CHECK_STR(s.prompts[0].variant, STR("v"));
	CHECK_INT(s.prompts[0].tag_count, 2);
	CHECK_INT(s.prompts[0].at.line, 2);
	CHECK_INT(s.prompts[0].at.column, 2);
	CHECK(s.prompts[0].expects && s.prompts[0].expected_count == 1);
	CHECK_STR(str_from(validator_type(s.prompts[0].validator)), STR("exact"));
	CHECK_INT(s.prompts[1].expected_count, 2); /* the validator's list comes first */
	CHECK_STR(s.prompts[1].expected[0], STR("b"));
	CHECK_INT(s.prompts[1].at.line, 3);
	CHECK_INT(s.prompts[1].row, 0);
	arena_free(&a);
}

TEST(each_rule_is_told_with_its_place)
{
	static const struct {
		const char *text, *told;
	} cases[] = {
		{ "[" P("a", V) ",]", "BS001 1:65 ;" },
		{ "\xFF", "BS001 1:1 ;" },
		{ "[" P("a", V ",\"id\":\"b\"") "]", "BS001 1:64 ;" },
		{ "{}", "BS002 1:1 ;" },
		{ "[]", "BS015 1:1 ;" },
		{ "[1,\n " P("a", V) "]", "BS003 1:2 /0;" },
		{ "[{}]", "BS004 1:2 /0;BS004 1:2 /0;BS004 1:2 /0;BS004 1:2 /0;" },
		{ "[{\"id\":1,\"name\":[],\"prompt\":null,\"validator\":2,\"tags\":{},\"variant\":3,\"expected_tool_calls\":[4]}]",
		  "BS005 1:8 /0/id;BS005 1:17 /0/name;BS005 1:29 /0/prompt;BS005 1:46 /0/validator;BS005 1:55 /0/tags;"
		  "BS005 1:68 /0/variant;BS005 1:93 /0/expected_tool_calls/0;" },
		{ "[{\"id\":\"\",\"name\":\" \",\"prompt\":\"\\n\"," V "}]", "BS006 1:8 /0/id;BS006 1:18 /0/name;BS006 1:31 /0/prompt;" },
		{ "[" P("a", V ",\"tag\":1") "]", "BS007 1:64 /0/tag;" },
		{ "[" P("a", V) ",\n" P("a", V) "]", "BS008 2:7 /1/id;" },
		{ "[" P("a", "\"validator\":{\"type\":\"no\"}") "]", "BS009 1:56 /0/validator/type;" },
		{ "[" P("a", "\"validator\":{\"type\":\"max_words\",\"value\":-1}") "]", "BS010 1:76 /0/validator/value;" },
		{ "[" P("a", "\"validator\":{\"type\":\"regex_fullmatch\",\"pattern\":\"(\"}") "]", "BS011 1:84 /0/validator/pattern;" },
		{ "[" P("a", "\"validator\":{\"type\":\"json_schema\",\"schema\":{\"x\":1}}") "]", "BS012 1:80 /0/validator/schema/x;" },
		{ "[" P("a", "\"validator\":{\"type\":\"command\",\"argv\":[\"x\"]}") "]", "BS013 1:48 /0/validator;" },
		{ "[{\"id\":\"a\",\"name\":\"n\",\"prompt\":\"{{x}} {{ y-1 }} {{ {{}} {{1}}\"," V "}]",
		  "BS014 1:32 /0/prompt;BS014 1:32 /0/prompt;" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct suite s;
		struct arena a;

		arena_init(&a);
		test_case("%s", cases[i].text);
		parse_one(&s, &a, cases[i].text, &plain);
		CHECK_STR(told(&a, &s), str_from(cases[i].told));
		CHECK_INT(s.errors > 0, strncmp(cases[i].told, "BS007", 5) != 0);
		arena_free(&a);
	}
}

TEST(a_repeated_id_names_the_file_and_line_of_the_first)
{
	struct suite_text texts[] = { { STR("one.json"), STR("[\n" P("a", V) "]") }, { STR("two.json"), STR("[" P("a", V) "]") } };
	struct suite s;
	struct arena a;

	arena_init(&a);
	suite_parse(&s, &a, texts, 2, NULL, &plain);
	CHECK_INT(s.file_count, 2);
	CHECK_INT(s.files[0].findings.errors, 0);
	CHECK_STR(s.files[1].findings.kept[0].message, STR("the id a was given before, in one.json, line 2, column 1"));
	arena_free(&a);
}

TEST(variables_are_filled_from_pairs)
{
	struct suite_var vars[] = { { STR("x"), STR("\"{{y}}\"") }, { STR("y-1.z"), STR("") } };
	struct suite_options o = { .vars = vars, .var_count = 2 };
	struct suite s;
	struct arena a;

	arena_init(&a);
	parse_one(&s, &a,
		  "[{\"id\":\"{{x}}\",\"name\":\"n\",\"prompt\":\"a {{x}}{{ y-1.z }} {{{x}} {{x}\",\"tags\":[\"{{x}}\"],"
		  "\"validator\":{\"type\":\"exact\",\"value\":\"{{x}}\"}}]",
		  &o);
	CHECK_STR(told(&a, &s), STR(""));
	CHECK_STR(s.prompts[0].id, STR("{{x}}"));
	CHECK_STR(s.prompts[0].prompt, STR("a \"{{y}}\" {\"{{y}}\" {{x}"));
	CHECK_STR(s.prompts[0].tags[0], STR("\"{{y}}\""));
	CHECK_STR(s.prompts[0].canonical, STR("{\"id\":\"{{x}}\",\"name\":\"n\",\"prompt\":\"a \\\"{{y}}\\\" {\\\"{{y}}\\\" {{x}\","
					      "\"tags\":[\"\\\"{{y}}\\\"\"],"
					      "\"validator\":{\"type\":\"exact\",\"value\":\"\\\"{{y}}\\\"\"}}"));
	arena_free(&a);
}

TEST(each_row_gives_a_copy_of_the_prompts_that_use_a_column)
{
	struct suite_var vars[] = { { STR("v"), STR("V") }, { STR("over"), STR("pair") } };
	struct suite_options o = { .vars = vars, .var_count = 2 };
	struct suite_text text = { STR("s.json"), STR("[" P("a", V) ",{\"id\":\"b\",\"name\":\"n\",\"prompt\":\"{{q}} {{v}} {{over}}\","
						      "\"validator\":{\"type\":\"exact\",\"value\":\"{{r}}\"}},"
						      "{\"id\":\"c\",\"name\":\"n\",\"prompt\":\"{{v}}{{over}}\"," V "}]") };
	struct suite_text table = { STR("t.csv"), STR("q,r,over\n1,2,x\n3,4,y\n") };
	struct suite s;
	struct arena a;

	arena_init(&a);
	suite_parse(&s, &a, &text, 1, &table, &o);
	CHECK_STR(told(&a, &s), STR(""));
	CHECK_INT(s.count, 4);
	CHECK_STR(s.prompts[0].id, STR("a"));
	CHECK_STR(s.prompts[1].id, STR("b#1"));
	CHECK_STR(s.prompts[1].prompt, STR("1 V pair"));
	CHECK_STR(s.prompts[2].id, STR("b#2"));
	CHECK_INT(s.prompts[2].row, 2);
	CHECK_STR(s.prompts[3].id, STR("c"));
	CHECK_STR(s.prompts[3].prompt, STR("Vpair"));
	CHECK_STR(s.files[0].name, STR("t.csv"));
	CHECK_INT(s.prompts[0].file, 1);
	arena_free(&a);
}

TEST(what_a_row_spoils_is_told_at_the_prompt_with_the_row)
{
	struct suite_text text = { STR("s.json"), STR("[\n  {\"id\":\"b\",\"name\":\"n\",\"prompt\":\"{{q}}\","
						      "\"validator\":{\"type\":\"regex_fullmatch\",\"pattern\":\"{{r}}\"}}]") };
	struct suite_text good = { STR("t.jsonl"), STR("{\"q\":1,\"r\":\"a\"}\n{\"q\":2,\"r\":\"(\"}\n{\"q\":3}\n") };
	struct suite s;
	struct arena a;

	arena_init(&a);
	suite_parse(&s, &a, &text, 1, &good, &plain);
	CHECK_STR(told(&a, &s), STR("BS011 2:3 /0;BS014 2:3 /0;"));
	CHECK(str_ends(s.files[1].findings.kept[0].message, STR("(filled in from row 2)")));
	arena_free(&a);
}

TEST(tags_choose_prompts)
{
	struct str tags[] = { STR("x"), STR("z") };
	struct suite s;
	struct arena a;

	arena_init(&a);
	parse_one(&s, &a, "[" P("a", V ",\"tags\":[\"x\"]") "," P("b", V ",\"tags\":[\"y\"]") "," P("c", V) ","
		  P("d", V ",\"tags\":[\"y\",\"z\"]") "]",
		  &plain);
	CHECK_INT(suite_select(&s, NULL, 0), 4);
	CHECK_INT(suite_select(&s, tags, 2), 2);
	CHECK_STR(s.prompts[1].id, STR("d"));
	arena_free(&a);
}

TEST(the_digest_is_of_the_questions_and_not_of_their_layout)
{
	struct suite_text two[] = { { STR("a.json"), STR("[" P("a", V) "]") }, { STR("b.json"), STR("[\n" P("b", V) "\n]") } };
	struct suite one, other, changed;
	struct digest d;
	struct arena a;
	char hex[SHA256_HEX];

	arena_init(&a);
	parse_one(&one, &a, "[{\"name\":\"n\", \"id\":\"a\",\"prompt\":\"\\u0070\"," V "}," P("b", V) "]", &plain);
	suite_parse(&other, &a, two, 2, NULL, &plain);
	d = suite_digest(&one);
	CHECK(memcmp(d.b, suite_digest(&other).b, SHA256_SIZE) == 0);
	digest_hex(hex, d); /* printf '%s\n' '{"id":"a","name":"n","prompt":"p","validator":{"type":"noop"}}' (and b) | sha256sum */
	CHECK_STR(str_of(hex, SHA256_HEX), STR("6036806950676d4aa99263cbb0cc52f7ab1d08badf2ba7cadaadc70ed7633101"));
	parse_one(&changed, &a, "[" P("a", V) "," P("b", "\"validator\":{\"type\":\"exact\",\"value\":\"\"}") "]", &plain);
	CHECK(memcmp(d.b, suite_digest(&changed).b, SHA256_SIZE) != 0);
	arena_free(&a);
}

static struct str put(struct arena *a, const char *dir, const char *name, const char *text)
{
	struct str path = arena_printf(a, "%s/%s", dir, name);
	struct err err;

	CHECK(file_replace(path, str_from(text), 0600, &err));
	return path;
}

TEST(files_and_directories_are_read_in_order)
{
	const char *dir = test_dir();
	struct str paths[2];
	struct suite_options o = plain;
	struct err err = { .kind = ERR_NONE };
	struct suite s;
	struct arena a;

	arena_init(&a);
	paths[0] = put(&a, dir, "last.txt", "[" P("t", V) "]");
	paths[1] = str_from(dir);
	put(&a, dir, "b.json", "[" P("b", V) "]");
	put(&a, dir, "a.json", "[" P("{{x}}", V) ",{\"id\":\"r\",\"name\":\"n\",\"prompt\":\"{{x}}\"," V "}]");
	put(&a, dir, ".hidden.json", "[");
	o.table = put(&a, dir, "t.csv", "x\n1\n");
	CHECK(suite_load(&s, &a, paths, 2, &o, &err));
	CHECK_STR(told(&a, &s), STR(""));
	CHECK_INT(s.count, 4);
	CHECK_STR(s.prompts[0].id, STR("t"));
	CHECK_STR(s.prompts[2].id, STR("r#1"));
	CHECK_STR(s.prompts[3].id, STR("b"));
	for (size_t i = 0; i < 5; i++) {
		static const char *const names[] = { "last.txt", "b.json", "a.json", ".hidden.json", "t.csv" };

		unlink(arena_printf(&a, "%s/%s", dir, names[i]).p);
	}
	CHECK(!suite_load(&s, &a, paths + 1, 1, &plain, &err));
	CHECK_INT(err.kind, ERR_DATA);
	CHECK(!suite_load(&s, &a, paths, 1, &plain, &err));
	CHECK_INT(err.kind, ERR_IO);
	rmdir(dir);
	arena_free(&a);
}

TEST(the_suites_of_the_seed_are_taken_as_they_are)
{
	struct str dir = str_from(test_shared("openclaw"));
	static const char *const names[] = { "prompts_v1.json", "prompts_phase3b.json", "prompts_tool_use_v1.json",
					     "prompts_tool_use_enhanced.json" };
	size_t count = 0;
	struct err err;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct str path = arena_printf(&a, "%.*s/%s", STR_ARG(dir), names[i]);
		struct suite s;

		test_case("%s", names[i]);
		CHECK(suite_load(&s, &a, &path, 1, &plain, &err));
		CHECK_STR(told(&a, &s), STR(""));
		CHECK(s.count > 0);
		count += s.count;
	}
	CHECK(count > 30);
	arena_free(&a);
}

TEST(a_variable_is_two_braces_a_name_and_two_braces)
{
	struct str text = STR("{{a}}{{ b }}{{{c}}}{{d e}}{{}}{{-f}}{{g}");
	static const char *const names[] = { "a", "b", "c" };
	static const size_t froms[] = { 0, 5, 13 };
	size_t at = 0, from;
	struct str name;

	for (size_t i = 0; i < 3; i++) {
		CHECK(suite_next_variable(text, &at, &from, &name));
		CHECK_STR(name, str_from(names[i]));
		CHECK_INT(from, froms[i]);
	}
	CHECK(!suite_next_variable(text, &at, &from, &name));
}
