#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "harness/test.h"
#include "unit/base/faults.h"
#include "unit/base/scratch.h"

TEST(a_new_file_has_the_mode_asked_for_and_an_old_one_keeps_its_own)
{
	char dir[64], full[100];
	struct err err = { 0 };
	struct stat st;

	enter_dir(dir);
	umask(022);
	CHECK(file_replace(STR("f"), STR("one"), 0666, &err));
	check_content("f", STR("one"));
	CHECK(stat("f", &st) == 0);
	CHECK_INT(st.st_mode & 0777, 0644);
	CHECK(file_replace(STR("./f"), STR("two\0!"), 0600, &err));
	check_content("f", STR("two\0!"));
	CHECK(stat("f", &st) == 0);
	CHECK_INT(st.st_mode & 0777, 0644);
	CHECK(chmod("f", 0606) == 0);
	CHECK(file_replace(STR("f"), STR("three"), 0666, &err));
	CHECK(stat("f", &st) == 0);
	CHECK_INT(st.st_mode & 0777, 0606);
	snprintf(full, sizeof(full), "%s/f", dir);
	CHECK(file_replace(str_from(full), STR(""), 0600, &err));
	check_content("f", STR(""));
	CHECK_INT(count_entries("."), 1);
	CHECK_INT(err.kind, ERR_NONE);
	leave_dir(dir);
}

TEST(what_is_placed_follows_nothing_and_has_its_own_mode)
{
	char dir[64];
	struct err err = { 0 };
	struct stat st;
	int here;

	enter_dir(dir);
	umask(022);
	here = open(".", O_RDONLY | O_DIRECTORY);
	CHECK(file_replace(STR("theirs"), STR("keep"), 0666, &err));
	CHECK(symlink("theirs", "link") == 0 && link("theirs", "hard") == 0 && mkfifo("fifo", 0666) == 0 && mkdir("sub", 0700) == 0);
	CHECK(file_place(here, STR("link"), STR("one"), 0600, &err));
	CHECK(file_place(here, STR("hard"), STR("two"), 0600, &err));
	CHECK(file_place(here, STR("fifo"), STR("three"), 0600, &err)); /* nobody reads it */
	CHECK(file_place(here, STR("new"), STR("four"), 0666, &err));
	CHECK_INT(err.kind, ERR_NONE);
	check_content("theirs", STR("keep"));
	check_content("link", STR("one"));
	check_content("fifo", STR("three"));
	CHECK(lstat("link", &st) == 0 && S_ISREG(st.st_mode));
	CHECK_INT(st.st_mode & 0777, 0600);
	CHECK(lstat("hard", &st) == 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	CHECK(lstat("new", &st) == 0);
	CHECK_INT(st.st_mode & 0777, 0644);
	CHECK(!file_place(here, STR("sub"), STR("x"), 0600, &err));
	CHECK(strstr(err.text, "cannot write sub"));
	CHECK(!file_place(here, STR("sub/x"), STR("x"), 0600, &err));
	CHECK(!file_place(here, STR(""), STR("x"), 0600, &err));
	CHECK_INT(count_entries("."), 6); /* nothing temporary is left */
	close(here);
	leave_dir(dir);
}

TEST(a_descriptor_of_ours_is_written_to_where_it_stands)
{
	char dir[64], name[32];
	struct err err = { 0 };
	int fd;

	enter_dir(dir);
	fd = open("log", O_CREAT | O_RDWR, 0600);
	CHECK(fd >= 0 && write(fd, "one ", 4) == 4);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	CHECK(file_replace(str_from(name), STR("two"), 0600, &err));
	check_content("log", STR("one two"));
	close(fd);
	CHECK(!file_replace(str_from(name), STR("three"), 0600, &err));
	CHECK_INT(err.kind, ERR_IO);
	leave_dir(dir);
}

TEST(the_longest_name_can_be_replaced)
{
	char dir[64], name[256];
	struct err err = { 0 };

	enter_dir(dir);
	memset(name, 'n', 255);
	name[255] = '\0';
	CHECK(file_replace(str_of(name, 255), STR("one"), 0600, &err));
	check_content(name, STR("one"));
	leave_dir(dir);
}

TEST(readers_of_the_old_file_keep_the_old_bytes)
{
	char dir[64];
	struct err err;
	struct str old;

	enter_dir(dir);
	CHECK(file_replace(STR("f"), STR("one"), 0600, &err));
	CHECK(file_map(STR("f"), &old, &err));
	CHECK(file_replace(STR("f"), STR("two"), 0600, &err));
	CHECK_STR(old, STR("one"));
	file_unmap(old);
	leave_dir(dir);
}

TEST(a_link_is_followed_and_stays)
{
	char dir[64];
	struct err err;
	struct stat st;

	enter_dir(dir);
	put("real", STR("one"));
	CHECK(symlink("real", "link") == 0 && symlink("link", "far") == 0 && symlink("nowhere", "lost") == 0);
	CHECK(symlink("loop", "loop") == 0);
	CHECK(file_replace(STR("far"), STR("two"), 0600, &err));
	check_content("real", STR("two"));
	CHECK(lstat("far", &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(lstat("link", &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(!file_replace(STR("lost"), STR("x"), 0600, &err));
	CHECK_INT(err.errnum, ENOENT);
	CHECK(!file_replace(STR("loop"), STR("x"), 0600, &err));
	CHECK_INT(err.errnum, ELOOP);
	CHECK_INT(count_entries("."), 5);
	leave_dir(dir);
}

TEST(a_device_or_pipe_is_written_to_and_not_replaced)
{
	char dir[64], bytes[10];
	struct err err;
	struct stat st;
	int fd;

	enter_dir(dir);
	CHECK(mkfifo("p", 0600) == 0);
	fd = open("p", O_RDWR);
	CHECK(file_replace(STR("p"), STR("hello"), 0600, &err));
	CHECK_INT(read(fd, bytes, sizeof(bytes)), 5);
	close(fd);
	CHECK(lstat("p", &st) == 0 && S_ISFIFO(st.st_mode));
	CHECK_INT(count_entries("."), 1);
	CHECK(symlink("/dev/full", "full") == 0);
	CHECK(!file_replace(STR("full"), STR("x"), 0600, &err));
	CHECK_STR(str_from(err.text), STR("cannot write full: No space left on device"));
	CHECK(lstat("/dev/full", &st) == 0 && S_ISCHR(st.st_mode));
	leave_dir(dir);
}

TEST(a_replacement_that_cannot_be_says_why_and_leaves_nothing)
{
	static const struct {
		struct str path;
		int errnum;
	} cases[] = {
		{ { "missing/f", 9 }, ENOENT },  { { "sub", 3 }, EISDIR },       { { "sub/", 4 }, EISDIR },
		{ { ".", 1 }, EISDIR },          { { "/", 1 }, EISDIR },         { { "file/f", 6 }, ENOTDIR },
		{ { "", 0 }, ENOENT },           { { "a\0b", 3 }, EINVAL },
	};
	char dir[64];

	enter_dir(dir);
	CHECK(mkdir("sub", 0700) == 0);
	put("file", STR("old"));
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err;

		test_case("%.*s", STR_ARG(cases[i].path));
		CHECK(!file_replace(cases[i].path, STR("x"), 0600, &err));
		CHECK_INT(err.kind, ERR_IO);
		CHECK_INT(err.errnum, cases[i].errnum);
		CHECK_INT(count_entries("."), 2);
	}
	CHECK_INT(count_entries("sub"), 0);
	leave_dir(dir);
}

/* Root may write anywhere, so it becomes nobody; still to be looked at by the leak checker. */
static void become_ordinary(void)
{
	if (geteuid() == 0)
		CHECK(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
	prctl(PR_SET_DUMPABLE, 1);
}

TEST(a_directory_that_may_not_be_written_keeps_its_file)
{
	char dir[64];
	struct err err;

	become_ordinary();
	enter_dir(dir);
	put("f", STR("old"));
	CHECK(chmod(".", 0500) == 0);
	CHECK(!file_replace(STR("f"), STR("new"), 0600, &err));
	CHECK_STR(str_from(err.text), STR("cannot write f: Permission denied"));
	check_content("f", STR("old"));
	CHECK_INT(count_entries("."), 1);
	CHECK(chmod(".", 0700) == 0);
	leave_dir(dir);
}

TEST(a_disk_that_fills_up_halfway_keeps_the_old_file)
{
	struct rlimit small = { 5000, 5000 };
	char dir[64];
	struct err err;

	enter_dir(dir);
	put("f", STR("old"));
	signal(SIGXFSZ, SIG_IGN);
	CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
	CHECK(!file_replace(STR("f"), pattern(100000), 0600, &err));
	CHECK_STR(str_from(err.text), STR("cannot write f: File too large"));
	check_content("f", STR("old"));
	CHECK_INT(count_entries("."), 1);
	leave_dir(dir);
}

/* Open directory, open temporary, five writes, fsync, rename, fsync of the directory. */
enum { REPLACE_STEPS = 10 };

TEST(whichever_step_fails_the_file_is_the_old_or_the_new_one_whole)
{
	char dir[64];

	enter_dir(dir);
	for (int step = 1; step <= REPLACE_STEPS; step++) {
		struct err err;
		bool done;

		test_case("step %d", step);
		CHECK(file_replace(STR("f"), STR("old"), 0600, &err));
		most_per_write = 2;
		until_fault = step;
		fault = EIO;
		done = file_replace(STR("f"), STR("new bytes"), 0600, &err);
		CHECK_INT(until_fault, 0);
		most_per_write = SIZE_MAX;
		CHECK(!done);
		CHECK_STR(str_from(err.text), STR("cannot write f: Input/output error"));
		check_content("f", step < REPLACE_STEPS ? STR("old") : STR("new bytes"));
		CHECK_INT(count_entries("."), 1);
	}
	leave_dir(dir);
}

TEST(an_interruption_at_any_step_is_retried)
{
	char dir[64];
	struct err err;
	struct arena a;
	struct str got;

	enter_dir(dir);
	arena_init(&a);
	fault = EINTR;
	for (int step = 1; step <= REPLACE_STEPS; step++) {
		if (step == REPLACE_STEPS - 1)
			continue; /* rename is not interrupted */
		test_case("step %d", step);
		until_fault = step;
		most_per_write = 2;
		CHECK(file_replace(STR("f"), STR("new bytes"), 0600, &err));
		CHECK_INT(until_fault, 0);
		most_per_write = SIZE_MAX;
		check_content("f", STR("new bytes"));
	}
	for (int step = 1; step <= 3; step++) {
		until_fault = step;
		CHECK(file_read(&a, STR("f"), 100, &got, &err));
		CHECK_INT(until_fault, 0);
		CHECK_STR(got, STR("new bytes"));
	}
	for (int step = 1; step <= 2; step++) {
		until_fault = step;
		CHECK(file_sync_dir(STR("."), &err));
		CHECK_INT(until_fault, 0);
	}
	arena_free(&a);
	leave_dir(dir);
}

TEST(a_name_already_taken_by_another_temporary_file_is_no_obstacle)
{
	char dir[64];
	struct err err;

	enter_dir(dir);
	until_fault = 2;
	fault = EEXIST;
	CHECK(file_replace(STR("f"), STR("new"), 0600, &err));
	CHECK_INT(until_fault, 0);
	check_content("f", STR("new"));
	leave_dir(dir);
}

/* Writes its context, a number of lines, one at a time; refuses a negative number. */
static bool write_lines(void *context, int fd, struct err *err)
{
	const int *lines = context;

	for (int i = 0; i < abs(*lines); i++)
		if (!file_write_all(fd, STR("line\n"), err))
			return false;
	return *lines >= 0 || err_set(err, ERR_DATA, "there are %d lines", *lines);
}

TEST(a_replacement_may_be_written_bit_by_bit_and_given_up)
{
	char dir[64];
	struct err err = { 0 };
	int lines = 2;

	enter_dir(dir);
	CHECK(file_replace_by(STR("f"), write_lines, &lines, 0600, &err));
	check_content("f", STR("line\nline\n"));
	CHECK_INT(err.kind, ERR_NONE);
	lines = -3;
	CHECK(!file_replace_by(STR("f"), write_lines, &lines, 0600, &err));
	CHECK_INT(err.kind, ERR_DATA);
	CHECK_STR(str_from(err.text), STR("there are -3 lines"));
	check_content("f", STR("line\nline\n"));
	CHECK_INT(count_entries("."), 1);
	lines = 1;
	CHECK(!file_replace_by(STR("missing/f"), write_lines, &lines, 0600, &err));
	CHECK_STR(str_from(err.text), STR("cannot write missing/f: No such file or directory"));
	leave_dir(dir);
}

TEST(no_descriptor_is_left_open)
{
	char dir[64];
	struct arena a;
	struct err err;
	struct str got;
	size_t before, after;

	enter_dir(dir);
	arena_init(&a);
	before = count_entries("/proc/self/fd");
	fault = EIO;
	for (int step = 1; step < 12; step++) {
		until_fault = step;
		file_replace(STR("f"), STR("x"), 0600, &err);
		until_fault = step;
		file_read(&a, STR("f"), 100, &got, &err);
		until_fault = step;
		file_sync_dir(STR("."), &err);
		until_fault = step;
		if (file_map(STR("f"), &got, &err))
			file_unmap(got);
	}
	until_fault = 0;
	file_replace(STR("/dev/full"), STR("x"), 0600, &err);
	file_read(&a, STR("f"), 0, &got, &err);
	file_map(STR("/dev/null"), &got, &err);
	after = count_entries("/proc/self/fd");
	CHECK_INT(after, before);
	arena_free(&a);
	leave_dir(dir);
}
