/*
 * The memory of a program and all that it started, in sum. A cgroup would say it, but a user may rarely make one (the
 * memory of a service's own group can be parted only where no process is in it); so the processes of the machine are
 * looked through for those that descend from it or are in its process group. What no process has mapped is not in the
 * sum: files in memory, pipes, what was swapped out.
 */
#ifndef BENCH_VALIDATE_SANDBOX_MEMORY_H
#define BENCH_VALIDATE_SANDBOX_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

/* How much all programs of validators that run at once may have: half of the machine's memory, 8 GiB at most. */
uint64_t sandbox_memory_all(void);

/* The share of one of them: they run on the threads of libuv's pool. */
uint64_t sandbox_memory_share(void);

/* Bytes that are resident; pages that several processes share count for each. 0 when it is gone or nothing tells. */
uint64_t sandbox_memory_of(pid_t root);

#endif
