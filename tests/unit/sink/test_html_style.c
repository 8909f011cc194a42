#include "harness/test.h"
#include "sink/html.h"

TEST(a_page_begins_with_a_policy_that_runs_and_fetches_nothing)
{
	static const char *const more[] = { "p { color: red }", NULL };
	struct buf out;

	buf_init(&out);
	html_begin(&out, "a &amp; b", more);
	CHECK(str_starts(buf_str(&out), STR("<!DOCTYPE html>\n")) && str_ends(buf_str(&out), STR("<body>\n")));
	CHECK(str_has(buf_str(&out), STR("content=\"default-src 'none'; style-src 'unsafe-inline';")));
	CHECK(str_has(buf_str(&out), STR("<title>a &amp; b</title>")));
	CHECK(str_has(buf_str(&out), STR("p { color: red }\n</style>")));
	buf_free(&out);
}
