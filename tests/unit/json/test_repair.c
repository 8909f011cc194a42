#include "json/repair.h"

#include <string.h>

#include "harness/test.h"

TEST(each_byte_that_belongs_to_no_character_becomes_one_replacement_character)
{
	static const struct {
		const char *text, *repaired;
	} cases[] = {
		{ "", "" },
		{ "plain \xc3\xa9 \xf0\x9f\x98\x80", "plain \xc3\xa9 \xf0\x9f\x98\x80" },
		{ "\xff", "\xef\xbf\xbd" },
		{ "a\x80z", "a\xef\xbf\xbdz" },
		{ "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe2\x82\xc3\xa9", "\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9" },
		{ "\xed\xa0\x80!", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd!" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = str_from(cases[i].text);
		char out[64];

		test_case("%zu", i);
		CHECK(3 * text.n <= sizeof(out));
		CHECK_STR(str_of(out, repair_utf8(out, text)), str_from(cases[i].repaired));
	}
}
