#include "cmd/convert_coverage.h"

#include "dialect/reading/reading.h"
#include "harness/test.h"

/* A record whose strings say what became of them: "t" taken, "k" kept, "d" dropped, "l" left. */
static void add(struct coverage *c, const char *json)
{
	static const char letters[] = "ltdk";
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	uint8_t *marks;
	struct val v;

	CHECK(json_parse_copy(p, str_from(json), &v, NULL));
	marks = test_alloc(v.tape->count);
	for (struct val at = v; at.at < val_end(v); at.at++)
		if (val_is(at, JSON_STRING))
			marks[at.at] = (uint8_t)(strchr(letters, val_raw(at).p[0]) - letters);
	coverage_add(c, v, marks);
	json_parser_close(p);
}

static struct convert_covered sample(struct coverage *c)
{
	add(c, "{\"id\":\"t\",\"at\":\"t\",\"mood\":\"k\",\"\\u001b[31m\":\"d\"}");
	add(c, "{\"id\":\"t\",\"at\":\"t\",\"mood\":\"l\"}");
	return (struct convert_covered){ .from = STR("diary"), .to = STR("otutl"), .coverage = c, .sizes = { 1000, 1250, 400, 440, true } };
}

TEST(the_table_says_what_became_of_the_fields)
{
	static const char want[] = "coverage of diary in otutl: 71.4 % of all values\n"
				   "\n"
				   "                seen    to core             to ext            dropped\n"
				   "  fields           4          2  50.0 %          1  25.0 %          1  25.0 %\n"
				   "  values           7          4  57.1 %          1  14.3 %          2  28.6 %\n"
				   "  a record on average 70.8 % (95 % interval 62.7 to 79.0, n = 2)\n"
				   "\n"
				   "                bytes       in gzip\n"
				   "  diary          1000           400\n"
				   "  otutl          1250           440\n"
				   "  ratio          1.25          1.10\n"
				   "\n"
				   "  dropped\n"
				   "    [\"\\x1b[31m\"]: 1 of 1\n"
				   "    mood: 1 of 2, not on purpose\n";
	struct coverage *c = coverage_open();
	struct convert_covered t = sample(c);
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	convert_coverage_add_text(&b, &a, &t);
	CHECK_STR(buf_str(&b), str_from(want));
	buf_free(&b);
	arena_free(&a);
	coverage_close(c);
}

TEST(what_is_not_known_is_left_out_of_the_table)
{
	static const char want[] = "coverage of diary in otutl: 100.0 % of all values\n"
				   "\n"
				   "                seen    to core             to ext            dropped\n"
				   "  fields           1          1 100.0 %          0   0.0 %          0   0.0 %\n"
				   "  values           1          1 100.0 %          0   0.0 %          0   0.0 %\n"
				   "  a record on average 100.0 % (n = 1)\n"
				   "\n"
				   "                bytes\n"
				   "  diary             0\n"
				   "  otutl           100\n"
				   "  ratio             -\n";
	struct coverage *c = coverage_open();
	struct convert_covered t = { .from = STR("diary"), .to = STR("otutl"), .coverage = c, .sizes = { .output = 100 } };
	struct arena a;
	struct buf b;

	add(c, "{\"id\":\"t\"}");
	arena_init(&a);
	buf_init(&b);
	convert_coverage_add_text(&b, &a, &t);
	CHECK_STR(buf_str(&b), str_from(want));
	buf_free(&b);
	arena_free(&a);
	coverage_close(c);
}

TEST(all_but_one_is_not_a_hundred_percent)
{
	struct coverage *c = coverage_open();
	struct convert_covered t = { .from = STR("diary"), .to = STR("otutl"), .coverage = c, .sizes = { 0 } };
	struct arena a;
	struct buf b;

	for (int i = 0; i < 5000; i++)
		add(c, i ? "{\"id\":\"t\"}" : "{\"id\":\"d\"}");
	arena_init(&a);
	buf_init(&b);
	convert_coverage_add_text(&b, &a, &t);
	CHECK(str_starts(buf_str(&b), STR("coverage of diary in otutl: 99.9 % of all values\n")));
	buf_free(&b);
	arena_free(&a);
	coverage_close(c);
}

TEST(a_long_list_of_names_is_cut_with_a_word)
{
	struct coverage *c = coverage_open();
	struct convert_covered t = { .from = STR("diary"), .to = STR("otutl"), .coverage = c, .sizes = { 0 } };
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	buf_add_byte(&b, '{');
	for (int i = 0; i < 50; i++)
		buf_printf(&b, "%s\"f%02d\":\"d\"", i ? "," : "", i);
	buf_add(&b, "}", 2);
	add(c, b.p);
	buf_clear(&b);
	convert_coverage_add_text(&b, &a, &t);
	CHECK(str_find(buf_str(&b), STR("\n    f39: 1 of 1\n    and 10 more, which JSON lists\n")) != (size_t)-1);
	CHECK(str_find(buf_str(&b), STR("f40")) == (size_t)-1);
	buf_free(&b);
	arena_free(&a);
	coverage_close(c);
}

TEST(the_json_has_every_field)
{
	static const char want[] =
		"{\"schema\":\"trackway.coverage/1\",\"from\":\"diary\",\"to\":\"otutl\",\"runs\":0,\"records\":2,"
		"\"fields\":{\"seen\":4,\"core\":2,\"ext\":1,\"dropped\":1,\"limited\":false},"
		"\"values\":{\"seen\":7,\"core\":4,\"ext\":1,\"dropped\":2,\"not_on_purpose\":1,\"dropped_null\":0},"
		"\"coverage\":{\"overall\":0.714286,\"per_record\":{\"mean\":0.708333,\"low\":0.626668,\"high\":0.789998,\"n\":2}},"
		"\"sizes\":{\"source\":{\"raw\":1000,\"gzip\":400},\"output\":{\"raw\":1250,\"gzip\":440},"
		"\"ratio\":{\"raw\":1.25,\"gzip\":1.1}},"
		"\"dropped\":[\"[\\\"\\u001b[31m\\\"]\",\"mood\"],\"by_field\":["
		"{\"field\":\"[\\\"\\u001b[31m\\\"]\",\"core\":0,\"ext\":0,\"dropped\":1,\"not_on_purpose\":0},"
		"{\"field\":\"at\",\"core\":2,\"ext\":0,\"dropped\":0,\"not_on_purpose\":0},"
		"{\"field\":\"id\",\"core\":2,\"ext\":0,\"dropped\":0,\"not_on_purpose\":0},"
		"{\"field\":\"mood\",\"core\":0,\"ext\":1,\"dropped\":1,\"not_on_purpose\":1}]}\n";
	struct coverage *c = coverage_open();
	struct convert_covered t = sample(c);
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	convert_coverage_add_json(&b, &a, &t);
	CHECK_STR(buf_str(&b), str_from(want));
	buf_free(&b);
	arena_free(&a);
	coverage_close(c);
}

TEST(what_is_not_known_is_null_in_the_json)
{
	struct coverage *c = coverage_open();
	struct convert_covered t = { .from = STR("diary"), .to = STR("otutl"), .coverage = c, .sizes = { .output = 1 } };
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	convert_coverage_add_json(&b, &a, &t);
	CHECK(str_find(buf_str(&b), STR("\"per_record\":{\"mean\":null,\"low\":null,\"high\":null,\"n\":0}")) != (size_t)-1);
	CHECK(str_find(buf_str(&b), STR("\"source\":{\"raw\":0,\"gzip\":null}")) != (size_t)-1);
	CHECK(str_find(buf_str(&b), STR("\"ratio\":{\"raw\":null,\"gzip\":null}")) != (size_t)-1);
	buf_free(&b);
	arena_free(&a);
	coverage_close(c);
}

TEST(each_of_several_formats_gets_the_same_table)
{
	static const char want[] = "coverage by format, in otutl\n"
				   "\n"
				   "                         fields   % to   % to    %     a        95 %  size    in\n"
				   "                    runs   seen   core    ext drop  rec.    interval ratio  gzip\n"
				   "  diary                2      2   50.0    0.0 50.0  50.0           -  1.25  1.10\n"
				   "  log                  3      1  100.0    0.0  0.0 100.0           -\n"
				   "  all                  5      3   66.7    0.0 33.3  75.0  26.0-100.0\n"
				   "\n"
				   "coverage of several in otutl: 75.0 % of all values\n"
				   "\n"
				   "                seen    to core             to ext            dropped\n"
				   "  fields           3          2  66.7 %          0   0.0 %          1  33.3 %\n"
				   "  values           4          3  75.0 %          0   0.0 %          1  25.0 %\n"
				   "  of the dropped values, 1 was null\n"
				   "  a record on average 75.0 % (95 % interval 26.0 to 100.0, n = 2)\n"
				   "\n"
				   "  dropped\n"
				   "    b: 1 of 1, not on purpose\n"
				   "\n"
				   "coverage of diary in otutl: 50.0 % of all values\n"
				   "\n"
				   "                seen    to core             to ext            dropped\n"
				   "  fields           2          1  50.0 %          0   0.0 %          1  50.0 %\n"
				   "  values           2          1  50.0 %          0   0.0 %          1  50.0 %\n"
				   "  of the dropped values, 1 was null\n"
				   "  a record on average 50.0 % (n = 1)\n"
				   "\n"
				   "                bytes       in gzip\n"
				   "  diary          1000           400\n"
				   "  otutl          1250           440\n"
				   "  ratio          1.25          1.10\n"
				   "\n"
				   "  dropped\n"
				   "    b: 1 of 1, not on purpose\n"
				   "\n"
				   "coverage of log in otutl: 100.0 % of all values\n"
				   "\n"
				   "                seen    to core             to ext            dropped\n"
				   "  fields           1          1 100.0 %          0   0.0 %          0   0.0 %\n"
				   "  values           2          2 100.0 %          0   0.0 %          0   0.0 %\n"
				   "  a record on average 100.0 % (n = 1)\n";
	struct coverage *all = coverage_open(), *diary = coverage_open(), *log = coverage_open();
	struct convert_covered formats[] = {
		{ .from = STR("diary"), .to = STR("otutl"), .coverage = diary, .runs = 2,
		  .sizes = { 1000, 1250, 400, 440, true } },
		{ .from = STR("log"), .to = STR("otutl"), .coverage = log, .runs = 3 },
	};
	struct convert_covered t = { .from = STR("several"), .to = STR("otutl"), .coverage = all, .formats = formats, .format_count = 2,
				     .runs = 5 };
	struct arena a;
	struct buf b;

	add(diary, "{\"a\":\"t\",\"b\":null}");
	add(log, "{\"a\":[\"t\",\"t\"]}");
	coverage_merge(all, diary);
	coverage_merge(all, log);
	arena_init(&a);
	buf_init(&b);
	convert_coverage_add_text(&b, &a, &t);
	CHECK_STR(buf_str(&b), str_from(want));
	buf_clear(&b);
	convert_coverage_add_json(&b, &a, &t);
	CHECK(str_find(buf_str(&b), STR("\"by_format\":[{\"from\":\"diary\",\"runs\":2,\"records\":1,")) != (size_t)-1);
	CHECK(str_find(buf_str(&b), STR("\"dropped_null\":1}")) != (size_t)-1);
	t.format_count = 0;
	buf_clear(&b);
	convert_coverage_add_json(&b, &a, &t);
	CHECK(str_find(buf_str(&b), STR("by_format")) == (size_t)-1);
	buf_free(&b);
	arena_free(&a);
	coverage_close(all);
	coverage_close(diary);
	coverage_close(log);
}
