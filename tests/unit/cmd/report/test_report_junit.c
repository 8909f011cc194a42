#include "cmd/report/report_junit.h"

#include "harness/test.h"

static struct str escaped(struct str text, bool in_attribute)
{
	static struct buf b;

	buf_clear(&b);
	report_junit_add_text(&b, text, in_attribute);
	return buf_str(&b);
}

TEST(text_is_escaped_for_xml_and_what_it_cannot_hold_is_spelled_out)
{
	static const struct {
		struct str text, body, attribute;
	} cases[] = {
		{ { "a<b>&\"'", 7 }, { "a&lt;b&gt;&amp;&quot;'", 22 }, { "a&lt;b&gt;&amp;&quot;'", 22 } },
		{ { "]]>", 3 }, { "]]&gt;", 6 }, { "]]&gt;", 6 } },
		{ { "a\tb\nc\rd", 7 }, { "a\tb\nc&#13;d", 11 }, { "a&#9;b&#10;c&#13;d", 18 } },
		{ { "\0\x1b[31m", 6 }, { "\\x00\\x1b[31m", 12 }, { "\\x00\\x1b[31m", 12 } },
		{ { "\xff\xc3", 2 }, { "\\xff\\xc3", 8 }, { "\\xff\\xc3", 8 } },
		{ { "\xef\xbf\xbe", 3 }, { "\\xfffe", 6 }, { "\\xfffe", 6 } },
		{ { "\xc2\x85\x7f", 3 }, { "&#133;&#127;", 12 }, { "&#133;&#127;", 12 } },
		{ { "é🙂", 6 }, { "é🙂", 6 }, { "é🙂", 6 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		CHECK_STR(escaped(cases[i].text, false), cases[i].body);
		CHECK_STR(escaped(cases[i].text, true), cases[i].attribute);
	}
}

TEST(each_file_is_a_case_and_a_bad_one_a_failure)
{
	static const char want[] =
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"1\">\n"
		"  <testsuite name=\"trackway validate\" tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"1\">\n"
		"    <testcase classname=\"trackway.validate\" name=\"good.jsonl\">\n"
		"      <properties><property name=\"format\" value=\"agent-trace\"/></properties>\n"
		"    </testcase>\n"
		"    <testcase classname=\"trackway.validate\" name=\"warned.jsonl\">\n"
		"      <properties><property name=\"format\" value=\"agent-trace\"/></properties>\n"
		"      <system-out>warning[W1]: odd\n"
		"  --&gt; warned.jsonl\n"
		"</system-out>\n"
		"    </testcase>\n"
		"    <testcase classname=\"trackway.validate\" name=\"b&lt;d.jsonl\">\n"
		"      <properties><property name=\"format\" value=\"agent-trace\"/></properties>\n"
		"      <failure message=\"\\x1bbad &amp; worse (1 error, 1 warning)\" type=\"E1\">warning[W1]: odd\n"
		"  --&gt; b&lt;d.jsonl\n"
		"error[E1]: \\x1bbad &amp; worse\n"
		"  --&gt; b&lt;d.jsonl\n"
		"</failure>\n"
		"    </testcase>\n"
		"    <testcase classname=\"trackway.validate\" name=\"gone\">\n"
		"      <error message=\"gone: &quot;no&quot;\" type=\"unreadable\"/>\n"
		"    </testcase>\n"
		"    <testcase classname=\"trackway.validate\" name=\"other.json\">\n"
		"      <skipped message=\"of no known format; it looks like a list\"/>\n"
		"    </testcase>\n"
		"  </testsuite>\n"
		"</testsuites>\n";
	struct finding warning = { .code = "W1", .severity = SEV_WARNING, .message = STR("odd") };
	struct finding error = { .code = "E1", .severity = SEV_ERROR, .message = STR("\033bad & worse") };
	struct report r = { .width = 100 };
	struct report_junit j;
	struct findings list;
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	findings_init(&list, &a, 0);
	report_junit_init(&j);
	report_junit_add(&j, &r, STR("good.jsonl"), "agent-trace", &list, false);
	findings_add(&list, &warning);
	report_junit_add(&j, &r, STR("warned.jsonl"), "agent-trace", &list, false);
	findings_add(&list, &error);
	report_junit_add(&j, &r, STR("b<d.jsonl"), "agent-trace", &list, true);
	report_junit_add_error(&j, STR("gone"), STR("gone: \"no\""));
	report_junit_add_skipped(&j, STR("other.json"), "a list", false);
	report_junit_end(&j, &out);
	CHECK_STR(buf_str(&out), str_from(want));
	report_junit_free(&j);
	buf_free(&out);
	arena_free(&a);
}
