/*
 * A program that judges: the answer on its standard input, its exit status for a verdict. It is off unless the user
 * allows it, for a suite may come from anywhere. It gets no shell, none of our environment but PATH, HOME and the
 * locale (keys of services are in the rest), a process group of its own so that it and what it started can be ended
 * together, and a limit of time. Its answer is read from a file in memory: there is no pipe to fill up, and a program
 * that does not read is none the worse for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "bench/validator_kind.h"

#define ENVIRONMENT 6

static bool compile_command(struct validator_compile *c, struct val v, struct validator_node *n)
{
	n->limit = VALIDATOR_COMMAND_MS;
	if (!c->options->allow_commands) {
		problem_at(c->problems, SUITE_COMMAND, v, "the suite wants to run a program, which was not allowed");
		return false;
	}
	if (!validator_read_texts(c, v, "argv", true, &n->values, &n->value_count))
		return false;
	for (size_t i = 0; i < n->value_count; i++) {
		if ((i == 0 && n->values[i].n == 0) || memchr(n->values[i].p, '\0', n->values[i].n)) {
			problem_at(c->problems, SUITE_VALUE, val_get(v, STR("argv")), "\"argv\" is no command");
			return false;
		}
	}
	if (val_is_none(val_get(v, STR("timeout_ms"))))
		return true;
	if (!validator_read_count(c, v, "timeout_ms", 1, &n->limit))
		return false;
	if (n->limit > VALIDATOR_COMMAND_MAX) {
		problem_at(c->problems, SUITE_VALUE, val_get(v, STR("timeout_ms")),
			   "\"timeout_ms\" should be at most %d", VALIDATOR_COMMAND_MAX);
		return false;
	}
	return true;
}

/* ---- starting ---- */

/* A descriptor with the bytes to read, or -1. */
static int file_of(struct str bytes)
{
	struct err err = { .kind = ERR_NONE };
	int fd = memfd_create("answer", MFD_CLOEXEC);

	if (fd >= 0 && (!file_write_all(fd, bytes, &err) || lseek(fd, 0, SEEK_SET) != 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Our own words for a few names, NULL-ended. */
static void make_environment(struct arena *a, const char **out)
{
	static const char *const names[] = { "PATH", "HOME", "LANG", "LC_ALL", "TMPDIR" };
	size_t n = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value)
			out[n++] = arena_printf(a, "%s=%s", names[i], value).p;
	}
	out[n] = NULL;
}

static int start(pid_t *pid, const char *const *argv, int input)
{
	posix_spawn_file_actions_t actions;
	const char *env[ENVIRONMENT];
	posix_spawnattr_t attr;
	struct arena a;
	sigset_t none, all;
	int error;

	arena_init(&a);
	make_environment(&a, env);
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	error = posix_spawn_file_actions_adddup2(&actions, input, 0);
	if (!error)
		error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	if (!error)
		error = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
								POSIX_SPAWN_SETSIGDEF);
	if (!error) /* what our threads block or ignore is our affair */
		error = posix_spawnattr_setsigmask(&attr, &none);
	if (!error)
		error = posix_spawnattr_setsigdefault(&attr, &all);
	if (!error) /* what these point to is not written to: the types are older than const */
		error = posix_spawnp(pid, argv[0], &actions, &attr, (char *const *)(uintptr_t)argv,
				     (char *const *)(uintptr_t)env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	arena_free(&a);
	return error;
}

/* ---- waiting ---- */

/* Whether it ended in time. */
static bool wait_for(pid_t pid, int64_t limit_ms)
{
	struct pollfd fd = { .fd = pidfd_open(pid, 0), .events = POLLIN };
	uint64_t end = clock_mono_ns() + (uint64_t)limit_ms * 1000000u, now;
	int got = 0;

	while (fd.fd >= 0 && got <= 0 && (now = clock_mono_ns()) < end) {
		got = poll(&fd, 1, (int)((end - now) / 1000000u) + 1);
		if (got < 0 && errno != EINTR)
			break;
	}
	if (fd.fd >= 0)
		close(fd.fd);
	return got > 0;
}

int validator_run_command(const char *const *argv, struct str input, int64_t limit_ms, const char **why)
{
	int fd = file_of(input), status = 0, error;
	bool in_time;
	pid_t pid;

	*why = "command_error: cannot hold the answer in memory";
	if (fd < 0)
		return -1;
	error = start(&pid, argv, fd);
	close(fd);
	*why = error == ENOENT ? "command_error: no such program" : "command_error: cannot be started";
	if (error)
		return -1;
	in_time = wait_for(pid, limit_ms);
	kill(-pid, SIGKILL); /* also what it left behind */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	*why = in_time ? "command_error: ended by a signal" : "command_timeout";
	return in_time && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void run_command(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	const char **argv = (const char **)arena_alloc_array(r->arena, n->value_count + 1, sizeof(*argv),
							     _Alignof(const char *));
	const char *why;
	int status;

	for (size_t i = 0; i < n->value_count; i++)
		argv[i] = n->values[i].p; /* a copy in an arena is terminated */
	status = validator_run_command(argv, r->raw, n->limit, &why);
	if (status < 0) {
		verdict_set(out, false, str_from(why));
		return;
	}
	verdict_set(out, status == 0, arena_printf(r->arena, "command_failed status=%d", status));
	out->parsed = arena_printf(r->arena, "{\"status\":%d}", status);
}

const struct validator_kind validator_command = {
	"command", { { "argv", true }, { "timeout_ms", false }, { NULL, false } }, compile_command, run_command
};
