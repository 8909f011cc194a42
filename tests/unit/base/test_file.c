#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "harness/test.h"
#include "unit/base/faults.h"
#include "unit/base/scratch.h"

#define NO_LIMIT SIZE_MAX

TEST(a_file_of_any_size_is_read_and_mapped_whole)
{
	static const size_t sizes[] = { 0, 1, 4095, 4096, 65535, 65536, 65537, 1000000 };
	char dir[64];

	enter_dir(dir);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct str want = pattern(sizes[i]), got = { NULL, 77 };
		struct arena a;
		struct err err = { 0 };

		test_case("%zu bytes", sizes[i]);
		arena_init(&a);
		put("f", want);
		CHECK(file_read(&a, STR("f"), sizes[i], &got, &err));
		CHECK_STR(got, want);
		CHECK(file_read(&a, STR("f"), NO_LIMIT, &got, &err));
		CHECK_STR(got, want);
		CHECK(file_map(STR("f"), &got, &err));
		CHECK_STR(got, want);
		CHECK(got.p != NULL);
		file_unmap(got);
		CHECK_INT(err.kind, ERR_NONE);
		arena_free(&a);
	}
	leave_dir(dir);
}

TEST(a_file_over_the_limit_is_refused_also_when_its_size_is_not_known_before)
{
	static const size_t limits[] = { 0, 1, 99999 };
	char dir[64];
	struct arena a;
	struct err err;
	struct str got;

	enter_dir(dir);
	arena_init(&a);
	put("f", pattern(100000));
	for (size_t i = 0; i < COUNT(limits); i++) {
		test_case("%zu", limits[i]);
		CHECK(!file_read(&a, STR("f"), limits[i], &got, &err));
		CHECK_INT(err.kind, ERR_LIMIT);
		CHECK(strstr(err.text, "f is larger than the "));
		CHECK(!file_read(&a, STR("/dev/zero"), limits[i], &got, &err));
		CHECK_INT(err.kind, ERR_LIMIT);
	}
	CHECK(!file_read(&a, STR("/dev/zero"), 1000000, &got, &err));
	CHECK_INT(err.kind, ERR_LIMIT);
	CHECK(file_read(&a, STR("/proc/self/stat"), 5000, &got, &err));
	CHECK(got.n > 10);
	arena_free(&a);
	leave_dir(dir);
}

TEST(a_pipe_is_read_to_its_end)
{
	struct str want = pattern(300000), got;
	char dir[64];
	struct arena a;
	struct err err;
	pid_t pid;

	enter_dir(dir);
	arena_init(&a);
	CHECK(mkfifo("p", 0600) == 0);
	pid = fork();
	if (pid == 0) {
		put("p", want);
		_exit(0);
	}
	CHECK(file_read(&a, STR("p"), NO_LIMIT, &got, &err));
	CHECK_STR(got, want);
	CHECK(waitpid(pid, NULL, 0) == pid);
	arena_free(&a);
	leave_dir(dir);
}

TEST(what_cannot_be_opened_is_named_with_the_reason)
{
	static const struct {
		struct str path;
		int errnum;
		const char *text;
	} cases[] = {
		{ { "missing", 7 }, ENOENT, "cannot open missing: No such file or directory" },
		{ { "no/such/dir", 11 }, ENOENT, "cannot open no/such/dir: No such file or directory" },
		{ { "/dev/null/x", 11 }, ENOTDIR, "cannot open /dev/null/x: Not a directory" },
		{ { "/", 1 }, EISDIR, "cannot read /: Is a directory" },
		{ { "", 0 }, ENOENT, "the path is empty: No such file or directory" },
		{ { NULL, 0 }, ENOENT, "the path is empty: No such file or directory" },
		{ { "a\0b", 3 }, EINVAL, "the path a has a NUL byte after that: Invalid argument" },
	};
	struct arena a;
	struct str got = { NULL, 77 };

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = { 0 };

		test_case("%zu", i);
		CHECK(!file_read(&a, cases[i].path, 100, &got, &err));
		CHECK_INT(err.kind, ERR_IO);
		CHECK_INT(err.errnum, cases[i].errnum);
		CHECK_STR(str_from(err.text), str_from(cases[i].text));
		CHECK(!file_map(cases[i].path, &got, &err));
		CHECK_STR(str_from(err.text), str_from(cases[i].text));
		CHECK_INT(got.n, 77);
	}
	arena_free(&a);
}

TEST(a_path_longer_than_the_system_takes_is_an_error)
{
	struct arena a;
	struct err err;
	struct str got;
	char path[5000];

	arena_init(&a);
	memset(path, 'x', sizeof(path));
	for (size_t n = 4090; n < 4100; n++) {
		test_case("%zu", n);
		CHECK(!file_read(&a, str_of(path, n), 100, &got, &err));
		CHECK_INT(err.errnum, ENAMETOOLONG);
		CHECK(!file_replace(str_of(path, n), STR("x"), 0600, &err));
		CHECK_INT(err.errnum, ENAMETOOLONG);
		CHECK(!file_sync_dir(str_of(path, n), &err));
		CHECK_INT(err.errnum, ENAMETOOLONG);
	}
	arena_free(&a);
}

TEST(what_is_not_a_regular_file_cannot_be_mapped)
{
	struct err err;
	struct str got;

	CHECK(!file_map(STR("/dev/null"), &got, &err));
	CHECK_STR(str_from(err.text), STR("/dev/null is not a regular file: No such device"));
	CHECK(!file_map(STR("/"), &got, &err));
	CHECK_INT(err.errnum, EISDIR);
}

TEST(short_writes_are_continued)
{
	struct str want = pattern(10000);
	char dir[64];
	struct err err;
	int fd;

	enter_dir(dir);
	for (most_per_write = 1; most_per_write < 10000; most_per_write = most_per_write * 3 + 1) {
		fd = open("f", O_WRONLY | O_CREAT | O_TRUNC, 0600);
		CHECK(file_write_all(fd, want, &err));
		close(fd);
		check_content("f", want);
	}
	CHECK(file_write_all(-1, STR(""), &err));
	leave_dir(dir);
}

TEST(a_full_device_and_a_bad_descriptor_are_errors)
{
	int fd = open("/dev/full", O_WRONLY);
	struct err err;

	if (fd < 0)
		SKIP("there is no /dev/full");
	CHECK(!file_write_all(fd, STR("x"), &err));
	CHECK_INT(err.kind, ERR_IO);
	CHECK_INT(err.errnum, ENOSPC);
	CHECK_STR(str_from(err.text), STR("cannot write: No space left on device"));
	close(fd);
	CHECK(!file_write_all(fd, STR("x"), &err));
	CHECK_INT(err.errnum, EBADF);
}

/* A child that waits, then reads all of the pipe and tells by its exit status whether it was right. */
static pid_t start_reader(const int ends[2], struct str want)
{
	static char got[1000001];
	pid_t pid = fork();
	size_t n = 0;
	ssize_t r;

	if (pid != 0)
		return pid;
	close(ends[1]);
	poll(NULL, 0, 100);
	while ((r = read(ends[0], got + n, sizeof(got) - n)) > 0)
		n += (size_t)r;
	_exit(str_eq(str_of(got, n), want) ? 0 : 1);
}

static void check_through_pipe(const int ends[2])
{
	struct str bytes = pattern(1000000);
	pid_t pid = start_reader(ends, bytes), ended;
	struct err err;
	int status;

	close(ends[0]);
	CHECK(file_write_all(ends[1], bytes, &err));
	close(ends[1]);
	do {
		ended = waitpid(pid, &status, 0);
	} while (ended < 0 && errno == EINTR);
	CHECK_INT(ended, pid);
	CHECK_INT(status, 0);
}

TEST(a_full_pipe_is_waited_for_also_when_it_does_not_block)
{
	int ends[2];

	CHECK(pipe(ends) == 0);
	check_through_pipe(ends);
	CHECK(pipe2(ends, O_NONBLOCK) == 0);
	CHECK(fcntl(ends[0], F_SETFL, 0) == 0);
	check_through_pipe(ends);
}

static volatile sig_atomic_t alarms;

static void count_alarm(int number)
{
	(void)number;
	alarms++;
}

TEST(signals_in_the_middle_of_a_write_lose_nothing)
{
	struct sigaction action = { .sa_handler = count_alarm };
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { { 0, 0 }, { 0, 0 } };
	int flags[] = { 0, O_NONBLOCK }, ends[2];

	CHECK(sigaction(SIGALRM, &action, NULL) == 0);
	for (size_t i = 0; i < 2; i++) {
		CHECK(pipe(ends) == 0);
		CHECK(fcntl(ends[1], F_SETFL, flags[i]) == 0);
		alarms = 0;
		setitimer(ITIMER_REAL, &often, NULL);
		check_through_pipe(ends);
		setitimer(ITIMER_REAL, &never, NULL);
		CHECK(alarms > 10);
	}
}

TEST(a_reader_that_left_is_an_error)
{
	struct err err;
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	CHECK(pipe(ends) == 0);
	close(ends[0]);
	CHECK(!file_write_all(ends[1], STR("x"), &err));
	CHECK_INT(err.errnum, EPIPE);
}

TEST(whichever_step_of_a_read_fails_it_is_an_error)
{
	char dir[64];
	struct arena a;
	struct str got = { NULL, 77 };

	enter_dir(dir);
	arena_init(&a);
	put("f", STR("old"));
	fault = EIO;
	for (int step = 1; step <= 3; step++) {
		struct err err;

		test_case("step %d", step);
		until_fault = step;
		CHECK(!file_read(&a, STR("f"), 100, &got, &err));
		CHECK_INT(err.errnum, EIO);
		CHECK_INT(got.n, 77);
	}
	arena_free(&a);
	leave_dir(dir);
}

static bool write_later(void *context, int fd, struct err *err)
{
	return file_write_all(fd, str_from(context), err);
}

TEST(files_can_be_replaced_first_and_synced_together)
{
	char dir[64], bytes[] = "new";
	struct arena a;
	struct str got;
	struct err err;

	enter_dir(dir);
	arena_init(&a);
	put("f", STR("old"));
	CHECK(file_replace_later_by(STR("f"), write_later, bytes, 0600, &err));
	CHECK(file_read(&a, STR("f"), 100, &got, &err));
	CHECK_STR(got, STR("new"));
	CHECK(file_sync_all(STR("."), &err));
	CHECK(!file_sync_all(STR("missing"), &err));
	CHECK_INT(err.errnum, ENOENT);
	arena_free(&a);
	leave_dir(dir);
}

TEST(a_directory_is_synced_and_a_file_system_that_cannot_is_forgiven)
{
	char dir[64];
	struct err err;

	enter_dir(dir);
	CHECK(file_sync_dir(STR("."), &err));
	fault = EINVAL;
	until_fault = 2;
	CHECK(file_sync_dir(STR("."), &err));
	fault = EIO;
	until_fault = 2;
	CHECK(!file_sync_dir(STR("."), &err));
	CHECK_STR(str_from(err.text), STR("cannot sync the directory .: Input/output error"));
	CHECK(!file_sync_dir(STR("missing"), &err));
	CHECK_INT(err.errnum, ENOENT);
	put("f", STR("x"));
	CHECK(!file_sync_dir(STR("f"), &err));
	CHECK_STR(str_from(err.text), STR("cannot open the directory f: Not a directory"));
	leave_dir(dir);
}

TEST(a_file_is_claimed_as_long_as_somebody_has_it_open_for_that)
{
	char path[] = "/tmp/trackway-claim-XXXXXX";
	int first = mkstemp(path), second = open(path, O_WRONLY);

	CHECK(first >= 0 && second >= 0);
	CHECK(!file_is_claimed(str_from(path)));
	file_claim(first);
	file_claim(second);
	CHECK(file_is_claimed(str_from(path)));
	close(first);
	CHECK(file_is_claimed(str_from(path)));
	close(second);
	CHECK(!file_is_claimed(str_from(path)));
	unlink(path);
	CHECK(!file_is_claimed(str_from(path)));
}

TEST(every_directory_of_a_path_is_made_and_those_there_are_kept)
{
	struct err err;
	struct stat st;
	char dir[64];
	size_t there;

	enter_dir(dir);
	umask(022);
	CHECK(file_make_dirs(STR("a//b/"), 0777, &there, &err) && there == 0);
	CHECK(stat("a/b", &st) == 0 && (st.st_mode & 0777) == 0755 && file_is_dir(STR("a/b")));
	CHECK(file_make_dirs(STR("a/b/c/d"), 0700, &there, &err) && there == 3);
	CHECK(stat("a/b/c", &st) == 0 && (st.st_mode & 0777) == 0700);
	CHECK(file_make_dirs(STR("a/b/c/d"), 0700, &there, &err) && there == 7);
	CHECK(file_make_dirs(STR("/tmp"), 0700, NULL, &err));
	put("a/f", STR(""));
	CHECK(!file_make_dirs(STR("a/f/g"), 0700, &there, &err) && there == 3 && err.errnum == ENOTDIR);
	CHECK(strcmp(err.text, "cannot make the directory a/f: Not a directory") == 0);
	CHECK(!file_make_dirs(STR("a/f"), 0700, NULL, &err) && err.errnum == ENOTDIR);
	CHECK(!file_make_dirs(STR(""), 0700, NULL, &err) && !file_make_dirs(STR("a\0b"), 0700, NULL, &err));
	CHECK(!file_is_dir(STR("a/f")) && !file_is_dir(STR("a/none")) && !file_is_dir(STR("")));
	CHECK(rmdir("a/b/c/d") == 0 && rmdir("a/b/c") == 0 && rmdir("a/b") == 0 && remove("a/f") == 0);
	leave_dir(dir);
}
