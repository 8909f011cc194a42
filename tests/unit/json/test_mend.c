#include "json/mend.h"

#include "harness/test.h"
#include "json/lenient.h"

struct told {
	struct buf pointers;
};

static void tell(void *context, struct str pointer)
{
	struct told *t = context;

	buf_add_str(&t->pointers, pointer);
	buf_add_byte(&t->pointers, ' ');
}

/* The mended text of the first value, with what was told behind it. */
static struct str mended(struct arena *a, const char *text, const char *marked)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	struct mend *m = mend_open();
	struct str padded = arena_printf(a, "%s%64s", text, "");
	struct json_lenient it;
	struct told t;
	struct buf out;
	struct str result;
	uint8_t marks[4096] = { 0 };
	struct val v;
	uint64_t line;

	buf_init(&out);
	buf_init(&t.pointers);
	json_lenient_begin(&it, p, str_of(padded.p, strlen(text)), 1, NULL, NULL);
	CHECK(json_lenient_next(&it, &v, &line));
	for (struct str left = str_from(marked); left.n;) {
		struct str pointer = str_cut(left, ' ', &left);
		struct val at = val_at(v, pointer);

		CHECK(!val_is_none(at));
		memset(marks + at.at, 1, val_end(at) - at.at);
	}
	if (!marked)
		mend_value(m, v, &out, (struct mend_watch){ tell, &t });
	else if (!mend_unmarked(m, v, marks, &out, (struct mend_watch){ tell, &t }))
		buf_add_str(&out, STR("(nothing)"));
	if (t.pointers.n)
		buf_printf(&out, " %.*s", (int)t.pointers.n - 1, t.pointers.p);
	result = arena_copy(a, buf_str(&out));
	buf_free(&out);
	buf_free(&t.pointers);
	mend_close(m);
	json_parser_close(p);
	return result;
}

TEST(what_the_canonical_form_refuses_is_mended)
{
	static const struct { const char *text, *mended; } cases[] = {
		{ "{\"b\":1,\"a\":[true,null]}", "{\"a\":[true,null],\"b\":1}" },
		{ "{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}" },
		{ "[\"\\ud800x\"]", "[\"\xef\xbf\xbdx\"]" },
		{ "{\"id\":9007199254740993}", "{\"id\":\"9007199254740993\"} /id" },
		{ "{\"a\":[1,{\"b/c\":1e400}]}", "{\"a\":[1,{\"b/c\":\"1e400\"}]} /a/1/b~1c" },
		{ "[NaN,-Infinity,1e-400]", "[\"NaN\",\"-Infinity\",\"1e-400\"] /0 /1 /2" },
		{ "9007199254740993", "\"9007199254740993\" " },
		{ "1.50", "1.5" },
		{ "{\"a\":{\"z\":1,\"z\":{\"y\":12345678901234567890}}}", "{\"a\":{\"z\":{\"y\":\"12345678901234567890\"}}} /a/z/y" },
		{ "[]", "[]" },
		{ "{}", "{}" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_STR(mended(&a, cases[i].text, NULL), str_from(cases[i].mended));
	}
	arena_free(&a);
}

TEST(what_is_marked_is_left_out)
{
	static const struct { const char *text, *marked, *left; } cases[] = {
		{ "{\"a\":1,\"b\":2}", "/a", "{\"b\":2}" },
		{ "{\"a\":1,\"b\":2}", "/a /b", "(nothing)" },
		{ "{\"a\":{\"x\":1,\"y\":2},\"b\":{}}", "/a/x", "{\"a\":{\"y\":2},\"b\":{}}" },
		{ "{\"a\":{\"x\":1},\"b\":{}}", "/a/x", "{\"b\":{}}" },
		{ "{\"a\":{\"x\":1},\"c\":3}", "/a/x", "{\"c\":3}" },
		{ "{\"a\":[{\"x\":1,\"y\":2},{\"x\":3}]}", "/a/0/x /a/1/x", "{\"a\":{\"#0\":{\"y\":2}}}" },
		{ "{\"a\":[{\"x\":1},{\"x\":3,\"z\":[]}],\"b\":1}", "/a/0/x /a/1/x", "{\"a\":{\"#1\":{\"z\":[]}},\"b\":1}" },
		{ "{\"a\":[1,2,3]}", "/a/1", "{\"a\":{\"#0\":1,\"#2\":3}}" },
		{ "[0,1,2,3,4,5,6,7,8,9,10]", "/0 /1 /3 /4 /5 /6 /7 /8", "{\"#10\":10,\"#2\":2,\"#9\":9}" },
		{ "{\"a\":[{\"id\":9007199254740993,\"x\":0}]}", "/a/0/x", "{\"a\":{\"#0\":{\"id\":\"9007199254740993\"}}} /a/#0/id" },
		{ "{\"a\":{\"b\":{\"c\":1}},\"d\":{\"e\":{\"f\":2}}}", "/a/b/c /d/e/f", "(nothing)" },
		{ "{\"a\":1,\"b\":{\"c\":{\"d\":1}},\"e\":2}", "/b/c/d", "{\"a\":1,\"e\":2}" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s without %s", cases[i].text, cases[i].marked);
		CHECK_STR(mended(&a, cases[i].text, cases[i].marked), str_from(cases[i].left));
	}
	arena_free(&a);
}

static void count_bytes(void *context, struct str pointer)
{
	*(size_t *)context += pointer.n;
}

TEST(pointers_are_told_until_they_outgrow_the_value_by_far)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	struct mend *m = mend_open();
	struct buf text, out;
	size_t told = 0;
	struct val v;

	buf_init(&text);
	buf_init(&out);
	buf_add_str(&text, STR("{\""));
	for (int i = 0; i < 100000; i++)
		buf_add_byte(&text, 'k');
	buf_add_str(&text, STR("\":[1"));
	for (int i = 0; i < 10000; i++)
		buf_add_str(&text, STR(",12345678901234567890"));
	buf_add_str(&text, STR("]}"));
	CHECK(json_parse_copy(p, buf_str(&text), &v, NULL));
	mend_value(m, v, &out, (struct mend_watch){ count_bytes, &told });
	CHECK(told > 100000 && told < 5 * text.n);
	CHECK(str_ends(buf_str(&out), STR(",\"12345678901234567890\"]}")));
	buf_free(&text);
	buf_free(&out);
	mend_close(m);
	json_parser_close(p);
}

TEST(depth_does_not_multiply_the_work)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 512 });
	struct mend *m = mend_open();
	struct buf text, out;
	struct val v;

	buf_init(&text);
	buf_init(&out);
	for (int i = 0; i < 500; i++)
		buf_add_byte(&text, '[');
	for (int i = 0; i < 1000000; i++) /* 500 times would take half a minute */
		buf_add_str(&text, STR("1,"));
	buf_add_str(&text, STR("12345678901234567890"));
	for (int i = 0; i < 500; i++)
		buf_add_byte(&text, ']');
	CHECK(json_parse_copy(p, buf_str(&text), &v, NULL));
	mend_value(m, v, &out, (struct mend_watch){ 0 });
	CHECK_INT(out.n, text.n + 2);
	buf_free(&text);
	buf_free(&out);
	mend_close(m);
	json_parser_close(p);
}
