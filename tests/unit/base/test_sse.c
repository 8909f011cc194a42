#include "base/sse.h"

#include <stdio.h>

#include "harness/test.h"
#include "json/json.h"

/* Events as one text that tests can compare: "event|data|id;" each. */
static void print_event(struct buf *out, const struct sse_event *e)
{
	buf_add_str(out, e->event.p ? e->event : STR("message"));
	buf_add_byte(out, '|');
	buf_add_str(out, e->data);
	buf_add_byte(out, '|');
	buf_add_str(out, e->id);
	buf_add_byte(out, ';');
}

static void push(struct sse_reader *s, struct str bytes, struct buf *out)
{
	struct sse_event e;
	enum sse_next next;
	/* in memory of its own, so that a sanitizer sees a reader that looks at bytes given before */
	char *copy = mem_alloc(bytes.n + 1);

	if (bytes.n)
		memcpy(copy, bytes.p, bytes.n);
	bytes.p = copy;
	while ((next = sse_push(s, &bytes, &e)) != SSE_MORE) {
		if (next == SSE_TOO_LARGE)
			buf_add_str(out, STR("TOO LARGE;"));
		else
			print_event(out, &e);
	}
	CHECK_INT(bytes.n, 0);
	mem_free(copy);
}

static struct str in_pieces(struct sse_reader *s, struct str text, size_t piece, struct buf *out)
{
	buf_clear(out);
	for (size_t at = 0; at < text.n; at += piece)
		push(s, str_of(text.p + at, text.n - at < piece ? text.n - at : piece), out);
	return buf_str(out);
}

static struct str read_whole(const char *text, size_t limit)
{
	struct sse_reader *s = test_alloc(sizeof(*s));
	struct buf *out = test_alloc(sizeof(*out));

	sse_init(s, limit);
	return in_pieces(s, str_from(text), SIZE_MAX, out);
}

TEST(lines_end_with_lf_crlf_or_cr_and_a_blank_one_ends_an_event)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "data: a\n\n", "message|a|;" },
		{ "data: a\r\n\r\n", "message|a|;" },
		{ "data: a\r\r", "message|a|;" },
		{ "data: a\r\ndata: b\r\n\n", "message|a\nb|;" },
		{ "data: a\n", "" },
		{ "data: a\n\ndata: b", "message|a|;" },
		{ "\n\n\r\r\n\ndata:x\n\n\n\n", "message|x|;" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("case %zu", i);
		CHECK_STR(read_whole(cases[i].text, 0), str_from(cases[i].want));
	}
}

TEST(fields_mean_what_the_standard_says)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "data\n\n", "message||;" },
		{ "data\ndata\n\n", "message|\n|;" },
		{ "data:  two spaces\n\n", "message| two spaces|;" },
		{ "event: a\nevent: b\ndata: x\n\n", "b|x|;" },
		{ "event: a\nevent:\ndata: x\n\n", "message|x|;" },
		{ "event: a\n\ndata: x\n\n", "message|x|;" },
		{ "id: 1\ndata: x\n\ndata: y\n\n", "message|x|1;message|y|1;" },
		{ "id: 1\ndata: x\n\nid\ndata: y\n\n", "message|x|1;message|y|;" },
		{ "data: x\n: note\ndata: y\nfoo: z\ndatas: no\n\n", "message|x\ny|;" },
		{ "Data: x\n\n", "" },
		{ " data: x\n\n", "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK_STR(read_whole(cases[i].text, 0), str_from(cases[i].want));
	}
}

TEST(an_event_is_given_when_a_cr_ends_its_blank_line_and_the_lf_behind_it_is_skipped)
{
	struct sse_reader s;
	struct buf out;

	buf_init(&out);
	sse_init(&s, 0);
	push(&s, STR("data: a\r\n\r"), &out);
	CHECK_STR(buf_str(&out), STR("message|a|;"));
	push(&s, STR("\ndata: b\n"), &out);
	push(&s, STR("\n"), &out);
	CHECK_STR(buf_str(&out), STR("message|a|;message|b|;"));
	sse_free(&s);
	buf_free(&out);
}

TEST(an_event_beyond_the_limit_is_given_up_once_and_the_next_one_is_read)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "data: 0123456789abcdef\n\ndata: b\n\n", "TOO LARGE;message|b|;" },
		{ "data: 0123\ndata: 4567\ndata: 89ab\ndata: cdef\ndata: more\n\ndata: b\n\n", "TOO LARGE;message|b|;" },
		{ "event: 0123456789abcdef\ndata: x\n\ndata: b\n\n", "TOO LARGE;message|b|;" },
		/* what is not kept needs no room */
		{ ": 0123456789abcdef0123456789abcdef\ndata: b\n\n", "message|b|;" },
		{ "other: 0123456789abcdef0123456789abcdef\ndata: b\n\n", "message|b|;" },
		{ "data: 0123456789abcdef", "TOO LARGE;" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t piece = 1; piece < 40; piece++) {
			struct sse_reader s;
			struct buf out;

			test_case("case %zu in pieces of %zu", i, piece);
			buf_init(&out);
			sse_init(&s, 16);
			CHECK_STR(in_pieces(&s, str_from(cases[i].text), piece, &out), str_from(cases[i].want));
			sse_free(&s);
			buf_free(&out);
		}
}

TEST(a_retry_time_is_digits_and_nothing_else)
{
	static const struct { const char *text; bool has; uint64_t ms; } cases[] = {
		{ "retry: 1500\n", true, 1500 },
		{ "retry: 1500\nretry: 1e3\n", true, 1500 },
		{ "retry: -1\n", false, 0 },
		{ "retry:\n", false, 0 },
		{ "retry: 0\n", true, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sse_reader s;
		struct buf out;

		test_case("%s", cases[i].text);
		buf_init(&out);
		sse_init(&s, 0);
		push(&s, str_from(cases[i].text), &out);
		CHECK_INT(s.has_retry, cases[i].has);
		CHECK_INT(s.retry_ms, cases[i].ms);
		sse_free(&s);
	}
}

TEST(what_was_begun_when_a_stream_ends_can_be_asked_for)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "data: a\n\ndata: b", "message|b|;" },
		{ "data: a\n\nevent: x\ndata: b\ndata: c", "x|b\nc|;" },
		{ "data: a\n\nevent: x\n", "" },
		{ "data: a\n\n", "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sse_reader s;
		struct sse_event e;
		struct buf out;

		test_case("case %zu", i);
		buf_init(&out);
		sse_init(&s, 0);
		in_pieces(&s, str_from(cases[i].text), SIZE_MAX, &out);
		buf_clear(&out);
		if (sse_rest(&s, &e))
			print_event(&out, &e);
		CHECK_STR(buf_str(&out), str_from(cases[i].want));
		CHECK(!sse_rest(&s, &e));
		sse_free(&s);
		buf_free(&out);
	}
}

TEST(a_new_connection_keeps_the_id_and_nothing_else)
{
	struct sse_reader s;
	struct buf out;

	buf_init(&out);
	sse_init(&s, 0);
	push(&s, STR("id: 7\nretry: 9\ndata: a\n\nevent: x\ndata: lost"), &out);
	sse_restart(&s);
	push(&s, STR("\xEF\xBB\xBF" "data: b\n\n"), &out);
	CHECK_STR(buf_str(&out), STR("message|a|7;message|b|7;"));
	CHECK_INT(s.retry_ms, 9);
	sse_free(&s);
	buf_free(&out);
}

TEST(a_text_is_cut_into_its_events_and_the_last_may_be_unfinished)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "data: a\n\nevent: x\ndata: b\r\n\r\ndata: c\ndata: d", "message|a|;x|b|;message|c\nd|;" },
		{ "\xEF\xBB\xBF" "data: a\n\n: note\n\n", "message|a|;" },
		{ "event: x\n\ndata: a\n\n", "message|a|;" },
		{ "id: 1\ndata\n\ndata: a\n", "message||1;message|a|;" },
		{ "", "" },
		{ "nothing of the kind\n", "" },
	};
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str left = str_from(cases[i].text);
		struct sse_event e;

		test_case("case %zu", i);
		buf_clear(&out);
		while (sse_next_in_text(&left, &a, &e))
			print_event(&out, &e);
		CHECK_STR(buf_str(&out), str_from(cases[i].want));
		CHECK_INT(left.n, 0);
	}
	buf_free(&out);
	arena_free(&a);
}

TEST(an_event_of_a_text_is_whole_with_the_first_byte_that_ends_its_blank_line)
{
	static const struct {
		const char *text;
		size_t end, left;
	} cases[] = {
		{ "data: a\n\ndata: b\n\n", 9, 9 },
		{ "data: a\r\n\r\ndata: b\n\n", 10, 9 },
		{ "data: a\r\rdata: b\n\n", 9, 9 },
		{ "\n: c\n\ndata: a\r\n\r\n", 16, 0 },
		{ "data: a\r\n", 9, 0 },
		{ "data: a", 7, 0 },
	};
	struct sse_event e;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str left = str_from(cases[i].text);

		test_case("%zu", i);
		CHECK(sse_next_in_text(&left, &a, &e));
		CHECK_INT(e.end, cases[i].end);
		CHECK_INT(left.n, cases[i].left);
	}
	arena_free(&a);
}

TEST(lines_of_no_stream_are_counted_so_that_nobody_thinks_all_was_read)
{
	static const struct { const char *text; size_t strange; } cases[] = {
		{ "event: x\nid: 1\nretry: 5\n: note\ndata: a\n\n", 0 },
		{ "data: a\n{\"error\":1}\nx: y\n\n", 2 },
		{ "hello\n\ndata: a\n\n", 1 },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str left = str_from(cases[i].text);
		struct sse_event e;

		test_case("case %zu", i);
		CHECK(sse_next_in_text(&left, &a, &e));
		CHECK_INT(e.strange, cases[i].strange);
	}
	arena_free(&a);
}

TEST(a_line_of_a_stream_is_told_by_its_field)
{
	static const struct { const char *line; bool is; } cases[] = {
		{ "data:", true }, { "data: {\"a\":1}", true }, { "event:x", true }, { "id: 1", true }, { "retry:5", true },
		{ ":", true }, { ": note", true }, { "\xEF\xBB\xBF" "data: a", true },
		{ "", false }, { "data", false }, { "datas: a", false }, { "date: a", false }, { "{\"data\":1}", false },
		{ " data: a", false }, { "2026 data: a", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].line);
		CHECK_INT(sse_is_line(str_from(cases[i].line)), cases[i].is);
	}
}

TEST(a_line_ends_with_cr_lf_or_both)
{
	static const struct { const char *text; size_t n, end; } cases[] = {
		{ "ab\ncd", 2, 3 }, { "ab\rcd", 2, 3 }, { "ab\r\ncd", 2, 4 }, { "ab\n\rcd", 2, 3 }, { "ab", 2, 2 },
		{ "\r\n", 0, 2 }, { "ab\r", 2, 3 }, { "", 0, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t end;

		test_case("case %zu", i);
		CHECK_INT(sse_line(str_from(cases[i].text), &end), cases[i].n);
		CHECK_INT(end, cases[i].end);
	}
}

TEST(data_of_one_line_is_not_copied)
{
	struct str text = STR("event: x\ndata: {\"a\":1}\n\n"), left = text;
	struct sse_event e;
	struct arena a;

	arena_init(&a);
	CHECK(sse_next_in_text(&left, &a, &e));
	CHECK(e.data.p == text.p + 15);
	CHECK_INT(a.used, 0);
}

/* ---- the vectors of other people ---- */

struct vectors {
	struct arena arena;
	struct json_parser *parser;
	struct str left;
};

static bool next_vector(struct vectors *v, struct val *row)
{
	struct str line;

	if (!v->left.n)
		return false;
	line = str_cut(v->left, '\n', &v->left);
	return line.n && json_parse_copy(v->parser, line, row, NULL);
}

static void open_vectors(struct vectors *v)
{
	arena_init(&v->arena);
	v->parser = json_parser_open((struct json_options){ 0 });
	v->left = test_read(test_shared("corpora/04-sse/dev/vectors/EXPECT.jsonl"));
}

static struct str member(struct vectors *v, struct val object, const char *name)
{
	return val_text(val_get(object, str_from(name)), &v->arena);
}

static struct str expected_events(struct vectors *v, struct val row)
{
	struct val_iter it = val_begin(val_get(row, STR("events")));
	struct str text;
	struct val event;
	struct buf out;

	buf_init(&out);
	while (val_next(&it, &event)) {
		struct sse_event e = { member(v, event, "event"), member(v, event, "data"), member(v, event, "lastEventId"), 0, 0 };

		print_event(&out, &e);
	}
	text = arena_copy(&v->arena, buf_str(&out));
	buf_free(&out);
	return text;
}

static void check_end(const struct sse_reader *s, struct val row)
{
	struct val retry = val_get(row, STR("final_retry_ms"));
	int64_t n;

	CHECK_INT(s->has_retry, val_is(retry, JSON_NUMBER));
	if (val_i64(retry, &n))
		CHECK_INT(s->retry_ms, n);
	CHECK(val_i64(val_get(row, STR("n_comments")), &n));
	CHECK_INT(s->comments, n);
}

static void check_publishers_pieces(struct val row, struct str text, struct str want)
{
	struct val_iter it = val_begin(val_get(row, STR("publisher_chunk_bytes")));
	struct sse_reader s;
	struct val size;
	struct buf out;
	size_t at = 0;

	buf_init(&out);
	sse_init(&s, 0);
	while (val_next(&it, &size)) {
		int64_t n;

		CHECK(val_i64(size, &n) && n >= 0 && (size_t)n <= text.n - at);
		push(&s, str_of(text.p + at, (size_t)n), &out);
		at += (size_t)n;
	}
	if (at == text.n) {
		CHECK_STR(buf_str(&out), want);
		check_end(&s, row);
	}
	sse_free(&s);
	buf_free(&out);
}

TEST(the_vectors_of_browsers_and_libraries_give_the_same_events_in_any_pieces)
{
	static const size_t pieces[] = { SIZE_MAX, 1, 2, 7 };
	struct vectors v;
	struct val row;
	size_t n = 0;

	open_vectors(&v);
	for (; next_vector(&v, &row); n++) {
		struct str file = member(&v, row, "file"), want = expected_events(&v, row);
		struct str path = arena_printf(&v.arena, "corpora/04-sse/dev/%.*s", STR_ARG(file));
		struct str text = test_read(test_shared(path.p));

		for (size_t i = 0; i < COUNT(pieces); i++) {
			struct sse_reader s;
			struct buf out;

			test_case("%.*s in pieces of %zu", STR_ARG(file), pieces[i]);
			buf_init(&out);
			sse_init(&s, 0);
			CHECK_STR(in_pieces(&s, text, pieces[i] > text.n ? text.n + 1 : pieces[i], &out), want);
			check_end(&s, row);
			sse_free(&s);
			buf_free(&out);
		}
		check_publishers_pieces(row, text, want);
	}
	CHECK(n > 0);
	json_parser_close(v.parser);
	arena_free(&v.arena);
}
