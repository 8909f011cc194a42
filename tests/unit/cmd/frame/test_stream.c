#include "cmd/frame/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"

TEST(closed_standard_streams_are_opened_so_that_their_use_fails)
{
	char c;

	close(0);
	close(2);
	stream_open_missing();
	CHECK(read(0, &c, 1) < 0 && errno == EBADF);
	CHECK(write(2, "x", 1) < 0 && errno == EBADF);
	CHECK(open("/dev/null", O_RDONLY) > 2);
}

TEST(open_standard_streams_are_left_alone)
{
	int ends[2];
	char c = 0;

	CHECK(pipe(ends) == 0 && dup2(ends[0], 0) == 0);
	stream_open_missing();
	CHECK(write(ends[1], "x", 1) == 1 && read(0, &c, 1) == 1 && c == 'x');
}

/* Ends in a child, because standard output is closed for good. Gives what stream_finish_output said. */
static int finish_on(int fd, size_t bytes, const char *want)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct err err = { .kind = ERR_NONE };
		enum stream_end end;

		dup2(fd, STDOUT_FILENO);
		stream_catch_signals();
		for (size_t i = 0; i < bytes; i++)
			fputc('x', stdout);
		end = stream_finish_output(&err);
		_exit(want && strcmp(err.text, want) != 0 ? 100 : (int)end);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(standard_output_is_known_to_be_written_when_it_is_closed)
{
	static const size_t sizes[] = { 1, 4096, 5000, 200000 };
	int full = open("/dev/full", O_WRONLY), wrong_way = open("/dev/null", O_RDONLY), ends[2];

	if (full < 0)
		SKIP("there is no /dev/full here");
	CHECK(pipe(ends) == 0);
	close(ends[0]);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		test_case("%zu bytes", sizes[i]);
		CHECK_INT(finish_on(open("/dev/null", O_WRONLY), sizes[i], NULL), STREAM_WRITTEN);
		CHECK_INT(finish_on(full, sizes[i], NULL), STREAM_FAILED);
		CHECK_INT(finish_on(wrong_way, sizes[i], NULL), STREAM_FAILED);
		CHECK_INT(finish_on(ends[1], sizes[i], NULL), STREAM_READER_LEFT);
	}
	CHECK_INT(finish_on(full, 1, "standard output: cannot write: No space left on device"), STREAM_FAILED);
	CHECK_INT(finish_on(full, 0, NULL), STREAM_WRITTEN);
	CHECK_INT(finish_on(wrong_way, 0, NULL), STREAM_WRITTEN);
	CHECK_INT(finish_on(ends[1], 0, NULL), STREAM_WRITTEN);
}

TEST(text_is_written_to_a_stream_and_nothing_is_nothing)
{
	char got[10] = "";
	FILE *f = tmpfile();

	CHECK(f);
	stream_write(f, STR("a\0b"));
	stream_write(f, str_of(NULL, 0));
	rewind(f);
	CHECK_INT(fread(got, 1, sizeof(got), f), 3);
	CHECK_STR(str_of(got, 3), STR("a\0b"));
	fclose(f);
}

TEST(a_reader_that_left_is_noticed)
{
	int ends[2];

	CHECK(pipe(ends) == 0 && dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO);
	CHECK(!stream_reader_left());
	close(ends[0]);
	CHECK(stream_reader_left());
}

TEST(programs_we_start_get_the_usual_sigpipe)
{
	int status, ends[2];
	pid_t pid;

	CHECK(pipe(ends) == 0);
	close(ends[0]);
	stream_catch_signals();
	CHECK(write(ends[1], "x", 1) < 0 && errno == EPIPE);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		execlp("sh", "sh", "-c", "echo x; exit 0", (char *)NULL);
		_exit(99);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
}
