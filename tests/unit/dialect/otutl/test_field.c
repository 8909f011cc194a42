#include "dialect/otutl/field.h"

#include "harness/test.h"

TEST(members_with_a_meaning_are_known_by_name)
{
	static const struct {
		const char *name;
		enum otutl_member member;
	} cases[] = {
		{ "type", OTUTL_M_TYPE },
		{ "ts", OTUTL_M_TS },
		{ "run_id", OTUTL_M_RUN_ID },
		{ "seq", OTUTL_M_SEQ },
		{ "call_id", OTUTL_M_CALL_ID },
		{ "parent_call_id", OTUTL_M_PARENT },
		{ "call_ids", OTUTL_M_CALL_IDS },
		{ "tool", OTUTL_M_TOOL },
		{ "args", OTUTL_M_ARGS },
		{ "result", OTUTL_M_RESULT },
		{ "chunks", OTUTL_M_CHUNKS },
		{ "ext", OTUTL_M_EXT },
		{ "duration_ms", OTUTL_M_DURATION },
		{ "latency_ms", OTUTL_M_LATENCY },
		{ "usage", OTUTL_M_VARYING },
		{ "cost", OTUTL_M_VARYING },
		{ "ttft_ms", OTUTL_M_TTFT },
		{ "totals", OTUTL_M_VARYING },
		{ "", OTUTL_M_OTHER },
		{ "Type", OTUTL_M_OTHER },
		{ "step_id", OTUTL_M_VARYING },
		{ "a_name_that_is_longer_than_any_of_ours", OTUTL_M_OTHER },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].name);
		CHECK_INT(otutl_member_of(str_from(cases[i].name)), cases[i].member);
	}
}

TEST(the_seven_types_are_known_and_no_others)
{
	for (int i = OTUTL_OTHER + 1; i < OTUTL_TYPES; i++)
		CHECK_INT(otutl_type_of(otutl_type_name((enum otutl_type)i)), i);
	CHECK_INT(OTUTL_TYPES - 1, 7);
	CHECK_INT(otutl_type_of(STR("")), OTUTL_OTHER);
	CHECK_INT(otutl_type_of(STR("run_starts")), OTUTL_OTHER);
	CHECK_INT(otutl_type_name(OTUTL_OTHER).n, 0);
}

TEST(times_need_milliseconds_an_offset_and_a_real_date)
{
	static const struct {
		const char *text;
		bool ok, odd;
	} cases[] = {
		{ "2026-05-01T12:00:00.000Z", true, false },
		{ "2026-05-01T12:00:00.123456789+05:30", true, false },
		{ "2024-02-29T00:00:00.000-23:59", true, false },
		{ "2026-05-01t12:00:00.000Z", true, true },
		{ "2026-05-01T12:00:00.000z", true, true },
		{ "2026-05-01T12:00:00.000-00:00", true, true },
		{ "2026-05-01T12:00:00.0001112223Z", true, true },
		{ "2016-12-31T23:59:60.000Z", true, true },
		{ "2017-01-01T01:29:60.000+01:30", true, true },
		{ "2016-12-31T22:59:60.000Z", false, false },
		{ "2026-02-29T00:00:00.000Z", false, false },
		{ "2026-05-01 12:00:00.000Z", false, false },
		{ "2026-05-01T12:00:00.00Z", false, false },
		{ "2026-05-01T12:00:00Z", false, false },
		{ "2026-05-01T12:00:00.000", false, false },
		{ "2026-05-01T24:00:00.000Z", false, false },
		{ "2026-05-01T12:60:00.000Z", false, false },
		{ "2026-13-01T12:00:00.000Z", false, false },
		{ "2026-05-01T12:00:00.000Z ", false, false },
		{ "", false, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *odd = NULL, *why = NULL;
		struct stamp stamp;

		test_case("%s", cases[i].text);
		CHECK_INT(otutl_check_ts(str_from(cases[i].text), &stamp, &odd, &why), cases[i].ok);
		CHECK_INT(why == NULL, cases[i].ok);
		CHECK_INT(odd != NULL, cases[i].odd);
	}
}

TEST(a_run_id_is_a_uuid_of_version_7_in_lower_case)
{
	static const struct {
		const char *text;
		bool ok;
	} cases[] = {
		{ "0197c3a4-5b6c-7d8e-9f01-23456789abcd", true },
		{ "0197c3a4-5b6c-7d8e-8f01-23456789abcd", true },
		{ "0197c3a4-5b6c-7d8e-bf01-23456789abcd", true },
		{ "0197c3a4-5b6c-7d8e-cf01-23456789abcd", false },
		{ "0197c3a4-5b6c-7d8e-7f01-23456789abcd", false },
		{ "0197c3a4-5b6c-4d8e-9f01-23456789abcd", false },
		{ "0197C3A4-5B6C-7D8E-9F01-23456789ABCD", false },
		{ "0197c3a4-5b6c-7d8e-9f01-23456789abcD", false },
		{ "0197c3a45b6c7d8e9f0123456789abcd", false },
		{ "{0197c3a4-5b6c-7d8e-9f01-23456789abcd}", false },
		{ "", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *why = NULL;
		struct id id;

		test_case("%s", cases[i].text);
		CHECK_INT(otutl_check_run_id(str_from(cases[i].text), &id, &why), cases[i].ok);
		CHECK(cases[i].ok || why);
	}
}

TEST(a_tool_is_a_uri_with_a_scheme)
{
	static const struct {
		const char *text;
		bool ok, secret;
	} cases[] = {
		{ "mcp://search.example/web_search", true, false },
		{ "urn:tool:shell:bash", true, false },
		{ "tool:", true, false },
		{ "a+b-c.1:x", true, false },
		{ "http://h:80/a;b=c/%7euser?q=a/b?c#f?g", true, false },
		{ "http://[2001:db8::1]:8080/x", true, false },
		{ "http://[::1]", true, false },
		{ "file:///etc/x", true, false },
		{ "https://me@example.org/", true, false },
		{ "https://me:secret@example.org/", true, true },
		{ "https://me:@example.org/", true, true },
		{ "https://example.org/a:b@c", true, false },
		{ "bash", false, false },
		{ "", false, false },
		{ ":x", false, false },
		{ "1a:x", false, false },
		{ "a b:x", false, false },
		{ "a:b c", false, false },
		{ "a:b%2", false, false },
		{ "a:b%zz", false, false },
		{ "a:<b>", false, false },
		{ "a:caf\xc3\xa9", false, false },
		{ "a:b#c#d", false, false },
		{ "a:[b]", false, false },
		{ "http://[::1", false, false },
		{ "http://h:port/", false, false },
		{ "http://a@b@c/", false, false },
		{ "http://h[1]/", false, false },
		{ "a:\\b", false, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *why = NULL;
		bool secret;

		test_case("%s", cases[i].text);
		CHECK_INT(otutl_check_tool(str_from(cases[i].text), &secret, &why), cases[i].ok);
		if (cases[i].ok)
			CHECK_INT(secret, cases[i].secret);
		else
			CHECK(why != NULL);
	}
	/* NUL is a byte like any other, and not one of a URI */
	bool secret;
	const char *why;

	CHECK(!otutl_check_tool(str_of("a:b\0c", 5), &secret, &why));
	CHECK(!otutl_check_tool(str_of("a\0:b", 4), &secret, &why));
}

TEST(noncharacters_are_found_wherever_they_stand)
{
	static const char *const found[] = {
		"\xef\xbf\xbe",     /* U+FFFE */
		"\xef\xbf\xbf",     /* U+FFFF */
		"\xef\xb7\x90",     /* U+FDD0 */
		"\xef\xb7\xaf",     /* U+FDEF */
		"\xf0\x9f\xbf\xbe", /* U+1FFFE */
		"\xf4\x8f\xbf\xbf", /* U+10FFFF */
	};
	static const char *const passed[] = {
		"\xef\xbf\xbd",     /* U+FFFD */
		"\xef\xb7\x8f",     /* U+FDCF */
		"\xef\xb7\xb0",     /* U+FDF0 */
		"\xf0\x9f\x98\x80", /* an emoji */
		"\xc2\xbf",         /* U+00BF */
		"\xe3\xbf\xbf",     /* U+3FFF */
		"\xe3\xbf\xbe",     /* U+3FFE */
		"\xf0\x9f\x8f\xbf", /* U+1F3FF */
	};
	char text[80];

	for (size_t at = 0; at < 70; at++) {
		for (size_t fill = 0; fill < 2; fill++) {
			for (size_t i = 0; i < COUNT(found); i++) {
				size_t n = strlen(found[i]);

				test_case("found %zu at %zu", i, at);
				memset(text, 'x', sizeof(text));
				for (size_t k = 0; fill && k + 2 <= at; k += 2)
					memcpy(text + k, "\xc3\xbf", 2);
				memcpy(text + at, found[i], n);
				CHECK_INT(otutl_find_nonchar(str_of(text, sizeof(text))), at);
				CHECK_INT(otutl_find_nonchar(str_of(text, at + n)), at);
				CHECK_INT(otutl_find_nonchar(str_of(text, at)), at);
			}
			for (size_t i = 0; i < COUNT(passed); i++) {
				test_case("passed %zu at %zu", i, at);
				memset(text, 'x', sizeof(text));
				memcpy(text + at, passed[i], strlen(passed[i]));
				CHECK_INT(otutl_find_nonchar(str_of(text, sizeof(text))), sizeof(text));
			}
		}
	}
}

TEST(digits_are_lost_when_the_shortest_form_has_others)
{
	static const struct {
		const char *text, *canonical;
		bool lost;
	} cases[] = {
		{ "1", "1", false },
		{ "1.0", "1", false },
		{ "100", "100", false },
		{ "1e2", "100", false },
		{ "0.00100", "0.001", false },
		{ "-0.0", "0", false },
		{ "12300000000000000000000", "1.23e+22", false },
		{ "333333333.33333329", "333333333.3333333", true },
		{ "0.1000000000000000055", "0.1", true },
		{ "0.30000000000000004", "0.30000000000000004", false },
		{ "295147905179352825856", "295147905179352830000", true },
		{ "1.00000000000000000001e5", "100000", true },
		{ "99999999999999999.9", "100000000000000000", true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(otutl_loses_digits(str_from(cases[i].text), str_from(cases[i].canonical)), cases[i].lost);
	}
}
