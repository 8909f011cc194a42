#include "json/unit.h"

#include "harness/test.h"

TEST(a_code_unit_is_found_only_where_a_whole_escape_stands)
{
	static const struct {
		const char *text;
		size_t at;
		uint32_t unit;
	} cases[] = {
		{ "\\u0041", 0, 0x41 },
		{ "x\\uFfFfx", 1, 0xffff },
		{ "\\u004", 0, UNIT_NONE },
		{ "\\u004g", 0, UNIT_NONE },
		{ "\\n0041", 0, UNIT_NONE },
		{ "xu0041", 0, UNIT_NONE },
		{ "\\u0041", 1, UNIT_NONE },
		{ "\\u0041", 6, UNIT_NONE },
		{ "", 0, UNIT_NONE },
		{ "ab", 12, UNIT_NONE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu: %s", i, cases[i].text);
		CHECK_INT(unit_find(str_from(cases[i].text), cases[i].at), cases[i].unit);
	}
}

TEST(two_escapes_are_a_pair_when_high_comes_before_low)
{
	static const struct {
		const char *text;
		bool pair;
	} cases[] = {
		{ "\\ud800\\udc00", true },
		{ "\\udbff\\udfff", true },
		{ "\\ud7ff\\udc00", false },
		{ "\\udc00\\ud800", false },
		{ "\\ud800\\udbff", false },
		{ "\\ud800\\ue000", false },
		{ "\\ud800\\udc0", false },
		{ "\\ud800x\\udc00", false },
		{ "\\ud800", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(unit_is_pair(str_from(cases[i].text), 0), cases[i].pair);
	}
	CHECK(unit_is_high(0xd800) && unit_is_high(0xdbff) && !unit_is_high(0xdc00) && !unit_is_high(UNIT_NONE));
	CHECK(unit_is_low(0xdc00) && unit_is_low(0xdfff) && !unit_is_low(0xdbff) && !unit_is_low(UNIT_NONE));
}
