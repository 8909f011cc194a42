#include "conformance.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "json/scan.h"

static struct json_parser *parser(bool lax)
{
	return json_parser_open((struct json_options){ .allow_duplicates = lax, .allow_lone = lax });
}

static struct str padded(struct str s)
{
	char *p = test_alloc(s.n + JSON_PAD);

	memcpy(p, s.p, s.n);
	return str_of(p, s.n);
}

TEST(a_fault_is_reported_with_code_place_and_pointer)
{
	static const struct {
		const char *text;
		enum json_code code;
		size_t offset;
		unsigned line, column;
		const char *pointer;
	} cases[] = {
		{ "", JSON_E_SYNTAX, 0, 1, 1, "" },
		{ " \n", JSON_E_SYNTAX, 2, 2, 1, "" },
		{ "{\"a\":1,\"b\":[1,2,x]}", JSON_E_SYNTAX, 16, 1, 17, "/b/2" },
		{ "{\"a\":1,\n \"é\":tru}", JSON_E_SYNTAX, 14, 2, 6, "/é" },
		{ "{\"a/b\":{\"~\":01}}", JSON_E_SYNTAX, 12, 1, 13, "/a~1b/~0" },
		{ "[1,2]]", JSON_E_TRAILING, 5, 1, 6, "" },
		{ "\"a\x01\"", JSON_E_CTRL, 2, 1, 3, "" },
		{ "[\"\xff\"]", JSON_E_UTF8, 2, 1, 3, "/0" },
		{ "{\"a\":1,\"\\u0061\":2}", JSON_E_DUP_KEY, 7, 1, 8, "/a" },
		{ "[\"\\ud800\"]", JSON_E_SURROGATE, 2, 1, 3, "/0" },
		{ "\xef\xbb\xbf{}", JSON_E_BOM, 0, 1, 1, "" },
	};
	struct json_parser *p = parser(false);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json_issue issue;
		struct val v;

		test_case("%s", cases[i].text);
		CHECK(!json_parse_copy(p, str_from(cases[i].text), &v, &issue));
		CHECK_STR(str_from(json_code_name(issue.code)), str_from(json_code_name(cases[i].code)));
		CHECK_INT(issue.offset, cases[i].offset);
		CHECK_INT(issue.line, cases[i].line);
		CHECK_INT(issue.column, cases[i].column);
		CHECK_STR(issue.pointer, str_from(cases[i].pointer));
		CHECK(issue.message[0]);
	}
	json_parser_close(p);
}

TEST(options_let_duplicates_and_lone_surrogates_pass_and_flag_them)
{
	struct json_parser *p = parser(true);
	struct val v, key, value;
	struct val_iter it;

	CHECK(json_parse_copy(p, STR("{\"a\":1,\"a\":\"\\udc00\"}"), &v, NULL));
	it = val_begin(v);
	CHECK(val_next_member(&it, &key, &value) && !(val_tok(key)->flags & JSON_DUPLICATE));
	CHECK(val_next_member(&it, &key, &value) && (val_tok(key)->flags & JSON_DUPLICATE));
	CHECK(val_tok(value)->flags & JSON_LONE);
	json_parser_close(p);
}

TEST(nesting_stops_at_the_limit_and_not_before)
{
	static const uint32_t limits[] = { 1, 2, 512, 1024, 65535 };

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct json_parser *p = json_parser_open((struct json_options){ .max_depth = limits[i] });
		size_t n = limits[i];
		char *text = test_alloc(2 * n);
		struct json_issue issue;
		struct val v;

		memset(text, '[', n);
		memset(text + n, ']', n);
		CHECK(json_parse_copy(p, str_of(text, 2 * n), &v, &issue));
		text[n] = '[';
		CHECK(!json_parse_copy(p, str_of(text, 2 * n), &v, &issue));
		CHECK_INT(issue.code, JSON_E_DEPTH);
		CHECK_INT(issue.offset, limits[i]);
		json_parser_close(p);
	}
}

TEST(hostile_nesting_is_a_clean_error)
{
	struct json_parser *p = parser(false);
	struct json_issue issue;
	char *deep = test_alloc(250000);
	struct val v;

	memset(deep, '[', 100000);
	CHECK(!json_parse_copy(p, str_of(deep, 100000), &v, &issue));
	CHECK_INT(issue.code, JSON_E_DEPTH);
	for (size_t i = 0; i < 250000; i += 5)
		memcpy(deep + i, "[{\"\":", 5);
	CHECK(!json_parse_copy(p, str_of(deep, 250000), &v, &issue));
	CHECK_INT(issue.code, JSON_E_DEPTH);
	json_parser_close(p);
}

TEST(a_string_of_64_MiB_is_one_token)
{
	size_t n = (size_t)64 << 20;
	struct json_parser *p = parser(false);
	char *big = test_alloc(n + 2 + JSON_PAD);
	struct val v;

	memset(big, 'x', n + 2 + JSON_PAD);
	big[0] = big[n + 1] = '"';
	CHECK(json_parse(p, str_of(big, n + 2), &v, NULL));
	CHECK(val_is(v, JSON_STRING) && val_raw(v).n == n);
	json_parser_close(p);
}

TEST(an_object_of_many_names_finds_its_one_duplicate)
{
	struct json_parser *p = parser(false);
	struct json_issue issue;
	struct buf b;
	struct val v;
	size_t place;

	buf_init(&b);
	for (int i = 0; i < 200000; i++)
		buf_printf(&b, "%c\"k%d\":%d", i ? ',' : '{', i, i);
	buf_add_byte(&b, '}');
	CHECK(json_parse_copy(p, buf_str(&b), &v, &issue));
	CHECK_INT(val_count(v), 200000);
	b.n--;
	place = b.n + 1;
	buf_printf(&b, ",\"k17\":0}");
	CHECK(!json_parse_copy(p, buf_str(&b), &v, &issue));
	CHECK_INT(issue.code, JSON_E_DUP_KEY);
	CHECK_INT(issue.offset, place);
	buf_free(&b);
	json_parser_close(p);
}

TEST(the_same_name_in_nested_and_sibling_objects_is_no_duplicate)
{
	struct json_parser *p = parser(false);
	struct val v;

	for (int twice = 0; twice < 2; twice++) {
		CHECK(json_parse_copy(p, STR("{\"a\":{\"a\":{\"a\":1}},\"b\":[{\"a\":1},{\"a\":2}]}"), &v, NULL));
		CHECK(!json_parse_copy(p, STR("{\"a\":{\"b\":{\"c\":1}},\"b\":[{\"a\":1}],\"a\":3}"), &v, NULL));
	}
	json_parser_close(p);
}

TEST(lines_give_values_blanks_and_faults_in_order)
{
	static const char text[] = "{\"a\":1}\n\n[2\r\n 3 \r\n{\"a\":\"\x01\"}\n\"unclosed\n{\"a\":4}";
	static const enum json_line want[] = {
		JSON_LINE_VALUE, JSON_LINE_BLANK, JSON_LINE_BAD, JSON_LINE_VALUE, JSON_LINE_BAD, JSON_LINE_BAD, JSON_LINE_VALUE,
		JSON_LINE_END,
	};
	struct json_parser *p = parser(false);
	struct json_lines it;
	struct json_record rec;
	struct json_issue issue;

	json_lines_begin(&it, p, padded(STR(text)), 10);
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		enum json_line got = json_lines_next(&it, &rec, &issue);

		test_case("line %u", i);
		CHECK_INT(got, want[i]);
		if (got == JSON_LINE_END)
			break;
		CHECK_INT(rec.line, 10 + i);
		CHECK_INT(rec.ended, i != 6);
		if (got == JSON_LINE_BAD)
			CHECK_INT(issue.line, 10 + i);
	}
	json_parser_close(p);
}

TEST(lines_are_the_same_alone_and_in_batches_of_any_size)
{
	struct json_parser *p = parser(false);
	struct buf b;
	uint64_t values = 0, bad = 0;
	struct json_lines it;
	struct json_record rec;
	struct json_issue issue;
	enum json_line got;

	buf_init(&b);
	for (int i = 0; i < 30000; i++)
		buf_printf(&b, i % 997 == 5 ? "{\"n\":%d,}\n" : "{\"n\":%d}\n", i);
	json_lines_begin(&it, p, padded(buf_str(&b)), 0);
	while ((got = json_lines_next(&it, &rec, &issue)) != JSON_LINE_END) {
		int64_t n;

		CHECK_INT(got == JSON_LINE_BAD, rec.line % 997 == 5);
		bad += got == JSON_LINE_BAD;
		if (got != JSON_LINE_VALUE)
			continue;
		CHECK(val_i64(val_get(rec.value, STR("n")), &n));
		CHECK_INT(n, rec.line);
		values++;
	}
	CHECK_INT(values + bad, 30000);
	buf_free(&b);
	json_parser_close(p);
}

TEST(every_number_token_knows_whether_its_text_is_canonical)
{
	static const struct { const char *text; bool rewrite, integer; } cases[] = {
		{ "0", false, true }, { "-0", true, true }, { "7", false, true }, { "123456789012345", false, true },
		{ "1234567890123456", true, true }, { "-5", false, true }, { "0.5", false, false }, { "0.50", true, false },
		{ "0.000001", false, false }, { "0.0000001", true, false }, { "1.5", false, false }, { "1e5", true, false },
		{ "1234567890.12345", false, false }, { "1234567890.123456", true, false }, { "-1.25", false, false },
		{ "0.0", true, false }, { "12345678901234567890123456789012345", true, true },
	};
	const struct scan_variant *const *v;

	for (v = scan_variants(); *v; v++) {
		struct json_parser *p;

		CHECK(json_use_variant(str_from((*v)->name)));
		p = parser(false);
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct val x;

			test_case("%s %s", (*v)->name, cases[i].text);
			CHECK(json_parse_copy(p, str_from(cases[i].text), &x, NULL));
			CHECK_INT((val_tok(x)->flags & JSON_REWRITE) != 0, cases[i].rewrite);
			CHECK_INT((val_tok(x)->flags & JSON_INTEGER) != 0, cases[i].integer);
		}
		json_parser_close(p);
	}
}

/* Counts accepts and rejects apart: a parser that refuses everything must not look good. */
static void check_verdicts(const char *directory, const char *table)
{
	char root[1024], path[1200];
	struct str text, line;
	struct row header;
	struct json_parser *p = parser(true);
	size_t file, expect, accepts = 0, rejects = 0, either = 0;

	snprintf(root, sizeof(root), "%s", test_shared(directory));
	snprintf(path, sizeof(path), "%s/%s", root, table);
	text = test_read(path);
	line = str_cut(text, '\n', &text);
	header = row_split(line);
	file = row_find(&header, "file");
	expect = row_find(&header, "rfc8259_expect");
	while (text.n) {
		struct row r = row_split(str_cut(text, '\n', &text));
		struct str want = r.column[expect];
		struct val v;
		bool ok;

		test_case("%.*s", STR_ARG(r.column[file]));
		ok = json_parse_copy(p, row_file(root, r.column[file]), &v, NULL);
		if (str_eq(want, STR("either"))) {
			either++;
			continue;
		}
		CHECK_INT(ok, str_eq(want, STR("accept")));
		accepts += ok;
		rejects += !ok;
	}
	printf("  %s: %zu accepts, %zu rejects right, %zu either\n", table, accepts, rejects, either);
	json_parser_close(p);
}

TEST(the_JSON_suites_get_every_verdict_in_every_variant)
{
	for (const struct scan_variant *const *v = scan_variants(); *v; v++) {
		CHECK(json_use_variant(str_from((*v)->name)));
		check_verdicts("corpora/01-jsontestsuite/dev", "EXPECT.test_parsing.tsv");
		check_verdicts("corpora/01-jsontestsuite/dev", "EXPECT.test_transform.tsv");
		check_verdicts("corpora/01b-json-extra/dev", "EXPECT.tsv");
	}
}

TEST(a_text_of_more_values_than_allowed_is_refused_before_it_is_parsed)
{
	static const struct {
		const char *text;
		bool fits;
	} cases[] = {
		{ "[1,2,3,4]", true },          /* an array and three commas */
		{ "[1,2,3,4,5]", false },
		{ "{\"a\":{\"b\":[]}}", false },
		{ "[\"[[[[[[,,,,,,\"]", true }, /* in a string they are none */
		{ "[\"\\\\\",1,\"\\\",,,,\"]", true },
		{ "[\"\\\\\",1,2,3,4]", false },
		{ "[\"\\\"]]]]", true },        /* not JSON, but not for its size */
	};
	struct json_parser *p = json_parser_open((struct json_options){ .max_values = 4 });
	struct json_issue issue;
	struct val v;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool done = json_parse(p, padded(str_from(cases[i].text)), &v, &issue);

		test_case("%s", cases[i].text);
		CHECK(cases[i].fits == (done || issue.code != JSON_E_LIMIT));
	}
	json_parser_close(p);
}
