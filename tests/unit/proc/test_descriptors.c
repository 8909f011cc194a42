#include "proc/descriptors.h"

#include <sys/resource.h>

#include "harness/test.h"

TEST(a_low_limit_is_raised_as_far_as_allowed)
{
	struct rlimit limit, after;

	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = 64;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	descriptors_allow_many();
	CHECK(getrlimit(RLIMIT_NOFILE, &after) == 0 && after.rlim_cur == limit.rlim_max);
}
