/* Runs read from paths, and their table on screens of all widths. */
#include "base/utf8.h"
#include "cmd/frame/commands.h"
#include "cmd/runs_load.h"
#include "cmd/runs_output.h"
#include "said.h"

static struct arena arena;

static const struct str paths[] = { { "tests/data/bench", 16 }, { "tests/data/claude-code", 22 },
				    { "tests/data/inspect/log.json", 27 } };

static void load(struct run_table *t, struct frame *f, uint64_t *failed)
{
	struct runs_load l = { .arena = &arena, .frame = f, .table = t, .jobs = 1, .prices = prices_new(&arena) };
	struct err err = { .kind = ERR_NONE };
	struct said s;

	run_table_init(t, &arena);
	catch(&s);
	CHECK(runs_load_paths(&l, paths, COUNT(paths), &err));
	caught(&s);
	*failed = l.logs.failed;
}

TEST(no_row_is_wider_than_the_screen)
{
	static const size_t widths[] = { 80, 99, 100, 120, 160, 200 };
	struct frame f = { .command = &runs_command };
	struct run_table t;
	uint64_t failed;

	arena_init(&arena);
	load(&t, &f, &failed);
	CHECK(t.count > 5);
	for (size_t i = 0; i < 2 * COUNT(widths); i++) {
		struct runs_output o = { .arena = &arena, .frame = &f, .paths = i % 2 };
		struct said s;
		struct str left;

		f.out.width = widths[i / 2];
		test_case("%zu columns, paths %zu", f.out.width, i % 2);
		catch(&s);
		runs_output_show(&o, &t);
		caught(&s);
		left = s.out;
		CHECK(str_count(left, '\n') > t.count);
		while (left.n) {
			struct str line = str_cut(left, '\n', &left);

			if (utf8_width(line) > f.out.width)
				FAIL("%zu columns: %.*s", utf8_width(line), STR_ARG(line));
		}
	}
	arena_free(&arena);
}

TEST(a_directory_of_a_run_is_one_run_and_a_log_may_be_several)
{
	struct frame f = { .command = &runs_command, .out = { .width = 80 } };
	size_t benches = 0, logs = 0, inspect = 0;
	struct run_table t;
	uint64_t failed;

	arena_init(&arena);
	load(&t, &f, &failed);
	for (size_t i = 0; i < t.count; i++) {
		benches += strcmp(t.list[i].kind, "bench") == 0;
		logs += strcmp(t.list[i].kind, "claude-code") == 0;
		inspect += strcmp(t.list[i].kind, "inspect") == 0;
	}
	CHECK(benches >= 1 && logs >= 3 && inspect == 2);
	arena_free(&arena);
}

TEST(a_limit_and_only_one_form_at_a_time)
{
	struct frame f = { .command = &runs_command, .out = { .width = 80 } };
	struct runs_output o = { .arena = &arena, .frame = &f, .plain = true, .limit = 2 };
	struct err err = { .kind = ERR_NONE };
	struct run_table t;
	uint64_t failed;
	struct said s;

	arena_init(&arena);
	load(&t, &f, &failed);
	CHECK(runs_output_check(&o, &err) && !runs_output_is_table(&o));
	catch(&s);
	runs_output_show(&o, &t);
	caught(&s);
	CHECK_INT(str_count(s.out, '\n'), 2);
	o.jsonl = true;
	CHECK(!runs_output_check(&o, &err) && err.kind == ERR_USAGE);
	arena_free(&arena);
}
