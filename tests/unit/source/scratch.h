/* A directory of its own for a test that needs real files. The test changes into it, and removes it at the end. */
#ifndef UNIT_SOURCE_SCRATCH_H
#define UNIT_SOURCE_SCRATCH_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "harness/test.h"

struct scratch {
	char path[64];
};

static inline struct scratch scratch_enter(void)
{
	struct scratch s = { "/tmp/trackway-test-XXXXXX" };

	CHECK(mkdtemp(s.path) && chdir(s.path) == 0);
	return s;
}

static inline int scratch_remove(const char *path, const struct stat *st, int kind, struct FTW *level)
{
	(void)st;
	(void)kind;
	(void)level;
	return remove(path);
}

static inline void scratch_leave(struct scratch *s)
{
	CHECK(chdir("/") == 0);
	CHECK_INT(nftw(s->path, scratch_remove, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static inline void scratch_write(const char *path, struct str bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	CHECK(fd >= 0);
	CHECK_INT(write(fd, bytes.p, bytes.n), bytes.n);
	close(fd);
}

/* The superuser may read everything, so tests of refusals become somebody else. False when that is not possible. */
static inline bool scratch_drop_rights(struct scratch *s)
{
	return geteuid() != 0 || (chmod(s->path, 0777) == 0 && seteuid(65534) == 0);
}

#endif
