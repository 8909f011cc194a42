/* Users, capabilities, mounts and the filter, in the process that is about to become the command. */
#include "proc/sandbox/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc/sandbox/filter.h"

#define GUARD_CAPABILITIES 64 /* more than there are */
#define GUARD_READ_ONLY 1     /* MOUNT_ATTR_RDONLY */
#define GUARD_RECURSIVE 0x8000 /* AT_RECURSIVE */

static bool guard_become(const struct sandbox_inside *in)
{
	return !in->becomes || (setgroups(0, NULL) == 0 && setresgid(in->gid, in->gid, in->gid) == 0 &&
				setresuid(in->uid, in->uid, in->uid) == 0);
}

/* The last that may change users or capabilities: none is left, not even to root, and none comes by a program. */
bool sandbox_guard_user(const struct sandbox_inside *in)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { .effective = 0 }, { .effective = 0 } };
	bool strict = in->o->level != SANDBOX_NONE;

	for (unsigned long i = 0; i < GUARD_CAPABILITIES && strict; i++)
		prctl(PR_CAPBSET_DROP, i, 0, 0, 0); /* refused to a user who has none, and needless then */
	if (!guard_become(in))
		return sandbox_word_fail(in->channel, "become another user");
	if (!strict)
		return true;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_capset, &header, none) == 0) ||
	       sandbox_word_fail(in->channel, "give up capabilities");
}

/* The descriptor is handed over before anything is asked on it, and is not the command's. */
bool sandbox_guard_filter(const struct sandbox_inside *in)
{
	struct sandbox_word w = { .kind = SANDBOX_WORD_HANDED, .number = SANDBOX_FILTER };
	int fd = sandbox_filter_load(in->o->level == SANDBOX_LANDLOCK), none;

	if (fd < 0)
		return sandbox_word_fail(in->channel, "load the filter of system calls");
	if (!sandbox_word_send(in->channel, &w, fd) || !sandbox_word_receive(in->channel, &w, &none) ||
	    w.kind != SANDBOX_WORD_GO)
		return false;
	close(fd);
	return true;
}

/* ---- mounts ---- */

static bool guard_hide(const char *path)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return errno == ENOENT || errno == ENOTDIR;
	if (S_ISDIR(st.st_mode))
		return mount("none", path, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0") == 0;
	return mount("/dev/null", path, NULL, MS_BIND, NULL) == 0;
}

/* Of the system call; headers of older C libraries lack it. */
struct guard_mount {
	uint64_t set, clear, propagation, users;
};

static bool guard_change(const char *path, unsigned flags, struct guard_mount change)
{
	return syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &change, sizeof(change)) == 0;
}

/* A mount of its own, so that it can be written while what it lies in cannot. What could not be before, cannot then. */
static bool guard_part(const char *path)
{
	struct statvfs st;

	if (statvfs(path, &st) == 0 && st.f_flag & ST_RDONLY) {
		errno = EROFS;
		return false;
	}
	return mount(path, path, NULL, MS_BIND, NULL) == 0;
}

static bool guard_open(const char *path)
{
	return guard_change(path, 0, (struct guard_mount){ .clear = GUARD_READ_ONLY });
}

static bool guard_each_writable(const struct sandbox_options *o, bool (*each)(const char *path))
{
	struct arena a;
	bool good = true;

	arena_init(&a);
	for (size_t i = 0; i < o->path_count && good; i++)
		good = !o->paths[i].writable || each(arena_copy(&a, o->paths[i].outside).p);
	arena_free(&a);
	return good;
}

/*
 * Landlock guards what is in files, not their rights, times and attributes: those of a file of its own user the command
 * could change by its name alone. It cannot where all mounts but what it may write are read-only.
 */
static bool guard_shut(const struct sandbox_options *o)
{
	return guard_each_writable(o, guard_part) &&
	       guard_change("/", GUARD_RECURSIVE, (struct guard_mount){ .set = GUARD_READ_ONLY }) &&
	       guard_each_writable(o, guard_open);
}

bool sandbox_guard_mounts(struct sandbox_inside *in)
{
	const struct sandbox_options *o = in->o;
	struct arena a;
	bool good = true;

	if (o->level != SANDBOX_NONE && o->level != SANDBOX_LANDLOCK)
		return true; /* bwrap has done all this */
	if (in->own_mounts && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
		return sandbox_word_fail(in->channel, "make mounts of its own");
	/* a container may forbid it; then /proc goes on showing those outside, and Landlock keeps them shut */
	if (in->own_mounts)
		mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	if (o->level == SANDBOX_NONE)
		return true;
	if (in->own_mounts && !guard_shut(o))
		return sandbox_word_fail(in->channel, "make all that it may not write read-only");
	in->own_shm = in->own_mounts &&
		      mount("none", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=1777") == 0;
	arena_init(&a);
	errno = EPERM;
	for (size_t i = 0; i < o->hidden_count && good; i++)
		good = in->own_mounts && guard_hide(arena_copy(&a, o->hidden[i]).p);
	arena_free(&a);
	return good || sandbox_word_fail(in->channel, "hide a path (that takes a mount namespace, or bwrap)");
}
