/* A system that has no thread left, for a while. */
#ifndef UNIT_FLOW_NOTHREADS_H
#define UNIT_FLOW_NOTHREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/test.h"

static inline void *nothreads_try(void *argument)
{
	return argument;
}

/* From here on no thread can be started; skips the test where that cannot be had. */
static inline void nothreads_begin(void)
{
	struct rlimit limit;
	pthread_t thread;

	/* The superuser has no limit, so become somebody else, and stay open to the leak checker. */
	if ((geteuid() == 0 && setuid(65534) != 0) || prctl(PR_SET_DUMPABLE, 1) != 0)
		SKIP("cannot give up the rights of the superuser");
	getrlimit(RLIMIT_NPROC, &limit);
	limit.rlim_cur = 1;
	if (setrlimit(RLIMIT_NPROC, &limit) != 0)
		SKIP("cannot forbid threads");
	if (pthread_create(&thread, NULL, nothreads_try, NULL) == 0) {
		pthread_join(thread, NULL);
		SKIP("this system ignores the limit on threads");
	}
}

static inline void nothreads_end(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NPROC, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NPROC, &limit);
}

#endif
