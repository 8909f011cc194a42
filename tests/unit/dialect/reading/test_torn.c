#include "dialect/reading/torn.h"

#include "harness/test.h"

TEST(a_line_is_torn_when_it_breaks_off_inside_a_value)
{
	static const struct {
		const char *text;
		bool torn;
	} cases[] = {
		{ "{", true },
		{ "{\"a\":1", true },
		{ "{\"a\":\"b", true },
		{ "{\"a\":\"}\\\"", true },
		{ "[[]", true },
		{ "", false },
		{ "{}", false },
		{ "{}}", false },
		{ "nonsense", false },
		{ "{\"a\":\"}", true },
		{ "{\"a\":\"\\\\\"}", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(torn_is(str_from(cases[i].text)), cases[i].torn);
	}
}
