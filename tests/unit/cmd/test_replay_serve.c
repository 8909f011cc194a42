#include "cmd/replay_serve.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/stop.h"
#include "unit/replay/replay_kit.h"
#include "harness/test.h"

/* Nobody asks anything before it is ended, so the verdict is INCOMPLETE. */
TEST(the_address_comes_first_and_a_signal_ends_it_with_a_verdict)
{
	static const char *const none[] = { NULL };
	struct replaying_options o = { .argv = none, .serves = true };
	struct replaying_outcome out;
	struct err err = { .kind = ERR_NONE };
	char line[100] = "";
	struct arena a;
	int ends[2], status;
	pid_t pid;

	arena_init(&a);
	o.run = kit_run(&a);
	CHECK_INT(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		stop_install();
		if (!replay_serve(&a, STR("127.0.0.1:0"), false, &o, &out, &err))
			_exit(99);
		_exit((int)out.verdict);
	}
	close(ends[1]);
	CHECK(read(ends[0], line, sizeof(line) - 1) > 0);
	CHECK(strncmp(line, "http://127.0.0.1:", 17) == 0);
	kill(pid, SIGTERM);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), VERDICT_INCOMPLETE);
	close(ends[0]);
	CHECK(!replay_serve(&a, STR("nowhere:x"), false, &o, &out, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	kit_remove(o.run);
	arena_free(&a);
}
