#include "net/http/date.h"

#include "harness/test.h"

#define NOW 1763305200 /* 2025-11-16T15:00:00Z */

TEST(all_three_forms_of_a_date_are_the_same_second)
{
	static const char *const forms[] = {
		"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
	};
	int64_t at;

	for (size_t i = 0; i < 3; i++) {
		test_case("%s", forms[i]);
		CHECK(http_parse_date(str_from(forms[i]), NOW, &at));
		CHECK_INT(at, 784111777);
	}
	CHECK(http_parse_date(STR("Thu, 01 Jan 1970 00:00:00 GMT"), NOW, &at));
	CHECK_INT(at, 0);
	CHECK(http_parse_date(STR("Sun Nov 16 08:49:37 2025"), NOW, &at));
	CHECK_INT(at, 1763282977);
	CHECK(http_parse_date(STR("Sat, 31 Dec 2016 23:59:60 GMT"), NOW, &at)); /* a leap second */
	CHECK_INT(at, 1483228800);
}

TEST(a_year_of_two_digits_is_at_most_fifty_years_ahead)
{
	int64_t at;

	CHECK(http_parse_date(STR("Monday, 01-Jan-75 00:00:00 GMT"), NOW, &at));
	CHECK_INT(at, 3313526400); /* 2075 */
	CHECK(http_parse_date(STR("Monday, 01-Jan-76 00:00:00 GMT"), NOW, &at));
	CHECK_INT(at, 189302400); /* 1976 */
}

TEST(what_is_no_date_is_refused)
{
	static const char *const bad[] = {
		"", "Sun", "Sun,", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 31 Feb 1994 08:49:37 GMT",
		"Sun, 06 Nov 1994 24:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
		"Sun, 06 nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sunday, 06 Nov 1994", "1994-11-06T08:49:37Z", ",",
		"Sun, 06 Nov 1994 08:49:37 UTC",
	};
	int64_t at;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		test_case("%s", bad[i]);
		CHECK(!http_parse_date(str_from(bad[i]), NOW, &at));
	}
}

static int64_t wait_of(const char *name, const char *value)
{
	struct http_header h = { str_from(name), str_from(value) };
	struct http_head head = { .headers = &h, .count = 1 };

	return http_wait_ms(&head, (int64_t)NOW * 1000000000);
}

TEST(the_wait_is_told_in_many_ways_and_is_never_negative_or_longer_than_an_hour)
{
	static const struct {
		const char *name, *value;
		long long ms;
	} cases[] = {
		{ "Retry-After", "0", 0 },
		{ "retry-after", "5", 5000 },
		{ "RETRY-AFTER", " 1.5 ", 1500 },
		{ "Retry-After", "0.0001", 1 },
		{ "Retry-After", "3600", 3600000 },
		{ "Retry-After", "86400", 3600000 },
		{ "Retry-After", "99999999999999999999999999999999999999999999", 3600000 },
		{ "Retry-After", "-5", -1 },
		{ "Retry-After", "soon", -1 },
		{ "Retry-After", "", -1 },
		{ "Retry-After", ".5", -1 },
		{ "Retry-After", "Sun, 16 Nov 2025 15:00:10 GMT", 10000 },
		{ "Retry-After", "Sunday, 16-Nov-25 15:00:10 GMT", 10000 },
		{ "Retry-After", "Sun Nov 16 15:00:10 2025", 10000 },
		{ "Retry-After", "Sun, 16 Nov 2025 14:00:00 GMT", 0 },
		{ "Retry-After", "Sun, 16 Nov 2036 14:00:00 GMT", 3600000 },
		{ "retry-after-ms", "250", 250 },
		{ "x-ratelimit-reset-requests", "6m0s", 360000 },
		{ "x-ratelimit-reset-tokens", "250ms", 250 },
		{ "x-ratelimit-reset-tokens", "1h1m1.5s", 3600000 },
		{ "x-ratelimit-reset-tokens", "6x", -1 },
		{ "x-ratelimit-reset-tokens", "6", -1 },
		{ "x-ratelimit-reset", "12", 12000 },
		{ "x-ratelimit-reset", "1763305207", 7000 },
		{ "x-ratelimit-reset", "1763305207000", 7000 },
		{ "x-ratelimit-reset", "1763305000", 0 },
		{ "X-Other", "7", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s: %s", cases[i].name, cases[i].value);
		CHECK_INT(wait_of(cases[i].name, cases[i].value), cases[i].ms);
	}
}

TEST(what_is_said_in_milliseconds_counts_before_seconds_and_the_longer_limit_before_the_shorter)
{
	struct http_header h[] = {
		{ STR("Retry-After"), STR("3") }, { STR("Retry-After-Ms"), STR("2500") },
		{ STR("x-ratelimit-reset-requests"), STR("1s") }, { STR("x-ratelimit-reset-tokens"), STR("2s") },
	};
	struct http_head head = { .headers = h, .count = 4 };

	CHECK_INT(http_wait_ms(&head, 0), 2500);
	head = (struct http_head){ .headers = h + 2, .count = 2 };
	CHECK_INT(http_wait_ms(&head, 0), 2000);
}
