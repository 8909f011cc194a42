#include "cmd/show.h"

#include "base/utf8.h"
#include "harness/test.h"
#include "json/json.h"

static struct arena arena;

/* All of the answers to one trace. */
struct answers {
	struct buf text, json, plain;
};

static void answer(struct answers *a, const char *path, size_t width, size_t rows)
{
	struct str name = str_from(path);
	struct err err = { .kind = ERR_NONE };
	struct profile_flow f = { .jobs = 1, .row_limit = rows };
	const struct term term = { .width = width, .height = 24 };
	struct show s = { .arena = &arena, .term = &term, .path = name, .hint = "--all shows them" };
	struct profile p;

	arena_init(&arena);
	buf_init(&a->text);
	buf_init(&a->json);
	buf_init(&a->plain);
	f.from = source_open(&arena, &name, 1, (struct source_options){ .shape = SOURCE_LINES }, &err);
	CHECK(f.from && profile_run(&arena, &f, &p, &err));
	source_close(f.from);
	s.profile = &p;
	show_add_text(&a->text, &s);
	show_add_json(&a->json, &s, (struct opt_maybe){ .given = true });
	show_add_plain(&a->plain, &s);
	profile_free(&p);
}

static void forget(struct answers *a)
{
	buf_free(&a->text);
	buf_free(&a->json);
	buf_free(&a->plain);
	arena_free(&arena);
}

static const char *const paths[] = {
	"tests/data/show/full.jsonl", "tests/data/show/interrupted.jsonl", "tests/data/show/failed.jsonl",
	"tests/data/show/damaged.jsonl", "tests/data/show/hostile.jsonl", "tests/data/show/empty.jsonl",
	"doc/examples/agent-trace.jsonl",
};

TEST(no_line_is_wider_than_the_screen)
{
	static const size_t widths[] = { 80, 100, 120, 200 };

	for (size_t i = 0; i < COUNT(paths); i++)
		for (size_t w = 0; w < COUNT(widths); w++) {
			struct answers a;
			struct str left;

			test_case("%s at %zu", paths[i], widths[w]);
			answer(&a, paths[i], widths[w], 40);
			left = buf_str(&a.text);
			while (left.n) {
				struct str line = str_cut(left, '\n', &left);

				if (utf8_width(line) > widths[w])
					FAIL("%zu columns: %.*s", utf8_width(line), STR_ARG(line));
				CHECK(!str_ends(line, STR(" ")));
			}
			forget(&a);
		}
}

TEST(a_narrow_screen_is_no_trouble)
{
	for (size_t width = 1; width < 60; width += 7) {
		struct answers a;

		answer(&a, paths[0], width, 40);
		CHECK(str_starts(buf_str(&a.text), STR("success")));
		forget(&a);
	}
}

TEST(nothing_from_a_trace_acts_on_the_terminal)
{
	struct answers a;

	answer(&a, "tests/data/show/hostile.jsonl", 80, 40);
	CHECK(memchr(a.text.p, '\x1b', a.text.n) == NULL && memchr(a.plain.p, '\x1b', a.plain.n) == NULL);
	CHECK(memchr(a.json.p, '\x1b', a.json.n) == NULL && memchr(a.text.p, '\x07', a.text.n) == NULL);
	CHECK(str_find(buf_str(&a.text), STR("\\x1b[31m")) != (size_t)-1);
	CHECK(str_find(buf_str(&a.plain), STR("tab\\x09here")) != (size_t)-1);
	forget(&a);
}

TEST(the_json_is_json_and_has_every_field)
{
	for (size_t i = 0; i < COUNT(paths); i++) {
		struct json_parser *parser = json_parser_open((struct json_options){ 0 });
		struct answers a;
		struct val v;

		test_case("%s", paths[i]);
		answer(&a, paths[i], 80, 40);
		CHECK(json_parse_copy(parser, buf_str(&a.json), &v, NULL));
		CHECK(val_text_is(val_get(v, STR("schema")), STR("trackway.show/1")));
		for (size_t f = 0; show_fields[f]; f++) {
			test_case("%s %s", paths[i], show_fields[f]);
			CHECK(!val_is_none(val_get(v, str_from(show_fields[f]))));
		}
		json_parser_close(parser);
		forget(&a);
	}
}

TEST(every_plain_line_begins_with_its_word)
{
	static const char *const words[] = { "run", "file", "count", "time", "tokens", "cost", "model", "model_cost", "tool", "wait", "gap",
					     "node", "left_out" };

	for (size_t i = 0; i < COUNT(paths); i++) {
		struct answers a;
		struct str left;

		answer(&a, paths[i], 80, 2);
		left = buf_str(&a.plain);
		while (left.n) {
			struct str rest, line = str_cut(left, '\n', &left), word = str_cut(line, '\t', &rest);
			bool known = false;

			for (size_t w = 0; w < COUNT(words); w++)
				known = known || str_eq(word, str_from(words[w]));
			if (!known)
				FAIL("%s: %.*s", paths[i], STR_ARG(line));
		}
		forget(&a);
	}
}

TEST(rows_that_are_left_out_are_counted)
{
	struct answers a;

	answer(&a, paths[0], 80, 3);
	CHECK(str_find(buf_str(&a.text), STR("  and 6 shorter nodes; --all shows them\n")) != (size_t)-1);
	CHECK(str_find(buf_str(&a.json), STR("\"nodes_left_out\":6}")) != (size_t)-1);
	CHECK(str_find(buf_str(&a.plain), STR("left_out\t6\n")) != (size_t)-1);
	forget(&a);
}

TEST(every_kind_has_a_sign_of_its_own)
{
	for (int i = 0; i < AT_KINDS; i++)
		for (int n = 0; n < i; n++)
			CHECK(show_sign((enum at_kind)i) != show_sign((enum at_kind)n));
}
