#include "json/stream.h"

#include <string.h>

#include "base/buf.h"
#include "harness/test.h"
#include "json/slow.h"

#define LIT(text) { (text), sizeof(text) - 1 }

/* ---- how a document is fed ---- */

struct feeding {
	enum { WHOLE, BYTES, RANDOM } how;
	uint32_t seed;
};

static uint32_t draw(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

static size_t piece_size(struct feeding *f, size_t left)
{
	size_t n = f->how == WHOLE ? left : f->how == BYTES ? 1 : draw(&f->seed) % 200;

	if (f->how == RANDOM && draw(&f->seed) % 2)
		n %= 8;
	return n < left ? n : left;
}

static void print_item(struct buf *out, enum json_event e, const struct json_item *i)
{
	static const char *const names[] = { "MORE", "ENTER", "VALUE", "LEAVE", "END", "FAIL" };

	buf_printf(out, "%s %d %llu:%llu \"%.*s\"", names[e], (int)i->depth, (unsigned long long)i->offset,
		   (unsigned long long)i->line, STR_ARG(i->pointer));
	if (i->named)
		buf_printf(out, " name=%.*s", STR_ARG(i->name));
	if (e == JSON_STREAM_VALUE)
		buf_printf(out, " %.*s", STR_ARG(i->text));
	buf_add_byte(out, '\n');
}

static void print_issue(struct buf *out, const struct json_issue *i)
{
	buf_printf(out, "FAIL %s %zu+%zu %llu:%llu \"%.*s\" %s\n", json_code_name(i->code), i->offset, i->length,
		   (unsigned long long)i->line, (unsigned long long)i->column, STR_ARG(i->pointer), i->message);
}

/* Runs a document through; everything that comes out goes to `out`. */
static enum json_event run(struct json_stream_options o, struct str text, struct feeding f, struct buf *out)
{
	struct json_stream *s = json_stream_open(o);
	enum json_event e = JSON_STREAM_MORE;
	struct json_item item;
	struct json_issue issue;
	char *piece = NULL; /* a copy of its own, so that reading beyond it is caught */
	size_t at = 0;

	while (e != JSON_STREAM_END && e != JSON_STREAM_FAIL) {
		e = json_stream_next(s, &item, &issue);
		if (e == JSON_STREAM_MORE && at == text.n) {
			json_stream_finish(s);
		} else if (e == JSON_STREAM_MORE) {
			size_t n = piece_size(&f, text.n - at);

			mem_free(piece);
			piece = mem_alloc(n);
			if (n)
				memcpy(piece, text.p + at, n);
			at += n;
			json_stream_feed(s, str_of(piece, n));
		} else if (e == JSON_STREAM_FAIL) {
			print_issue(out, &issue);
		} else if (e != JSON_STREAM_END) {
			if (e == JSON_STREAM_VALUE)
				CHECK_STR(item.text, str_of(text.p + item.offset, item.text.n));
			print_item(out, e, &item);
		}
	}
	CHECK_INT(json_stream_next(s, &item, &issue), e);
	json_stream_close(s);
	mem_free(piece);
	return e;
}

/* The same in every way of feeding; `out` gets it once. */
static enum json_event run_all(struct json_stream_options o, struct str text, struct buf *out)
{
	enum json_event e = run(o, text, (struct feeding){ .how = WHOLE }, out), again;
	struct buf other;

	buf_init(&other);
	for (uint32_t i = 0; i < 12; i++) {
		struct feeding f = { .how = i ? RANDOM : BYTES, .seed = i };

		if (i == 0 && text.n > 4096)
			continue;
		buf_clear(&other);
		again = run(o, text, f, &other);
		CHECK_INT(again, e);
		CHECK_STR(buf_str(&other), buf_str(out));
	}
	buf_free(&other);
	return e;
}

/* ---- events ---- */

TEST(containers_above_the_split_are_entered_and_the_rest_comes_whole)
{
	static const char text[] = " {\"spans\": [\n {\"a\":[1]},\n 2 ], \"n\":\"x\\\"]\",\"e\":{},"
				   "\"o\":{\"p\":[ ],\"q\":{\"r\":1}}} \n";
	static const struct {
		uint32_t split;
		const char *events;
	} cases[] = {
		{ 0, "VALUE 0 1:1 \"\" {\"spans\": [\n {\"a\":[1]},\n 2 ], "
		     "\"n\":\"x\\\"]\",\"e\":{},\"o\":{\"p\":[ ],\"q\":{\"r\":1}}}\n" },
		{ 1, "ENTER 0 1:1 \"\"\n"
		     "VALUE 1 11:1 \"/spans\" name=spans [\n {\"a\":[1]},\n 2 ]\n"
		     "VALUE 1 35:3 \"/n\" name=n \"x\\\"]\"\n"
		     "VALUE 1 46:3 \"/e\" name=e {}\n"
		     "VALUE 1 53:3 \"/o\" name=o {\"p\":[ ],\"q\":{\"r\":1}}\n"
		     "LEAVE 0 74:3 \"\"\n" },
		{ 2, "ENTER 0 1:1 \"\"\n"
		     "ENTER 1 11:1 \"/spans\" name=spans\n"
		     "VALUE 2 14:2 \"/spans/0\" {\"a\":[1]}\n"
		     "VALUE 2 26:3 \"/spans/1\" 2\n"
		     "LEAVE 1 28:3 \"/spans\"\n"
		     "VALUE 1 35:3 \"/n\" name=n \"x\\\"]\"\n"
		     "ENTER 1 46:3 \"/e\" name=e\n"
		     "LEAVE 1 47:3 \"/e\"\n"
		     "ENTER 1 53:3 \"/o\" name=o\n"
		     "VALUE 2 58:3 \"/o/p\" name=p [ ]\n"
		     "VALUE 2 66:3 \"/o/q\" name=q {\"r\":1}\n"
		     "LEAVE 1 73:3 \"/o\"\n"
		     "LEAVE 0 74:3 \"\"\n" },
	};
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json_stream_options o = { .split_depth = cases[i].split };

		test_case("split %zu", i);
		buf_clear(&out);
		CHECK_INT(run_all(o, str_from(text), &out), JSON_STREAM_END);
		CHECK_STR(buf_str(&out), str_from(cases[i].events));
	}
	buf_free(&out);
}

TEST(a_value_comes_parsed)
{
	struct json_stream *s = json_stream_open((struct json_stream_options){ .split_depth = 1 });
	struct json_item item;
	struct json_issue issue;
	int64_t n;

	json_stream_feed(s, STR("[{\"a\":[1,2"));
	CHECK_INT(json_stream_next(s, &item, &issue), JSON_STREAM_ENTER);
	CHECK_INT(item.type, JSON_ARRAY);
	CHECK_INT(json_stream_next(s, &item, &issue), JSON_STREAM_MORE);
	json_stream_feed(s, STR("8]}, true"));
	CHECK_INT(json_stream_next(s, &item, &issue), JSON_STREAM_VALUE);
	CHECK_INT(item.type, JSON_OBJECT);
	CHECK(val_i64(val_at(item.value, STR("/a/1")), &n));
	CHECK_INT(n, 28);
	CHECK_INT(json_stream_next(s, &item, &issue), JSON_STREAM_MORE);
	json_stream_feed(s, STR("]"));
	CHECK_INT(json_stream_next(s, &item, &issue), JSON_STREAM_VALUE);
	CHECK(val_is(item.value, JSON_TRUE));
	CHECK_INT(json_stream_next(s, &item, &issue), JSON_STREAM_LEAVE);
	CHECK_INT(json_stream_next(s, &item, &issue), JSON_STREAM_MORE);
	json_stream_finish(s);
	CHECK_INT(json_stream_next(s, &item, &issue), JSON_STREAM_END);
	json_stream_close(s);
}

TEST(names_are_given_unescaped)
{
	struct json_stream_options o = { .split_depth = 1, .json.allow_lone = true };
	struct buf out;

	buf_init(&out);
	CHECK_INT(run_all(o, STR("{\"a\\u0041/~\":1,\"\\ud83d\\ude00\":2,\"\\ud800\":3,\"\\ud801\":4}"), &out),
		  JSON_STREAM_END);
	CHECK_STR(buf_str(&out), STR("ENTER 0 0:1 \"\"\n"
				     "VALUE 1 13:1 \"/aA~1~0\" name=aA/~ 1\n"
				     "VALUE 1 30:1 \"/\xf0\x9f\x98\x80\" name=\xf0\x9f\x98\x80 2\n"
				     "VALUE 1 41:1 \"/\xef\xbf\xbd\" name=\xef\xbf\xbd 3\n"
				     "VALUE 1 52:1 \"/\xef\xbf\xbd\" name=\xef\xbf\xbd 4\n"
				     "LEAVE 0 53:1 \"\"\n"));
	buf_free(&out);
}

/* ---- the same verdict and the same words as the plain parser ---- */

/* Everything in one piece through the plain parser. */
static bool judge_slowly(struct json_options options, struct str text, struct buf *out)
{
	struct slow_tape tape;
	struct json_shapes shapes;
	struct arena arena;
	struct slow s = { .text = text, .options = options, .single = true, .tape = &tape, .shapes = &shapes };
	bool good;

	slow_tape_init(&tape);
	shapes_init(&shapes);
	arena_init(&arena);
	s.arena = &arena;
	good = slow_parse(&s, 0);
	if (!good)
		print_issue(out, &s.issue);
	slow_tape_free(&tape);
	shapes_free(&shapes);
	arena_free(&arena);
	return good;
}

static struct str last_line(struct str text)
{
	size_t at = text.n - 1;

	while (at > 0 && text.p[at - 1] != '\n')
		at--;
	return str_of(text.p + at, text.n - at);
}

static void check_same(struct json_options options, struct str text)
{
	struct buf want, got;

	buf_init(&want);
	buf_init(&got);
	for (uint32_t split = 0; split < 5; split++) {
		struct json_stream_options o = { .json = options, .split_depth = split };
		bool good;

		buf_clear(&want);
		buf_clear(&got);
		good = judge_slowly(options, text, &want);
		CHECK_INT(run_all(o, text, &got), good ? JSON_STREAM_END : JSON_STREAM_FAIL);
		if (!good)
			CHECK_STR(last_line(buf_str(&got)), buf_str(&want));
	}
	buf_free(&want);
	buf_free(&got);
}

static const struct str documents[] = {
	LIT(""),
	LIT(" \n "),
	LIT("1"),
	LIT("\"a\""),
	LIT("["),
	LIT("[]"),
	LIT("[1,]"),
	LIT("[,1]"),
	LIT("[1 2]"),
	LIT("[1}"),
	LIT("[1"),
	LIT("{"),
	LIT("{}"),
	LIT("{a:1}"),
	LIT("{'a':1}"),
	LIT("{\"a\":1,}"),
	LIT("{\"a\" 1}"),
	LIT("{\"a\"}"),
	LIT("{\"a\":}"),
	LIT("{\"a\":1 x}"),
	LIT("{\"a\":[0,{\"b\":tru}]}"),
	LIT("[truefalse]"),
	LIT("[true\x01]"),
	LIT("[tru\xff]"),
	LIT("NaN"),
	LIT("[-Infinity]"),
	LIT("[1, // one\n2]"),
	LIT("[1/* one */]"),
	LIT("[\xe2\x82\xac]"),
	LIT("[1\xe2\x82\xac]"),
	LIT("[\0]"),
	LIT("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"),
	LIT("]"),
	LIT("01"),
	LIT("[-007]"),
	LIT("-"),
	LIT("[-]"),
	LIT("[-,1]"),
	LIT("[1.,1]"),
	LIT("[1.e5]"),
	LIT("[1e ]"),
	LIT("[1E+\"x\"]"),
	LIT("[+1]"),
	LIT("[.5]"),
	LIT("[0x1F]"),
	LIT("[1.5.3]"),
	LIT("[1_000]"),
	LIT("1_000"),
	LIT("{\"n\":[12, \"abc"),
	LIT("{\"n"),
	LIT("\"abc\\"),
	LIT("{\"\\u12"),
	LIT("\n\n  {\"a\\\""),
	LIT("[\"a\\xb\"]"),
	LIT("{\"a\\xb\":1}"),
	LIT("{\"a\\\xff\":1}"),
	LIT("[\"\\u12g4\"]"),
	LIT("[\"\x01\"]"),
	LIT("{\"a\nb\":1}"),
	LIT("[\"\\ud800\"]"),
	LIT("{\"x\":1,\"\\udfff\":1}"),
	LIT("[[\"\x80\"]]"),
	LIT("{\"\xed\xa0\x80\":1}"),
	LIT("{}\x80"),
	LIT("{\"a\"\xc1:1}"),
	LIT("{\"\xc3\xa9\xf0\x9f\x98\x80\": [\"\xc3\xa9\", x]}"),
	LIT("{\r\n\t\"a\": 1,\r\n\t\"b\": x\r\n}"),
	LIT("{\"a/b~c\":[[],[0,x]]}"),
	LIT("1 2"),
	LIT("{}\n{}"),
	LIT("{}\0"),
	LIT("[1],"),
	LIT("\xef\xbb\xbf{}"),
	LIT("\xef\xbb\xbf"),
	LIT(" \xef\xbb\xbf{}"),
	LIT("\xef\xbb"),
	LIT("\xef\xbf\xbd{}"),
	LIT("\xef"),
	LIT("{\"a\":1,\"a\":2}"),
	LIT("{\"a\":1,\"b\":{\"a\":1},\"\\u0061\":2}"),
	LIT("[{\"a\":1},{\"x\":{\"y\":1,\"y\":x}}]"),
	LIT("{\"a\":1,\"a\" x"),
	LIT("{\"a\":1,\"a"),
	LIT("{\"a\":{\"b\":[1}"),
	LIT("{\"a\":[}]}"),
	LIT("[[[[[[[1]]]]]]]"),
};

TEST(whatever_is_wrong_is_told_as_the_plain_parser_tells_it)
{
	struct json_options loose = { .allow_duplicates = true, .allow_lone = true, .allow_bom = true };

	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
		char long_document[256];

		test_case("%zu: %.*s", i, STR_ARG(documents[i]));
		memset(long_document, ' ', sizeof(long_document)); /* so that values are padded where they are */
		memcpy(long_document, documents[i].p, documents[i].n);
		check_same((struct json_options){ 0 }, str_of(long_document, sizeof(long_document)));
		check_same((struct json_options){ 0 }, documents[i]);
		check_same((struct json_options){ .max_depth = 1 }, documents[i]);
		check_same((struct json_options){ .max_depth = 3 }, documents[i]);
		check_same(loose, documents[i]);
	}
}

TEST(nesting_is_limited_across_entered_containers_and_values)
{
	struct json_stream_options o = { .json.max_depth = 100, .split_depth = 2 };
	char text[202];
	struct buf out;

	buf_init(&out);
	memset(text, '[', 101);
	memset(text + 101, ']', 101);
	CHECK_INT(run_all(o, str_of(text + 1, 200), &out), JSON_STREAM_END);
	buf_clear(&out);
	CHECK_INT(run_all(o, str_of(text, 202), &out), JSON_STREAM_FAIL);
	CHECK_STR(str_of(last_line(buf_str(&out)).p, 40), STR("FAIL E_DEPTH 100+1 1:101 \"/0/0/0/0/0/0/0"));
	buf_free(&out);
}

/* ---- limits ---- */

TEST(a_value_may_be_as_long_as_the_limit_and_no_longer)
{
	struct json_stream_options o = { .split_depth = 1, .value_max = 10 };
	static const struct {
		const char *text;
		bool good;
		const char *fault;
	} cases[] = {
		{ "[\"12345678\"]", true, NULL },
		{ "[\"123456789\"]", false,
		  "FAIL E_LIMIT 1+0 1:2 \"/0\" the value is longer than 10 bytes, the limit for one in a stream\n" },
		{ "[1234567890]", true, NULL },
		{ "[0,12345678901]", false,
		  "FAIL E_LIMIT 3+0 1:4 \"/1\" the value is longer than 10 bytes, the limit for one in a stream\n" },
		{ "{\"12345678\":1}", true, NULL },
		{ "{\"123456789\":1}", false,
		  "FAIL E_LIMIT 1+0 1:2 \"\" the name is longer than 10 bytes, the limit for one in a stream\n" },
		{ "[[1,2,3,4,5]]", false,
		  "FAIL E_LIMIT 1+0 1:2 \"/0\" the value is longer than 10 bytes, the limit for one in a stream\n" },
		{ "[[1,2,3,45]]", true, NULL },
	};
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		buf_clear(&out);
		CHECK_INT(run_all(o, str_from(cases[i].text), &out),
			  cases[i].good ? JSON_STREAM_END : JSON_STREAM_FAIL);
		if (cases[i].fault)
			CHECK_STR(last_line(buf_str(&out)), str_from(cases[i].fault));
	}
	buf_free(&out);
}

TEST(what_is_wrong_in_the_kept_part_of_a_long_value_comes_before_its_length)
{
	struct json_stream_options o = { .split_depth = 1, .value_max = 100 };
	struct buf text, out;

	buf_init(&text);
	buf_init(&out);
	buf_add_str(&text, STR("[[1,2,x,"));
	for (int i = 0; i < 1000; i++)
		buf_add_str(&text, STR("1234567890,"));
	CHECK_INT(run_all(o, buf_str(&text), &out), JSON_STREAM_FAIL);
	CHECK_STR(last_line(buf_str(&out)),
		  STR("FAIL E_SYNTAX 6+1 1:7 \"/0/2\" expected a value after ',', found 'x'\n"));
	buf_free(&text);
	buf_free(&out);
}

TEST(a_duplicate_is_found_among_very_many_names_within_the_budget)
{
	struct json_stream_options o = { .split_depth = 1 }, small = { .split_depth = 1, .names_max = 100000 };
	struct buf text, out, want;

	buf_init(&text);
	buf_init(&out);
	buf_init(&want);
	for (int i = 0; i < 20000; i++)
		buf_printf(&text, "%c\n\"name %d\":{\"x\":%d}", i ? ',' : '{', i, i);
	buf_printf(&want,
		   "FAIL E_DUP_KEY %zu+10 20001:26 \"/name 777\" name \"name 777\" appears twice in this object\n",
		   text.n + 1);
	buf_add_str(&text, STR(",\"name 777\":0}"));
	CHECK_INT(run(o, buf_str(&text), (struct feeding){ .how = RANDOM }, &out), JSON_STREAM_FAIL);
	CHECK_STR(last_line(buf_str(&out)), buf_str(&want));
	CHECK_INT(run(small, buf_str(&text), (struct feeding){ .how = RANDOM }, &out), JSON_STREAM_FAIL);
	CHECK(str_find(last_line(buf_str(&out)), STR("E_LIMIT")) == 5);
	small.json.allow_duplicates = true;
	CHECK_INT(run(small, buf_str(&text), (struct feeding){ .how = RANDOM }, &out), JSON_STREAM_END);
	buf_free(&want);
	buf_free(&text);
	buf_free(&out);
}

/* ---- larger documents ---- */

TEST(values_of_a_large_document_are_where_it_says_they_are)
{
	struct json_stream *s = json_stream_open((struct json_stream_options){ .split_depth = 2 });
	uint32_t seed = 1;
	size_t at = 0, values = 0;
	struct buf text;
	struct json_item item;
	struct json_issue issue;
	enum json_event e;

	buf_init(&text);
	buf_add_str(&text, STR("{\n  \"resourceSpans\": [\n"));
	for (int i = 0; i < 5000; i++)
		buf_printf(&text, "    {\n      \"id\": %d,\n      \"text\": \"%0*d \\\" \xc3\xa9\"\n    }%s\n", i,
			   i % 300, i, i < 4999 ? "," : "");
	buf_add_str(&text, STR("  ]\n}\n"));
	while ((e = json_stream_next(s, &item, &issue)) != JSON_STREAM_END) {
		int64_t id;

		if (e == JSON_STREAM_MORE) {
			size_t n = 1 + draw(&seed) % 5000, left = text.n - at;

			if (left == 0) {
				json_stream_finish(s);
				continue;
			}
			n = n < left ? n : left;
			json_stream_feed(s, str_of(text.p + at, n));
			at += n;
		} else if (e == JSON_STREAM_VALUE) {
			CHECK_STR(item.text, str_of(text.p + item.offset, item.text.n));
			CHECK_INT(item.line, 3 + 4 * values);
			CHECK(val_i64(val_get(item.value, STR("id")), &id));
			CHECK_INT(id, values++);
		} else {
			CHECK(e == JSON_STREAM_ENTER || e == JSON_STREAM_LEAVE);
		}
	}
	CHECK_INT(values, 5000);
	json_stream_close(s);
	buf_free(&text);
}
