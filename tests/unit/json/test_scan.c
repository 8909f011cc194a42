#include "harness/test.h"

#include <stdio.h>
#include <string.h>

#include "json/scan.h"

TEST(the_best_variant_is_in_use_and_any_that_runs_here_can_be_chosen)
{
	const struct scan_variant *const *v = scan_variants();

	CHECK_STR(str_from(json_variant()), str_from(v[0]->name));
	CHECK(scan_chosen() == v[0]);
	for (; *v; v++) {
		printf("  %s runs here\n", (*v)->name);
		CHECK(json_use_variant(str_from((*v)->name)));
		CHECK_STR(str_from(json_variant()), str_from((*v)->name));
	}
	CHECK(!json_use_variant(STR("abacus")));
}

TEST(escapes_are_checked_and_told_apart)
{
	static const struct { const char *raw; bool ok; uint8_t flags; } cases[] = {
		{ "\\n", true, JSON_ESCAPED },
		{ "\\\\", true, JSON_ESCAPED },
		{ "\\/", true, JSON_ESCAPED | JSON_REWRITE },
		{ "\\u0041", true, JSON_ESCAPED | JSON_REWRITE },
		{ "\\ud83d\\ude00", true, JSON_ESCAPED | JSON_REWRITE },
		{ "\\ud83d", false, 0 },
		{ "\\ude00", false, 0 },
		{ "\\ud83d\\n", false, 0 },
		{ "\\x41", false, 0 },
		{ "\\u00g0", false, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t places[8], n = 0;
		const uint32_t *at = places;
		uint8_t text[32] = { 0 }, flags = 0;

		test_case("%s", cases[i].raw);
		memcpy(text, cases[i].raw, strlen(cases[i].raw));
		for (uint32_t k = 0; text[k]; k++)
			if (text[k] == '\\')
				places[n++] = k++;
		places[n] = UINT32_MAX;
		CHECK_INT(scan_escapes(text, &at, 32, &flags), cases[i].ok);
		CHECK_INT(flags, cases[i].flags);
		if (cases[i].ok)
			CHECK(*at == UINT32_MAX);
	}
}

TEST(long_numbers_follow_the_same_grammar)
{
	static const struct { const char *tail; bool ok; } cases[] = {
		{ "", true }, { ".5", true }, { "e5", true }, { ".5E+5", true }, { "e-5", true },
		{ ".", false }, { "e", false }, { "e+", false }, { ".e5", false }, { "x", false }, { ".5.5", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[80];
		uint8_t flags;

		test_case("%s", cases[i].tail);
		snprintf(text, sizeof(text), "-1234567890123456789012345678901234567890%s", cases[i].tail);
		CHECK_INT(scan_long_number((const uint8_t *)text, strlen(text), &flags), cases[i].ok);
		text[1] = '0';
		CHECK(!scan_long_number((const uint8_t *)text, strlen(text), &flags));
	}
}
