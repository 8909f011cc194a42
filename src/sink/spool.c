#include "sink/spool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

void spool_init(struct spool *s)
{
	*s = (struct spool){ .fd = -1 };
	buf_init(&s->memory);
}

void spool_free(struct spool *s)
{
	buf_free(&s->memory);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static const char *directory(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

static bool open_file(struct spool *s, struct err *err)
{
	char name[4096];
	int n;

	s->fd = open(directory(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (s->fd >= 0)
		return true;
	/* Not every file system has unnamed files. */
	n = snprintf(name, sizeof(name), "%s/trackway-XXXXXX", directory());
	if (n > 0 && (size_t)n < sizeof(name))
		s->fd = mkostemp(name, O_CLOEXEC);
	if (s->fd < 0)
		return err_system(err, errno, "cannot make a temporary file in %s (set TMPDIR to another directory)",
				  directory());
	unlink(name);
	return true;
}

static bool write_file(struct spool *s, struct str bytes, struct err *err)
{
	char what[4200];

	if (file_write_all(s->fd, bytes, err))
		return true;
	snprintf(what, sizeof(what), "temporary file in %.4000s (set TMPDIR to another directory)", directory());
	return err_context(err, what);
}

bool spool_add(struct spool *s, struct str bytes, struct err *err)
{
	s->bytes += bytes.n;
	if (bytes.n)
		s->last = bytes.p[bytes.n - 1];
	if (s->memory.n + bytes.n <= SPOOL_MEMORY) {
		buf_add_str(&s->memory, bytes);
		return true;
	}
	if (s->fd < 0 && !open_file(s, err))
		return false;
	if (!write_file(s, buf_str(&s->memory), err) || !write_file(s, bytes, err))
		return false;
	buf_clear(&s->memory);
	return true;
}

static bool to_file(void *context, struct str bytes, struct err *err)
{
	return file_write_all(*(const int *)context, bytes, err);
}

static bool copy_file(struct spool *s, bool (*put)(void *context, struct str bytes, struct err *err), void *context,
		      struct err *err)
{
	if (lseek(s->fd, 0, SEEK_SET) != 0)
		return err_system(err, errno, "cannot read the temporary file in %s", directory());
	for (;;) {
		ssize_t got;

		buf_clear(&s->memory);
		got = read(s->fd, buf_reserve(&s->memory, (size_t)1 << 20), (size_t)1 << 20);
		if (got == 0)
			return true;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_system(err, errno, "cannot read the temporary file in %s", directory());
		if (!put(context, str_of(s->memory.p, (size_t)got), err))
			return false;
	}
}

bool spool_pass(struct spool *s, bool (*put)(void *context, struct str bytes, struct err *err), void *context,
		struct err *err)
{
	assert(s->fd >= 0 || s->bytes == s->memory.n); /* nothing is anywhere else */
	if (s->fd < 0)
		return put(context, buf_str(&s->memory), err);
	return write_file(s, buf_str(&s->memory), err) && copy_file(s, put, context, err);
}

bool spool_release(struct spool *s, int fd, struct err *err)
{
	return spool_pass(s, to_file, &fd, err);
}
