#include "bench/report/outputs.h"

#include <sys/stat.h>

#include "unit/bench/bench_run.h"

static const char *const names[] = { "summary.json", "summary.md", "tool_use_summary.md", "tool_use_summary.csv",
				     "agent-trace.jsonl", "report.html" };

static struct str read_file(struct bench_run *b, const char *name)
{
	struct err err = { .kind = ERR_NONE };
	struct str text;

	if (!file_read(&b->arena, ARENA_JOIN(&b->arena, b->dir, STR("/"), str_from(name)), 1 << 20, &text, &err))
		FAIL("%s", err.text);
	return text;
}

TEST(every_file_that_follows_from_the_rows_is_written)
{
	struct bench_run *b = bench_run_new();
	struct result r = bench_row("m1", "P1", 1);
	struct config c = { .run_id = STR("r1"), .repeat = 1 };
	struct err err = { .kind = ERR_NONE };
	struct summary s;

	bench_run_add(b, &r);
	bench_run_save(b);
	if (!outputs_write(&b->arena, b->dir, &c, RATE_WILSON, false, &s, &err))
		FAIL("%s", err.text);
	CHECK_INT(s.rows, 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		test_case("%s", names[i]);
		CHECK(read_file(b, names[i]).n > 0);
	}
	CHECK(str_find(read_file(b, "summary.json"), STR("\"run_id\": \"r1\"")) != (size_t)-1);
	CHECK(str_find(read_file(b, "agent-trace.jsonl"), STR("\"success\"")) != (size_t)-1);
	bench_run_free(b);
}

TEST(a_run_that_was_stopped_says_so_in_its_trace)
{
	struct bench_run *b = bench_run_new();
	struct result r = bench_row("m1", "P1", 1);
	struct config c = { .run_id = STR("r1"), .repeat = 1 };
	struct err err = { .kind = ERR_NONE };
	struct summary s;

	bench_run_add(b, &r);
	bench_run_save(b);
	CHECK(outputs_write(&b->arena, b->dir, &c, RATE_WILSON, true, &s, &err));
	CHECK(str_find(read_file(b, "agent-trace.jsonl"), STR("\"interrupted\"")) != (size_t)-1);
	bench_run_free(b);
}

TEST(without_rows_nothing_is_written)
{
	struct bench_run *b = bench_run_new();
	struct config c = { .run_id = STR("r1"), .repeat = 1 };
	struct err err = { .kind = ERR_NONE };
	struct summary s;
	struct stat st;

	CHECK(!outputs_write(&b->arena, b->dir, &c, RATE_WILSON, false, &s, &err));
	CHECK(strstr(err.text, "results.jsonl") != NULL);
	CHECK(stat(ARENA_JOIN(&b->arena, b->dir, STR("/summary.json")).p, &st) != 0);
	bench_run_free(b);
}
