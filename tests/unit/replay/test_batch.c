#include "replay/batch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"

/* A program in the place of trackway: says its words on standard error's last line, as an error. */
static const char *make_program(struct arena *a, const char *body)
{
	struct err err = { .kind = ERR_NONE };
	struct str path = ARENA_JOIN(a, str_from(test_dir()), STR("/program"));

	CHECK(file_replace(path, ARENA_JOIN(a, STR("#!/bin/sh\n"), str_from(body)), 0700, &err));
	return path.p;
}

static struct batch_row *make_rows(struct arena *a, size_t n)
{
	struct batch_row *rows = arena_array(a, struct batch_row, n);

	for (size_t i = 0; i < n; i++)
		rows[i].dir = rows[i].name = arena_printf(a, "d%zu", i);
	return rows;
}

TEST(every_run_gets_its_own_words_and_its_own_process)
{
	static const char *const argv[] = { "agent", "{name}x{dir}", "{run}{", NULL };
	static const struct str words[] = { { "replay", 6 }, { "--lenient", 9 } };
	struct batch_options o = { .words = words, .word_count = 2, .argv = argv, .jobs = 3, .keep = STR("--keep=/k/") };
	struct err err = { .kind = ERR_NONE };
	struct batch_row *rows;
	struct arena a;

	arena_init(&a);
	o.program = make_program(&a, "echo \"error: $*\" >&2\nexit 3\n");
	rows = make_rows(&a, 7);
	CHECK(batch_play(&a, &o, rows, 7, &err));
	for (size_t i = 0; i < 7; i++) {
		CHECK(rows[i].end == BATCH_UNABLE && rows[i].seconds > 0);
		CHECK_STR(rows[i].why, arena_printf(&a, "replay --lenient --keep=/k/d%zu d%zu "
						    "-- agent d%zuxd%zu d%zu{", i, i, i, i, i));
	}
	arena_free(&a);
}

TEST(a_program_that_cannot_be_started_is_an_error)
{
	static const char *const argv[] = { "agent", NULL };
	struct batch_options o = { .program = "/nonexistent/trackway", .argv = argv };
	struct err err = { .kind = ERR_NONE };
	struct arena a;

	arena_init(&a);
	CHECK(!batch_play(&a, &o, make_rows(&a, 2), 2, &err));
	CHECK(err.kind == ERR_IO);
	arena_free(&a);
}
