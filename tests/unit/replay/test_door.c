/* The door with its lanes, and the programs that come to it: the shim, and the relay of `trackway mcp`. */
#include "replay/door.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/mcp/mcp_relay.h"
#include "capture/shell_dir.h"
#include "net/local.h"
#include "replay/mcp_lane_door.h"
#include "replay/shell_lane_door.h"
#include "unit/base/scratch.h"
#include "unit/replay/fake_player.h"

static struct str words[] = { { "uname", 5 }, { "-s", 2 } };
static struct tape_piece pieces[] = { { false, { "Recorded\n", 9 }, 0 }, { true, { "a\0b\n", 4 }, 20000 }, { false, { "end", 3 }, 0 } };

#define INIT(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"initialize\"}"

static const struct said said[] = {
	{ "s", "i", 'c', INIT("1") },
	{ "s", "i", 's', "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}" },
};

struct scene {
	struct arena arena;
	uv_loop_t loop;
	uv_timer_t alive; /* the door does not keep the loop running */
	char at[64];
	struct fake_player player;
	struct tape tape;
	struct mcp_door mcp;
	struct shell_lane *shell;
	struct door *door;
	struct shell_dir dir;
};

static void tick(uv_timer_t *timer)
{
	(void)timer;
}

static void open_scene(struct scene *s)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", "SHELL=/bin/sh", NULL };
	struct door_lane lanes[2];
	struct tape_line *lines;
	struct err err;

	signal(SIGPIPE, SIG_IGN);
	*s = (struct scene){ .door = NULL };
	arena_init(&s->arena);
	enter_dir(s->at);
	clearenv();
	uv_loop_init(&s->loop);
	uv_timer_init(&s->loop, &s->alive);
	uv_timer_start(&s->alive, tick, 1, 1);
	fake_open(&s->player);
	s->tape = tape_of(&s->arena, said, COUNT(said));
	lines = arena_array(&s->arena, struct tape_line, 3);
	memcpy(lines, s->tape.lines, 2 * sizeof(*lines));
	lines[2] = (struct tape_line){ .x = 2, .lane = TAPE_SHELL };
	lines[2].command = (struct tape_command){ .argv = words, .argc = 2, .cwd = STR("<ws>"),
		.stdin_sha256 = STR("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"), .env = STR("{}"),
		.pieces = pieces, .piece_count = COUNT(pieces), .exit = 5, .signal = -1 };
	s->tape.lines = lines;
	s->tape.count = 3;
	s->mcp.lane = mcp_lane_new(&s->arena, &s->tape, &s->player.ops);
	s->mcp.live = mcp_live_open(s->mcp.lane);
	s->shell = shell_lane_new(&s->arena, &s->tape, &s->player.ops);
	s->player.entries = (struct lane_entries){ .items = arena_array(&s->arena, struct match_entry, 2), .count = 2 };
	s->player.entries.items[0] = s->mcp.lane->entries.items[0];
	s->player.entries.items[1] = s->shell->entries.items[0];
	lanes[0] = mcp_door_lane(&s->mcp);
	lanes[1] = shell_door_lane(s->shell);
	CHECK(shell_dir_make(&s->arena, ARENA_JOIN(&s->arena, str_from(s->at), STR("/shims")), env, STR("/bin/true"), &s->dir, &err));
	s->door = door_open(&s->loop, s->at, STR("door.sock"), lanes, 2, &err);
	CHECK(s->door != NULL);
	setenv("TRACKWAY_REPLAY", door_path(s->door).p, 1);
	setenv("TRACKWAY_SHELL_ROOT", s->at, 1);
	setenv("PATH", ARENA_JOIN(&s->arena, s->dir.path, STR(":/usr/bin:/bin")).p, 1);
}

static void close_scene(struct scene *s)
{
	door_stop(s->door);
	uv_close((uv_handle_t *)&s->alive, NULL);
	uv_run(&s->loop, UV_RUN_DEFAULT);
	door_close(s->door);
	CHECK_INT(uv_loop_close(&s->loop), 0);
	mcp_live_close(s->mcp.live);
	shell_dir_remove(&s->dir);
	rmdir("trackway");
	unsetenv("PATH");
	leave_dir(s->at);
	fake_close(&s->player);
	arena_free(&s->arena);
}

/* Lets the loop run until the child has ended; its status. */
static int wait_for(struct scene *s, pid_t pid)
{
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		uv_run(&s->loop, UV_RUN_NOWAIT);
		usleep(1000);
	}
	for (int i = 0; i < 5; i++)
		uv_run(&s->loop, UV_RUN_NOWAIT);
	return status;
}

static struct str read_all(struct scene *s, const char *path)
{
	struct str text = test_read(path);

	(void)s;
	return text;
}

/* Runs a command of the shims; what it wrote is in the files out and err. */
static int run(struct scene *s, const char *const *argv)
{
	pid_t pid = fork();

	if (pid == 0) {
		dup2(open("/dev/null", O_RDONLY), 0);
		dup2(open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
		dup2(open("err", O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(99);
	}
	return wait_for(s, pid);
}

TEST(a_shim_writes_what_was_recorded_and_ends_likewise)
{
	static const char *const argv[] = { "uname", "-s", NULL }, *const other[] = { "uname", "-r", NULL };
	struct scene s;
	int status;

	open_scene(&s);
	s.player.pace.speed = 1;
	status = run(&s, argv);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
	CHECK_STR(read_all(&s, "out"), STR("Recorded\nend"));
	CHECK_STR(read_all(&s, "err"), STR("a\0b\n"));
	CHECK_INT(s.shell->served, 1);
	status = run(&s, other);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 97);
	CHECK_STR(read_all(&s, "err"), STR("trackway replay: not on the tape\n"));
	CHECK_INT(read_all(&s, "out").n, 0);
	close_scene(&s);
}

TEST(a_shim_dies_by_the_recorded_signal)
{
	static const char *const argv[] = { "uname", "-s", NULL };
	struct scene s;
	int status;

	open_scene(&s);
	s.tape.lines[2].command.signal = SIGKILL;
	s.tape.lines[2].command.exit = -1;
	status = run(&s, argv);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	close_scene(&s);
}

TEST(without_a_replayer_nothing_runs)
{
	static const char *const argv[] = { "uname", "-s", NULL };
	struct scene s;
	int status;

	open_scene(&s);
	setenv("TRACKWAY_REPLAY", "/nowhere/sock", 1);
	status = run(&s, argv);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 97);
	CHECK(str_starts(read_all(&s, "err"), STR("trackway replay: ")));
	close_scene(&s);
}

TEST(live_commands_run_and_are_compared)
{
	static const char *const argv[] = { "uname", "-s", NULL };
	struct scene s;
	int status;

	open_scene(&s);
	s.player.ops.live = true;
	status = run(&s, argv);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK_STR(read_all(&s, "out"), STR("Linux\n"));
	CHECK(str_starts(buf_str(&s.player.notes), STR("12 0 shell /exit 5 0\n")));
	CHECK_STR(buf_str(&s.player.tools), STR("uname 1\n"));
	close_scene(&s);
}

/* The relay in a process of its own, with this input. */
static int relay(struct scene *s, struct str in)
{
	const char *const argv[] = { "server", NULL };
	struct mcp_relay_options o = { .socket = door_path(s->door), .argv = argv };
	int fds[2];
	pid_t pid;

	CHECK(pipe(fds) == 0 && write(fds[1], in.p, in.n) == (ssize_t)in.n);
	pid = fork();
	if (pid == 0) {
		struct err err;

		close(fds[1]);
		dup2(fds[0], 0);
		dup2(open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
		_exit((int)mcp_relay_run(&o, &err));
	}
	close(fds[0]);
	close(fds[1]);
	return WEXITSTATUS(wait_for(s, pid));
}

TEST(a_wrapped_server_is_answered_by_the_tape)
{
	struct scene s;

	open_scene(&s);
	s.player.pace.speed = 1; /* it is answered although its input has ended */
	CHECK_INT(relay(&s, STR(INIT("7") "\n")), MCP_RELAY_OVER);
	CHECK_STR(read_all(&s, "out"), STR("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n"));
	s.player.ops.live = true;
	CHECK_INT(relay(&s, STR(INIT("7") "\n")), MCP_RELAY_RUN);
	CHECK_INT(read_all(&s, "out").n, 0);
	close_scene(&s);
}

TEST(who_says_nothing_of_use_is_cut_off)
{
	static const char *const cases[] = { "x\n", "{}\n", "{\"lane\":\"other\"}\n", "[1]\n", "{\"lane\":3}\n" };
	struct scene s;

	open_scene(&s);
	for (size_t i = 0; i < COUNT(cases); i++) {
		int fd = local_connect(door_path(s.door));
		char byte;

		CHECK(fd >= 0 && send(fd, cases[i], strlen(cases[i]), 0) > 0);
		for (int k = 0; k < 5; k++)
			uv_run(&s.loop, UV_RUN_NOWAIT);
		CHECK_INT(recv(fd, &byte, 1, 0), 0);
		close(fd);
	}
	CHECK_INT(door_tally(s.door).refused, COUNT(cases));
	CHECK_INT(door_tally(s.door).clients, COUNT(cases));
	close_scene(&s);
}

TEST(lines_may_come_in_any_pieces_and_be_looked_for)
{
	static const char text[] = "{\"lane\":\"mcp\",\"argv\":[]}\n" INIT("3") "\n";
	struct scene s;
	char got[128];
	int fd;

	open_scene(&s);
	fd = local_connect(door_path(s.door));
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		CHECK(send(fd, text + i, 1, 0) == 1);
		door_look(s.door);
	}
	uv_run(&s.loop, UV_RUN_NOWAIT);
	CHECK_STR(str_of(got, (size_t)recv(fd, got, sizeof(got), 0)), STR("serve\n{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n"));
	close(fd);
	close_scene(&s);
}

TEST(a_door_that_is_open_already_is_an_error)
{
	struct scene s;
	struct err err;

	open_scene(&s);
	CHECK(!door_open(&s.loop, s.at, STR("door.sock"), NULL, 0, &err));
	CHECK_INT(err.kind, ERR_IO);
	close_scene(&s);
}
