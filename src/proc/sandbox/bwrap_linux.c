/*
 * The level of bwrap: that program makes the namespaces and the mounts, and starts this program again inside, which
 * opens the one port, starts the command and waits. No file is named to start it: it comes as an open descriptor, so
 * it is nowhere to be seen inside.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "proc/sandbox/linux.h"

#define BWRAP_NOBODY 65534
#define BWRAP_EXECUTABLE 0x10u /* MFD_EXEC */

/* Shown as they are outside; a link stays a link. */
static const char *const bwrap_system[] = { "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
					    "/nix/store", "/etc", "/sys/devices/system/cpu" };

/* ---- its command line, which it reads from a file in memory ---- */

struct bwrap_line {
	struct buf words; /* each ended by NUL */
	struct arena *arena;
};

static void bwrap_add(struct bwrap_line *l, const char *word)
{
	buf_add(&l->words, word, strlen(word) + 1);
}

static void bwrap_add_pair(struct bwrap_line *l, const char *what, struct str from, struct str to)
{
	bwrap_add(l, what);
	bwrap_add(l, arena_copy(l->arena, from).p);
	bwrap_add(l, arena_copy(l->arena, to).p);
}

/* Directories that bwrap would make by itself, it would shut to other users. */
static void bwrap_add_above(struct bwrap_line *l, struct str path)
{
	for (size_t n = 1; n < path.n; n++) {
		if (path.p[n] != '/')
			continue;
		bwrap_add_pair(l, "--perms", STR("0755"), STR("--dir"));
		bwrap_add(l, arena_copy(l->arena, str_of(path.p, n)).p);
	}
}

static void bwrap_add_bind(struct bwrap_line *l, const char *what, struct str from, struct str to)
{
	bwrap_add_above(l, to);
	bwrap_add_pair(l, what, from, to);
}

static void bwrap_add_system(struct bwrap_line *l)
{
	for (size_t i = 0; i < COUNT(bwrap_system); i++) {
		struct str path = str_from(bwrap_system[i]);
		char target[PATH_MAX];
		ssize_t n = readlink(bwrap_system[i], target, sizeof(target));

		if (n > 0 && n < (ssize_t)sizeof(target))
			bwrap_add_pair(l, "--symlink", str_of(target, (size_t)n), path);
		else
			bwrap_add_bind(l, "--ro-bind-try", path, path);
	}
}

/* Something empty lies over what is hidden; where it is not seen anyway, nothing needs to. */
static void bwrap_add_hidden(struct bwrap_line *l, const struct sandbox_options *o, struct str outside)
{
	const char *path = arena_copy(l->arena, outside).p;
	struct str inside = sandbox_place(l->arena, o, outside);
	struct stat st;

	if (!inside.p || lstat(path, &st) != 0)
		return;
	if (!S_ISDIR(st.st_mode)) {
		bwrap_add_pair(l, "--ro-bind", STR("/dev/null"), inside);
		return;
	}
	bwrap_add_pair(l, "--perms", STR("0000"), STR("--tmpfs"));
	bwrap_add(l, arena_copy(l->arena, inside).p);
	bwrap_add(l, "--remount-ro");
	bwrap_add(l, arena_copy(l->arena, inside).p);
}

static void bwrap_add_all(struct bwrap_line *l, const struct sandbox_options *o, int users)
{
	static const char *const fixed[] = { "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
					     "--unshare-cgroup-try", "--die-with-parent", "--as-pid-1" };
	static const char *const mounts[] = { "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp",
					      "--perms", "1777", "--tmpfs", "/dev/shm" };
	/* what the first process needs for its work; the command has none of them */
	static const char *const needed[] = { "CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_KILL" };

	for (size_t i = 0; i < COUNT(fixed); i++)
		bwrap_add(l, fixed[i]);
	if (users >= 0) {
		bwrap_add(l, "--userns");
		bwrap_add(l, arena_printf(l->arena, "%d", users).p);
		for (size_t i = 0; i < COUNT(needed); i++) {
			bwrap_add(l, "--cap-add");
			bwrap_add(l, needed[i]);
		}
	} else {
		bwrap_add(l, "--unshare-user");
	}
	bwrap_add_system(l);
	for (size_t i = 0; i < COUNT(mounts); i++)
		bwrap_add(l, mounts[i]);
	for (size_t i = 0; i < o->path_count; i++) {
		const struct sandbox_path *p = &o->paths[i];

		bwrap_add_bind(l, p->writable ? "--bind" : "--ro-bind", p->outside,
			       p->inside.p ? p->inside : p->outside);
	}
	for (size_t i = 0; i < o->hidden_count; i++)
		bwrap_add_hidden(l, o, o->hidden[i]);
	bwrap_add(l, "--chdir");
	bwrap_add(l, "/");
}

static int bwrap_write_line(struct arena *a, const struct sandbox_options *o, int users, struct err *err)
{
	struct bwrap_line l = { .arena = a };
	int fd = memfd_create("bwrap", 0);

	buf_init(&l.words);
	bwrap_add_all(&l, o, users);
	if (fd < 0 || !file_write_all(fd, buf_str(&l.words), err) || lseek(fd, 0, SEEK_SET) != 0) {
		err_system(err, errno, "cannot make a file in memory");
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	buf_free(&l.words);
	return fd;
}

/* ---- the user namespace of root, in which there are two users ---- */

static bool bwrap_write_map(struct arena *a, pid_t pid, const char *name, unsigned id)
{
	const char *path = arena_printf(a, "/proc/%ld/%s", (long)pid, name).p;
	struct str map = arena_printf(a, "0 0 1\n%u %u 1\n", id, id);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written = fd >= 0 && write(fd, map.p, map.n) == (ssize_t)map.n;

	if (fd >= 0)
		close(fd);
	return written;
}

/*
 * Root inside is root outside for files, without any capability there; the other user is the one that the command
 * becomes. A process is needed for making it, and no longer.
 */
static int bwrap_open_users(struct arena *a, unsigned other, struct err *err)
{
	int ready[2], fd = -1;
	pid_t pid;
	char byte = 0;

	if (pipe2(ready, O_CLOEXEC) != 0)
		return err_system(err, errno, "cannot make a pipe") - 1;
	pid = fork();
	if (pid == 0) {
		byte = unshare(CLONE_NEWUSER) == 0;
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (pid > 0 && read(ready[0], &byte, 1) == 1 && byte && bwrap_write_map(a, pid, "uid_map", other) &&
	    bwrap_write_map(a, pid, "gid_map", other))
		fd = open(arena_printf(a, "/proc/%ld/ns/user", (long)pid).p, O_RDONLY);
	if (fd < 0)
		err_system(err, errno, "this system allows no user namespace");
	close(ready[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return fd;
}

/* ---- starting it ---- */

/*
 * The small program, which starts much faster, from memory; where memory may not be executed, this program. A file that
 * somebody could write cannot be executed, so it is opened again.
 */
static int bwrap_open_program(void)
{
	struct str bytes = sandbox_small_program();
	int written = memfd_create("trackway", MFD_CLOEXEC | BWRAP_EXECUTABLE), fd = -1;
	struct err err;

	if (written < 0 && errno == EINVAL) /* an older kernel, where all may be executed */
		written = memfd_create("trackway", MFD_CLOEXEC);
	if (written >= 0 && fchmod(written, 0500) == 0 && file_write_all(written, bytes, &err)) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/self/fd/%d", written);
		fd = open(path, O_RDONLY);
	}
	if (written >= 0)
		close(written);
	return fd >= 0 ? fd : open("/proc/self/exe", O_RDONLY);
}

static void bwrap_exec(struct arena *a, const struct sandbox_groups *groups, int line, int program, int settings,
		       int channel)
{
	const char *args = arena_printf(a, "%d", line).p;
	const char *self = arena_printf(a, "/proc/self/fd/%d", program).p;
	const char *inside = arena_printf(a, "inside=%d", settings).p;
	const char *const argv[] = { "bwrap", "--args", args, "--", self, "__sandbox", inside, NULL };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!sandbox_groups_enter(groups)) {
		sandbox_word_fail(channel, "enter its group of processes");
		_exit(SANDBOX_FAILED);
	}
	fcntl(channel, F_SETFD, 0);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	sandbox_word_fail(channel, "start bwrap (Debian package bubblewrap)");
	_exit(SANDBOX_FAILED);
}

bool sandbox_start_bwrap(struct arena *a, struct sandbox_inside *in, pid_t *first, struct err *err)
{
	int users = -1, line, settings, program;

	in->is_first = true;
	if (geteuid() == 0) {
		users = bwrap_open_users(a, in->becomes ? in->uid : BWRAP_NOBODY, err);
		if (users < 0)
			return false;
	}
	program = bwrap_open_program();
	if (program < 0)
		return err_system(err, errno, "cannot open this program");
	line = bwrap_write_line(a, in->o, users, err);
	settings = line >= 0 ? sandbox_inside_write(a, in, err) : -1;
	if (settings < 0)
		return false;
	*first = fork();
	if (*first == 0)
		bwrap_exec(a, &in->groups, line, program, settings, in->channel);
	close(line);
	close(settings);
	close(program);
	if (users >= 0)
		close(users);
	return *first > 0 || err_system(err, errno, "cannot start a process");
}

/* ---- trying it ---- */

/* The first line of what it complains about. */
static struct str bwrap_read_complaint(int fd, char *into, size_t room)
{
	struct str rest;
	ssize_t n = read(fd, into, room);

	if (n <= 0)
		return STR("it did not start (Debian package bubblewrap)");
	return str_cut(str_of(into, (size_t)n), '\n', &rest);
}

/* The same namespaces and mounts, with a program of the system inside. */
static bool bwrap_try(struct arena *a, int line, struct err *err)
{
	const char *const argv[] = { "bwrap", "--args", arena_printf(a, "%d", line).p, "--", "true", NULL };
	char text[512];
	int ends[2], status = 0;
	struct str complaint;
	pid_t pid;

	if (line < 0 || pipe2(ends, O_CLOEXEC) != 0)
		return err_system(err, errno, "bwrap cannot be tried");
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], 2);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(SANDBOX_FAILED);
	}
	close(ends[1]);
	complaint = bwrap_read_complaint(ends[0], text, sizeof(text));
	close(ends[0]);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0)
		return true;
	return err_set(err, ERR_IO, "bwrap does not work here: %.*s", STR_ARG(complaint));
}

bool sandbox_try_bwrap(struct err *err)
{
	struct sandbox_options o = { .level = SANDBOX_BWRAP };
	bool root = geteuid() == 0, works;
	struct arena a;
	int users, line;

	arena_init(&a);
	users = root ? bwrap_open_users(&a, BWRAP_NOBODY, err) : -1;
	line = root && users < 0 ? -1 : bwrap_write_line(&a, &o, users, err);
	works = line >= 0 && bwrap_try(&a, line, err);
	if (line >= 0)
		close(line);
	if (users >= 0)
		close(users);
	arena_free(&a);
	return works;
}
