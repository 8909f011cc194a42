/* What a function prints, on both streams. */
#ifndef UNIT_CMD_SAID_H
#define UNIT_CMD_SAID_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/test.h"

struct said {
	char path[2][40];
	int saved[2];
	struct str out, err;
};

/* Catches both streams until caught() is called. */
static inline void catch(struct said *s)
{
	for (int i = 0; i < 2; i++) {
		int fd;

		strcpy(s->path[i], "/tmp/test-said-XXXXXX");
		fd = mkstemp(s->path[i]);
		fflush(i ? stderr : stdout);
		s->saved[i] = dup(i + 1);
		CHECK(fd >= 0 && s->saved[i] >= 0 && dup2(fd, i + 1) >= 0);
		close(fd);
	}
}

static inline void caught(struct said *s)
{
	for (int i = 0; i < 2; i++) {
		fflush(i ? stderr : stdout);
		dup2(s->saved[i], i + 1);
		close(s->saved[i]);
		*(i ? &s->err : &s->out) = test_read(s->path[i]);
		unlink(s->path[i]);
	}
}

#endif
