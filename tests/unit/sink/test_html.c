#include "sink/html.h"

#include <math.h>

#include "harness/test.h"

#define SP "\xE2\x80\xAF"

static void check(const char *got, const char *want)
{
	CHECK_STR(str_from(got), str_from(want));
}

TEST(markup_in_a_text_is_text)
{
	struct arena a;

	arena_init(&a);
	check(html_text(&a, STR("<a href=\"x\" id='y'>&amp;</a>"), SIZE_MAX), "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;");
	check(html_text(&a, STR(""), SIZE_MAX), "");
	check(html_text(&a, str_of(NULL, 0), SIZE_MAX), "");
	arena_free(&a);
}

TEST(what_is_not_seen_is_shown_by_its_number)
{
	const struct {
		struct str text;
		const char *want;
	} cases[] = {
		{ STR("a\0b"), "a[U+0000]b" },
		{ STR("\x1B[31m\x07\x7F"), "[U+001B][31m[U+0007][U+007F]" },
		{ STR("\xE2\x80\xAEgpj\xE2\x81\xA6"), "[U+202E]gpj[U+2066]" },
		{ STR("\xE2\x80\x8B\xEF\xBB\xBF\xD8\x9C"), "[U+200B][U+FEFF][U+061C]" },
		{ STR("\xF3\xA0\x81\x89"), "[U+E0049]" },
		{ STR("\xC2\x85"), "[U+0085]" },
		{ STR("one\r\ntwo\tthree\rfour"), "one\ntwo\tthree[U+000D]four" },
		{ STR("\xEF\xBF\xBE\xF0\x9F\xBF\xBF"), "\xEF\xBF\xBD\xEF\xBF\xBD" },
		{ STR("\xFF\xC3("), "\xEF\xBF\xBD\xEF\xBF\xBD(" },
		{ STR("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD" },
		/* joiners stay: a family is one emoji */
		{ STR("\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7 \xC3\xA9"), "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7 \xC3\xA9" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		check(html_text(&a, cases[i].text, SIZE_MAX), cases[i].want);
	}
	arena_free(&a);
}

TEST(a_long_text_is_cut_between_characters)
{
	struct arena a;

	arena_init(&a);
	check(html_text(&a, STR("\xC3\xA9\xC3\xA9\xC3\xA9"), 2), "\xC3\xA9\xC3\xA9\xE2\x80\xA6");
	check(html_text(&a, STR("\xC3\xA9\xC3\xA9"), 2), "\xC3\xA9\xC3\xA9");
	check(html_text(&a, STR("<<<"), 1), "&lt;\xE2\x80\xA6");
	check(html_text(&a, STR("abc"), 0), "\xE2\x80\xA6");
	arena_free(&a);
}

TEST(times_have_the_unit_that_people_read)
{
	static const struct {
		double ms;
		const char *want;
	} cases[] = {
		{ 0, "0" SP "ms" },
		{ 0.25, "0.2" SP "ms" },
		{ 5, "5" SP "ms" },
		{ 9.96, "10" SP "ms" },
		{ 999.4, "999" SP "ms" },
		{ 999.6, "1.00" SP "s" },
		{ 9994, "9.99" SP "s" },
		{ 9996, "10.0" SP "s" },
		{ 59949, "59.9" SP "s" },
		{ 59960, "1" SP "min" SP "00" SP "s" },
		{ 125000, "2" SP "min" SP "05" SP "s" },
		{ 3599600, "1" SP "h" SP "00" SP "min" },
		{ 3720000, "1" SP "h" SP "02" SP "min" },
		{ 1e300, "&gt;" SP "30" SP "000 years" },
		{ -1, "\xE2\x80\x93" },
		{ NAN, "\xE2\x80\x93" },
		{ INFINITY, "\xE2\x80\x93" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%g", cases[i].ms);
		check(html_ms(cases[i].ms).text, cases[i].want);
	}
}

TEST(money_is_nothing_only_when_it_is_nothing)
{
	static const struct {
		double usd;
		const char *want;
	} cases[] = {
		{ 0, "$0" },
		{ 1e-12, "&lt;" SP "$0.00000001" },
		{ 0.0000123, "$0.000012" },
		{ 0.0042, "$0.0042" },
		{ 0.0123, "$0.012" },
		{ 1.056, "$1.06" },
		{ 12345.6, "$12346" },
		{ -1, "\xE2\x80\x93" },
		{ NAN, "\xE2\x80\x93" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%g", cases[i].usd);
		check(html_usd(cases[i].usd).text, cases[i].want);
	}
}

TEST(counts_and_bytes_are_grouped_and_scaled)
{
	check(html_count(0).text, "0");
	check(html_count(999).text, "999");
	check(html_count(1234567).text, "1" SP "234" SP "567");
	check(html_count(UINT64_MAX).text, "18" SP "446" SP "744" SP "073" SP "709" SP "551" SP "615");
	check(html_bytes(1023).text, "1023" SP "B");
	check(html_bytes(1536).text, "1.5" SP "KiB");
	check(html_bytes(INT64_MAX).text, "8.0" SP "EiB");
	check(html_bytes(-1).text, "\xE2\x80\x93");
}
