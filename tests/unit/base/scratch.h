/* A directory to work in and files to fill it with. */
#ifndef UNIT_BASE_SCRATCH_H
#define UNIT_BASE_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/test.h"

/* A directory of the test's own, which is also where it works. */
static inline void enter_dir(char path[64])
{
	const char *tmp = getenv("TMPDIR");

	CHECK(snprintf(path, 64, "%s/trackway-base-XXXXXX", tmp ? tmp : "/tmp") < 64);
	CHECK(mkdtemp(path) != NULL);
	CHECK(chdir(path) == 0);
}

static inline void leave_dir(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	CHECK(d != NULL);
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			remove(e->d_name);
	closedir(d);
	CHECK(chdir("/") == 0 && rmdir(path) == 0);
}

static inline size_t count_entries(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	CHECK(d != NULL);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static inline void put(const char *path, struct str bytes)
{
	FILE *f = fopen(path, "wb");

	CHECK(f && fwrite(bytes.p, 1, bytes.n, f) == bytes.n && fclose(f) == 0);
}

static inline void check_content(const char *path, struct str want)
{
	struct str got = test_read(path);

	CHECK_STR(got, want);
}

/* n bytes (up to a million) that do not repeat soon. */
static inline struct str pattern(size_t n)
{
	static char bytes[1000000];

	CHECK(n <= sizeof(bytes));
	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(i * 131 + (i >> 8));
	return str_of(bytes, n);
}

#endif
