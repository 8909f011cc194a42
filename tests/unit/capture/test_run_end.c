/* The end of a run, where something is in the way: what goes well is in the tests of recording and of listening. */
#include "capture/run_end.h"

#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"

#define BEGUN (INT64_C(1790000000) * 1000000000)

static void count_trouble(void *context, struct str text)
{
	(void)text;
	++*(unsigned *)context;
}

TEST(one_file_that_cannot_be_written_keeps_no_other_from_it)
{
	struct line_file trace;
	struct run_files files = { .program = STR("x"), .dir = -1 };
	struct run_files_end end = { .ended_ns = BEGUN + 5 };
	struct recorder_run_options o = { .trace = &trace, .begun_ns = BEGUN };
	struct recorder_run run;
	unsigned troubles = 0;
	struct arena a;
	struct run_end e = { .arena = &a, .files = &files, .run = &run, .dot = true, .trouble = count_trouble,
			     .context = &troubles };
	struct err err;

	arena_init(&a);
	run_files_name(&a, &files, BEGUN, &o.run_graph.trace);
	files.path = arena_printf(&a, "%s/run", test_dir());
	CHECK(run_files_make(&a, &files, &err));
	CHECK(line_file_open(&trace, files.dir, "agent-trace.jsonl", 0666, &err));
	CHECK(mkdirat(files.dir, "summary.json", 0700) == 0);
	recorder_run_init(&run, &o);
	run_end_lines(&e, "success", str_of(NULL, 0), &end);
	CHECK_INT(troubles, 1);
	run_end_others(&e, &end, true, false);
	CHECK_INT(troubles, 1);
	CHECK_INT(e.content_count, 0);
	CHECK(faccessat(files.dir, "agent-trace.dot", F_OK, 0) == 0);
	CHECK(run_files_write_meta(&a, &files, &end, &err));
	CHECK(str_has(test_read(run_files_file(&a, &files, "meta.json").p), STR("agent-trace.dot")));
	recorder_run_free(&run);
	run_files_close(&files);
	arena_free(&a);
}

TEST(a_directory_that_was_moved_gets_nothing_more)
{
	struct run_files files = { .program = STR("x"), .dir = -1 };
	struct run_files_end end = { .ended_ns = BEGUN };
	unsigned troubles = 0;
	struct arena a;
	struct run_end e = { .arena = &a, .files = &files, .dot = true, .trouble = count_trouble, .context = &troubles };
	struct err err;

	arena_init(&a);
	files.path = arena_printf(&a, "%s/run", test_dir());
	CHECK(run_files_make(&a, &files, &err));
	CHECK(rmdir(files.path.p) == 0);
	run_end_others(&e, &end, true, true);
	CHECK_INT(troubles, 1);
	CHECK_INT(e.content_count, 0);
	run_files_close(&files);
	arena_free(&a);
}
