#include "lib/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "unit/lib/trace_file.h"

/* A line as the outlet wants it: an LF before it. */
static struct buf line_of(const char *text)
{
	struct buf b;

	buf_init(&b);
	buf_printf(&b, "\n%s\n", text);
	return b;
}

static bool put(struct outlet *o, const char *text)
{
	struct outlet_sums sums = { .input = 1 };
	struct buf b = line_of(text);
	bool written;

	outlet_enter(o);
	written = outlet_write(o, &b, &sums);
	outlet_leave(o);
	buf_free(&b);
	return written;
}

TEST(lines_are_added_and_counted)
{
	const char *path = trace_path();
	struct outlet o;

	CHECK(outlet_open(&o, path, false));
	CHECK(put(&o, "one") && put(&o, "two"));
	CHECK_INT(o.page->sums.input, 2);
	CHECK_INT(outlet_lost(&o), 0);
	CHECK_STR(test_read(path), STR("one\ntwo\n"));
	outlet_free(&o);
	CHECK(unlink(path) == 0);
}

TEST(the_first_note_stays)
{
	const char *path = trace_path();
	struct outlet o;

	CHECK(outlet_open(&o, path, false));
	outlet_note(&o, "%d", 1);
	outlet_note(&o, "%d", 2);
	CHECK_STR(str_from(o.error), STR("1"));
	outlet_lose(&o);
	CHECK_INT(outlet_lost(&o), 1);
	outlet_free(&o);
	CHECK(unlink(path) == 0);
}

TEST(a_lock_of_a_thread_that_did_not_come_along_is_taken_over)
{
	const char *path = trace_path();
	struct outlet o;

	CHECK(outlet_open(&o, path, false));
	CHECK_INT(outlet_enter(&o), OUTLET_SAME);
	outlet_leave(&o);
	for (int held = 0; held < 2; held++) {
		pid_t pid;

		if (held)
			outlet_enter(&o);
		pid = fork();
		CHECK(pid >= 0);
		if (pid == 0) {
			alarm(10);
			CHECK_INT(outlet_enter(&o), held ? OUTLET_BROKEN : OUTLET_FORKED);
			outlet_leave(&o);
			CHECK_INT(outlet_enter(&o), OUTLET_SAME);
			outlet_leave(&o);
			_exit(put(&o, "child") ? 0 : 1);
		}
		trace_wait(pid);
	}
	outlet_leave(&o);
	CHECK(o.page->others && o.page->sums.input == 2);
	CHECK_STR(test_read(path), STR("child\nchild\n"));
	outlet_free(&o);
	CHECK(unlink(path) == 0);
}

/* The limit is reached inside a line: the signal must not end us, and the piece must go. */
TEST(a_line_that_does_not_fit_is_taken_back_and_no_signal_comes)
{
	const struct rlimit limit = { 10, 10 };
	const char *path = trace_path();
	struct outlet o;

	CHECK(outlet_open(&o, path, false));
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	CHECK(put(&o, "123456"));
	CHECK(!put(&o, "too long for it"));
	CHECK(!put(&o, "nor this"));
	CHECK(put(&o, "7"));
	CHECK_STR(test_read(path), STR("123456\n7\n"));
	CHECK(strstr(o.error, "File too large"));
	CHECK_INT(outlet_lost(&o), 2);
	outlet_free(&o);
	CHECK(unlink(path) == 0);
}

/* The same where others may have written behind it: the piece stays, and ends where the next line begins. */
TEST(a_piece_of_a_line_is_ended_by_the_next_one)
{
	const struct rlimit limit = { 10, 1000 }, more = { 1000, 1000 };
	const char *path = trace_path();
	struct outlet o;

	CHECK(outlet_open(&o, path, true));
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	CHECK(put(&o, "123456") && !put(&o, "too long for it"));
	CHECK(setrlimit(RLIMIT_FSIZE, &more) == 0);
	CHECK(put(&o, "7") && put(&o, "8"));
	CHECK_STR(test_read(path), STR("123456\ntoo\n7\n8\n"));
	outlet_free(&o);
	CHECK(unlink(path) == 0);
}

TEST(a_signal_that_was_pending_before_stays_so)
{
	const struct rlimit limit = { 3, 3 };
	const char *path = trace_path();
	sigset_t set, pending;
	struct outlet o;

	CHECK(outlet_open(&o, path, false));
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0 && raise(SIGXFSZ) == 0);
	CHECK(!put(&o, "12345"));
	CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ));
	outlet_free(&o);
	CHECK(unlink(path) == 0);
}

TEST(after_the_end_only_the_last_line_is_written)
{
	struct buf last = line_of("last");
	const char *path = trace_path();
	struct outlet o;

	CHECK(outlet_open(&o, path, false));
	CHECK(put(&o, "one"));
	outlet_enter(&o);
	outlet_end(&o);
	outlet_leave(&o);
	CHECK(!put(&o, "two"));
	outlet_enter(&o);
	CHECK(outlet_write_last(&o, &last));
	outlet_close(&o);
	CHECK(!outlet_write_last(&o, &last));
	outlet_leave(&o);
	CHECK_STR(test_read(path), STR("one\nlast\n"));
	CHECK_INT(outlet_lost(&o), 2);
	outlet_free(&o);
	buf_free(&last);
	CHECK(unlink(path) == 0);
}

TEST(the_end_does_not_wait_for_ever_for_a_child_that_was_killed)
{
	const char *path = trace_path();
	struct outlet o;

	CHECK(outlet_open(&o, path, false));
	o.page->writing = 1;
	alarm(30);
	outlet_end(&o);
	outlet_free(&o);
	CHECK(unlink(path) == 0);
}

TEST(the_file_never_has_the_number_of_a_standard_stream)
{
	const char *path = trace_path();
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		struct outlet o;

		close(0);
		close(1);
		close(2);
		_exit(outlet_open(&o, path, false) && o.fd > 2 && (fcntl(o.fd, F_GETFD) & FD_CLOEXEC) ? 0 : 1);
	}
	trace_wait(pid);
	CHECK(unlink(path) == 0);
}

TEST(a_pipe_is_refused)
{
	const char *path = trace_path();
	struct outlet o;
	int fd;

	CHECK(mkfifo(path, 0600) == 0);
	CHECK(outlet_open(&o, path, false)); /* nobody reads */
	CHECK(o.fd < 0 && o.has_error);
	outlet_free(&o);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	CHECK(fd >= 0 && outlet_open(&o, path, false));
	CHECK(o.fd < 0 && strstr(o.error, "not to a pipe"));
	CHECK(!put(&o, "x"));
	outlet_free(&o);
	close(fd);
	CHECK(unlink(path) == 0);
}
