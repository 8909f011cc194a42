/* What the command's own process does to itself before it becomes the command. Linux only. */
#ifndef PROC_SANDBOX_GUARD_H
#define PROC_SANDBOX_GUARD_H

#include "proc/sandbox/linux.h"

#define SANDBOX_LANDLOCK_LEAST 3 /* the first version that sees files cut to nothing */
#define SANDBOX_LANDLOCK_SIGNALS 6 /* the first that keeps signals in */

/* The version that the kernel has; below 1: none. */
int sandbox_landlock_version(void);

/* Each of these is for good. False when it cannot be done; the channel is told. */
bool sandbox_landlock_restrict(const struct sandbox_inside *in);
bool sandbox_guard_user(const struct sandbox_inside *in);
bool sandbox_guard_filter(const struct sandbox_inside *in);

/* In a mount namespace of its own: /proc, /dev/shm, and something empty over each hidden path. */
bool sandbox_guard_mounts(struct sandbox_inside *in);

#endif
