#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/trail.h"
#include "harness/test.h"

static struct str temporary(char room[64])
{
	snprintf(room, 64, "/tmp/trackway-trail-%ld", (long)getpid());
	unlink(room);
	return str_from(room);
}

TEST(lines_are_there_when_they_were_flushed_and_the_file_is_only_ours_to_make)
{
	struct trail t, other;
	struct err err;
	struct stat st;
	char room[64];
	struct str path = temporary(room);

	CHECK(trail_open(&t, path, 0600, &err));
	CHECK(!trail_open(&other, path, 0600, &err));
	CHECK_INT(err.kind, ERR_IO);
	trail_add(&t, STR("one\n"));
	trail_add(&t, STR("two\nthree\n"));
	CHECK(trail_flush(&t));
	CHECK_STR(test_read(room), STR("one\ntwo\nthree\n"));
	CHECK_INT(t.lines, 3);
	CHECK_INT(t.bytes, 14);
	CHECK_INT(stat(room, &st), 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	trail_close(&t);
	CHECK_INT(t.lost, 0);
	CHECK_INT(t.failure.kind, ERR_NONE);
	unlink(room);
}

/* A limit on the size of files is a disk that is full: the part that fits is written, then nothing. */
TEST(a_full_disk_costs_lines_but_never_waits_and_goes_on_where_it_stopped)
{
	struct rlimit small = { .rlim_cur = 10, .rlim_max = RLIM_INFINITY }, large = small;
	struct trail t;
	struct err err;
	char room[64];
	struct str path = temporary(room);
	static char line[(size_t)1 << 20];

	signal(SIGXFSZ, SIG_IGN);
	CHECK(trail_open(&t, path, 0600, &err));
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
	trail_add(&t, STR("0123456\n"));
	trail_add(&t, STR("abcdefg\n"));
	CHECK(!trail_flush(&t));
	CHECK(t.failure.kind == ERR_IO);
	CHECK(!trail_take_gap(&t)); /* nothing is lost so far: it waits */
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	for (int i = 0; i < 20; i++)
		trail_add(&t, str_of(line, sizeof(line)));
	CHECK(t.lost > 0);
	CHECK(!trail_take_gap(&t)); /* there is no place to say it yet */
	large.rlim_cur = RLIM_INFINITY;
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &large), 0);
	CHECK(trail_flush(&t));
	CHECK(trail_take_gap(&t));
	CHECK(!trail_take_gap(&t));
	CHECK_STR(str_of(test_read(room).p, 16), STR("0123456\nabcdefg\n"));
	trail_close(&t);
	unlink(room);
}

TEST(what_still_waits_at_the_end_is_counted_as_lost)
{
	struct rlimit small = { .rlim_cur = 4, .rlim_max = RLIM_INFINITY };
	struct trail t;
	struct err err;
	char room[64];
	struct str path = temporary(room);

	signal(SIGXFSZ, SIG_IGN);
	CHECK(trail_open(&t, path, 0600, &err));
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
	trail_add(&t, STR("one\ntwo\nthree\n"));
	trail_close(&t);
	CHECK_INT(t.lines, 1);
	CHECK_INT(t.lost, 2);
	unlink(room);
}
