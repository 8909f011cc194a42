#include <stdio.h>
#include <string.h>
#include <time.h>

#include "harness/test.h"
#include "unit/json/slow_bench.h"

static struct str repeat(struct arena *a, const char *piece, size_t times)
{
	size_t n = strlen(piece);
	char *p = arena_array(a, char, n * times);

	for (size_t i = 0; i < times; i++)
		memcpy(p + i * n, piece, n);
	return str_of(p, n * times);
}

/* ---- objects too large for a shape ---- */

/* {"k0":0,"k1":0,...} with `count` names, and `tail` before the brace. */
static struct str large_object(struct arena *a, size_t count, const char *tail)
{
	char *p = arena_array(a, char, count * 24 + strlen(tail) + 64);
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += (size_t)sprintf(p + n, "%c\"k%zu\":0", i ? ',' : '{', i);
	n += (size_t)sprintf(p + n, "%s}", tail);
	return str_of(p, n);
}

TEST(a_duplicate_is_found_in_an_object_without_a_shape_before_later_faults)
{
	static const size_t counts[] = { 1, 95, 96, 97, 98, 200, 5000 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct str good, bad;
		struct bench b;

		test_case("%zu names", counts[i]);
		bench_init(&b);
		good = large_object(&b.arena, counts[i], "");
		bad = large_object(&b.arena, counts[i], ",\"k0\":1,x");
		CHECK(bench_parse(&b, good));
		CHECK_INT(b.tape.count, 1 + 2 * counts[i]);
		CHECK_INT(b.tape.toks[0].shape != SHAPE_NONE, counts[i] <= SHAPE_MEMBERS_MAX);
		CHECK(!bench_parse(&b, bad));
		CHECK_INT(b.s.issue.code, JSON_E_DUP_KEY);
		CHECK_INT(b.s.issue.offset, good.n);
		CHECK_STR(b.s.issue.pointer, STR("/k0"));
		bench_free(&b);
	}
}

TEST(an_inner_object_without_a_shape_may_have_the_names_of_the_outer_one)
{
	struct str inner, outer;
	struct bench b;
	char *p;
	size_t n;

	bench_init(&b);
	inner = large_object(&b.arena, 150, "");
	p = arena_array(&b.arena, char, 3 * inner.n + 100);
	/* outer: k0..k149, then "in" with the same names, then a name that only the outer has twice */
	memcpy(p, inner.p, inner.n - 1);
	n = inner.n - 1;
	n += (size_t)sprintf(p + n, ",\"in\":[%.*s,%.*s]", STR_ARG(inner), STR_ARG(inner));
	outer = str_of(p, n + 1);
	p[n] = '}';
	CHECK(bench_parse(&b, outer));
	n += (size_t)sprintf(p + n, ",\"k77\":0}");
	CHECK(!bench_parse(&b, str_of(p, n)));
	CHECK_INT(b.s.issue.code, JSON_E_DUP_KEY);
	CHECK_STR(b.s.issue.pointer, STR("/k77"));
	b.s.options.allow_duplicates = true;
	CHECK(bench_parse(&b, str_of(p, n)));
	CHECK(b.tape.toks[b.tape.count - 2].flags & JSON_DUPLICATE);
	CHECK_INT(b.tape.toks[b.tape.count - 4].flags, 0);
	CHECK_INT(b.tape.toks[0].shape, SHAPE_NONE);
	bench_free(&b);
}

TEST(a_million_names_take_linear_time)
{
	struct bench b;
	struct str text;
	clock_t start;

	bench_init(&b);
	text = large_object(&b.arena, 1000000, ",\"k7\":0");
	start = clock();
	CHECK(!bench_parse(&b, text));
	CHECK_INT(b.s.issue.code, JSON_E_DUP_KEY);
	CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 10 * test_slower()); /* quadratic would be hours */
	bench_free(&b);
}

/* ---- the tape ---- */

TEST(the_tape_says_where_everything_is)
{
	static const char text[] = " {\"a\" : [1, \"x\\n\"], \"\\u0062\":{}, \"c\":null} ";
	static const struct {
		enum json_type type;
		uint32_t off, len;
		uint8_t flags;
	} want[] = {
		{ JSON_OBJECT, 1, 41, 0 },
		{ JSON_KEY, 3, 1, 0 },
		{ JSON_ARRAY, 8, 10, 0 },
		{ JSON_NUMBER, 9, 1, JSON_INTEGER },
		{ JSON_STRING, 13, 3, JSON_ESCAPED },
		{ JSON_KEY, 21, 6, JSON_ESCAPED | JSON_REWRITE },
		{ JSON_OBJECT, 29, 2, 0 },
		{ JSON_KEY, 34, 1, 0 },
		{ JSON_NULL, 37, 4, 0 },
	};
	struct bench b;

	bench_init(&b);
	CHECK(bench_parse(&b, str_from(text)));
	CHECK_INT(b.s.end, 42);
	CHECK_INT(b.tape.count, sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < b.tape.count; i++) {
		test_case("token %zu", i);
		CHECK_INT(b.tape.toks[i].type, want[i].type);
		CHECK_INT(b.tape.toks[i].off, want[i].off);
		CHECK_INT(b.tape.toks[i].len, want[i].len);
		CHECK_INT(b.tape.toks[i].flags, want[i].flags);
	}
	CHECK_INT(b.tape.toks[0].link, 9);
	CHECK_INT(b.tape.toks[2].link, 5);
	CHECK_INT(b.tape.toks[6].link, 7);
	CHECK_INT(b.tape.toks[2].shape, 0);
	CHECK_INT(b.tape.toks[6].shape, SHAPE_EMPTY);
	CHECK_STR(b.shapes.keys[b.tape.toks[5].link].text, STR("b"));
	CHECK_INT(b.shapes.shapes[b.tape.toks[0].shape].count, 3);
	CHECK_INT(b.shapes.shapes[b.tape.toks[0].shape].key, b.tape.toks[7].link);
	bench_free(&b);
}

TEST(strings_are_flagged_by_what_their_escapes_need)
{
	static const struct {
		const char *text;
		uint8_t flags;
	} cases[] = {
		{ "\"\"", 0 },
		{ "\"plain \x7f \xc3\xa9\"", 0 },
		{ "\"\\\"\\\\\\b\\f\\n\\r\\t\"", JSON_ESCAPED },
		{ "\"\\/\"", JSON_ESCAPED | JSON_REWRITE },
		{ "\"\\u0041\"", JSON_ESCAPED | JSON_REWRITE },
		{ "\"\\u001f\"", JSON_ESCAPED | JSON_REWRITE },
		{ "\"\\ud83d\\uDE00\"", JSON_ESCAPED | JSON_REWRITE },
		{ "\"\\\\u0041\"", JSON_ESCAPED },
		{ "\"\\\\/\"", JSON_ESCAPED },
		{ "\"\\ud800\"", JSON_ESCAPED | JSON_REWRITE | JSON_LONE },
		{ "\"\\udc00x\"", JSON_ESCAPED | JSON_REWRITE | JSON_LONE },
	};
	struct bench b;

	bench_init(&b);
	b.s.options.allow_lone = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK(bench_parse(&b, str_from(cases[i].text)));
		CHECK_INT(b.tape.toks[0].flags, cases[i].flags);
	}
	bench_free(&b);
}

TEST(numbers_are_flagged_unless_their_text_is_canonical)
{
	static const struct {
		const char *text;
		uint8_t flags;
	} cases[] = {
		{ "0", JSON_INTEGER },
		{ "-0", JSON_INTEGER | JSON_REWRITE },
		{ "-1", JSON_INTEGER },
		{ "10", JSON_INTEGER },
		{ "999999999999999", JSON_INTEGER },
		{ "-999999999999999", JSON_INTEGER },
		{ "1000000000000000", JSON_INTEGER | JSON_REWRITE },
		{ "9007199254740993", JSON_INTEGER | JSON_REWRITE },
		{ "0.5", 0 },
		{ "-0.5", 0 },
		{ "1.0", JSON_REWRITE },
		{ "0.0", JSON_REWRITE },
		{ "-0.0", JSON_REWRITE },
		{ "1.50", JSON_REWRITE },
		{ "0.000001", 0 },
		{ "0.0000001", JSON_REWRITE },
		{ "0.00000123456789", 0 },
		{ "0.123456789012345", 0 },
		{ "0.1234567890123456", JSON_REWRITE },
		{ "12345678.1234567", 0 },
		{ "12345678.12345678", JSON_REWRITE },
		{ "100.000001", 0 },
		{ "1e5", JSON_REWRITE },
		{ "1E5", JSON_REWRITE },
		{ "1.5e-7", JSON_REWRITE },
		{ "0e0", JSON_REWRITE },
		{ "1e+400", JSON_REWRITE },
	};
	struct bench b;

	bench_init(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK(bench_parse(&b, str_from(cases[i].text)));
		CHECK_INT(b.tape.toks[0].flags, cases[i].flags);
		CHECK_INT(b.tape.toks[0].len, strlen(cases[i].text));
	}
	bench_free(&b);
}

/* Prints the tape without white space; scalars as they stand. */
static size_t print_tape(const struct bench *b, char *out)
{
	const struct json_tok *toks = b->tape.toks;
	uint32_t open[64];
	size_t depth = 0, n = 0;

	for (uint32_t i = 0; i < b->tape.count; i++) {
		const struct json_tok *t = &toks[i];
		bool text = t->type == JSON_STRING || t->type == JSON_KEY;

		if (i > 0 && toks[i - 1].type != JSON_KEY && i != open[depth - 1] + 1)
			out[n++] = ',';
		if (t->type == JSON_OBJECT || t->type == JSON_ARRAY) {
			out[n++] = b->s.text.p[t->off];
			open[depth++] = i;
		} else {
			memcpy(out + n, b->s.text.p + t->off - text, t->len + 2 * text);
			n += t->len + 2 * text;
		}
		if (t->type == JSON_KEY)
			out[n++] = ':';
		while (depth > 0 && toks[open[depth - 1]].link == i + 1) {
			const struct json_tok *c = &toks[open[--depth]];

			out[n++] = b->s.text.p[c->off + c->len - 1];
		}
	}
	return n;
}

TEST(the_tape_printed_back_is_the_text_without_white_space)
{
	static const char text[] = "{\"a\":[1,[],{},[{\"b\":[[2]]}],\"s\\\"\"],\"e\":{\"f\":{}},"
				   "\"g\":-1.5e+3,\"h\":[null,true,false]}";
	char spaced[1024], printed[1024];
	struct bench b;
	size_t n = 0;
	bool quoted = false;

	for (const char *p = text; *p; p++) {
		if (*p == '"' && p[-1] != '\\')
			quoted = !quoted;
		if (!quoted && strchr("{}[],:", *p))
			n += (size_t)sprintf(spaced + n, " \t%c\r\n", *p);
		else
			spaced[n++] = *p;
	}
	bench_init(&b);
	CHECK(bench_parse(&b, str_from(text)));
	CHECK_STR(str_of(printed, print_tape(&b, printed)), str_from(text));
	CHECK(bench_parse(&b, str_of(spaced, n)));
	CHECK_STR(str_of(printed, print_tape(&b, printed)), str_from(text));
	bench_free(&b);
}

/* ---- limits ---- */

TEST(nesting_beyond_the_limit_is_refused_at_the_bracket)
{
	static const struct {
		const char *piece;
		size_t times;
		uint32_t max_depth;
		size_t offset;
	} cases[] = {
		{ "[", 100000, 0, 1024 },
		{ "[{\"\":", 50000, 0, 1024 / 2 * 5 },
		{ "[", 100000, 65535, 65535 },
		{ "[", 100000, 1u << 30, 65535 },
		{ "[", 5, 3, 3 },
		{ "{\"a\":", 5, 2, 10 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b;

		test_case("%s x %zu", cases[i].piece, cases[i].times);
		bench_init(&b);
		b.s.options.max_depth = cases[i].max_depth;
		CHECK(!bench_parse(&b, repeat(&b.arena, cases[i].piece, cases[i].times)));
		CHECK_INT(b.s.issue.code, JSON_E_DEPTH);
		CHECK_INT(b.s.issue.offset, cases[i].offset);
		CHECK_INT(b.s.issue.length, 1);
		bench_free(&b);
	}
}

TEST(nesting_up_to_the_limit_is_read)
{
	struct bench b;
	char text[2 * 1024];

	memset(text, '[', 1024);
	memset(text + 1024, ']', 1024);
	bench_init(&b);
	CHECK(bench_parse(&b, str_of(text, sizeof(text))));
	CHECK_INT(b.tape.count, 1024);
	CHECK_INT(b.tape.toks[1023].len, 2);
	bench_free(&b);
}

TEST(a_string_of_64_mebibytes_is_read)
{
	size_t n = (size_t)64 << 20;
	struct bench b;
	char *p;

	bench_init(&b);
	p = arena_array(&b.arena, char, n);
	memset(p, 'x', n);
	p[0] = p[n - 1] = '"';
	CHECK(bench_parse(&b, str_of(p, n)));
	CHECK_INT(b.tape.toks[0].len, n - 2);
	bench_free(&b);
}

TEST(a_text_beyond_4_gibibytes_is_refused_unread)
{
	struct bench b;

	bench_init(&b);
	CHECK(!bench_parse(&b, str_of("[]", (size_t)UINT32_MAX + 1)));
	CHECK_INT(b.s.issue.code, JSON_E_LIMIT);
	CHECK_STR(str_from(b.s.issue.message),
		  STR("the text has 4294967296 bytes; at most 4294967295 can be read as one piece"));
	bench_free(&b);
}

/* ---- options ---- */

TEST(what_the_options_allow_is_flagged_and_kept)
{
	struct bench b;

	bench_init(&b);
	b.s.options = (struct json_options){ .allow_duplicates = true, .allow_lone = true, .allow_bom = true };
	CHECK(bench_parse(&b, STR("\xef\xbb\xbf{\"a\":1,\"a\":2,\"b\":3,\"b\":4}")));
	CHECK_INT(b.tape.toks[0].off, 3);
	CHECK_INT(b.tape.toks[0].shape, SHAPE_NONE);
	CHECK_INT(b.tape.toks[1].flags, 0);
	CHECK_INT(b.tape.toks[3].flags, JSON_DUPLICATE);
	CHECK_INT(b.tape.toks[5].flags, 0);
	CHECK_INT(b.tape.toks[7].flags, JSON_DUPLICATE);
	CHECK_INT(b.tape.toks[3].link, b.tape.toks[1].link);
	CHECK(!bench_parse(&b, STR("\xef\xbb\xbf\xef\xbb\xbf{}")));
	bench_free(&b);
}

TEST(names_with_different_lone_surrogates_are_different_names)
{
	struct bench b;

	bench_init(&b);
	b.s.options.allow_lone = true;
	CHECK(bench_parse(&b, STR("{\"\\ud800\":1,\"\\ud801\":2,\"\xef\xbf\xbd\":3,\"\\ud800\\udc00\":4,"
				  "\"x\\udc00\\u0041\\n\":5}")));
	CHECK_STR(b.shapes.keys[b.tape.toks[9].link].text, STR("x\xed\xb0\x80" "A\n"));
	CHECK_STR(b.shapes.keys[b.tape.toks[7].link].text, STR("\xf0\x90\x80\x80"));
	CHECK(!bench_parse(&b, STR("{\"\\ud800\":1,\"\\uD800\":2}")));
	CHECK_INT(b.s.issue.code, JSON_E_DUP_KEY);
	bench_free(&b);
}

TEST(a_value_may_stand_in_the_middle_of_a_text)
{
	struct bench b;

	bench_init(&b);
	b.s.single = false;
	b.s.text = STR("1 [2] \n {\"a\":x}");
	CHECK(slow_parse(&b.s, 0));
	CHECK_INT(b.s.end, 1);
	CHECK(slow_parse(&b.s, b.s.end));
	CHECK_INT(b.s.end, 5);
	CHECK_INT(b.tape.count, 3);
	CHECK_INT(b.tape.toks[1].link, 3);
	CHECK(!slow_parse(&b.s, b.s.end));
	CHECK_INT(b.tape.count, 3);
	CHECK_INT(b.s.issue.line, 2);
	CHECK_INT(b.s.issue.column, 7);
	CHECK_STR(b.s.issue.pointer, STR("/a"));
	bench_free(&b);
}

TEST(stamps_do_not_come_round_to_old_values)
{
	struct str text;
	struct bench b;

	bench_init(&b);
	text = large_object(&b.arena, 200, "");
	CHECK(bench_parse(&b, text));
	b.shapes.stamp = UINT32_MAX; /* the next would be 0, which is every other name's */
	CHECK(bench_parse(&b, text));
	b.shapes.stamp = UINT32_MAX - 1;
	CHECK(bench_parse(&b, text));
	bench_free(&b);
}

TEST(a_freed_tape_is_empty_and_can_be_used_again)
{
	struct bench b;

	bench_init(&b);
	CHECK(bench_parse(&b, STR("[1,2]")));
	slow_tape_free(&b.tape);
	CHECK_INT(b.tape.count, 0);
	CHECK_INT(b.tape.cap, 0);
	CHECK(bench_parse(&b, STR("[1,2]")));
	CHECK_INT(b.tape.count, 3);
	bench_free(&b);
}

TEST(a_name_is_read_alone)
{
	static const struct {
		struct str text;
		bool good;
		uint32_t len;
		uint8_t flags;
		const char *message;
	} cases[] = {
		{ LIT("\"\""), true, 0, 0, NULL },
		{ LIT("\"abc\": 1"), true, 3, 0, NULL },
		{ LIT("\"a\\n\""), true, 3, JSON_ESCAPED, NULL },
		{ LIT("\"a"), false, 0, 0, "the name that begins at column 5 is not closed" },
		{ LIT("\"\\ud800\""), false, 0, 0, "\\ud800 is half of a surrogate pair; the other half is missing" },
	};
	struct bench b;

	bench_init(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%.*s", STR_ARG(cases[i].text));
		b.tape.count = 0;
		b.s.text = cases[i].text;
		b.s.mark = (struct issue_mark){ .line = 3, .column = 5 };
		CHECK_INT(slow_parse_name(&b.s), cases[i].good);
		CHECK_INT(b.tape.count, cases[i].good);
		if (cases[i].good) {
			CHECK_INT(b.tape.toks[0].type, JSON_KEY);
			CHECK_INT(b.tape.toks[0].len, cases[i].len);
			CHECK_INT(b.tape.toks[0].flags, cases[i].flags);
		} else {
			CHECK_STR(str_from(b.s.issue.message), str_from(cases[i].message));
			CHECK_INT(b.s.issue.line, 3);
		}
	}
	bench_free(&b);
}

TEST(an_unescaped_name_keeps_lone_surrogates_apart)
{
	static const struct {
		const char *raw, *name;
	} cases[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "\\\"\\\\\\/\\n", "\"\\/\n" },
		{ "\\u0041\\u00e9", "A\xc3\xa9" },
		{ "\\ud83d\\ude00", "\xf0\x9f\x98\x80" },
		{ "\\ud83d", "\xed\xa0\xbd" },
		{ "a\\udc00b\\ud800", "a\xed\xb0\x80" "b\xed\xa0\x80" },
		{ "\\ud800\\ud83d\\ude00", "\xed\xa0\x80\xf0\x9f\x98\x80" },
		{ "\\ud800\\n\\\\ud800", "\xed\xa0\x80\n\\ud800" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char out[64];

		test_case("%s", cases[i].raw);
		CHECK_STR(str_of(out, slow_unescape_name(out, str_from(cases[i].raw))), str_from(cases[i].name));
	}
}

TEST(a_parser_lends_its_tape_to_the_plain_parser)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 2 });
	struct slow s = { .text = STR("[1, {\"a\":NaN}]"), .lenient = true }, deep = { .text = STR("[[[]]]") };
	struct val v;

	CHECK(slow_parse_for(p, &s, 0, &v));
	CHECK_INT(v.at, 0);
	CHECK_INT(v.tape->count, 5);
	CHECK_STR(val_source(val_at(v, STR("/1/a"))), STR("NaN"));
	CHECK(!slow_parse_for(p, &deep, 0, &v));
	CHECK_INT(deep.issue.code, JSON_E_DEPTH);
	json_parser_close(p);
}

/* ---- lenient ---- */

struct notes {
	size_t count;
	char text[2000];
};

static void note(void *context, const struct json_issue *issue)
{
	struct notes *n = context;
	size_t used = strlen(n->text);

	n->count++;
	snprintf(n->text + used, sizeof(n->text) - used, "%s %zu+%zu %llu:%llu %.*s|", json_code_name(issue->code),
		 issue->offset, issue->length, (unsigned long long)issue->line, (unsigned long long)issue->column,
		 STR_ARG(issue->pointer));
}

TEST(lenient_reading_goes_on_and_reports_each_oddity)
{
	static const struct {
		struct str text;
		bool good;
		const char *notes;
	} cases[] = {
		{ LIT("[NaN,-Infinity,+Infinity,Infinity,-NaN]"), true,
		  "E_SYNTAX 1+3 1:2 /0|E_SYNTAX 5+9 1:6 /1|E_SYNTAX 15+9 1:16 /2|E_SYNTAX 25+8 1:26 /3|"
		  "E_SYNTAX 34+4 1:35 /4|" },
		{ LIT("{\"a\":1,\"a\":{\"a\":2,\"a\":3}}"), true, "E_DUP_KEY 7+3 1:8 /a|E_DUP_KEY 18+3 1:19 /a/a|" },
		{ LIT("\xef\xbb\xbf[\"\\ud800\\udc00\\udc00\"]"), true, "E_BOM 0+3 1:1 |E_SURROGATE 17+6 1:16 /0|" },
		{ LIT("[\"a\xff\xe2\x82z\"]"), true, "E_UTF8 3+1 1:4 /0|E_UTF8 4+2 1:5 /0|" },
		{ LIT("{\"x\\ud800\":1,\n\"x\\ud800\":2}"), true,
		  "E_SURROGATE 3+6 1:4 |E_SURROGATE 16+6 2:3 |E_DUP_KEY 14+9 2:1 /x\xef\xbf\xbd|" },
		{ LIT("{\"k\xff\xff\":1,\n \"k\xff\xff\":2}"), true,
		  "E_UTF8 3+1 1:4 |E_UTF8 4+1 1:5 |E_UTF8 13+1 2:4 |E_UTF8 14+1 2:5 |"
		  "E_DUP_KEY 11+5 2:2 /k\xef\xbf\xbd\xef\xbf\xbd|" },
		{ LIT("[nan]"), false, "E_SYNTAX 1+3 1:2 /0|" },
		{ LIT("[NaN, 01]"), false, "E_SYNTAX 1+3 1:2 /0|E_SYNTAX 6+2 1:7 /1|" },
		{ LIT("[NaN\xff]"), false, "E_SYNTAX 1+3 1:2 /0|E_UTF8 4+1 1:5 |" },
		{ LIT("[\"a\nb\"]"), false, "E_CTRL 3+1 1:4 /0|" },
		{ LIT("[-Inf]"), false, "E_SYNTAX 2+3 1:3 /0|" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct notes n = { 0 };
		struct bench b;

		test_case("%zu: %.*s", i, STR_ARG(cases[i].text));
		bench_init(&b);
		b.s.lenient = true;
		b.s.report = note;
		b.s.context = &n;
		CHECK_INT(bench_parse(&b, cases[i].text), cases[i].good);
		CHECK_STR(str_from(n.text), str_from(cases[i].notes));
		bench_free(&b);
	}
}

TEST(very_many_oddities_deep_inside_take_linear_time)
{
	struct notes n = { .text = "full" };
	size_t depth = 1000, odd = 200000, at = 0;
	struct bench b;
	clock_t start = clock();
	char *p;

	bench_init(&b);
	p = arena_array(&b.arena, char, depth * 110 + odd * 5);
	for (size_t i = 0; i < depth; i++)
		at += (size_t)sprintf(p + at, "{\"%0100zu\":", i);
	p[at++] = '[';
	for (size_t i = 0; i < odd; i++, at += 4)
		memcpy(p + at, "NaN,", 4);
	b.s.lenient = true;
	b.s.report = note;
	b.s.context = &n;
	memset(n.text, 'x', sizeof(n.text) - 1);
	CHECK(!bench_parse(&b, str_of(p, at)));
	CHECK_INT(n.count, odd + 1);
	CHECK_INT(b.s.issue.column, at + 1);
	CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 10 * test_slower());
	bench_free(&b);
}
