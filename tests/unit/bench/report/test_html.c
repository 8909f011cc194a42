#include "bench/report/html.h"

#include <math.h>

#include "harness/test.h"

#define SP "\xE2\x80\xAF"

static void check(const char *got, const char *want)
{
	CHECK_STR(str_from(got), str_from(want));
}

TEST(a_rate_is_all_or_nothing_only_when_it_is)
{
	static const struct {
		uint64_t k, n;
		const char *want;
	} cases[] = {
		{ 0, 0, "\xE2\x80\x93" },
		{ 0, 7, "0" SP "%" },
		{ 7, 7, "100" SP "%" },
		{ 9, 7, "100" SP "%" },
		{ 5, 6, "83.3" SP "%" },
		{ 9999, 10000, "&gt;" SP "99.9" SP "%" },
		{ 1, 10000, "&lt;" SP "0.1" SP "%" },
		{ 9994, 10000, "99.9" SP "%" },
		{ 6, 10000, "0.1" SP "%" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%d of %d", (int)cases[i].k, (int)cases[i].n);
		check(html_rate((struct rate){ .k = cases[i].k, .n = cases[i].n }).text, cases[i].want);
	}
	check(html_interval((struct interval){ .low = 0.712, .high = 0.91 }).text, "71.2\xE2\x80\x93" "91.0" SP "%");
	check(html_interval((struct interval){ .low = NAN, .high = 0.91 }).text, "\xE2\x80\x93");
}
