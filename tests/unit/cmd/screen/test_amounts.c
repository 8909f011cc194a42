#include "cmd/screen/amounts.h"

#include <stdlib.h>
#include <time.h>

#include "harness/test.h"

TEST(counts_have_three_digits)
{
	static const struct {
		uint64_t n;
		const char *want, *raw;
	} cases[] = {
		{ 0, "0", "0" },	     { 999, "999", "999" },	     { 1000, "1.00k", "1000" },	  { 1981, "1.98k", "1981" },
		{ 9994, "9.99k", "9994" },   { 9996, "10.0k", "9996" },	     { 12400, "12.4k", "12400" }, { 999499, "999k", "999499" },
		{ 999500, "1.00M", "999500" }, { 3200000, "3.20M", "3200000" }, { UINT64_MAX, "18.4E", "18446744073709551615" },
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < COUNT(cases); i++) {
		buf_clear(&b);
		amounts_add_count(&b, cases[i].n, false);
		CHECK_STR(buf_str(&b), str_from(cases[i].want));
		buf_clear(&b);
		amounts_add_count(&b, cases[i].n, true);
		CHECK_STR(buf_str(&b), str_from(cases[i].raw));
	}
	buf_free(&b);
}

TEST(times_have_a_unit)
{
	static const struct {
		int64_t us;
		const char *want;
	} cases[] = {
		{ 0, "0 s" },		  { 1, "0.00 ms" },	    { 830, "0.83 ms" },	      { 9994, "9.99 ms" },
		{ 42000, "42.0 ms" },	  { 157000, "157 ms" },	    { 999499, "999 ms" },     { 999500, "1.00 s" },
		{ 5600000, "5.60 s" },	  { 72400000, "72.4 s" },   { 312000000, "312 s" },   { 599400000, "599 s" },
		{ 599500000, "10 min 0 s" }, { 725000000, "12 min 5 s" }, { 7380000000, "2 h 3 min" }, { 360000000000, "100 h 0 min" },
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < COUNT(cases); i++) {
		buf_clear(&b);
		amounts_add_time(&b, cases[i].us, false);
		CHECK_STR(buf_str(&b), str_from(cases[i].want));
	}
	buf_clear(&b);
	amounts_add_time(&b, 5600125, true);
	CHECK_STR(buf_str(&b), STR("5.600125 s"));
	buf_free(&b);
}

TEST(shares_are_never_rounded_to_nothing)
{
	static const struct {
		double part, whole;
		const char *want;
	} cases[] = {
		{ 0, 1, "0 %" }, { 1, 0, "0 %" }, { 0, 0, "0 %" }, { -1, 1, "0 %" }, { 1, 100000, "<0.1 %" },
		{ 0.964, 1, "96.4 %" }, { 1, 1, "100 %" }, { 1.5, 1, "150 %" }, { 9996, 10000, "100 %" },
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < COUNT(cases); i++) {
		buf_clear(&b);
		amounts_add_share(&b, cases[i].part, cases[i].whole);
		CHECK_STR(buf_str(&b), str_from(cases[i].want));
	}
	buf_free(&b);
}

TEST(dollars_things_and_moments)
{
	struct buf b;

	buf_init(&b);
	amounts_add_dollars(&b, 0.0123, false);
	buf_add_byte(&b, ' ');
	amounts_add_dollars(&b, 12.4, false);
	buf_add_byte(&b, ' ');
	amounts_add_dollars(&b, 0.000012, false);
	buf_add_byte(&b, ' ');
	amounts_add_dollars(&b, 0.5, true);
	CHECK_STR(buf_str(&b), STR("$0.0123 $12.40 $0.000012 $0.500000000"));
	buf_clear(&b);
	amounts_add_things(&b, 1, "tool call");
	amounts_add_things(&b, 2, "tool call");
	amounts_add_things(&b, 0, "entry");
	amounts_add_things(&b, 2, "branch");
	CHECK_STR(buf_str(&b), STR("1 tool call2 tool calls0 entries2 branches"));
	buf_clear(&b);
	setenv("TZ", "UTC-2", 1); /* two hours ahead */
	tzset();
	amounts_add_moment(&b, INT64_C(1778076192300000));
	amounts_add_moment(&b, -1);
	CHECK_STR(buf_str(&b), STR("2026-05-06 16:03:121970-01-01 01:59:59"));
	buf_clear(&b);
	amounts_add_moment(&b, INT64_MAX); /* the year 294247 */
	CHECK(b.n > 0);
	buf_free(&b);
}
