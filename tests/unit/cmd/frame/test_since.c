#include "cmd/frame/since.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "harness/test.h"

TEST(a_moment_a_day_and_so_long_ago_are_times)
{
	struct err err = { .kind = ERR_NONE };
	int64_t us = 0, now = (int64_t)(clock_wall_ns() / 1000);

	CHECK(since_parse(STR("1970-01-02T00:00:00Z"), &us, &err));
	CHECK_INT(us, 86400000000);
	CHECK(since_parse(STR("1970-01-02T01:00:00+01:00"), &us, &err));
	CHECK_INT(us, 86400000000);
	setenv("TZ", "UTC", 1);
	tzset();
	CHECK(since_parse(STR("1970-01-03"), &us, &err));
	CHECK_INT(us, 172800000000);
	CHECK(since_parse(STR("2h"), &us, &err));
	CHECK(llabs(now - 7200000000 - us) < 60000000);
}

TEST(other_words_are_no_times)
{
	static const struct str words[] = { { "", 0 }, { "yesterday", 9 }, { "2026-13-01", 10 }, { "7", 1 }, { "7y", 2 },
					    { "-1d", 3 } };

	for (size_t i = 0; i < COUNT(words); i++) {
		struct err err = { .kind = ERR_NONE };
		int64_t us;

		test_case("%.*s", STR_ARG(words[i]));
		CHECK(!since_parse(words[i], &us, &err));
		CHECK_INT(err.kind, ERR_USAGE);
	}
}
