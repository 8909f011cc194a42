#include "sink/cell.h"

#include "harness/test.h"

TEST(hostile_texts_do_no_harm_where_they_are_shown)
{
	static const struct {
		struct str text;
		const char *plain, *md, *csv, *xml;
	} cases[] = {
		{ { "a|b", 3 }, "a|b", "a\\|b", "a|b", "a|b" },
		{ { "x\ny\r", 4 }, "x\\x0ay\\x0d", "x\\x0ay\\x0d", "x\\x0ay\\x0d", "x\\x0ay\\x0d" },
		{ { "\033[31m", 5 }, "\\x1b[31m", "\\x1b\\[31m", "\\x1b[31m", "\\x1b[31m" },
		{ { "\0\xff", 2 }, "\\x00\\xff", "\\x00\\xff", "\\x00\\xff", "\\x00\\xff" },
		{ { "\xe2\x80\xae", 3 }, "\\u{202e}", "\\u{202e}", "\\u{202e}", "\\u{202e}" },
		{ { "<b>&\"", 5 }, "<b>&\"", "&lt;b>&amp;\"", "\"<b>&\"\"\"", "&lt;b&gt;&amp;&quot;" },
		{ { "=1+1", 4 }, "=1+1", "=1+1", "'=1+1", "=1+1" },
		{ { "+1", 2 }, "+1", "+1", "'+1", "+1" },
		{ { "-1,2", 4 }, "-1,2", "-1,2", "\"'-1,2\"", "-1,2" },
		{ { "@x", 2 }, "@x", "@x", "'@x", "@x" },
		{ { "\t=x", 3 }, "\\x09=x", "\\x09=x", "'\\x09=x", "\\x09=x" },
		{ { "", 0 }, "", "", "", "" },
		{ { "[l](x) `c` *b* ![i] #", 21 }, "[l](x) `c` *b* ![i] #", "\\[l\\](x) \\`c\\` \\*b\\* \\!\\[i\\] \\#",
		  "[l](x) `c` *b* ![i] #", "[l](x) `c` *b* ![i] #" },
		{ { "\xef\xbf\xbf", 3 }, "\xef\xbf\xbf", "\xef\xbf\xbf", "\xef\xbf\xbf", "\xef\xbf\xbd" },
		{ { "\xe6\x97\xa5", 3 }, "\xe6\x97\xa5", "\xe6\x97\xa5", "\xe6\x97\xa5", "\xe6\x97\xa5" },
	};

	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("case %zu", i);
		CHECK_STR(str_from(cell_text(&a, cases[i].text)), str_from(cases[i].plain));
		CHECK_STR(str_from(cell_md(&a, cases[i].text)), str_from(cases[i].md));
		CHECK_STR(str_from(cell_csv(&a, cases[i].text)), str_from(cases[i].csv));
		CHECK_STR(str_from(cell_xml(&a, cases[i].text)), str_from(cases[i].xml));
	}
	arena_free(&a);
}
