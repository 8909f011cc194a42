/* What is not a replayer is an error, and nothing is written then. tests/unit/replay/test_door.c has both halves. */
#include "capture/mcp/mcp_relay.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "net/local.h"
#include "unit/base/scratch.h"

TEST(only_a_replayer_is_talked_to)
{
	static const struct { const char *answer; enum mcp_relay_end end; } cases[] = {
		{ "run\n", MCP_RELAY_RUN }, { "what\n", MCP_RELAY_FAIL }, { "", MCP_RELAY_FAIL }, { "a very long first line\n", MCP_RELAY_FAIL },
	};
	const char *const argv[] = { "server", "x", NULL };
	struct mcp_relay_options o = { .socket = STR("sock"), .argv = argv };
	struct err err;
	char dir[64];
	int at;

	enter_dir(dir);
	CHECK_INT(mcp_relay_run(&o, &err), MCP_RELAY_FAIL);
	at = local_listen(STR("sock"), &err);
	for (size_t i = 0; i < COUNT(cases); i++) {
		pid_t pid = fork();

		if (pid == 0) {
			char bytes[256];
			int fd;

			while ((fd = accept(at, NULL, NULL)) < 0)
				usleep(1000);
			recv(fd, bytes, sizeof(bytes), 0);
			_exit(send(fd, cases[i].answer, strlen(cases[i].answer), MSG_NOSIGNAL) < 0);
		}
		CHECK_INT(mcp_relay_run(&o, &err), cases[i].end);
		CHECK(waitpid(pid, NULL, 0) == pid);
	}
	close(at);
	unlink("sock");
	leave_dir(dir);
}
