#include "unit/base/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
ssize_t __real_read(int fd, void *p, size_t n);
ssize_t __wrap_read(int fd, void *p, size_t n);
ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_renameat(int from_dir, const char *from, int to_dir, const char *to);
int __wrap_renameat(int from_dir, const char *from, int to_dir, const char *to);

int until_fault, fault;
size_t most_per_write = SIZE_MAX;
const char *fake_root;

static bool faults_now(void)
{
	if (until_fault == 0 || --until_fault > 0)
		return false;
	errno = fault;
	return true;
}

int __wrap_openat(int dir, const char *path, int flags, ...)
{
	char faked[300];
	va_list args;
	unsigned mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, unsigned) : 0;
	va_end(args);
	if (fake_root && path[0] == '/') {
		snprintf(faked, sizeof(faked), "%s%s", fake_root, path);
		path = faked;
	}
	return faults_now() ? -1 : __real_openat(dir, path, flags, mode);
}

ssize_t __wrap_read(int fd, void *p, size_t n)
{
	return faults_now() ? -1 : __real_read(fd, p, n);
}

ssize_t __wrap_write(int fd, const void *p, size_t n)
{
	return faults_now() ? -1 : __real_write(fd, p, n < most_per_write ? n : most_per_write);
}

int __wrap_fsync(int fd)
{
	return faults_now() ? -1 : __real_fsync(fd);
}

int __wrap_renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return faults_now() ? -1 : __real_renameat(from_dir, from, to_dir, to);
}
