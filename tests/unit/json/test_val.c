#include <stdio.h>
#include <string.h>

#include "harness/test.h"
#include "json/json.h"
#include "json/slow.h"

struct doc { /* a parsed text and what it needs */
	struct json_parser *parser;
	struct arena arena;
	struct val root;
};

static struct val doc_open(struct doc *d, struct str text)
{
	struct json_options allow = { .allow_duplicates = true, .allow_lone = true };
	struct json_issue issue;

	d->parser = json_parser_open(allow);
	arena_init(&d->arena);
	if (!json_parse_copy(d->parser, text, &d->root, &issue))
		FAIL("%.*s: %s", STR_ARG(text), issue.message);
	return d->root;
}

static void doc_close(struct doc *d)
{
	json_parser_close(d->parser);
	arena_free(&d->arena);
}

#define LIT(text) { (text), sizeof(text) - 1 }

/* ---- text ---- */

TEST(a_source_is_the_span_with_quotes_and_brackets)
{
	struct doc d;
	struct val_iter it;
	struct val key, value;

	it = val_begin(doc_open(&d, STR(" {\"k\\n\": [1, \"a\"] } ")));
	CHECK_STR(val_source(d.root), STR("{\"k\\n\": [1, \"a\"] }"));
	CHECK(val_next_member(&it, &key, &value));
	CHECK_STR(val_source(key), STR("\"k\\n\""));
	CHECK_STR(val_raw(key), STR("k\\n"));
	CHECK_STR(val_source(value), STR("[1, \"a\"]"));
	CHECK_STR(val_source(val_at(value, STR("/0"))), STR("1"));
	CHECK_STR(val_source(val_at(value, STR("/1"))), STR("\"a\""));
	doc_close(&d);
}

TEST(text_is_the_string_with_its_escapes_undone)
{
	static const struct {
		const char *json;
		struct str text;
	} cases[] = {
		{ "\"\"", LIT("") },
		{ "\"plain\"", LIT("plain") },
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", LIT("\"\\/\b\f\n\r\t") },
		{ "\"\\u0041\\u00e9\\u20AC\"", LIT("A\xc3\xa9\xe2\x82\xac") },
		{ "\"x\\u0000y\"", LIT("x\0y") },
		{ "\"\\ud83d\\ude00\"", LIT("\xf0\x9f\x98\x80") },
		{ "\"\\ud83d\"", LIT("\xef\xbf\xbd") },
		{ "\"\\ude00\\ud83d!\"", LIT("\xef\xbf\xbd\xef\xbf\xbd!") },
		{ "\"\\ud83d\\u0041\"", LIT("\xef\xbf\xbd" "A") },
		{ "\"\\\\u0041\"", LIT("\\u0041") },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct doc d;
		struct str longer;

		test_case("%s", cases[i].json);
		doc_open(&d, str_from(cases[i].json));
		CHECK_STR(val_text(d.root, &d.arena), cases[i].text);
		CHECK(val_text_is(d.root, cases[i].text));
		longer = arena_printf(&d.arena, "%.*s+", STR_ARG(cases[i].text));
		CHECK(!val_text_is(d.root, longer));
		if (cases[i].text.n > 0)
			CHECK(!val_text_is(d.root, str_of(cases[i].text.p, cases[i].text.n - 1)));
		doc_close(&d);
	}
}

TEST(text_without_escapes_points_into_the_input)
{
	struct doc d;
	struct val v = doc_open(&d, STR("\"plain\""));

	CHECK(val_text(v, &d.arena).p == val_raw(v).p);
	CHECK_INT(d.arena.used, 0);
	doc_close(&d);
}

TEST(only_strings_and_names_have_text_that_can_be_equal)
{
	struct doc d;

	CHECK(!val_text_is(doc_open(&d, STR("1")), STR("1")));
	doc_close(&d);
	CHECK(!val_text_is(doc_open(&d, STR("[]")), STR("[]")));
	doc_close(&d);
	CHECK(!val_text_is(VAL_NONE, STR("")));
}

TEST(text_is_given_of_strings_only)
{
	static const char json[] = "{\"text\":\"a\\n\",\"empty\":\"\",\"n\":1,\"null\":null}";
	static const struct {
		const char *name, *text;
	} cases[] = { { "text", "a\n" }, { "empty", "" }, { "n", NULL }, { "null", NULL }, { "other", NULL } };
	struct doc d;

	doc_open(&d, STR(json));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct val v = val_get(d.root, str_from(cases[i].name));
		struct str text = val_text_or_none(v, &d.arena), copy = val_text_copy(v, &d.arena);

		test_case("%s", cases[i].name);
		CHECK_INT(text.p != NULL, cases[i].text != NULL);
		CHECK_INT(copy.p != NULL, cases[i].text != NULL);
		CHECK_STR(text, str_from(cases[i].text));
		CHECK_STR(copy, str_from(cases[i].text));
		CHECK_STR(val_get_text(d.root, str_from(cases[i].name), &d.arena), text);
		if (copy.p)
			CHECK(copy.p != val_raw(v).p && copy.p[copy.n] == '\0');
	}
	doc_close(&d);
}

TEST(bytes_that_are_not_utf8_become_replacement_characters)
{
	static const struct {
		const char *json, *text;
	} cases[] = {
		{ "\"a\xff" "b\"", "a\xef\xbf\xbd" "b" },
		{ "\"\xe2\x82\\n\xf0\"", "\xef\xbf\xbd\xef\xbf\xbd\n\xef\xbf\xbd" },
		{ "\"\\ud800\x80\"", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\"\xc3\xa9\xc3\\u00e9\"", "\xc3\xa9\xef\xbf\xbd\xc3\xa9" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct slow_tape toks;
		struct json_shapes shapes;
		struct arena arena;
		struct slow s = { .text = str_from(cases[i].json), .lenient = true, .tape = &toks, .shapes = &shapes };
		struct json_tape tape;
		struct val v = { &tape, 0 };

		test_case("%zu", i);
		slow_tape_init(&toks);
		shapes_init(&shapes);
		arena_init(&arena);
		s.arena = &arena;
		CHECK(slow_parse(&s, 0));
		tape = (struct json_tape){ s.text.p, toks.toks, toks.count, &shapes };
		CHECK_STR(val_text(v, &arena), str_from(cases[i].text));
		CHECK(val_text_is(v, str_from(cases[i].text)));
		CHECK(!val_text_is(v, str_of(cases[i].json + 1, strlen(cases[i].json) - 2)));
		slow_tape_free(&toks);
		shapes_free(&shapes);
		arena_free(&arena);
	}
}

/* ---- small questions ---- */

TEST(a_member_is_there_even_when_it_is_null)
{
	struct doc d;

	doc_open(&d, STR("{\"a\":null,\"b\":true,\"c\":false,\"d\":0}"));
	CHECK(val_has(d.root, STR("a")) && !val_has(d.root, STR("e")) && !val_has(VAL_NONE, STR("a")));
	CHECK(val_is_unset(val_get(d.root, STR("a"))) && val_is_unset(VAL_NONE));
	CHECK(!val_is_unset(val_get(d.root, STR("c"))));
	CHECK(val_is_bool(val_get(d.root, STR("b"))) && val_is_bool(val_get(d.root, STR("c"))));
	CHECK(!val_is_bool(val_get(d.root, STR("d"))) && !val_is_bool(VAL_NONE));
	CHECK(val_is(val_get_either(d.root, STR("b"), STR("c")), JSON_TRUE));
	CHECK(val_is(val_get_either(d.root, STR("e"), STR("c")), JSON_FALSE));
	CHECK(val_is_none(val_get_either(d.root, STR("e"), STR("f"))));
	doc_close(&d);
}

/* ---- numbers ---- */

TEST(a_number_is_given_as_a_double_when_it_fits)
{
	static const struct {
		const char *json;
		bool fits;
		double value;
	} cases[] = {
		{ "0", true, 0 },
		{ "-1.5e3", true, -1500 },
		{ "0.1", true, 0.1 },
		{ "1e-400", true, 0 },
		{ "1e400", false, 0 },
		{ "-1e400", false, 0 },
		{ "\"1\"", false, 0 },
		{ "null", false, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double out = 77;
		struct doc d;

		test_case("%s", cases[i].json);
		CHECK_INT(val_double(doc_open(&d, str_from(cases[i].json)), &out), cases[i].fits);
		CHECK(out == (cases[i].fits ? cases[i].value : 77));
		doc_close(&d);
	}
}

TEST(a_number_is_given_as_an_integer_when_it_is_one_and_fits)
{
	static const struct {
		const char *json;
		bool fits;
		int64_t value;
	} cases[] = {
		{ "0", true, 0 },
		{ "-7", true, -7 },
		{ "1e3", true, 1000 },
		{ "12.0", true, 12 },
		{ "12.5", false, 0 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "-9223372036854775808", true, INT64_MIN },
		{ "9223372036854775808", false, 0 },
		{ "\"1\"", false, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t out = 77;
		struct doc d;

		test_case("%s", cases[i].json);
		CHECK_INT(val_i64(doc_open(&d, str_from(cases[i].json)), &out), cases[i].fits);
		CHECK_INT(out, cases[i].fits ? cases[i].value : 77);
		doc_close(&d);
	}
}

/* ---- containers ---- */

TEST(elements_and_members_come_in_the_order_of_the_text)
{
	struct doc d;
	struct val v, key, value;
	struct val_iter it;
	char seen[64] = "";
	size_t n = 0;

	v = doc_open(&d, STR("[1,[2,3],{\"a\":[4],\"b\":5},\"six\"]"));
	for (it = val_begin(v); val_next(&it, &value);)
		n += (size_t)snprintf(seen + n, sizeof(seen) - n, "%.*s;", STR_ARG(val_source(value)));
	CHECK_STR(str_from(seen), STR("1;[2,3];{\"a\":[4],\"b\":5};\"six\";"));
	n = 0;
	for (it = val_begin(val_at(v, STR("/2"))); val_next_member(&it, &key, &value);)
		n += (size_t)snprintf(seen + n, sizeof(seen) - n, "%.*s=%.*s;", STR_ARG(val_raw(key)),
				      STR_ARG(val_source(value)));
	CHECK_STR(str_from(seen), STR("a=[4];b=5;"));
	doc_close(&d);
}

TEST(nothing_else_has_elements_or_members)
{
	static const char *const scalars[] = { "1", "\"[1]\"", "null", "true" };
	struct val key, value;
	struct val_iter it;
	struct doc d;

	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
		it = val_begin(doc_open(&d, str_from(scalars[i])));
		CHECK(!val_next(&it, &value));
		CHECK(!val_next_member(&it, &key, &value));
		CHECK_INT(val_count(d.root), 0);
		doc_close(&d);
	}
	it = val_begin(VAL_NONE);
	CHECK(!val_next(&it, &value));
	CHECK_INT(val_count(VAL_NONE), 0);
	it = val_begin(doc_open(&d, STR("{\"a\":1}")));
	CHECK(!val_next(&it, &value));
	doc_close(&d);
	it = val_begin(doc_open(&d, STR("[1,2]")));
	CHECK(!val_next_member(&it, &key, &value));
	doc_close(&d);
}

TEST(elements_and_members_are_counted)
{
	static const struct {
		const char *json;
		size_t count;
	} cases[] = {
		{ "[]", 0 },
		{ "{}", 0 },
		{ "[[1,2],[3]]", 2 },
		{ "{\"a\":{\"b\":1,\"c\":2}}", 1 },
		{ "{\"a\":1,\"b\":[1,2,3]}", 2 },
		{ "{\"a\":1,\"a\":2,\"b\":3}", 3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct doc d;

		test_case("%s", cases[i].json);
		CHECK_INT(val_count(doc_open(&d, str_from(cases[i].json))), cases[i].count);
		doc_close(&d);
	}
}

TEST(a_member_is_found_by_its_name_and_the_last_of_equals_wins)
{
	static const struct {
		const char *json;
		struct str name;
		const char *found;
	} cases[] = {
		{ "{\"a\":1,\"b\":2}", LIT("b"), "2" },
		{ "{\"a\":{\"b\":2},\"c\":3}", LIT("b"), NULL },
		{ "{\"a\":{\"b\":2},\"c\":3}", LIT("c"), "3" },
		{ "{\"a\":1,\"a\":2}", LIT("a"), "2" },
		{ "{\"a\":1,\"b\":0,\"\\u0061\":2,\"c\":0}", LIT("a"), "2" },
		{ "{\"\\u0062\":1}", LIT("b"), "1" },
		{ "{\"\":1}", LIT(""), "1" },
		{ "{\"a\\u0000b\":1}", LIT("a\0b"), "1" },
		{ "{}", LIT("a"), NULL },
		{ "[\"a\",1]", LIT("a"), NULL },
		{ "1", LIT("a"), NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct doc d;
		struct val v;

		test_case("%s", cases[i].json);
		v = val_get(doc_open(&d, str_from(cases[i].json)), cases[i].name);
		CHECK_INT(val_is_none(v), !cases[i].found);
		if (cases[i].found)
			CHECK_STR(val_source(v), str_from(cases[i].found));
		doc_close(&d);
	}
	CHECK(val_is_none(val_get(VAL_NONE, STR("a"))));
}

TEST(members_are_found_in_an_object_too_large_for_a_shape)
{
	struct buf text;
	struct doc d;

	buf_init(&text);
	for (int i = 0; i < 1000; i++)
		buf_printf(&text, "%c\"name %d\":[%d]", i ? ',' : '{', i, i);
	buf_add_byte(&text, '}');
	doc_open(&d, buf_str(&text));
	CHECK_INT(val_count(d.root), 1000);
	CHECK_STR(val_source(val_get(d.root, STR("name 0"))), STR("[0]"));
	CHECK_STR(val_source(val_get(d.root, STR("name 999"))), STR("[999]"));
	CHECK(val_is_none(val_get(d.root, STR("name 1000"))));
	doc_close(&d);
	buf_free(&text);
}

/* ---- pointers ---- */

TEST(a_pointer_leads_to_its_value_or_nowhere)
{
	/* the document and the first pointers are those of RFC 6901, section 5 */
	static const char rfc[] = "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,"
				  "\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8,\"~1\":9,\"deep\":[[{\"x\":[10]}]]}";
	static const struct {
		const char *pointer, *found;
	} cases[] = {
		{ "/foo", "[\"bar\",\"baz\"]" },
		{ "/foo/0", "\"bar\"" },
		{ "/", "0" },
		{ "/a~1b", "1" },
		{ "/c%d", "2" },
		{ "/e^f", "3" },
		{ "/g|h", "4" },
		{ "/i\\j", "5" },
		{ "/k\"l", "6" },
		{ "/ ", "7" },
		{ "/m~0n", "8" },
		{ "/~01", "9" },
		{ "/deep/0/0/x/0", "10" },
		{ "/foo/2", NULL },
		{ "/foo/-", NULL },
		{ "/foo/00", NULL },
		{ "/foo/01", NULL },
		{ "/foo/+1", NULL },
		{ "/foo/1e0", NULL },
		{ "/foo/18446744073709551616", NULL },
		{ "/foo/", NULL },
		{ "/foo/0/0", NULL },
		{ "/bar", NULL },
		{ "foo", NULL },
		{ "/m~n", NULL },
		{ "/m~2n", NULL },
		{ "/~", NULL },
		{ "/foo/0~", NULL },
		{ "/m~0", NULL },
		{ "/m~0nn", NULL },
		{ "//", NULL },
	};
	struct doc d;

	doc_open(&d, str_from(rfc));
	CHECK_INT(val_at(d.root, STR("")).at, d.root.at);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct val v = val_at(d.root, str_from(cases[i].pointer));

		test_case("%s", cases[i].pointer);
		CHECK_INT(val_is_none(v), !cases[i].found);
		if (cases[i].found) {
			CHECK_STR(val_source(v), str_from(cases[i].found));
			CHECK_STR(val_pointer(d.root, v, &d.arena), str_from(cases[i].pointer));
		}
	}
	CHECK(val_is_none(val_at(VAL_NONE, STR("/a"))));
	doc_close(&d);
}

TEST(a_malformed_pointer_leads_nowhere_whatever_the_names)
{
	static const char *const malformed[] = { "/~2", "/~", "/x~2", "/x~", "/~/", "/x~/", "x~1" };
	struct doc d;

	doc_open(&d, STR("{\"/\":1,\"x/\":2,\"~\":{\"\":3},\"x~\":{\"\":4}}"));
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
		test_case("%s", malformed[i]);
		CHECK(val_is_none(val_at(d.root, str_from(malformed[i]))));
	}
	doc_close(&d);
}

TEST(the_last_of_equal_names_is_where_a_pointer_with_a_tilde_leads)
{
	struct doc d;

	doc_open(&d, STR("{\"a~b\":1,\"a~b\":2}"));
	CHECK_STR(val_source(val_at(d.root, STR("/a~0b"))), STR("2"));
	doc_close(&d);
}

TEST(every_token_below_a_value_has_a_pointer_from_it)
{
	struct doc d;
	struct val inner;

	doc_open(&d, STR("{\"a\":[{\"b\\n\":[7,8]},[]]}"));
	inner = val_at(d.root, STR("/a/0"));
	CHECK_STR(val_pointer(inner, inner, &d.arena), STR(""));
	CHECK_STR(val_pointer(inner, val_at(d.root, STR("/a/0/b\n/1")), &d.arena), STR("/b\n/1"));
	CHECK_STR(val_pointer(d.root, val_at(d.root, STR("/a/1")), &d.arena), STR("/a/1"));
	doc_close(&d);
}

TEST(a_name_has_the_pointer_of_its_member)
{
	struct doc d;
	struct val key, value;
	struct val_iter it;

	it = val_begin(doc_open(&d, STR("{\"x\":1,\"y\":2}")));
	CHECK(val_next_member(&it, &key, &value) && val_next_member(&it, &key, &value));
	CHECK_STR(val_pointer(d.root, key, &d.arena), STR("/y"));
	doc_close(&d);
}

TEST(a_pointer_found_from_a_hint_is_the_same)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct val_hint hint = { 0, 0, 0 };
	struct arena a;
	struct buf text;
	struct val root;

	arena_init(&a);
	buf_init(&text);
	buf_add_str(&text, STR("{\"list\":["));
	for (int i = 0; i < 300; i++)
		buf_printf(&text, "%s{\"k%d\":[%d,\"x\"]}", i ? "," : "", i, i);
	buf_add_str(&text, STR("],\"wide\":{"));
	for (int i = 0; i < 200; i++)
		buf_printf(&text, "%s\"n%d\":{\"y\":%d}", i ? "," : "", i, i);
	buf_add_str(&text, STR("}}"));
	CHECK(json_parse_copy(p, buf_str(&text), &root, NULL));
	for (uint32_t i = 0; i < val_end(root); i++) {
		struct val v = { root.tape, i }, back = { root.tape, val_end(root) - 1 - i };

		CHECK_STR(val_pointer_near(root, v, &a, &hint), val_pointer(root, v, &a));
		CHECK_STR(val_pointer_near(root, back, &a, &hint), val_pointer(root, back, &a));
	}
	arena_free(&a);
	buf_free(&text);
	json_parser_close(p);
}

/* Escaped, empty and long names among them; what a shape does not have is told without a walk. */
TEST(a_member_is_found_by_its_own_name_and_by_no_other)
{
	static const char *const names[] = { "", "a", "b", "ab", "ba", "choices", "choicer", "delta", "error", "id", "index",
					     "model", "modem", "nodel", "object", "usage", "p\tq", "\xc3\xa4", "caused" };
	struct doc d;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct buf text = { 0 };

		test_case("%s", names[i]);
		buf_printf(&text, "{\"%s\":1,\"and\":{\"more\":2}}", strcmp(names[i], "p\tq") == 0 ? "p\\tq" : names[i]);
		doc_open(&d, buf_str(&text));
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			CHECK_INT(val_is(val_get(d.root, str_from(names[k])), JSON_NUMBER), i == k);
		CHECK(val_is(val_get(d.root, STR("and")), JSON_OBJECT));
		CHECK(val_is_none(val_get(val_get(d.root, STR("and")), str_from(names[i]))));
		doc_close(&d);
		buf_free(&text);
	}
}

TEST(containers_are_counted_as_deep_as_they_are_nested)
{
	static const struct { const char *text; size_t depth; } cases[] = {
		{ "1", 0 }, { "[]", 1 }, { "[[],[],{}]", 2 }, { "{\"a\":[{\"b\":1}],\"c\":[2]}", 3 },
	};
	struct doc d;

	for (size_t i = 0; i < COUNT(cases); i++) {
		doc_open(&d, str_from(cases[i].text));
		CHECK(!val_is_deeper(d.root, cases[i].depth));
		CHECK(cases[i].depth == 0 || val_is_deeper(d.root, cases[i].depth - 1));
		doc_close(&d);
	}
}
