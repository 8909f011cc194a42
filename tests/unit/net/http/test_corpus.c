/*
 * Raw messages of other projects' suites, each whole and byte by byte. tests/data/http1/reviewed.tsv has the rows
 * where we judge otherwise than the suite, with the reason; a row that is not there must be judged as it expects, and
 * a row that is there as it says, so that the list can neither grow nor go stale unseen.
 *
 * Most requests of these suites have no Host, which HTTP/1.1 refuses; so that this does not hide every other rule,
 * they are judged once more with a Host put into them.
 */
#include "net/http/http.h"

#include <stdio.h>

#include "harness/test.h"
#include "json/json.h"

enum verdict { ACCEPT, REJECT, INCOMPLETE };

static const char *const names[] = { "accept", "reject", "incomplete" };

static struct arena arena;

/* *why is the reader's, for as long as the test. */
static enum verdict judge(enum http_side side, struct str text, size_t piece, const char **why)
{
	struct http_reader *r = http_reader_open(side, NULL);
	enum http_next next = HTTP_MORE, end;
	struct str body;

	for (size_t at = 0; at < text.n && next != HTTP_BAD; at += piece) {
		size_t n = text.n - at < piece ? text.n - at : piece;
		char *copy = mem_alloc(n); /* of its own, so that a sanitizer sees a reader that looks beyond it */
		struct str bytes = str_of(memcpy(copy, text.p + at, n), n);

		do
			next = http_next(r, &bytes, &body);
		while (next != HTTP_MORE && next != HTTP_BAD);
		mem_free(copy);
	}
	end = next == HTTP_BAD ? next : http_end(r);
	*why = end == HTTP_BAD ? http_reader_why(r) : "";
	http_reader_close(r);
	return next == HTTP_BAD ? REJECT : end == HTTP_BAD ? INCOMPLETE : ACCEPT;
}

/* A Host behind every first line of HTTP/1.1, when there is none. */
static struct str with_host(struct str text)
{
	struct buf *out = test_alloc(sizeof(*out));

	buf_init(out);
	if (str_find(text, STR("\r\nHost:")) != (size_t)-1)
		return text;
	while (text.n) {
		size_t n = str_find(text, STR(" HTTP/1.1\r\n"));

		n = n == (size_t)-1 ? text.n : n + 11;
		buf_add(out, text.p, n);
		text = str_of(text.p + n, text.n - n);
		if (str_ends(buf_str(out), STR(" HTTP/1.1\r\n")))
			buf_add_str(out, STR("Host: a.example\r\n"));
	}
	return buf_str(out);
}

static enum verdict judge_both_ways(const char *file, struct str text, const char **why)
{
	enum http_side side = str_ends(str_from(file), STR(".resp")) ? HTTP_RESPONSE : HTTP_REQUEST;
	const char *why_bytes;
	enum verdict whole = judge(side, text, SIZE_MAX / 2, why), bytes = judge(side, text, 1, &why_bytes);

	if (whole != bytes || strcmp(*why, why_bytes) != 0)
		FAIL("%s: %s (%s) whole, but %s (%s) byte by byte", file, names[whole], *why, names[bytes], why_bytes);
	return whole;
}

/* A verdict as the list has it: "accept"; what never ends is refused when the connection does. */
static bool is_as(enum verdict v, struct str expected)
{
	return str_eq(expected, str_from(names[v])) || (v == INCOMPLETE && str_eq(expected, STR("reject")));
}

/* What the list has for a file: its columns, or false. */
static bool find_reviewed(struct str list, struct str file, struct str columns[6])
{
	while (list.n) {
		struct str row = str_cut(list, '\n', &list);

		for (size_t i = 0; i < 6; i++)
			columns[i] = str_cut(row, '\t', &row);
		if (str_eq(columns[0], file))
			return true;
	}
	return false;
}

struct tally {
	struct buf wrong;
	size_t rows, agreed, listed;
};

static void judge_row(struct val row, struct str list, struct tally *t)
{
	struct str file = val_text(val_get(row, STR("file")), &arena), want = val_text(val_get(row, STR("expect")), &arena);
	const char *path = test_shared(arena_printf(&arena, "corpora/05-http1/dev/%.*s", STR_ARG(file)).p);
	struct str text = test_read(path), columns[6], with = want;
	const char *why, *why_with = "";
	enum verdict v = judge_both_ways(path, text, &why), v_with = v;
	bool no_host = strcmp(why, "no Host header") == 0;

	if (no_host)
		v_with = judge_both_ways(path, with_host(text), &why_with);
	if (find_reviewed(list, str_basename(file), columns)) {
		t->listed++;
		if (!str_eq(columns[1], want) || !val_text_is(val_get(row, STR("consensus")), columns[2]))
			buf_printf(&t->wrong, "%.*s: the suite has changed\n", STR_ARG(file));
		if (is_as(v, want) && (!no_host || is_as(v_with, want)))
			buf_printf(&t->wrong, "%.*s is listed, but judged as expected\n", STR_ARG(file));
		want = columns[3];
		with = no_host ? columns[4] : STR("-");
	}
	t->rows++;
	t->agreed += val_text_is(val_get(row, STR("consensus")), STR("agree"));
	if (!is_as(v, want))
		buf_printf(&t->wrong, "%.*s: %s (%s), not %.*s\n", STR_ARG(file), names[v], why, STR_ARG(want));
	if (no_host && !is_as(v_with, with))
		buf_printf(&t->wrong, "%.*s with a Host: %s (%s), not %.*s\n", STR_ARG(file), names[v_with], why_with,
			   STR_ARG(with));
}

TEST(messages_of_other_suites_are_judged_as_they_expect_but_for_a_reviewed_list)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str left = test_read(test_shared("corpora/05-http1/dev/EXPECT.jsonl")), list = test_data("http1/reviewed.tsv");
	struct tally t = { .rows = 0 };
	struct val row;

	arena_init(&arena);
	buf_init(&t.wrong);
	while (left.n) {
		CHECK(json_parse_copy(p, str_cut(left, '\n', &left), &row, NULL));
		judge_row(row, list, &t);
	}
	if (t.wrong.n)
		FAIL("%.*s", (int)t.wrong.n, t.wrong.p);
	CHECK(t.rows >= 300 && t.agreed >= 250);
	CHECK(t.listed > 0);
	buf_free(&t.wrong);
	json_parser_close(p);
}

/* These are what requests are smuggled with: refused in every row, whatever its judges say. */
TEST(nothing_with_two_lengths_or_a_bare_cr_is_accepted)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str left = test_read(test_shared("corpora/05-http1/dev/EXPECT.jsonl")), tag;
	struct val row, v;
	size_t n = 0;

	arena_init(&arena);
	while (left.n) {
		const char *path, *why;
		bool tagged = false;
		struct val_iter it;

		CHECK(json_parse_copy(p, str_cut(left, '\n', &left), &row, NULL));
		for (it = val_begin(val_get(row, STR("tags"))); val_next(&it, &v); tagged |= str_eq(tag, STR("te+cl")) ||
		     str_eq(tag, STR("multiple-cl")) || str_eq(tag, STR("bare-cr")))
			tag = val_text(v, &arena);
		/* one row has a Content-Length-X, which is no length though the tag says so: all judges accept it */
		if (!tagged || (val_text_is(val_get(row, STR("expect")), STR("accept")) &&
				val_text_is(val_get(row, STR("consensus")), STR("agree"))))
			continue;
		path = test_shared(arena_printf(&arena, "corpora/05-http1/dev/%.*s",
						STR_ARG(val_text(val_get(row, STR("file")), &arena))).p);
		if (judge_both_ways(path, with_host(test_read(path)), &why) == ACCEPT)
			FAIL("%s is accepted", path);
		n++;
	}
	CHECK(n >= 30);
	json_parser_close(p);
}
