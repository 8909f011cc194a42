#include "dialect/reading/seconds.h"

#include "harness/test.h"

static bool parse(const char *text, int64_t *out)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct val v;
	bool is;

	CHECK(json_parse_copy(p, str_from(text), &v, NULL));
	is = seconds_ns(v, out);
	json_parser_close(p);
	return is;
}

TEST(seconds_are_exact_to_the_nanosecond)
{
	static const struct {
		const char *text;
		long long ns;
	} cases[] = {
		{ "0", 0 },
		{ "-0", 0 },
		{ "1", 1000000000 },
		{ "1730000000.123456", 1730000000123456000 },
		{ "1730000000.123456789", 1730000000123456789 },
		{ "1730000000.1234567899999", 1730000000123456789 },
		{ "-1.5", -1500000000 },
		{ "0.000000001", 1 },
		{ "1e3", 1000000000000 },
		{ "15e-1", 1500000000 },
		{ "9000000000.999999999", 9000000000999999999 },
		{ "1777550404.167452", 1777550404167452000 },
		{ "9999999999.999999", INT64_MAX },
		{ "0.5", 500000000 },
		{ "0.026012", 26012000 },
		{ "9.12345678", 9123456780 },
		{ "9.123456789", 9123456789 },
		{ "1.5e1", 15000000000 },
		{ "1.25e-1", 125000000 },
		{ "12345678.5", 12345678500000000 },
		{ "123456789012.5", INT64_MAX },
		{ "1e10", INT64_MAX },
		{ "-1e300", INT64_MIN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns = -7;

		test_case("%s", cases[i].text);
		CHECK(parse(cases[i].text, &ns));
		CHECK_INT(ns, cases[i].ns);
	}
}

TEST(what_has_no_nanoseconds_is_refused)
{
	static const char *const cases[] = { "1e400", "\"1\"", "null", "true", "[]" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns;

		test_case("%s", cases[i]);
		CHECK(!parse(cases[i], &ns));
	}
}

TEST(times_agree_within_a_millisecond_or_a_thousandth)
{
	CHECK(seconds_agree(0, 0.001));
	CHECK(!seconds_agree(0, 0.0011));
	CHECK(seconds_agree(1000, 1001));
	CHECK(!seconds_agree(1000, 1001.1));
	CHECK(seconds_agree(-0.0005, 0.0005));
}

TEST(seconds_are_compared_by_what_they_are)
{
	static const struct {
		const char *a, *b;
		bool less;
	} cases[] = {
		{ "1.5", "1.6", true },     { "1.6", "1.5", false },  { "1.5", "1.50", false }, { "9.5", "10.5", true },
		{ "-1", "1", true },        { "1e1", "9.99", false }, { "1", "1e400", false },
		{ "1730000001000", "1730000002000", true },  { "null", "1", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json_parser *p = json_parser_open((struct json_options){ 0 });
		struct json_parser *q = json_parser_open((struct json_options){ 0 });
		struct val a, b;

		test_case("%s %s", cases[i].a, cases[i].b);
		CHECK(json_parse_copy(p, str_from(cases[i].a), &a, NULL));
		CHECK(json_parse_copy(q, str_from(cases[i].b), &b, NULL));
		CHECK_INT(seconds_less(a, b), cases[i].less);
		json_parser_close(p);
		json_parser_close(q);
	}
}

TEST(microseconds_reach_times_in_milliseconds)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	int64_t us;
	struct val v;

	CHECK(json_parse_copy(p, STR("1730000001000"), &v, NULL) && seconds_us(v, &us));
	CHECK_INT(us, 1730000001000000000);
	CHECK(json_parse_copy(p, STR("1.0000019"), &v, NULL) && seconds_us(v, &us));
	CHECK_INT(us, 1000001);
	CHECK(json_parse_copy(p, STR("null"), &v, NULL) && !seconds_us(v, &us));
	json_parser_close(p);
}

TEST(the_last_digit_counts_as_it_is_written)
{
	static const struct {
		const char *text;
		double unit;
	} cases[] = {
		{ "0", 1 },         { "45", 1 },       { "0.4", 0.1 },     { "0.45", 0.01 }, { "0.450", 0.001 },
		{ "45e-2", 0.01 },  { "4.5E-1", 0.01 }, { "-0.5", 0.1 },    { "1e2", 100 },   { "1.50e+1", 0.1 },
		{ "1e-99999999999", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double got = seconds_last_digit(str_from(cases[i].text));

		test_case("%s", cases[i].text);
		CHECK(got >= cases[i].unit * 0.999999 && got <= cases[i].unit * 1.000001);
	}
}
