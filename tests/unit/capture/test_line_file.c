#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/line_file.h"
#include "harness/test.h"

static void temporary(char room[64])
{
	snprintf(room, 64, "/tmp/trackway-line-file-%ld", (long)getpid());
	unlink(room);
}

TEST(lines_are_there_when_they_were_flushed_and_the_file_is_only_ours_to_make)
{
	struct line_file t, other;
	struct err err;
	struct stat st;
	char room[64];

	temporary(room);
	CHECK(line_file_open(&t, AT_FDCWD, room, 0600, &err));
	CHECK(!line_file_open(&other, AT_FDCWD, room, 0600, &err));
	CHECK_INT(err.kind, ERR_IO);
	line_file_add(&t, STR("one\n"));
	line_file_add(&t, STR("two\nthree\n"));
	CHECK(line_file_flush(&t));
	CHECK_STR(test_read(room), STR("one\ntwo\nthree\n"));
	CHECK_INT(t.lines, 3);
	CHECK_INT(t.bytes, 14);
	CHECK_INT(stat(room, &st), 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	line_file_close(&t);
	CHECK_INT(t.lost, 0);
	CHECK_INT(t.failure.kind, ERR_NONE);
	unlink(room);
}

/* A limit on the size of files is a disk that is full: the part that fits is written, then nothing. */
TEST(a_full_disk_costs_lines_but_never_waits_and_goes_on_where_it_stopped)
{
	struct rlimit small = { .rlim_cur = 10, .rlim_max = RLIM_INFINITY }, large = small;
	struct line_file t;
	struct err err;
	char room[64];
	static char line[(size_t)1 << 20];

	signal(SIGXFSZ, SIG_IGN);
	temporary(room);
	CHECK(line_file_open(&t, AT_FDCWD, room, 0600, &err));
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
	line_file_add(&t, STR("0123456\n"));
	line_file_add(&t, STR("abcdefg\n"));
	CHECK(!line_file_flush(&t));
	CHECK(t.failure.kind == ERR_IO);
	CHECK(!line_file_take_gap(&t)); /* nothing is lost so far: it waits */
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	for (int i = 0; i < 20; i++)
		line_file_add(&t, str_of(line, sizeof(line)));
	CHECK(t.lost > 0);
	CHECK(!line_file_take_gap(&t)); /* there is no place to say it yet */
	large.rlim_cur = RLIM_INFINITY;
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &large), 0);
	CHECK(line_file_flush(&t));
	CHECK(line_file_take_gap(&t));
	CHECK(!line_file_take_gap(&t));
	CHECK_STR(str_of(test_read(room).p, 16), STR("0123456\nabcdefg\n"));
	line_file_close(&t);
	unlink(room);
}

TEST(what_still_waits_at_the_end_is_counted_as_lost)
{
	struct rlimit small = { .rlim_cur = 4, .rlim_max = RLIM_INFINITY };
	struct line_file t;
	struct err err;
	char room[64];

	signal(SIGXFSZ, SIG_IGN);
	temporary(room);
	CHECK(line_file_open(&t, AT_FDCWD, room, 0600, &err));
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
	line_file_add(&t, STR("one\ntwo\nthree\n"));
	line_file_close(&t);
	CHECK_INT(t.lines, 1);
	CHECK_INT(t.lost, 2);
	unlink(room);
}

TEST(half_a_line_is_cut_off_when_no_more_can_be_written)
{
	struct rlimit small = { .rlim_cur = 10, .rlim_max = RLIM_INFINITY };
	struct line_file t;
	struct err err;
	char room[64];

	signal(SIGXFSZ, SIG_IGN);
	temporary(room);
	CHECK(line_file_open(&t, AT_FDCWD, room, 0600, &err));
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
	line_file_add(&t, STR("one\n"));
	CHECK(line_file_flush(&t));
	line_file_add(&t, STR("two, which is too long\nthree\n"));
	CHECK(!line_file_flush(&t));
	CHECK_STR(test_read(room), STR("one\ntwo, w")); /* while there is hope it stays */
	line_file_close(&t);
	CHECK_STR(test_read(room), STR("one\n"));
	CHECK_INT(t.bytes, 4);
	CHECK_INT(t.lines, 1);
	CHECK_INT(t.lost, 2);
	CHECK(!t.is_torn && !t.moved);
	unlink(room);
}

TEST(a_line_that_came_in_pieces_is_whole)
{
	struct rlimit small = { .rlim_cur = 6, .rlim_max = RLIM_INFINITY }, large = small;
	struct line_file t;
	struct err err;
	char room[64];

	signal(SIGXFSZ, SIG_IGN);
	temporary(room);
	CHECK(line_file_open(&t, AT_FDCWD, room, 0600, &err));
	line_file_add(&t, STR("one\ntwo\n"));
	for (int i = 5; i <= 7; i++) {
		small.rlim_cur = (rlim_t)i;
		CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
		CHECK(!line_file_flush(&t));
		CHECK_INT(t.torn, i - 4);
	}
	large.rlim_cur = RLIM_INFINITY;
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &large), 0);
	line_file_close(&t);
	CHECK_STR(test_read(room), STR("one\ntwo\n"));
	CHECK_INT(t.lines, 2);
	unlink(room);
}

TEST(a_file_whose_name_is_anothers_at_the_end_is_told)
{
	struct line_file t;
	struct err err;
	char room[64], other[80];

	temporary(room);
	CHECK(line_file_open(&t, AT_FDCWD, room, 0600, &err));
	line_file_add(&t, STR("one\n"));
	snprintf(other, sizeof(other), "%s.other", room);
	CHECK_INT(rename(room, other), 0);
	CHECK_INT(symlink(other, room), 0); /* the same file, but by a link */
	line_file_close(&t);
	CHECK(t.moved && t.failure.kind == ERR_IO);
	CHECK_STR(test_read(other), STR("one\n"));
	unlink(room);
	unlink(other);
}

TEST(a_parked_file_goes_on_where_it_was_and_no_other_takes_its_place)
{
	struct budget room = { .limit = 4096 };
	struct line_file t;
	struct err err;
	char path[64], other[80];

	temporary(path);
	CHECK(line_file_open(&t, AT_FDCWD, path, 0600, &err));
	t.room = &room;
	line_file_add(&t, STR("one\n"));
	CHECK(line_file_park(&t));
	CHECK_INT(t.fd, -1);
	CHECK_INT(room.used, 0);
	line_file_add(&t, STR("two\n"));
	CHECK(!line_file_flush(&t));
	CHECK(line_file_unpark(&t, AT_FDCWD));
	CHECK(line_file_flush(&t));
	CHECK_STR(test_read(path), STR("one\ntwo\n"));
	CHECK(line_file_park(&t));
	snprintf(other, sizeof(other), "%s.moved", path);
	CHECK_INT(rename(path, other), 0);
	CHECK(!line_file_unpark(&t, AT_FDCWD));
	CHECK_INT(symlink(other, path), 0);
	CHECK(!line_file_unpark(&t, AT_FDCWD));
	line_file_add(&t, STR("three\n"));
	line_file_close(&t);
	CHECK_INT(t.lost, 1);
	CHECK(t.moved);
	CHECK_INT(room.used, 0);
	unlink(path);
	unlink(other);
}

TEST(lines_that_wait_share_their_room_with_those_of_other_files)
{
	struct budget room = { .limit = 64 };
	struct line_file t;
	struct err err;
	char path[64];

	temporary(path);
	CHECK(line_file_open(&t, AT_FDCWD, path, 0600, &err));
	t.room = &room;
	budget_force(&room, 64);
	line_file_add(&t, STR("one\n"));
	CHECK_INT(t.lost, 1);
	budget_give(&room, 64);
	line_file_add(&t, STR("two\n"));
	CHECK_INT(t.lost, 1);
	line_file_close(&t);
	CHECK_STR(test_read(path), STR("two\n"));
	unlink(path);
}

TEST(a_long_line_is_written_whole_and_so_is_what_waited_before_it)
{
	static char line[2 * LINE_FILE_WAITING];
	struct line_file t;
	struct err err;
	char room[64];

	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	temporary(room);
	CHECK(line_file_open(&t, AT_FDCWD, room, 0600, &err));
	line_file_add(&t, STR("one\n"));
	line_file_add(&t, str_of(line, sizeof(line)));
	line_file_add(&t, str_of(line, sizeof(line)));
	line_file_close(&t);
	CHECK_INT(t.lost, 0);
	CHECK_INT(t.lines, 3);
	CHECK_INT(t.bytes, 4 + 2 * sizeof(line));
	unlink(room);
}
