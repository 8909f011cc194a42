#include "source/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

static void look_from(struct source_look *out, const struct stat *st)
{
	*out = (struct source_look){ .dir = S_ISDIR(st->st_mode), .regular = S_ISREG(st->st_mode) };
	out->device = (uint64_t)st->st_dev;
	out->number = (uint64_t)st->st_ino;
	out->mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	if (out->regular)
		out->size = (uint64_t)st->st_size;
}

static int system_look(void *context, const char *path, struct source_look *out)
{
	bool in = str_eq(str_from(path), STR("-"));
	struct stat st;

	(void)context;
	if ((in ? fstat(STDIN_FILENO, &st) : stat(path, &st)) != 0)
		return -errno;
	look_from(out, &st);
	return 0;
}

/* O_NOCTTY, since a path may name a terminal. Standard input is never closed by us. */
static int system_open(void *context, const char *path, struct source_look *out)
{
	bool in = str_eq(str_from(path), STR("-"));
	struct stat st;
	int fd = in ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	(void)context;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0) {
		int why = errno;

		if (!in)
			close(fd);
		return -why;
	}
	look_from(out, &st);
	if (out->regular)
		posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* advice only: a refusal costs nothing */
	return fd;
}

#define LOOK_MS 250 /* at the latest, the caller asks whether it is to stop */

/*
 * A signal that comes just before a read that waits does not interrupt it, and nobody would know of it until the slow
 * writer writes. So nothing waits in the read itself, and never for long.
 */
static ssize_t system_read(void *context, int handle, void *into, size_t n)
{
	int ready = poll(&(struct pollfd){ .fd = handle, .events = POLLIN }, 1, LOOK_MS);
	ssize_t got;

	(void)context;
	if (ready <= 0)
		return ready == 0 ? -EINTR : -errno;
	got = read(handle, into, n);
	if (got >= 0)
		return got;
	if (errno != EAGAIN)
		return -errno;
	return -EINTR; /* somebody left this descriptor non-blocking, and another reader was quicker */
}

static bool system_ready(void *context, int handle)
{
	(void)context;
	return poll(&(struct pollfd){ .fd = handle, .events = POLLIN }, 1, 0) != 0;
}

static void system_close(void *context, int handle)
{
	(void)context;
	close(handle);
}

static ssize_t system_read_at(void *context, int handle, void *into, size_t n, uint64_t offset)
{
	ssize_t got = pread(handle, into, n, (off_t)offset);

	(void)context;
	return got >= 0 ? got : -errno;
}

const struct source_io *source_io_system(void)
{
	static const struct source_io io = {
		.look = system_look,
		.open = system_open,
		.read = system_read,
		.ready = system_ready,
		.close = system_close,
		.read_at = system_read_at,
	};

	return &io;
}
