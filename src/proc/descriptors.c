/* Raises the soft limit of open files to the hard one. */
#include "proc/descriptors.h"

#include <sys/resource.h>

void descriptors_allow_many(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}
