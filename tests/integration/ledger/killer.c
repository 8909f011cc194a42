/*
 * Loaded before a program (LD_PRELOAD): kills it at its KILL_AT-th call that writes, syncs or names something, before the
 * call is made; with KILL_HALF set, a write is made for its first half. KILL_COUNT names a file that gets the number of
 * such calls when the program ends by itself.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned long calls;

/* True when the call is the last one: the caller may do half of it first. */
static int is_last(void)
{
	static unsigned long at;
	const char *text;

	if (at == 0) {
		text = getenv("KILL_AT");
		at = text ? strtoul(text, NULL, 10) : 0;
		if (at == 0)
			at = (unsigned long)-1;
	}
	return __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) == at;
}

static void die(void)
{
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("KILL_COUNT");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (f) {
		fprintf(f, "%lu\n", calls);
		fclose(f);
	}
}

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

#define WRITES(name, offset)                                                         \
	ssize_t name(int fd, const void *p, size_t n, offset at);                    \
	ssize_t name(int fd, const void *p, size_t n, offset at)                     \
	{                                                                            \
		if (is_last()) {                                                     \
			if (getenv("KILL_HALF"))                                     \
				syscall(SYS_pwrite64, fd, p, n / 2, at);             \
			die();                                                       \
		}                                                                    \
		return syscall(SYS_pwrite64, fd, p, n, at);                          \
	}
WRITES(pwrite, off_t)
WRITES(pwrite64, off_t)

ssize_t write(int fd, const void *p, size_t n)
{
	if (fd != 2 && is_last()) {
		if (getenv("KILL_HALF"))
			syscall(SYS_write, fd, p, n / 2);
		die();
	}
	return syscall(SYS_write, fd, p, n);
}

#define CALLS(name, parameters, arguments)                       \
	int name parameters;                                     \
	int name parameters                                      \
	{                                                        \
		int (*next) parameters;                          \
                                                                 \
		*(void **)&next = real(#name);                   \
		if (is_last())                                   \
			die();                                   \
		return next arguments;                           \
	}
CALLS(fsync, (int fd), (fd))
CALLS(fdatasync, (int fd), (fd))
CALLS(syncfs, (int fd), (fd))
CALLS(ftruncate, (int fd, off_t size), (fd, size))
CALLS(ftruncate64, (int fd, off_t size), (fd, size))
CALLS(rename, (const char *from, const char *to), (from, to))
CALLS(renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
CALLS(renameat2, (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags))
CALLS(link, (const char *from, const char *to), (from, to))
CALLS(linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
CALLS(unlink, (const char *path), (path))
CALLS(unlinkat, (int fd, const char *path, int flags), (fd, path, flags))
CALLS(mkdir, (const char *path, mode_t mode), (path, mode))
CALLS(mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode))
