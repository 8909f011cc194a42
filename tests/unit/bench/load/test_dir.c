#include "bench/load/dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"

static void remove_dir(struct str dir)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r -- %.*s", STR_ARG(dir));
	CHECK(system(command) == 0);
}

TEST(requests_are_added_and_a_run_is_made_once)
{
	char top[] = "/tmp/trackway-load-dir-XXXXXX";
	struct err err = { .kind = ERR_NONE };
	struct load_dir d, again;
	struct arena a;
	struct str text;

	arena_init(&a);
	CHECK(mkdtemp(top));
	CHECK(load_dir_make(&d, &a, ARENA_JOIN(&a, str_from(top), STR("/a/b")), STR("r1"), &err));
	CHECK(load_dir_add(&d, STR("{}\n"), &err) && load_dir_add(&d, STR("[]\n"), &err));
	CHECK(file_read(&a, ARENA_JOIN(&a, d.path, STR("/requests.jsonl")), 100, &text, &err));
	CHECK_STR(text, STR("{}\n[]\n"));
	CHECK(!load_dir_make(&again, &a, ARENA_JOIN(&a, str_from(top), STR("/a/b")), STR("r1"), &err));
	CHECK(err.kind == ERR_USAGE && err.advice == ADVICE_RUN_ID);
	load_dir_close(&d);
	remove_dir(str_from(top));
	arena_free(&a);
}

TEST(every_bound_is_held_against_every_stage)
{
	struct load_stage stages[] = { { .due = 10, .length_ns = 1000000000 }, { .due = 10, .length_ns = 1000000000 } };
	struct load_stats stats = { .stages = stages, .count = 2 };
	struct load_report r = { .stats = &stats };
	struct load_bound bounds[] = {
		{ .figure = LOAD_FIGURE_REQUEST_RATE, .least = true, .limit = 5 },
		{ .figure = LOAD_FIGURE_ERROR_RATE, .limit = 0.5 },
	};
	struct arena a;

	arena_init(&a);
	stages[0].ends[LOAD_OK] = 10;
	stages[1].ends[LOAD_OK] = 4;
	CHECK(!load_report_judge(&r, &a, bounds, 2));
	CHECK_INT(r.verdict_count, 4);
	CHECK(r.verdicts[0].met && !r.verdicts[1].met && r.verdicts[2].met && !r.verdicts[3].met);
	CHECK(r.verdicts[2].bound == &bounds[1] && r.verdicts[3].stage == 1 && r.verdicts[3].said.n > 0);
	stages[1].ends[LOAD_OK] = 10;
	CHECK(load_report_judge(&r, &a, bounds, 2));
	arena_free(&a);
}
