/* The client's half, against an answer that is written before it asks. tests/unit/replay/test_door.c has both halves. */
#include "capture/shell_replay.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "net/local.h"
#include "unit/base/scratch.h"

/* Answers one question by the text, from a process of its own. */
static pid_t answer(int socket, struct str text)
{
	pid_t pid = fork();

	if (pid == 0) {
		char bytes[4096];
		int fd;

		while ((fd = accept(socket, NULL, NULL)) < 0)
			usleep(1000);
		if (recv(fd, bytes, sizeof(bytes), 0) < 1 || send(fd, text.p, text.n, MSG_NOSIGNAL) != (ssize_t)text.n)
			_exit(1);
		_exit(0);
	}
	return pid;
}

TEST(an_answer_is_written_and_gives_the_status)
{
	static const struct { struct str text; bool served; int status; const char *out; } cases[] = {
		{ { "o 2\nhie 1\n!exit 3\n", 18 }, true, 3 << 8, "hi" },
		{ { "signal 9\n", 9 }, true, 9, "" },
		{ { "miss 2\nno", 9 }, true, 97 << 8, "" },
		{ { "o 5\nhi", 6 }, true, 97 << 8, "hi" },
		{ { "", 0 }, true, 97 << 8, "" },
		{ { "run\n", 4 }, false, 0, "" },
	};
	char *argv[] = { (char *)(uintptr_t) "git", NULL };
	struct shell_tape t = { .name = STR("git"), .argv = argv, .id = STR("1") };
	int socket, was[3], status;
	struct err err;
	char dir[64];

	enter_dir(dir);
	socket = local_listen(STR("sock"), &err);
	for (size_t i = 0; i < COUNT(cases); i++) {
		pid_t pid = answer(socket, cases[i].text);
		bool served;

		for (int fd = 1; fd < 3; fd++) {
			was[fd] = dup(fd);
			dup2(open(fd == 1 ? "out" : "err", O_WRONLY | O_CREAT | O_TRUNC, 0600), fd);
		}
		served = shell_replay_run(STR("sock"), &t, &status);
		dup2(was[1], 1);
		dup2(was[2], 2);
		CHECK(waitpid(pid, NULL, 0) == pid);
		CHECK_INT(served, cases[i].served);
		if (served)
			CHECK_INT(status, cases[i].status);
		CHECK_STR(test_read("out"), str_from(cases[i].out));
	}
	close(socket);
	unlink("sock");
	leave_dir(dir);
}
