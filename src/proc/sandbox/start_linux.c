/*
 * The first process of a sandbox, started by ourselves: with what namespaces are allowed. bwrap makes those of its
 * level (bwrap_linux.c), and starts this program again inside.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/sandbox/guard.h"
#include "proc/user_ids.h"

/* The kernel's clone, which knows namespaces; else as fork. */
static pid_t start_clone(unsigned long namespaces)
{
	return (pid_t)syscall(SYS_clone, namespaces | SIGCHLD, 0L, 0L, 0L, 0L);
}

/* Some systems make a user namespace and then allow nothing in it: only trying tells. */
static bool start_can(unsigned long namespaces, uid_t uid, gid_t gid)
{
	pid_t pid = start_clone(namespaces);
	int status = 0;

	if (pid == 0)
		_exit(user_ids_keep(uid, gid) && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0 ? 0 : 1);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/*
 * A PID namespace: whoever is in it cannot leave it, sees nobody outside, and ends with its first process. To a user
 * without privileges it comes with a user namespace, which is no part of level none.
 */
static bool start_here(struct sandbox_inside *in, pid_t *first, struct err *err)
{
	unsigned long namespaces = CLONE_NEWPID | CLONE_NEWNS;
	bool strict = in->o->level == SANDBOX_LANDLOCK, maps = geteuid() != 0;
	uid_t uid = geteuid();
	gid_t gid = getegid();

	namespaces |= strict ? CLONE_NEWIPC | CLONE_NEWUTS : 0;
	namespaces |= strict && maps ? CLONE_NEWUSER : 0;
	in->is_first = in->own_mounts = true;
	*first = maps && (!strict || !start_can(namespaces, uid, gid)) ? -1 : start_clone(namespaces);
	if (*first < 0) {
		in->is_first = in->own_mounts = maps = false;
		if (strict && sandbox_landlock_version() < SANDBOX_LANDLOCK_SIGNALS)
			return err_set(err, ERR_IO, "this system allows no namespaces, and its Landlock does not keep "
				       "signals in; allow user namespaces, or use Linux 6.12 or newer");
		*first = start_clone(0);
	}
	if (*first == 0) {
		if (maps && !user_ids_keep(uid, gid)) {
			sandbox_word_fail(in->channel, "map its user");
			_exit(SANDBOX_FAILED);
		}
		if (!sandbox_groups_enter(&in->groups)) {
			sandbox_word_fail(in->channel, "enter its group of processes");
			_exit(SANDBOX_FAILED);
		}
		sandbox_inside_run(in);
	}
	return *first > 0 || err_system(err, errno, "cannot start a process");
}

bool sandbox_start(struct arena *a, struct sandbox_inside *in, pid_t *first, struct err *err)
{
	switch (in->o->level) {
	case SANDBOX_NONE:
	case SANDBOX_LANDLOCK:
		return start_here(in, first, err);
	case SANDBOX_BWRAP:
		return sandbox_start_bwrap(a, in, first, err);
	case SANDBOX_OCI:
	case SANDBOX_LEVELS:
		break;
	}
	return err_set(err, ERR_IO, "a container engine is not used yet");
}
