#include "cmd/mock_serve.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"
#include "harness/test.h"

/* Serves in a child whose standard output is a pipe; *line gets what it printed first. */
static pid_t serve(const struct mock_service *m, char line[100])
{
	int ends[2];
	ssize_t n;
	pid_t pid;

	CHECK_INT(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		struct err err = { .kind = ERR_NONE };
		struct arena a;
		int status;

		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		stop_install();
		arena_init(&a);
		status = mock_serve(&a, m, &err);
		arena_free(&a);
		_exit(status == EXIT_FAIL ? (int)err.kind : status);
	}
	close(ends[1]);
	n = read(ends[0], line, 99);
	line[n < 0 ? 0 : n] = '\0';
	close(ends[0]);
	return pid;
}

static int wait_for(pid_t pid)
{
	int status = 0;

	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(the_address_is_printed_and_a_signal_ends_it)
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct mock_service m = { .listen = STR("127.0.0.1:0"), .quiet = true };

	for (size_t i = 0; i < 2; i++) {
		char line[100];
		pid_t pid;

		signal(signals[i], SIG_DFL);
		pid = serve(&m, line);
		CHECK(strncmp(line, "http://127.0.0.1:", 17) == 0);
		CHECK_INT(line[strlen(line) - 1], '\n');
		kill(pid, signals[i]);
		CHECK_INT(wait_for(pid), 128 + signals[i]);
	}
}

TEST(an_ignored_signal_stays_ignored)
{
	struct mock_service m = { .listen = STR("127.0.0.1:0"), .quiet = true };
	char line[100];
	pid_t pid;

	signal(SIGINT, SIG_IGN);
	pid = serve(&m, line);
	kill(pid, SIGINT);
	kill(pid, SIGTERM);
	CHECK_INT(wait_for(pid), EXIT_TERMINATED);
}

TEST(what_cannot_be_opened_is_an_error)
{
	struct mock_service m = { .listen = STR("example.com:0"), .quiet = true };
	char line[100];

	CHECK_INT(wait_for(serve(&m, line)), ERR_USAGE);
	m.listen = STR("127.0.0.1:0");
	m.log = STR("/nonexistent/log");
	CHECK_INT(wait_for(serve(&m, line)), ERR_IO);
}
