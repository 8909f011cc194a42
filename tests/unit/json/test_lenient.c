#include "json/lenient.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "harness/test.h"

struct log { /* a chunk being read; what came of it, as text */
	struct json_parser *parser;
	struct json_lenient it;
	struct buf chunk, seen;
};

static void note(void *context, const struct json_issue *i)
{
	struct buf *seen = context;

	buf_printf(seen, "! %s %zu+%zu %llu:%llu %.*s %s\n", json_code_name(i->code), i->offset, i->length,
		   (unsigned long long)i->line, (unsigned long long)i->column, STR_ARG(i->pointer), i->message);
}

static void log_open(struct log *l, struct json_options options, struct str chunk, uint64_t first_line)
{
	l->parser = json_parser_open(options);
	buf_init(&l->chunk);
	buf_init(&l->seen);
	buf_add_str(&l->chunk, chunk);
	memset(buf_reserve(&l->chunk, JSON_PAD), 0, JSON_PAD);
	json_lenient_begin(&l->it, l->parser, buf_str(&l->chunk), first_line, note, &l->seen);
}

static void log_read(struct log *l)
{
	uint64_t line;
	struct val v;

	while (json_lenient_next(&l->it, &v, &line))
		buf_printf(&l->seen, "%llu %.*s\n", (unsigned long long)line, STR_ARG(val_source(v)));
}

static void log_close(struct log *l)
{
	json_parser_close(l->parser);
	buf_free(&l->chunk);
	buf_free(&l->seen);
}

static void check(struct json_options options, const char *chunk, const char *seen)
{
	struct log l;

	test_case("%s", chunk);
	log_open(&l, options, str_from(chunk), 10);
	log_read(&l);
	CHECK_STR(buf_str(&l.seen), str_from(seen));
	log_close(&l);
}

TEST(clean_lines_come_as_they_are)
{
	struct json_options strict = { 0 };

	check(strict, "", "");
	check(strict, "\n \n\r\n", "");
	check(strict, "{\"a\":1}\n[2]\r\n\n \"x\" \n4", "10 {\"a\":1}\n11 [2]\n13 \"x\"\n14 4\n");
}

TEST(several_values_on_a_line_come_one_by_one)
{
	struct json_options strict = { 0 };

	check(strict, "{\"a\":1}{\"b\":2} 3\n4\n",
	      "10 {\"a\":1}\n"
	      "! E_TRAILING 7+1 10:8  expected one value on a line, found '{'\n"
	      "10 {\"b\":2}\n"
	      "! E_TRAILING 15+1 10:16  expected one value on a line, found '3'\n"
	      "10 3\n"
	      "11 4\n");
	check(strict, " true null\n",
	      "10 true\n"
	      "! E_TRAILING 6+4 10:7  expected one value on a line, found 'null'\n"
	      "10 null\n");
}

TEST(oddities_inside_a_value_are_reported_and_the_value_is_given)
{
	struct json_options strict = { 0 };

	check(strict, "1\n{\"a\":NaN,\"b\":-Infinity}\n2\n",
	      "10 1\n"
	      "! E_SYNTAX 7+3 11:6 /a NaN is not a JSON number\n"
	      "! E_SYNTAX 15+9 11:14 /b -Infinity is not a JSON number\n"
	      "11 {\"a\":NaN,\"b\":-Infinity}\n"
	      "12 2\n");
	check(strict, "{\"a\":1,\"a\":2}\n",
	      "! E_DUP_KEY 7+3 10:8 /a name \"a\" appears twice in this object\n"
	      "10 {\"a\":1,\"a\":2}\n");
	check(strict, "\xef\xbb\xbf[\"\\ud800\"]\n",
	      "! E_BOM 0+3 10:1  a byte order mark (U+FEFF) stands before the value\n"
	      "! E_SURROGATE 5+6 10:4 /0 \\ud800 is half of a surrogate pair; the other half is missing\n"
	      "10 [\"\\ud800\"]\n");
	check(strict, "[\"a\xff\"] [Infinity]\n",
	      "! E_UTF8 3+1 10:4 /0 not UTF-8: FF never occurs in it\n"
	      "10 [\"a\xff\"]\n"
	      "! E_TRAILING 7+1 10:8  expected one value on a line, found '['\n"
	      "! E_SYNTAX 8+8 10:9 /0 Infinity is not a JSON number\n"
	      "10 [Infinity]\n");
}

TEST(what_the_parser_allows_is_not_reported)
{
	struct json_options loose = { .allow_duplicates = true, .allow_lone = true, .allow_bom = true };

	check(loose, "\xef\xbb\xbf{\"a\":1,\"a\":\"\\ud800\"} NaN\n",
	      "10 {\"a\":1,\"a\":\"\\ud800\"}\n"
	      "! E_TRAILING 24+3 10:23  expected one value on a line, found 'NaN'\n"
	      "! E_SYNTAX 24+3 10:23  NaN is not a JSON number\n"
	      "10 NaN\n");
	check(loose, "1 \xef\xbb\xbf 2\n", "10 1\n! E_SYNTAX 2+3 10:3  expected a JSON value, found U+FEFF\n");
}

TEST(after_damage_the_reading_goes_on_at_the_next_line)
{
	struct json_options strict = { 0 };

	check(strict, "{\"a\":[1,2\n{\"b\":1}\n",
	      "! E_SYNTAX 9+0 10:10 /a expected ',' or ']' after an element, found the end of the text\n"
	      "11 {\"b\":1}\n");
	check(strict, "INFO starting\n{\"b\":1}, {\"c\":2}\n3\n",
	      "! E_SYNTAX 0+4 10:1  expected a JSON value, found 'INFO'\n"
	      "11 {\"b\":1}\n"
	      "! E_SYNTAX 21+1 11:8  expected a JSON value, found ','\n"
	      "12 3\n");
	check(strict, "[1] x\n2\n", "10 [1]\n! E_SYNTAX 4+1 10:5  expected a JSON value, found 'x'\n11 2\n");
	check(strict, "1x\n12.5.6\n1-1\n2\n",
	      "! E_TRAILING 1+1 10:2  expected white space after the value, found 'x'\n"
	      "! E_TRAILING 7+1 11:5  expected white space after the value, found '.'\n"
	      "! E_TRAILING 11+1 12:2  expected white space after the value, found '-'\n"
	      "13 2\n");
	check(strict, "\"\xc3\xa9\" \x01\n2\n",
	      "10 \"\xc3\xa9\"\n"
	      "! E_SYNTAX 5+1 10:5  expected a JSON value, found U+0001\n"
	      "11 2\n");
}

TEST(nesting_is_limited_as_in_the_parser)
{
	check((struct json_options){ .max_depth = 2 }, "[[[1]]]\n[[NaN]]\n",
	      "! E_DEPTH 2+1 10:3 /0/0 nested more than 2 levels deep\n"
	      "! E_SYNTAX 10+3 11:3 /0/0 NaN is not a JSON number\n"
	      "11 [[NaN]]\n");
}

TEST(the_last_of_equal_names_wins)
{
	struct log l;
	uint64_t line;
	struct val v;

	log_open(&l, (struct json_options){ 0 }, STR("{\"a\":1,\"b\":NaN,\"a\":2}\n"), 1);
	CHECK(json_lenient_next(&l.it, &v, &line));
	CHECK_STR(val_source(val_get(v, STR("a"))), STR("2"));
	CHECK(val_tok(val_get(v, STR("b")))->flags & JSON_ODD);
	CHECK(!json_lenient_next(&l.it, &v, &line));
	CHECK(!json_lenient_next(&l.it, &v, &line));
	log_close(&l);
}

TEST(nobody_need_listen)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	static const char chunk[64 + JSON_PAD] = "[NaN] 1\nx\n2\n";
	struct json_lenient it;
	uint64_t line;
	struct val v;
	int count = 0;

	json_lenient_begin(&it, p, str_from(chunk), 1, NULL, NULL);
	while (json_lenient_next(&it, &v, &line))
		count++;
	CHECK_INT(count, 3);
	json_parser_close(p);
}

TEST(very_many_values_on_one_line_take_linear_time)
{
	struct buf text;
	struct log l;
	uint64_t line, count = 0;
	struct val v;
	clock_t start;

	buf_init(&text);
	for (int i = 0; i < 300000; i++)
		buf_add_str(&text, STR("NaN "));
	log_open(&l, (struct json_options){ 0 }, buf_str(&text), 1);
	start = clock();
	while (json_lenient_next(&l.it, &v, &line)) {
		count++;
		buf_clear(&l.seen);
	}
	CHECK_INT(count, 300000);
	CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 10);
	log_close(&l);
	buf_free(&text);
}
