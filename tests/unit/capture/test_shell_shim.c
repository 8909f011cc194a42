/* The shim as a program: the directory is made as for a run, and its links are started as a shell would. */
#include "capture/shell_shim.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "capture/shell_dir.h"
#include "harness/test.h"
#include "net/local.h"
#include "unit/base/scratch.h"

struct scene {
	struct arena arena;
	struct shell_dir dir;
	char at[64], path[256];
	int socket; /* where it tells */
	struct buf told;
};

static void open_scene(struct scene *s)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", "SHELL=/bin/sh", NULL };
	struct err err;

	arena_init(&s->arena);
	buf_init(&s->told);
	enter_dir(s->at);
	CHECK(shell_dir_make(&s->arena, ARENA_JOIN(&s->arena, str_from(s->at), STR("/shims")), env, STR("/bin/true"),
			     &s->dir, &err));
	snprintf(s->path, sizeof(s->path), "%s/shims:/usr/bin:/bin", s->at);
	clearenv();
	setenv("PATH", s->path, 1);
	setenv("TRACKWAY_SHELL_PATH", "/bin/sh", 1);
	s->socket = local_listen(STR("sock"), &err);
	CHECK(s->socket >= 0);
	setenv("TRACKWAY_SOCKET", "sock", 1);
}

static void close_scene(struct scene *s)
{
	shell_dir_remove(&s->dir);
	close(s->socket);
	leave_dir(s->at);
	buf_free(&s->told);
	arena_free(&s->arena);
}

/* The exit status; what it tells is in s->told when it is over. */
static int run(struct scene *s, const char *file, const char *const *argv)
{
	int status, null = open("/dev/null", O_RDWR);
	pid_t pid = fork();

	if (pid == 0) {
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp(file, (char *const *)(uintptr_t)argv);
		_exit(99);
	}
	close(null);
	CHECK(waitpid(pid, &status, 0) == pid);
	buf_clear(&s->told);
	for (int fd; (fd = accept(s->socket, NULL, NULL)) >= 0; close(fd)) {
		ssize_t n;

		while ((n = read(fd, buf_reserve(&s->told, 4096), 4096)) > 0)
			s->told.n += (size_t)n;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool has(const struct scene *s, const char *text)
{
	return str_has(buf_str(&s->told), str_from(text));
}

TEST(begin_and_end_are_told_without_arguments)
{
	const char *const argv[] = { "sh", "-c", "exit 5 # canary-argument", NULL };
	struct scene s;

	open_scene(&s);
	CHECK_INT(run(&s, "sh", argv), 5);
	CHECK(has(&s, "\"kind\":\"command_begin\",\"layer\":\"shell\"") && has(&s, "\"kind\":\"command_end\""));
	CHECK(has(&s, "\"name\":\"sh\"") && has(&s, "\"exit\":5,\"failed\":true") && has(&s, "\"cpu_ns\":"));
	CHECK(!has(&s, "canary") && !has(&s, "tape") && !has(&s, "/bin") && !has(&s, s.at));
	close_scene(&s);
}

TEST(commands_inside_name_the_one_around_them)
{
	const char *const argv[] = { "sh", "-c", "test -n \"$TRACKWAY_COMMAND\" && uname", NULL };
	struct scene s;

	open_scene(&s);
	CHECK_INT(run(&s, "sh", argv), 0);
	CHECK_INT(str_count(buf_str(&s.told), '\n'), 4);
	CHECK(has(&s, "\"name\":\"uname\"") && has(&s, "\"parent_command\":"));
	close_scene(&s);
}

TEST(with_content_the_end_has_a_tape)
{
	const char *const argv[] = { "uname", "-s", NULL };
	struct scene s;

	open_scene(&s);
	setenv("TRACKWAY_CONTENT", "1", 1);
	CHECK_INT(run(&s, "uname", argv), 0);
	CHECK(has(&s, "\"tape\":{\"lane\":\"shell\"") && has(&s, "\"argv\":[\"uname\",\"-s\"]"));
	close_scene(&s);
}

TEST(the_program_runs_whatever_is_wrong_with_us)
{
	const char *const argv[] = { "sh", "-c", "exit 7", NULL };
	struct scene s;

	open_scene(&s);
	setenv("TRACKWAY_SOCKET", "no-such-socket", 1);
	CHECK_INT(run(&s, "sh", argv), 7);
	unsetenv("TRACKWAY_SOCKET");
	CHECK_INT(run(&s, "sh", argv), 7);
	CHECK_INT(run(&s, s.dir.shell.p, argv), 7);
	unsetenv("TRACKWAY_SHELL_PATH");
	CHECK_INT(run(&s, s.dir.shell.p, argv), 7);
	clearenv();
	CHECK_INT(run(&s, s.dir.shell.p, argv), 7);
	CHECK_INT(s.told.n, 0);
	close_scene(&s);
}

TEST(a_program_that_has_gone_is_not_found)
{
	const char *const argv[] = { "uname", NULL };
	struct scene s;

	open_scene(&s);
	snprintf(s.path, sizeof(s.path), "%s/shims", s.at);
	setenv("PATH", s.path, 1);
	CHECK_INT(run(&s, "uname", argv), 127);
	close_scene(&s);
}

TEST(a_name_that_is_not_ours_is_not_told)
{
	const char *const argv[] = { "secret-name", NULL };
	char shim[128];
	struct scene s;

	open_scene(&s);
	CHECK(symlink("/bin/true", "secret-name") == 0);
	snprintf(s.path, sizeof(s.path), "%s:/bin", s.at);
	setenv("PATH", s.path, 1);
	snprintf(shim, sizeof(shim), "%s/shims/trackway-shim", s.at);
	CHECK_INT(run(&s, shim, argv), 0);
	CHECK_INT(s.told.n, 0);
	close_scene(&s);
}

TEST(called_by_its_own_name_it_runs_nothing)
{
	const char *const argv[] = { "trackway-shim", NULL };
	struct scene s;

	open_scene(&s);
	CHECK_INT(run(&s, "trackway-shim", argv), 127);
	CHECK_INT(s.told.n, 0);
	close_scene(&s);
}

TEST(this_program_is_no_shim)
{
	CHECK(!shell_shim_is_asked());
}
