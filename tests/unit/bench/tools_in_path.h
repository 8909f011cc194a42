/* Tools of a test's own: scripts in a directory that is the whole PATH. They call programs by their whole paths. */
#ifndef UNIT_BENCH_TOOLS_IN_PATH_H
#define UNIT_BENCH_TOOLS_IN_PATH_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "harness/test.h"

struct tool_script {
	const char *name, *text; /* what the shell does */
};

/* Makes the directory; every test has a process of its own, so PATH need not be put back. */
static inline void tools_only(const struct tool_script *tools, size_t count)
{
	static char dir[] = "/tmp/trackway-tools-XXXXXX";
	char path[300];

	CHECK(mkdtemp(dir) != NULL);
	for (size_t i = 0; i < count; i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", dir, tools[i].name);
		f = fopen(path, "w");
		CHECK(f != NULL);
		fprintf(f, "#!/bin/sh\n%s\n", tools[i].text);
		CHECK(fclose(f) == 0 && chmod(path, 0755) == 0);
	}
	setenv("PATH", dir, 1);
}

/* Removes what tools_only made. */
static inline void tools_remove(const struct tool_script *tools, size_t count)
{
	char path[300];

	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", getenv("PATH"), tools[i].name);
		CHECK(remove(path) == 0);
	}
	CHECK(remove(getenv("PATH")) == 0);
}

#endif
