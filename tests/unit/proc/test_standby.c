/* What becomes of a child's output when the process in between lives, ends, or is killed. */
#include "proc/standby.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "harness/test.h"

/* All that comes until the last writer has left. */
static struct str read_all(int fd, char *into, size_t room)
{
	size_t n = 0;
	ssize_t got;

	while (n < room && (got = read(fd, into + n, room - n)) > 0)
		n += (size_t)got;
	return str_of(into, n);
}

TEST(when_we_are_killed_what_is_written_goes_on)
{
	int in[2], out[2];
	char text[64];
	pid_t us;

	CHECK_INT(pipe(in), 0);
	CHECK_INT(pipe(out), 0);
	us = fork();
	if (us == 0) {
		struct standby s;

		close(in[1]);
		_exit(standby_open(&s, in[0], out[1]) ? (kill(getpid(), SIGKILL), 1) : 2);
	}
	CHECK_INT(waitpid(us, NULL, 0), us);
	close(in[0]);
	close(out[1]);
	CHECK_INT(write(in[1], "and on", 6), 6);
	close(in[1]);
	CHECK_STR(read_all(out[0], text, sizeof(text)), STR("and on"));
}

TEST(while_we_live_nothing_is_taken_and_the_pipe_breaks_at_our_end)
{
	struct standby s;
	int in[2], out[2];
	char text[8];

	signal(SIGPIPE, SIG_IGN);
	CHECK_INT(pipe(in), 0);
	CHECK_INT(pipe(out), 0);
	CHECK(standby_open(&s, in[0], out[1]));
	CHECK_INT(write(in[1], "ours", 4), 4);
	CHECK_INT(read(in[0], text, sizeof(text)), 4);
	standby_close(&s);
	standby_close(&s);
	close(in[0]);
	CHECK_INT(write(in[1], "x", 1), -1); /* nobody else holds the other end */
	close(out[1]);
	CHECK_INT(read(out[0], text, sizeof(text)), 0);
}
