#include "cmd/inputs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "harness/test.h"
#include "store/runs.h"

static void missing(void *context, struct str path, const struct err *why)
{
	struct buf *told = context;

	CHECK(why->kind == ERR_IO && strstr(why->text, path.p));
	buf_printf(told, "%.*s ", STR_ARG(path));
}

TEST(paths_that_are_not_there_are_told_and_the_others_opened)
{
	struct str paths[] = { STR("no/such/file"), STR("tests/data/otutl/valid.jsonl"), STR("nor/this") };
	struct source_options how = { .shape = SOURCE_AUTO };
	struct err err = { .kind = ERR_NONE };
	struct buf told, bytes;
	struct source *s;
	struct chunk c;
	struct arena a;

	arena_init(&a);
	buf_init(&told);
	buf_init(&bytes);
	s = inputs_open(&a, paths, 3, how, missing, &told);
	CHECK(s && source_next(s, &bytes, &c, &err) == NEXT_MORE);
	CHECK_STR(c.input->name, paths[1]);
	CHECK_STR(buf_str(&told), STR("no/such/file nor/this "));
	source_close(s);
	CHECK(inputs_open(&a, paths, 1, how, missing, &told) == NULL);
	CHECK(inputs_open(&a, paths, 0, how, missing, &told) == NULL);
	buf_free(&told);
	buf_free(&bytes);
	arena_free(&a);
}

TEST(paths_are_opened_in_runs_that_keep_their_order)
{
	struct str paths[] = { STR("no/such/file"), STR("tests/data/otutl/valid.jsonl"), STR("tests/data/otutl/valid.jsonl"),
			       STR("nor/this") };
	static const size_t ends[] = { 1, 3, 4 };
	struct source_options how = { .shape = SOURCE_AUTO };
	struct err why = { .kind = ERR_NONE };
	struct arena a;
	size_t at = 0;

	arena_init(&a);
	for (size_t i = 0; i < 3; i++) {
		struct source *s = inputs_open_next(&a, paths, 4, &at, how, &why);

		CHECK((s != NULL) == (i == 1));
		CHECK_INT(at, ends[i]);
		if (s)
			source_close(s);
		else
			CHECK(strstr(why.text, paths[at - 1].p));
	}
	arena_free(&a);
}

/* A home with one run in it, whose directory is there. */
static void make_run(const char *dir)
{
	struct run_entry e = { .run_id = STR("0190a0c0-1111-7000-8000-00000000beef"), .kind = STR("record") };
	struct err err = { .kind = ERR_NONE };
	struct arena a;
	FILE *f;

	arena_init(&a);
	e.dir = arena_printf(&a, "%s/run", dir);
	setenv("TRACKWAY_HOME", arena_printf(&a, "%s/home", dir).p, 1);
	CHECK(mkdir(e.dir.p, 0700) == 0 && runs_add(&a, &e, &err));
	f = fopen(arena_printf(&a, "%.*s/agent-trace.jsonl", STR_ARG(e.dir)).p, "w");
	CHECK(f && fclose(f) == 0);
	arena_free(&a);
}

TEST(names_of_runs_become_their_traces_and_other_words_stay)
{
	char dir[] = "/tmp/test-inputs-XXXXXX";
	struct str items[] = { STR("x.jsonl"), STR("0190a0"), STR("@last"), STR("00beef"), STR("abcdef"), STR("-"), STR("cafe00") };
	struct args args = { .items = items, .count = 7 };
	struct str bad[] = { STR("@-7") };
	struct err err = { .kind = ERR_NONE };
	struct arena a;

	arena_init(&a);
	CHECK(mkdtemp(dir) && chdir(dir) == 0);
	make_run(dir);
	CHECK(mkdir("cafe00", 0700) == 0);
	CHECK(inputs_name_runs(&a, &args, &err));
	CHECK_STR(args.items[0], STR("x.jsonl"));
	for (size_t i = 1; i <= 3; i++)
		CHECK(str_ends(args.items[i], STR("/run/agent-trace.jsonl")));
	CHECK_STR(args.items[4], STR("abcdef")); /* no run: whoever opens it says that there is no such file */
	CHECK_STR(args.items[5], STR("-"));
	CHECK_STR(args.items[6], STR("cafe00")); /* a directory is one */
	CHECK_STR(items[1], STR("0190a0"));      /* the caller's own list is as it was */
	args = (struct args){ .items = bad, .count = 1 };
	CHECK(!inputs_name_runs(&a, &args, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(chdir("/") == 0);
	CHECK(remove(arena_printf(&a, "%s/run/agent-trace.jsonl", dir).p) == 0 && remove(arena_printf(&a, "%s/run", dir).p) == 0);
	CHECK(remove(arena_printf(&a, "%s/home/runs.jsonl", dir).p) == 0 && remove(arena_printf(&a, "%s/home", dir).p) == 0);
	CHECK(remove(arena_printf(&a, "%s/cafe00", dir).p) == 0 && remove(dir) == 0);
	arena_free(&a);
}

TEST(progress_has_files_bytes_rate_and_the_time_left)
{
	static const struct frame frame = { .err = { .width = 80 } };
	char dir[] = "/tmp/trackway-inputs-XXXXXX", *big;
	struct source_options how = { .shape = SOURCE_LINES };
	struct err err = { .kind = ERR_NONE };
	struct progress p;
	struct str text;
	struct source *s;
	struct chunk c;
	struct arena a;
	struct buf into;

	arena_init(&a), buf_init(&into);
	CHECK(mkdtemp(dir) && chdir(dir) == 0);
	big = arena_array(&a, char, 3 << 20);
	memset(big, '\n', 3 << 20);
	CHECK(file_replace(STR("a.jsonl"), str_of(big, 3 << 20), 0600, &err));
	CHECK(file_replace(STR("b.jsonl"), str_of(big, 1 << 20), 0600, &err));
	s = source_open(&a, &STR("."), 1, how, &err);
	CHECK(s);
	for (int i = 0; i < 4; i++) /* a mebibyte */
		CHECK_INT(source_next(s, &into, &c, &err), NEXT_MORE);
	progress_init(&p, &frame, open("said", O_WRONLY | O_CREAT, 0600), 0);
	p.began_ns = clock_mono_ns() - UINT64_C(2000000000);
	inputs_show_progress(&p, "count", s);
	text = test_read("said");
	CHECK(str_starts(text, STR("count 1/2 files  1 of 4 MiB  0.5 MiB/s  ETA 00:0")));
	CHECK_INT(str_count(text, '\n'), 1);
	source_close(s);
	close(p.fd);
	CHECK(unlink("a.jsonl") == 0 && unlink("b.jsonl") == 0 && unlink("said") == 0 && chdir("/") == 0 && rmdir(dir) == 0);
	buf_free(&into), arena_free(&a);
}

TEST(messages_and_progress_go_to_standard_error)
{
	static const struct frame frame = { .err = { .width = 80 } };
	char path[] = "/tmp/test-inputs-XXXXXX";
	int fd = mkstemp(path), saved = dup(STDERR_FILENO);
	struct str paths[] = { STR("tests/data/otutl/valid.jsonl") };
	struct source_options how = { .shape = SOURCE_AUTO };
	struct err err = { .kind = ERR_NONE };
	struct progress p;
	struct source *s;
	struct arena a;

	arena_init(&a);
	s = source_open(&a, paths, 1, how, &err);
	CHECK(s && fd >= 0 && saved >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	err_set(&err, ERR_IO, "it broke");
	inputs_print(STR("hello\n"));
	inputs_print_failure(&frame, &err);
	fflush(stderr);
	progress_init(&p, &frame, STDERR_FILENO, 0);
	inputs_show_progress(&p, "count", s); /* due: it began long ago */
	inputs_show_progress(&p, "count", s); /* too soon after it */
	dup2(saved, STDERR_FILENO);
	CHECK_STR(test_read(path), STR("hello\nerror: it broke\ncount 0 MiB\n"));
	unlink(path);
	source_close(s);
	arena_free(&a);
}
