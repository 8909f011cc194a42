/* Sightings as lines: what is written is read again, and what is no sighting is refused. */
#include "dialect/sighting/sighting_line.h"

#include "harness/test.h"

static struct arena arena;

/* What the line says, read by a parser that lives as long as the test. */
static bool read_text(struct str text, struct sighting *s)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct json_issue issue;
	struct val v;
	bool good = json_parse_copy(p, text, &v, &issue) && sighting_line_read(&arena, v, s);

	json_parser_close(p);
	return good;
}

TEST(what_is_written_is_read_again)
{
	static const struct str calls[] = { { "toolu_1", 7 }, { "toolu_2", 7 } };
	struct sighting back, s = sighting_of(SIGHT_TOOL_END, SIGHT_HOOK);
	struct buf out;

	arena_init(&arena);
	buf_init(&out);
	s.begun_ns = 5;
	s.ended_ns = 9;
	s.call = STR("toolu_1");
	s.name = STR("Bash");
	s.cpu_ns = 3;
	s.size = 12;
	s.failed = true;
	s.calls = calls;
	s.call_count = 2;
	s.usd = 0.25;
	s.tape = STR("{\"lane\":\"shell\"}");
	sighting_line_add(&out, &s);
	CHECK(read_text(buf_str(&out), &back));
	CHECK_INT(back.kind, SIGHT_TOOL_END);
	CHECK_INT(back.layer, SIGHT_HOOK);
	CHECK_INT(back.begun_ns, 5);
	CHECK_INT(back.ended_ns, 9);
	CHECK_INT(back.cpu_ns, 3);
	CHECK_INT(back.wall_ns, -1);
	CHECK_INT(back.size, 12);
	CHECK_STR(back.call, STR("toolu_1"));
	CHECK_STR(back.name, STR("Bash"));
	CHECK(!back.agent.p);
	CHECK(back.failed);
	CHECK_INT(back.call_count, 2);
	CHECK_STR(back.calls[1], STR("toolu_2"));
	CHECK(back.usd == 0.25);
	CHECK_STR(back.tape, STR("{\"lane\":\"shell\"}"));
	buf_free(&out);
	arena_free(&arena);
}

TEST(what_is_no_sighting_is_refused)
{
	static const struct { const char *text; bool good; } cases[] = {
		{ "{\"v\":\"sighting/1\",\"kind\":\"input\",\"layer\":\"hook\"}", true },
		{ "{\"v\":\"sighting/1\",\"kind\":\"input\",\"layer\":\"hook\",\"later\":[1]}", true },
		{ "{\"v\":\"sighting/2\",\"kind\":\"input\",\"layer\":\"hook\"}", false },
		{ "{\"v\":\"sighting/1\",\"kind\":\"party\",\"layer\":\"hook\"}", false },
		{ "{\"v\":\"sighting/1\",\"kind\":\"input\"}", false },
		{ "[]", false },
		{ "7", false },
	};
	struct sighting s;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK_INT(read_text(str_from(cases[i].text), &s), cases[i].good);
	arena_free(&arena);
}

/* doc/formats/sighting.md has a row for each field that is written, in its order, and no other. */
TEST(the_page_has_the_fields_that_are_written)
{
	static const struct str one[] = { { "a", 1 } };
	struct str page = test_read("doc/formats/sighting.md"), left;
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct sighting s = { .calls = one, .call_count = 1, .results = one, .result_count = 1, .tape = STR("{}"),
			      .failed = true, .partial = true, .stream = true };
	struct val v, key, value;
	struct val_iter it;
	struct buf out;

	/* every text: a sighting is what sighting_line_read makes of a line with all names */
	arena_init(&arena);
	buf_init(&out);
	s.run = s.session = s.agent = s.parent_agent = s.framework = s.framework_version = s.trace = s.span = STR("x");
	s.parent_span = s.call = s.name = s.server = s.result_kind = s.command = s.parent_command = STR("x");
	s.response_id = s.model = s.provider = s.endpoint = s.stop_reason = STR("x");
	sighting_line_add(&out, &s);
	CHECK(json_parse_copy(p, buf_str(&out), &v, NULL));
	left = str_skip(page, str_find(page, STR("| field | type | meaning |")));
	str_cut(left, '\n', &left);
	str_cut(left, '\n', &left);
	it = val_begin(v);
	while (val_next_member(&it, &key, &value)) {
		struct str line = str_cut(left, '\n', &left), name = val_text(key, &arena);

		CHECK_STR(str_cut(str_skip(line, 3), '`', &line), name);
	}
	CHECK_INT(left.n, 0);
	buf_free(&out);
	json_parser_close(p);
	arena_free(&arena);
}
