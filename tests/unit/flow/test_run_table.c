/* Lists of runs: found, narrowed and put in order. */
#include "flow/run_table.h"

#include <math.h>

#include "harness/test.h"

static struct arena arena;

/* Ids of the runs in their order. */
static void check_order(const struct run_table *t, const char *want)
{
	char got[16] = "";

	CHECK(t->count < sizeof(got));
	for (size_t i = 0; i < t->count; i++)
		got[i] = t->list[i].id.p[0];
	CHECK_STR(str_from(got), str_from(want));
}

static void make(struct run_table *t)
{
	static const struct {
		const char *id, *kind, *verdict, *model, *agent;
		int64_t from;
		double usd, seconds;
		uint64_t tokens;
	} rows[] = {
		{ "a", "record", "success", "Big-1", "codex", 100, 2, 5, 10 },
		{ "b", "bench", "complete", "small", "suite", 300, 1, NAN, 30 },
		{ "c", "record", "error", "big-2", "unknown", 200, -1, 7, 20 },
	};
	static const struct run_facts_tag tags[] = { { { "k", 1 }, { "v", 1 } } };

	arena_init(&arena);
	run_table_init(t, &arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct run_facts *f = run_table_add(t);

		f->id = str_from(rows[i].id);
		f->kind = rows[i].kind;
		f->verdict = rows[i].verdict;
		f->agent = str_from(rows[i].agent);
		f->program = STR("prog");
		f->has_time = true;
		f->from_us = rows[i].from;
		f->seconds = rows[i].seconds;
		f->input = FIGURE(rows[i].tokens);
		if (rows[i].usd > 0)
			f->usd = AMOUNT(rows[i].usd);
		run_facts_add_name(&f->models, &arena, str_from(rows[i].model));
		f->tags = tags;
		f->tag_count = i == 0;
	}
}

TEST(the_newest_or_greatest_is_first_and_the_unknown_last)
{
	static const struct {
		enum run_table_order by;
		bool reverse;
		const char *want;
	} cases[] = {
		{ RUN_TABLE_WHEN, false, "bca" }, { RUN_TABLE_WHEN, true, "acb" },
		{ RUN_TABLE_COST, false, "abc" }, { RUN_TABLE_COST, true, "bac" },
		{ RUN_TABLE_DURATION, false, "cab" }, { RUN_TABLE_DURATION, true, "acb" },
		{ RUN_TABLE_TOKENS, false, "bca" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct run_table t;

		test_case("%zu", i);
		make(&t);
		run_table_sort(&t, cases[i].by, cases[i].reverse);
		check_order(&t, cases[i].want);
		arena_free(&arena);
	}
}

TEST(only_runs_that_match_everything_are_left)
{
	static const struct str with_value[] = { { "k=v", 3 } }, other[] = { { "k=x", 3 } }, key[] = { { "k", 1 } };
	static const struct {
		struct run_table_filter filter;
		const char *want;
	} cases[] = {
		{ { 0 }, "abc" },
		{ { .kind = "bench" }, "b" },
		{ { .model = { "BIG", 3 } }, "ac" },
		{ { .agent = { "Code", 4 } }, "a" },
		{ { .agent = { "prog", 4 } }, "abc" },
		{ { .verdict = { "error", 5 } }, "c" },
		{ { .has_since = true, .since_us = 200 }, "bc" },
		{ { .tags = with_value, .tag_count = 1 }, "a" },
		{ { .tags = key, .tag_count = 1 }, "a" },
		{ { .tags = other, .tag_count = 1 }, "" },
		{ { .kind = "record", .model = { "small", 5 } }, "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct run_table t;

		test_case("%zu", i);
		make(&t);
		run_table_narrow(&t, &cases[i].filter);
		check_order(&t, cases[i].want);
		arena_free(&arena);
	}
}

TEST(rows_of_a_log_go_to_the_runs_they_are_of)
{
	struct trace_row a = { .type = TRACE_ROW_NODE, .kind = AT_TOOL_CALL, .trace = STR("a") }, b = a;
	struct run_table t;

	b.trace = STR("b");
	arena_init(&arena);
	run_table_init(&t, &arena);
	CHECK_INT(run_table_add_row(&t, &a), 0);
	CHECK_INT(run_table_add_row(&t, &b), 1);
	CHECK_INT(run_table_add_row(&t, &a), 0);
	run_table_end_log(&t, STR("x.jsonl"), "codex");
	CHECK_INT(run_table_add_row(&t, &a), 2); /* the same id in another log is another run */
	run_table_end_log(&t, STR("y.jsonl"), "atif");
	CHECK(t.count == 3 && t.list[0].tool_calls == 2 && strcmp(t.list[2].kind, "atif") == 0);
	CHECK_STR(t.list[1].path, STR("x.jsonl"));
	arena_free(&arena);
}

TEST(directories_of_runs_are_noted_once_and_not_entered)
{
	struct run_table t;

	arena_init(&arena);
	run_table_init(&t, &arena);
	CHECK(run_table_enter(&t, STR("tests/data")));
	CHECK(!run_table_enter(&t, STR("tests/data/bench/run")) && !run_table_enter(&t, STR("tests/data/bench/run")));
	CHECK_INT(t.wait_count, 1);
	run_table_read(&t);
	CHECK(t.wait_count == 0 && t.count == 1);
	CHECK_STR(t.list[0].path, STR("tests/data/bench/run"));
	arena_free(&arena);
}
