/* Each command runs in a child of the test that becomes a shim, as shims are: nothing of it comes back but its status. */
#include "proc/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "harness/test.h"
#include "unit/base/scratch.h"

extern char **environ;

/* What was seen of a command, in a file that the shim's process opens by its name: all descriptors are closed. */
static void note(void *context, const struct shim_end *e)
{
	FILE *f = fopen(context, "w");

	CHECK(f);
	fprintf(f, "%d %lld %lld %d %.*s", e->status, (long long)e->out, (long long)e->err,
		e->ended_ns >= e->begun_ns && e->cpu_ns >= 0, (int)e->written.kept.n,
		e->written.kept.n ? e->written.kept.p : "");
	fclose(f);
}

static pid_t start(const char *script, const char *seen, int out, int err, size_t keep)
{
	const char *argv[] = { "sh", "-c", script, NULL };
	struct shim_options o = { .path = "/bin/sh", .argv = (char *const *)(uintptr_t)argv, .env = environ, .keep = keep,
				  .ended = note, .context = (void *)(uintptr_t)seen };
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid)
		return pid;
	dup2(out, 1);
	dup2(err, 2);
	shim_leave(shim_run(&o));
}

static void check_seen(const char *path, const char *wants)
{
	char text[512];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text), f) : 0;

	CHECK(f);
	fclose(f);
	CHECK_STR(str_of(text, n), str_from(wants));
}

static int end_of(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

TEST(a_shim_ends_as_its_command_ended)
{
	static const struct { const char *script; int status; } cases[] = {
		{ "exit 0", 0 }, { "exit 3", 3 << 8 }, { "exit 255", 255 << 8 },
		{ "kill -TERM $$", SIGTERM }, { "kill -KILL $$", SIGKILL }, { "kill -PIPE $$", SIGPIPE },
		{ "ulimit -c 0; kill -ABRT $$", SIGABRT },
	};
	char dir[64];

	enter_dir(dir);
	for (size_t i = 0; i < COUNT(cases); i++) {
		int null = open("/dev/null", O_WRONLY);

		test_case("%s", cases[i].script);
		CHECK_INT(end_of(start(cases[i].script, "seen", null, null, 0)) & 0xff7f, cases[i].status);
		close(null);
	}
	leave_dir(dir);
}

TEST(pipes_are_counted_and_kept)
{
	char dir[64], text[16];
	int out[2], err[2];

	enter_dir(dir);
	CHECK(pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
	CHECK_INT(end_of(start("echo hello; echo no >&2; exit 4", "seen", out[1], err[1], 100)), 4 << 8);
	CHECK_INT(read(out[0], text, sizeof(text)), 6);
	CHECK_INT(read(err[0], text, sizeof(text)), 3);
	check_seen("seen", "1024 6 3 1 hello\nno\n");
	CHECK_INT(end_of(start("echo hello; echo no >&2", "seen", out[1], out[1], 0)), 0);
	check_seen("seen", "0 9 0 1 ");
	leave_dir(dir);
}

TEST(files_are_measured_and_read_back)
{
	char dir[64];
	int fd;

	enter_dir(dir);
	fd = open("out", O_CREAT | O_WRONLY, 0600);
	CHECK(fd >= 0 && write(fd, "before", 6) == 6);
	CHECK_INT(end_of(start("echo one; echo two >&2", "seen", fd, fd, 100)), 0);
	check_seen("seen", "0 8 0 1 one\ntwo\n");
	CHECK_INT(end_of(start("echo three", "seen", fd, fd, 3)), 0);
	check_seen("seen", "0 6 0 1 thr");
	close(fd);
	leave_dir(dir);
}

TEST(a_terminal_is_left_alone)
{
	char dir[64];
	int tty = posix_openpt(O_RDWR | O_NOCTTY), other;

	CHECK(tty >= 0 && grantpt(tty) == 0 && unlockpt(tty) == 0);
	other = open(ptsname(tty), O_RDWR | O_NOCTTY);
	CHECK(other >= 0);
	enter_dir(dir);
	CHECK_INT(end_of(start("test -t 1 && test -t 2", "seen", other, other, 100)), 0);
	check_seen("seen", "0 -1 -1 1 ");
	leave_dir(dir);
}

TEST(signals_for_the_shim_are_the_commands)
{
	char dir[64], text[16];
	int out[2];
	pid_t pid;

	enter_dir(dir);
	CHECK(pipe2(out, O_CLOEXEC) == 0);
	pid = start("trap 'exit 6' USR1; echo ready; while :; do sleep 0.01; done", "seen", out[1], out[1], 0);
	CHECK_INT(read(out[0], text, sizeof(text)), 6);
	kill(pid, SIGUSR1);
	CHECK_INT(end_of(pid), 6 << 8);
	leave_dir(dir);
}

TEST(a_killed_shim_takes_its_command_along_and_is_told)
{
	char dir[64], text[32];
	int out[2], n;
	pid_t pid, inner;

	enter_dir(dir);
	CHECK(pipe2(out, O_CLOEXEC) == 0);
	pid = start("printf '%08d\\n' $$; exec sleep 60", "seen", out[1], out[1], 0);
	close(out[1]);
	n = (int)read(out[0], text, sizeof(text) - 1);
	CHECK(n > 0);
	text[n] = '\0';
	inner = (pid_t)strtol(text, NULL, 10);
	kill(pid, SIGKILL);
	CHECK_INT(end_of(pid), SIGKILL);
	CHECK_INT(read(out[0], text, sizeof(text)), 0); /* nobody writes any more */
	for (int i = 0; i < 200 && kill(inner, 0) == 0; i++)
		usleep(10000);
	usleep(50000);
	check_seen("seen", "9 9 0 0 ");
	leave_dir(dir);
}

TEST(a_program_that_cannot_be_run_is_an_errno_and_nothing_is_told)
{
	const char *argv[] = { "x", NULL };
	struct shim_options o = { .path = "/no/such/program", .argv = (char *const *)(uintptr_t)argv, .env = environ,
				  .ended = note, .context = (void *)(uintptr_t) "seen" };
	int out[2];
	char dir[64];

	enter_dir(dir);
	CHECK(pipe2(out, O_CLOEXEC) == 0);
	dup2(out[1], 1);
	CHECK(shim_run(&o) == -1 && errno == ENOENT);
	usleep(20000);
	CHECK(access("seen", F_OK) != 0);
	leave_dir(dir);
}

TEST(a_script_without_a_first_line_is_the_shells)
{
	const char *argv[] = { "script", "7", NULL };
	char dir[64];
	FILE *f;
	pid_t pid;

	enter_dir(dir);
	f = fopen("script", "w");
	CHECK(f && fputs("exit $1\n", f) >= 0 && fclose(f) == 0 && chmod("script", 0755) == 0);
	pid = fork();
	if (pid == 0) {
		shim_execute("./script", (char *const *)(uintptr_t)argv, environ);
		_exit(99);
	}
	CHECK_INT(end_of(pid), 7 << 8);
	leave_dir(dir);
}
