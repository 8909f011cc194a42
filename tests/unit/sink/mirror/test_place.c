/* The directory of a mirror: what is unfinished, what is in its place, and what is never followed. */
#include "sink/mirror/place.h"

#include <errno.h>

#include "base/file.h"
#include "harness/test.h"
#include "sink/mirror/name.h"
#include "unit/source/scratch.h"

static void put_run(struct place *p, uint64_t number, struct str bytes)
{
	struct err err;
	int fd = place_begin(p, number, &err);

	CHECK(fd >= 0 && file_write_all(fd, bytes, &err));
	close(fd);
}

static void begin(struct place *p, struct arena *a, struct scratch *dir)
{
	struct err err = { .kind = ERR_NONE };

	*dir = scratch_enter();
	arena_init(a);
	CHECK(mkdir("out", 0755) == 0);
	CHECK(place_open(p, a, STR("out"), &err));
}

static void end(struct place *p, struct arena *a, struct scratch *dir)
{
	place_close(p, false);
	CHECK(access("out/" MIRROR_UNFINISHED, F_OK) != 0);
	arena_free(a);
	scratch_leave(dir);
}

TEST(a_file_takes_its_place_in_directories_that_are_made)
{
	struct scratch dir;
	struct arena a;
	struct place p;
	struct err err;

	begin(&p, &a, &dir);
	put_run(&p, 1, STR("one"));
	put_run(&p, 2, STR("two"));
	put_run(&p, 3, STR("three"));
	CHECK(place_move(&p, 1, STR("a/b/x"), &err) && place_move(&p, 2, STR("y"), &err));
	place_drop(&p, 3);
	CHECK_STR(test_read("out/a/b/x"), STR("one"));
	CHECK(place_has(&p, STR("a/b/x"), 3) && !place_has(&p, STR("a/b/x"), 4) && !place_has(&p, STR("a/b"), 3));
	CHECK(place_remove(&p, STR("a/b/x")) && !place_has(&p, STR("a/b/x"), 3));
	CHECK(place_sync(&p, &err));
	end(&p, &a, &dir);
}

TEST(nothing_is_written_through_a_link)
{
	struct scratch dir;
	struct arena a;
	struct place p;
	struct err err;

	begin(&p, &a, &dir);
	CHECK(mkdir("elsewhere", 0755) == 0 && symlink("../elsewhere", "out/link") == 0);
	scratch_write("elsewhere/x", STR("mine"));
	CHECK(symlink("../elsewhere/x", "out/x") == 0);
	put_run(&p, 1, STR("one"));
	CHECK(!place_move(&p, 1, STR("link/x"), &err));
	CHECK_INT(err.errnum, ENOTDIR);
	CHECK(!place_remove(&p, STR("link/x")));
	CHECK(place_move(&p, 1, STR("x"), &err));
	CHECK_STR(test_read("elsewhere/x"), STR("mine"));
	CHECK_STR(test_read("out/x"), STR("one"));
	end(&p, &a, &dir);
}

TEST(a_directory_has_one_job_at_a_time)
{
	struct place p, other;
	struct scratch dir;
	struct arena a;
	struct err err;

	begin(&p, &a, &dir);
	CHECK(!place_open(&other, &a, STR("out"), &err));
	CHECK(str_has(str_from(err.text), STR("another conversion")));
	place_close(&other, true);
	CHECK(access("out/" MIRROR_UNFINISHED "/journal.jsonl", F_OK) == 0);
	CHECK(!place_open(&other, &a, STR("missing"), &err));
	CHECK_INT(err.errnum, ENOENT);
	place_close(&other, true);
	end(&p, &a, &dir);
}

TEST(a_journal_with_lines_stays_until_it_is_not_needed)
{
	struct scratch dir;
	struct arena a;
	struct place p;
	struct err err;

	begin(&p, &a, &dir);
	CHECK(!p.journal_text.p);
	CHECK(place_note(&p, STR("{\"a\":1}\n{\"b\""), &err)); /* as if killed in the middle */
	put_run(&p, 4, STR("half"));
	place_close(&p, true);
	CHECK(access("out/" MIRROR_UNFINISHED "/run-4", F_OK) != 0);
	CHECK(place_open(&p, &a, STR("out"), &err));
	CHECK_STR(p.journal_text, STR("{\"a\":1}\n{\"b\""));
	CHECK(place_note(&p, STR("{\"c\":1}\n"), &err));
	place_close(&p, true);
	CHECK(place_open(&p, &a, STR("out"), &err));
	CHECK_STR(p.journal_text, STR("{\"a\":1}\n{\"b\"\n{\"c\":1}\n"));
	end(&p, &a, &dir);
}

TEST(a_journal_of_another_boot_is_not_believed)
{
	struct scratch dir;
	struct arena a;
	struct place p;
	struct err err;

	begin(&p, &a, &dir);
	place_close(&p, false);
	CHECK(mkdir("out/" MIRROR_UNFINISHED, 0755) == 0);
	scratch_write("out/" MIRROR_UNFINISHED "/journal.jsonl", STR("{\"boot_id\":\"x\"}\n{\"a\":1}\n"));
	CHECK(place_open(&p, &a, STR("out"), &err));
	CHECK(!p.journal_text.p);
	end(&p, &a, &dir);
}

static bool write_two(void *context, int fd, struct err *err)
{
	(void)context;
	return file_write_all(fd, STR("new"), err);
}

static bool write_fails(void *context, int fd, struct err *err)
{
	return write_two(context, fd, err) && err_set(err, ERR_IO, "no");
}

TEST(a_file_is_replaced_whole_or_not_at_all)
{
	struct scratch dir;
	struct str text;
	struct arena a;
	struct place p;
	struct err err;

	begin(&p, &a, &dir);
	CHECK(place_read(&p, "index", &text, &err) && !text.p);
	scratch_write("out/index", STR("old"));
	CHECK(!place_replace(&p, STR("index"), write_fails, NULL, &err));
	CHECK(place_read(&p, "index", &text, &err));
	CHECK_STR(text, STR("old"));
	CHECK(place_replace(&p, STR("index"), write_two, NULL, &err));
	CHECK_STR(test_read("out/index"), STR("new"));
	CHECK(mkdir("out/d", 0755) == 0 && !place_read(&p, "d", &text, &err));
	end(&p, &a, &dir);
}
