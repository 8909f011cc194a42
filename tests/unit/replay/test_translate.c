#include "replay/translate.h"

#include "harness/test.h"
#include "json/json.h"

#define OLD "550e8400-e29b-41d4-a716-446655440000"
#define NEW "11111111-2222-3333-4444-555555555555"

static void tie(struct ties *t, const char *recorded, const char *live)
{
	size_t r = ties_add(t, TIES_RECORDED, str_from(recorded)), l = ties_add(t, TIES_LIVE, str_from(live));

	CHECK(ties_join(t, &r, &l, 1, false));
}

TEST(recorded_values_become_live_ones_also_in_pieces)
{
	static const struct { const char *answer, *want; } cases[] = {
		{ "{\"id\":\"" OLD "\"}", "{\"id\":\"" NEW "\"}" },
		{ "no id", NULL },
		{ "x" OLD, NULL },
		{ "{\"a\":\"\\n" OLD " and /tmp/old/file.c\"}", "{\"a\":\"\\n" NEW " and /tmp/longer/file.c\"}" },
		{ "data: {\"delta\":{\"text\":\"in /tm\"}}\n\ndata: {\"delta\":{\"text\":\"p/o\"}}\n\ndata: {\"delta\":{\"text\":\"ld/x\"}}\n\n",
		  "data: {\"delta\":{\"text\":\"in /tm\"}}\n\ndata: {\"delta\":{\"text\":\"p/l\"}}\n\ndata: {\"delta\":{\"text\":\"onger/x\"}}\n\n" },
		{ "data: {\"delta\":\"550e8400-e29b-\"}\n\ndata: {\"delta\":\"41d4-a716-446655440000\"}\n\n",
		  "data: {\"delta\":\"11111111-2222-\"}\n\ndata: {\"delta\":\"3333-4444-555555555555\"}\n\n" },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct arena a;
	struct ties t;
	struct buf b;

	arena_init(&a);
	ties_init(&t, &a);
	buf_init(&b);
	CHECK(!translate_answer(&t, p, STR(OLD), &b));
	tie(&t, OLD, NEW);
	tie(&t, "/tmp/old", "/tmp/longer");
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].answer);
		buf_clear(&b);
		CHECK_INT(translate_answer(&t, p, str_from(cases[i].answer), &b), cases[i].want != NULL);
		CHECK_STR(b.n ? buf_str(&b) : STR(""), str_from(cases[i].want));
	}
	buf_free(&b);
	arena_free(&a);
	json_parser_close(p);
}

static void count(void *context, struct str text)
{
	*(size_t *)context += str_eq(text, STR(OLD));
}

TEST(a_value_is_seen_where_a_stream_cut_it)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	size_t seen = 0;

	translate_scan(p, STR("data: {\"delta\":\"550e8400-e29b-\"}\n\ndata: {\"delta\":\"41d4-a716-446655440000\"}\n\n"), count, &seen);
	CHECK_INT(seen, 1);
	json_parser_close(p);
}
