/*
 * The programs that are seen by shims in front of them: shells, and what the tools of agents run. A table and not all
 * of PATH, since a shim costs time, and a program that looks for itself in PATH must be known. What a shim tells of a
 * program is its name in here, so no name can say more than this.
 */
#ifndef CAPTURE_SHELL_NAMES_H
#define CAPTURE_SHELL_NAMES_H

#include <stdbool.h>

struct shell_name {
	const char *name; /* NULL: the end */
	bool is_shell;
	bool seeks_itself; /* finds its files beside the path that PATH has for its name: it is given its whole path */
};

extern const struct shell_name shell_names[];

/* The row of this name, or NULL. */
const struct shell_name *shell_name_find(const char *name);

#endif
