/* Texts found in TOML by their path, past what is not looked for. */
#include "base/toml.h"

#include "base/buf.h"
#include "harness/test.h"

#define PATH_PARTS 4

/* A path as people write it; the arena is the caller's. */
static struct str find_text(struct arena *a, const char *text, const char *path)
{
	struct str parts[PATH_PARTS], rest = str_from(path), found = { NULL, 0 };
	size_t count = 0;

	while (rest.n && count < PATH_PARTS)
		parts[count++] = str_cut(rest, '.', &rest);
	toml_find(a, str_from(text), parts, count, &found);
	return found;
}

static const struct { const char *text, *path, *value; } cases[] = {
	{ "model_provider = \"mine\"", "model_provider", "mine" },
	{ "model_provider='mine'\n", "model_provider", "mine" },
	{ "# model_provider = \"no\"\nmodel_provider = \"yes\" # \"no\"\r\n", "model_provider", "yes" },
	{ "\"a\" = \"1\"", "a", "1" },
	{ "a = \"1\"\na = \"2\"", "a", "2" },
	{ "a = \"x\\\"y\\\\z\"", "a", "x\"y\\z" },
	{ "a = \"x\\u0041\"\nb = \"after\"", "b", "after" },
	{ "a = \"x\\u0041\"", "a", NULL },
	{ "a = 'C:\\x'", "a", "C:\\x" },
	{ "n = 1\nd = 1979-05-27T07:32:00Z\nt = true\na = \"1\"", "a", "1" },
	{ "l = [ \"a = \\\"2\\\"\", [1, 2], # ]\n { a = \"3\" } ]\na = \"1\"", "a", "1" },
	{ "s = \"\"\"\na = \"2\"\n\\\"\"\"\" \"\"\"\"\na = \"1\"", "a", "1" },
	{ "s = '''\na = \"2\"\n'''\na = \"1\"", "a", "1" },
	{ "s = \"\"\na = \"1\"", "a", "1" },
	{ "s = \"\"\na = \"1\"", "s", "" },
	{ "[t]\na = \"2\"", "a", NULL },
	{ "[t]\na = \"2\"", "t.a", "2" },
	{ "[ t . \"u v\" ] # c\na = \"2\"", "t.u v.a", "2" },
	{ "[t]\nu.a = \"2\"\nb = \"3\"", "t.u.a", "2" },
	{ "[t]\nu.a = \"2\"\nb = \"3\"", "t.b", "3" },
	{ "t.u.a = \"2\"", "t.u.a", "2" },
	{ "t = { u = { b = 1, a = \"2\" }, c = \"3\" }\nd = \"4\"", "t.u.a", "2" },
	{ "t = { u = { b = 1, a = \"2\" }, c = \"3\" }\nd = \"4\"", "t.c", "3" },
	{ "t = { u = { b = 1, a = \"2\" }, c = \"3\" }\nd = \"4\"", "d", "4" },
	{ "t = { u = {}, a = [1], c = \"3\" }\nd = \"4\"", "t.c", "3" },
	{ "t = {}\nd = \"4\"", "d", "4" },
	{ "[[t]]\na = \"2\"\n[u]\na = \"3\"", "t.a", NULL },
	{ "[[t]]\na = \"2\"\n[u]\na = \"3\"", "u.a", "3" },
	{ "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r = \"deep\"\nz = \"1\"", "z", "1" },
	{ "a = \"1\"\n= nonsense\na = \"2\"", "a", "1" },
	{ "a = \"open\nb = \"1\"", "b", NULL },
	{ "a = \"1\"\nl = [", "a", "1" },
	{ "a = \"1\"\ns = \"\"\"", "a", "1" },
	{ "a = \"1\"\n[t", "a", "1" },
	{ "a = \"1\"\nt = {", "a", "1" },
	{ "", "a", NULL },
};

TEST(the_line_that_cannot_be_read_is_found)
{
	static const struct { const char *text; size_t line; } faults[] = {
		{ "", 0 },
		{ "# c\n[t]\na = 1\n\n[[u]]\nb = { c = [1,\n2], d = 1979-05-27 }\n", 0 },
		{ "s = \"\"\"\nx\n\"\"\"\na = 1", 0 },
		{ "[t", 1 },
		{ "\xff\xfe", 1 },
		{ "a = 1\n= 2\n", 2 },
		{ "a = 1\ngarbage here\nb = 2\n", 2 },
		{ "\n\na = \"open\nb = 1", 3 },
		{ "a = 1\nl = [\n1,\n", 2 },
		{ "a = 1\ns = \"\"\"\n", 2 },
		{ "a = 1\nt = {", 2 },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(faults); i++) {
		test_case("%zu", i);
		CHECK_INT(toml_find_fault(&a, str_from(faults[i].text)), faults[i].line);
	}
	CHECK(toml_find_fault(&a, STR("t = { b = 2")) > 0);
	arena_free(&a);
}

TEST(a_text_is_found_by_its_path)
{
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str found = find_text(&a, cases[i].text, cases[i].path);

		CHECK_STR(found, str_from(cases[i].value));
		CHECK_INT(found.p != NULL, cases[i].value != NULL);
	}
	arena_free(&a);
}

TEST(a_document_that_is_cut_anywhere_is_read_to_its_end)
{
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str text = str_from(cases[i].text), part = STR("a"), found;

		for (size_t n = 0; n < text.n; n++) {
			struct str copy = arena_copy(&a, str_of(text.p, n));

			toml_find(&a, copy, &part, 1, &found);
		}
	}
	arena_free(&a);
}

TEST(a_document_of_brackets_needs_no_stack)
{
	struct str part = STR("a"), found;
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	buf_add_str(&b, STR("x = "));
	for (size_t i = 0; i < 100000; i++)
		buf_add_byte(&b, '[');
	CHECK(!toml_find(&a, buf_str(&b), &part, 1, &found));
	buf_clear(&b);
	for (size_t i = 0; i < 100000; i++)
		buf_add_str(&b, STR("x={"));
	CHECK(!toml_find(&a, buf_str(&b), &part, 1, &found));
	buf_free(&b);
	arena_free(&a);
}

static const struct { const char *text; enum toml_kind kind; double number; const char *spelled; } values[] = {
	{ "a = 900.0", TOML_NUMBER, 900, "900.0" },
	{ "a = +17 # seconds", TOML_NUMBER, 17, "+17" },
	{ "a = -0.5e3\r\n", TOML_NUMBER, -500, "-0.5e3" },
	{ "a = 4_096", TOML_NUMBER, 4096, "4_096" },
	{ "a = 0xff", TOML_NUMBER, 255, "0xff" },
	{ "a = 0o17", TOML_NUMBER, 15, "0o17" },
	{ "a = 0b101", TOML_NUMBER, 5, "0b101" },
	{ "a = 0b102", TOML_OTHER, 0, "0b102" },
	{ "a = inf", TOML_OTHER, 0, "inf" },
	{ "a = nan", TOML_OTHER, 0, "nan" },
	{ "a = 1e999", TOML_OTHER, 0, "1e999" },
	{ "a = 1979-05-27T07:32:00Z", TOML_OTHER, 0, "1979-05-27T07:32:00Z" },
	{ "a = true", TOML_BOOL, 1, "true" },
	{ "a = false", TOML_BOOL, 0, "false" },
	{ "a = True", TOML_OTHER, 0, "True" },
	{ "a = \"1\"", TOML_TEXT, 0, "1" },
	{ "t = { a = 3 }", TOML_NONE, 0, NULL },
	{ "a = [1, \"]\", [2]] # ]", TOML_ARRAY, 0, "[1, \"]\", [2]]" },
	{ "a = { b = 1 }", TOML_NONE, 0, NULL },
	{ "a = 1\na = true", TOML_BOOL, 1, "true" },
};

TEST(a_value_has_its_kind_and_its_number)
{
	struct str part = STR("a");
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(values); i++) {
		struct toml_value v = { .kind = TOML_NONE };

		CHECK_INT(toml_find_value(&a, str_from(values[i].text), &part, 1, &v), values[i].kind != TOML_NONE);
		CHECK_INT(v.kind, values[i].kind);
		CHECK_STR(v.text, str_from(values[i].spelled));
		if (v.kind == TOML_NUMBER)
			CHECK(v.number >= values[i].number && v.number <= values[i].number);
		if (v.kind == TOML_BOOL)
			CHECK_INT(v.truth, values[i].number > 0);
	}
	arena_free(&a);
}

TEST(a_table_has_something_in_it_however_it_is_written)
{
	static const struct { const char *text; bool has; } tables[] = {
		{ "[verifier.env]\nKEY = 'v'\n", true },     { "[verifier]\nenv = { KEY = 'v' }\n", true },
		{ "[verifier]\nenv.KEY = 1\n", true },       { "[verifier.env.more]\na = [1]\n", true },
		{ "[verifier.env]\n[agent]\nx = 1\n", false }, { "[verifier]\nenv = {}\n", false },
		{ "[verifier]\nenv = 'text'\n", false },     { "[verifier]\nenvironment.a = 1\n", false },
	};
	const struct str path[] = { STR("verifier"), STR("env") };
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(tables); i++) {
		test_case("%s", tables[i].text);
		CHECK_INT(toml_has_below(&a, str_from(tables[i].text), path, COUNT(path)), tables[i].has);
	}
	arena_free(&a);
}

TEST(the_elements_of_an_array_are_given_one_by_one)
{
	static const enum toml_kind kinds[] = { TOML_TEXT, TOML_NUMBER, TOML_BOOL, TOML_ARRAY, TOML_OTHER, TOML_NUMBER };
	struct str part = STR("a");
	struct toml_value list, v;
	struct arena a;

	arena_init(&a);
	CHECK(toml_find_value(&a, STR("a = [ 'x,]', # one\n 2,true, [3, 4], {b = [5]}, 6, ]\n"), &part, 1, &list));
	for (size_t i = 0; i < COUNT(kinds); i++) {
		CHECK(toml_next(&a, &list.text, &v));
		CHECK_INT(v.kind, kinds[i]);
	}
	CHECK(v.number >= 6 && v.number <= 6);
	CHECK(!toml_next(&a, &list.text, &v));
	CHECK(!toml_next(&a, &list.text, &v));
	list.text = STR("[]");
	CHECK(!toml_next(&a, &list.text, &v));
	list.text = STR("[\"open");
	CHECK(!toml_next(&a, &list.text, &v));
	arena_free(&a);
}
