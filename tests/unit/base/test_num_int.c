#include "base/num.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/base/num_check.h"

TEST(unsigned_integers_go_both_ways)
{
	static const struct {
		const char *text;
		uint64_t value;
	} cases[] = {
		{ "0", 0 }, { "9", 9 }, { "10", 10 }, { "99", 99 }, { "100", 100 }, { "9999999", 9999999 },
		{ "10000000", 10000000 }, { "99999999", 99999999 }, { "100000000", 100000000 },
		{ "123456789012", 123456789012 }, { "9999999999999999", 9999999999999999 },
		{ "10000000000000000", 10000000000000000 }, { "10000000000000001", 10000000000000001 },
		{ "9223372036854775807", INT64_MAX },
		{ "9223372036854775808", UINT64_C(9223372036854775808) },
		{ "18446744073709551615", UINT64_MAX },
	};
	const struct str wrong[] = {
		STR(""), STR("-1"), STR("+1"), STR("-0"), STR("00"), STR("01"), STR(" 1"), STR("1 "),
		STR("1.0"), STR("1e3"), STR("0x1"), STR("1\0"), STR("\xb1"), STR("18446744073709551616"),
		STR("18446744073709551620"), STR("99999999999999999999"), STR("100000000000000000000"),
	};
	uint64_t v = 5, state = 3;
	char out[NUM_U64_MAX], libc[32];

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK_STR(str_of(out, num_format_u64(out, cases[i].value)), str_from(cases[i].text));
		CHECK(num_parse_u64(str_from(cases[i].text), &v) && v == cases[i].value);
	}
	for (int i = 0; i < 100000; i++) {
		uint64_t random = random_next(&state) >> i % 64;

		snprintf(libc, sizeof(libc), "%" PRIu64, random);
		CHECK_STR(str_of(out, num_format_u64(out, random)), str_from(libc));
		CHECK(num_parse_u64(str_from(libc), &v) && v == random);
	}
	v = 5;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		test_case("%.*s", STR_ARG(wrong[i]));
		CHECK(!num_parse_u64(wrong[i], &v) && v == 5);
	}
}

TEST(signed_integers_are_read_up_to_their_limits)
{
	static const struct {
		const char *text;
		bool good;
		int64_t value;
	} cases[] = {
		{ "0", true, 0 }, { "-0", true, 0 }, { "17", true, 17 }, { "-17", true, -17 },
		{ "9223372036854775807", true, INT64_MAX }, { "9223372036854775808", false, 0 },
		{ "-9223372036854775808", true, INT64_MIN }, { "-9223372036854775809", false, 0 },
		{ "18446744073709551615", false, 0 }, { "", false, 0 }, { "-", false, 0 },
		{ "--1", false, 0 }, { "+1", false, 0 }, { "-01", false, 0 }, { "01", false, 0 },
		{ "1.0", false, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t v = 5;

		test_case("%s", cases[i].text);
		CHECK_INT(num_parse_i64(str_from(cases[i].text), &v), cases[i].good);
		CHECK_INT(v, cases[i].good ? cases[i].value : 5);
	}
}

TEST(an_integer_is_one_however_it_is_spelled)
{
	static const struct {
		const char *text;
		bool good;
		int64_t value;
	} cases[] = {
		{ "0", true, 0 }, { "-0", true, 0 }, { "0.000", true, 0 },
		{ "0e99999999999999999999", true, 0 }, { "1", true, 1 }, { "1.0", true, 1 },
		{ "1e3", true, 1000 }, { "-1.5e1", true, -15 }, { "1500e-2", true, 15 },
		{ "1.25", false, 0 }, { "15e-2", false, 0 }, { "1e-1", false, 0 }, { "0.1e1", true, 1 },
		{ "1.0000000000000000000000000000000000", true, 1 },
		{ "100000000000000000000000000000e-29", true, 1 },
		{ "1.0000000000000000000000000000000001", false, 0 },
		{ "9007199254740993", true, 9007199254740993 }, { "9223372036854775807", true, INT64_MAX },
		{ "9223372036854775808", false, 0 }, { "-9223372036854775808", true, INT64_MIN },
		{ "-9223372036854775808.0", true, INT64_MIN }, { "-9223372036854775809", false, 0 },
		{ "9.223372036854775807e18", true, INT64_MAX }, { "1e18", true, 1000000000000000000 },
		{ "1e19", false, 0 }, { "1e400", false, 0 }, { "1e-400", false, 0 },
		{ "1e99999999999999999999", false, 0 }, { "1e-99999999999999999999", false, 0 },
		{ "", false, 0 }, { "01", false, 0 }, { "1.", false, 0 }, { "x", false, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t v = 5;

		test_case("%s", cases[i].text);
		CHECK_INT(num_integral(str_from(cases[i].text), &v), cases[i].good);
		CHECK_INT(v, cases[i].good ? cases[i].value : 5);
	}
}

TEST(doubles_are_sorted)
{
	double list[] = { 2, -1, 0, 1e300, -0.5, 2 };

	qsort(list, COUNT(list), sizeof(list[0]), num_cmp_doubles);
	for (size_t i = 1; i < COUNT(list); i++)
		CHECK(list[i - 1] <= list[i]);
}
