/*
 * The groups of processes (cgroups) that bear the limits of a sandbox. Version 2 where it has the controllers and may
 * be written, else version 1; where neither can be had the limits are those of single processes. Linux only.
 */
#ifndef PROC_SANDBOX_GROUPS_H
#define PROC_SANDBOX_GROUPS_H

#include "proc/sandbox/private.h"

enum sandbox_group { SANDBOX_GROUP_V2, SANDBOX_GROUP_MEMORY, SANDBOX_GROUP_PIDS, SANDBOX_GROUPS };

struct sandbox_groups {
	const char *dir[SANDBOX_GROUPS]; /* NULL: there is none */
	struct str by;                   /* cgroup2, cgroup1 or rlimit; empty: no limit was asked for */
};

/*
 * Makes the groups; their texts live in the arena. One of version 2 is made without limits, too, where it may: all that
 * is in it can be ended at once. `own` is the number of our processes in it, beside those of the command.
 */
void sandbox_groups_open(struct arena *a, const struct sandbox_limits *l, unsigned own, struct sandbox_groups *out);

/* The calling process and those that it starts are in them from now on. False with errno. */
bool sandbox_groups_enter(const struct sandbox_groups *g);

/* Whether more processor time was used than this; false where nothing counts it. */
bool sandbox_groups_used(const struct sandbox_groups *g, unsigned cpu_seconds);

/* Ends all that are in them. */
void sandbox_groups_kill(const struct sandbox_groups *g);

/* Counts what ran into a limit. */
void sandbox_groups_count(const struct sandbox_groups *g, struct sandbox_tally *t);

/* Removes them, empty as they must be. */
void sandbox_groups_close(const struct sandbox_groups *g);

#endif
