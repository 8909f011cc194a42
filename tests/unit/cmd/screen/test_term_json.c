/* What could act on a terminal is escaped there, wherever the text is cut, and nowhere else. */
#include "cmd/screen/term_json.h"

#include <unistd.h>

#include "base/buf.h"
#include "harness/test.h"

static const char risky[] = "[\"a\xc2\x9b"
			    "31m\x7f\xe2\x80\xae\xd8\x9c\xe2\x81\xa6 \xc3\xa9 \xf3\xa0\x80\x81 \xf0\x9f\x98\x80 \xc2\xa0\"]\n";

/* What comes out when `text` goes in, in pieces of `step` bytes. */
static struct str shown(struct str text, size_t step, bool is_terminal)
{
	static char out[4096];
	struct term_json t;
	struct err err;
	int ends[2];
	ssize_t n;

	CHECK(pipe(ends) == 0);
	term_json_init(&t, ends[1], is_terminal);
	for (size_t at = 0; at < text.n; at += step)
		CHECK(term_json_put(&t, str_of(text.p + at, text.n - at < step ? text.n - at : step), &err));
	CHECK(term_json_end(&t, &err));
	close(ends[1]);
	n = read(ends[0], out, sizeof(out));
	close(ends[0]);
	CHECK(n >= 0);
	return str_of(out, (size_t)n);
}

TEST(on_a_terminal_they_are_escapes_of_JSON)
{
	for (size_t step = 1; step < sizeof(risky); step++) {
		test_case("pieces of %zu", step);
		CHECK_STR(shown(STR(risky), step, true),
			  STR("[\"a\\u009b31m\\u007f\\u202e\\u061c\\u2066 \xc3\xa9 \\udb40\\udc01 \xf0\x9f\x98\x80 \xc2\xa0\"]\n"));
	}
}

TEST(into_files_and_pipes_bytes_go_as_they_are)
{
	CHECK_STR(shown(STR(risky), 3, false), STR(risky));
}

TEST(what_is_not_UTF_8_cannot_act_either)
{
	CHECK_STR(shown(STR("\x9b"
			    "31m\xc2"),
			1, true),
		  STR("\\ufffd31m\\ufffd"));
}
