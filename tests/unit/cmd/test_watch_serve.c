#include "cmd/watch_serve.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"
#include "harness/test.h"

/* Serves in a child whose standard output is a pipe; *line gets what it printed first. */
static pid_t serve_child(const char *listen, char line[100])
{
	const char *dir = test_dir();
	int ends[2];
	ssize_t n;
	pid_t pid;

	CHECK_INT(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		const struct frame frame = { .quiet = true };
		struct err err = { .kind = ERR_NONE };
		struct window window;
		struct arena a;
		struct tail tail;
		struct watch_service w = { .listen = str_from(listen), .dir = str_from(dir), .tail = &tail, .frame = &frame };
		int status;

		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		stop_install();
		arena_init(&a);
		window_init(&window, 100);
		tail_init(&tail, dir, &window, 100);
		status = watch_serve(&a, &w, &err);
		tail_free(&tail);
		window_free(&window);
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

TEST(watch_prints_its_address_and_a_signal_ends_it)
{
	static const int signals[] = { SIGINT, SIGTERM };

	for (size_t i = 0; i < COUNT(signals); i++) {
		char line[100];
		pid_t pid;

		signal(signals[i], SIG_DFL);
		pid = serve_child("127.0.0.1:0", line);
		CHECK(str_starts(str_from(line), STR("http://127.0.0.1:")));
		CHECK(str_ends(str_from(line), STR("\n")));
		CHECK_INT(kill(pid, signals[i]), 0);
		CHECK_INT(wait_for(pid), 128 + signals[i]);
	}
}

TEST(watch_says_nothing_when_it_cannot_listen)
{
	char line[100];
	pid_t pid = serve_child("nowhere", line);

	CHECK_INT(wait_for(pid), ERR_USAGE);
	CHECK_STR(str_from(line), STR(""));
}
