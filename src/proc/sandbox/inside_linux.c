/*
 * The first process inside, and its one child that becomes the command. The first one stays what it was: nobody inside
 * can read or change its memory, and where it is the first of its PID namespace nobody there can end it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/sandbox/guard.h"

/* ---- becoming the command ---- */

static bool inside_set_limit(int what, uint64_t value)
{
	struct rlimit limit = { .rlim_cur = value, .rlim_max = value };

	return !value || setrlimit((__rlimit_resource_t)what, &limit) == 0;
}

/* Some are a single process's in any case: a group of processes has no such limit. */
static bool inside_set_limits(const struct sandbox_inside *in)
{
	const struct sandbox_limits *l = &in->o->limits;
	bool set = inside_set_limit(RLIMIT_FSIZE, l->file_bytes) && inside_set_limit(RLIMIT_CPU, l->cpu_seconds);

	if (in->by_rlimit)
		set = set && inside_set_limit(RLIMIT_AS, l->memory_bytes) &&
		      inside_set_limit(RLIMIT_NPROC, l->processes);
	return set || sandbox_word_fail(in->channel, "set the limits");
}

/* Its own streams, the one that it answers on as 3, and nothing else once it runs. */
static bool inside_set_descriptors(const struct sandbox_inside *in)
{
	int keep = in->o->keep;

	if (keep && keep != 3 && dup2(keep, 3) < 0)
		return sandbox_word_fail(in->channel, "hand over the descriptor for the answer");
	if (close_range(keep ? 4 : 3, ~0u, CLOSE_RANGE_CLOEXEC) != 0 ||
	    (keep == 3 && fcntl(3, F_SETFD, 0) != 0))
		return sandbox_word_fail(in->channel, "close descriptors");
	return true;
}

static void inside_reset_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The user first, so that rights are asked as the command will have them; the filter last, since it sees all of it. */
static bool inside_keep_in(const struct sandbox_inside *in)
{
	enum sandbox_level level = in->o->level;

	if (!sandbox_guard_user(in))
		return false;
	if (in->o->dir.p && chdir(in->o->dir.p) != 0)
		return sandbox_word_fail(in->channel, "enter the command's directory");
	if (level == SANDBOX_LANDLOCK && !sandbox_landlock_restrict(in))
		return false;
	return level == SANDBOX_NONE || sandbox_guard_filter(in);
}

/* In a session of its own: a signal to its group does not reach ours, and it has no terminal to type into. */
static void inside_become_command(const struct sandbox_inside *in)
{
	struct sandbox_word absent = { .kind = SANDBOX_WORD_ABSENT };
	char *const *argv = (char *const *)(uintptr_t)in->o->argv;

	setsid();
	inside_reset_signals();
	if (!inside_set_descriptors(in) || !inside_set_limits(in) || !inside_keep_in(in))
		return;
	execvp(argv[0], argv);
	absent.number = errno;
	sandbox_word_send(in->channel, &absent, -1);
}

/* ---- the first process ---- */

/* Ends all who are left in this namespace; how many they were. Those who had ended already do not count. */
static uint64_t inside_end_all(void)
{
	uint64_t count = 0;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		count++;
	return count;
}

void sandbox_inside_run(struct sandbox_inside *in)
{
	struct sandbox_word ended = { .kind = SANDBOX_WORD_ENDED };
	pid_t command, pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	if (!sandbox_guard_mounts(in))
		_exit(SANDBOX_FAILED);
	command = fork();
	if (command == 0) {
		inside_become_command(in);
		_exit(SANDBOX_FAILED);
	}
	if (command < 0) {
		sandbox_word_fail(in->channel, "start a process");
		_exit(SANDBOX_FAILED);
	}
	close_range(0, 2, 0); /* who reads what the command writes waits for its end, not for ours */
	do {
		pid = waitpid(-1, &ended.number, 0);
	} while (pid != command && (pid > 0 || errno == EINTR));
	if (in->is_first)
		ended.left = inside_end_all();
	sandbox_word_send(in->channel, &ended, -1);
	_exit(0);
}
