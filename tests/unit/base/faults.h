/*
 * Functions that stand in for the C library's of the same names in a test program that includes this.
 * The call that brings `until_fault` to zero fails with `fault`; every write is cut to
 * `most_per_write` bytes.
 */
#ifndef UNIT_BASE_FAULTS_H
#define UNIT_BASE_FAULTS_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int until_fault, fault;
static size_t most_per_write = SIZE_MAX;

static bool fails_now(void)
{
	if (until_fault == 0 || --until_fault > 0)
		return false;
	errno = fault;
	return true;
}

int openat(int dir, const char *path, int flags, ...);
int openat(int dir, const char *path, int flags, ...)
{
	va_list args;
	unsigned mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, unsigned) : 0;
	va_end(args);
	return fails_now() ? -1 : (int)syscall(SYS_openat, dir, path, flags, mode);
}

ssize_t read(int fd, void *p, size_t n)
{
	return fails_now() ? -1 : syscall(SYS_read, fd, p, n);
}

ssize_t write(int fd, const void *p, size_t n)
{
	return fails_now() ? -1 : syscall(SYS_write, fd, p, n < most_per_write ? n : most_per_write);
}

int fsync(int fd)
{
	return fails_now() ? -1 : (int)syscall(SYS_fsync, fd);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return fails_now() ? -1 : (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, 0);
}

#endif
