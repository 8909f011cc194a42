/* Whether a level works here: it is tried, since a kernel that has all it takes may still forbid it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/sandbox/filter.h"
#include "proc/sandbox/guard.h"

#define CAN_TRY_MS 10000

/* A process of its own, since it cannot be undone. */
static bool can_filter(struct err *err)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && sandbox_filter_load(true) >= 0 ? 0 : 1);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0)
		return true;
	return err_set(err, ERR_IO, "this system lets no filter of system calls (seccomp) ask about them; use another "
		       "machine, or a container that allows it");
}

/* Whether we may take a socket of a process that we started: else no connection can be made for it. */
static bool can_take(struct err *err)
{
	pid_t pid = fork();
	int process, fd = -1;

	if (pid == 0) {
		pause();
		_exit(0);
	}
	process = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (process >= 0) {
		fd = (int)syscall(SYS_pidfd_getfd, process, 2, 0);
		close(process);
	}
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	if (fd < 0)
		return err_set(err, ERR_IO, "this system does not let a process look into those that it starts "
			       "(pidfd_getfd), which Landlock's level needs; see kernel.yama.ptrace_scope");
	close(fd);
	return true;
}

static bool can_landlock(struct err *err)
{
	static const char *const argv[] = { "true", NULL };
	struct sandbox_options o = { .level = SANDBOX_LANDLOCK, .argv = argv, .timeout_ms = CAN_TRY_MS };
	int version = sandbox_landlock_version(), status = 0;
	struct arena a;
	pid_t pid;

	if (version < SANDBOX_LANDLOCK_LEAST)
		return err_set(err, ERR_IO, "Landlock is %s here; Linux 6.2 or newer has it, where its list of "
			       "security modules (lsm=) names it", version < 1 ? "not there" : "too old");
	if (!can_filter(err) || !can_take(err))
		return false;
	pid = fork();
	if (pid == 0) {
		close_range(0, ~0u, 0);
		open("/dev/null", O_RDWR);
		if (dup(0) != 1 || dup(0) != 2)
			_exit(SANDBOX_FAILED);
		arena_init(&a);
		_exit(sandbox_run_command(&a, &o));
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0)
		return true;
	return err_set(err, ERR_IO, "a command cannot be kept in by Landlock here");
}

bool sandbox_can(enum sandbox_level level, struct err *err)
{
	switch (level) {
	case SANDBOX_NONE:
		return true;
	case SANDBOX_LANDLOCK:
		return can_landlock(err);
	case SANDBOX_BWRAP:
		return can_filter(err) && sandbox_try_bwrap(err);
	case SANDBOX_OCI:
	case SANDBOX_LEVELS:
		break;
	}
	return err_set(err, ERR_IO, "this program starts no container engine; choose bwrap or landlock, or "
		       "start everything in a container yourself");
}

bool sandbox_best(enum sandbox_level *out, struct err *err)
{
	struct err first = { .kind = ERR_NONE }, second = { .kind = ERR_NONE };

	*out = SANDBOX_BWRAP;
	if (sandbox_can(SANDBOX_BWRAP, &first))
		return true;
	*out = SANDBOX_LANDLOCK;
	if (sandbox_can(SANDBOX_LANDLOCK, &second))
		return true;
	return err_set(err, ERR_IO, "no isolation works here. bwrap: %s. landlock: %s", first.text, second.text);
}
