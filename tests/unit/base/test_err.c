#include "base/err.h"

#include <errno.h>
#include <string.h>

#include "base/utf8.h"
#include "harness/test.h"

#define MOST (sizeof(((struct err *)0)->text) - 1)

TEST(setting_an_error_gives_false_and_keeps_kind_and_text)
{
	struct err e = { .errnum = 7 };

	CHECK(!err_set(&e, ERR_DATA, "%s: line %d is empty", "plan.toml", 3));
	CHECK_INT(e.kind, ERR_DATA);
	CHECK_INT(e.errnum, 0);
	CHECK_STR(str_from(e.text), STR("plan.toml: line 3 is empty"));
}

TEST(a_system_error_ends_with_the_reason)
{
	struct err e;

	CHECK(!err_system(&e, ENOENT, "cannot open %s", "x"));
	CHECK_INT(e.kind, ERR_IO);
	CHECK_INT(e.errnum, ENOENT);
	CHECK_STR(str_from(e.text), STR("cannot open x: No such file or directory"));
	err_system(&e, 99999, "cannot open x");
	CHECK_STR(str_from(e.text), STR("cannot open x: unknown error 99999"));
}

TEST(context_goes_before_the_text_and_leaves_the_kind)
{
	struct err e;

	err_system(&e, EACCES, "cannot open x");
	CHECK(!err_context(&e, "benchmark plan"));
	CHECK(!err_context(&e, "run"));
	CHECK_STR(str_from(e.text), STR("run: benchmark plan: cannot open x: Permission denied"));
	CHECK_INT(e.kind, ERR_IO);
	CHECK_INT(e.errnum, EACCES);
}

TEST(the_text_may_be_made_from_itself)
{
	struct err e;

	err_set(&e, ERR_DATA, "inner");
	err_set(&e, ERR_LIMIT, "outer (%s)", e.text);
	CHECK_STR(str_from(e.text), STR("outer (inner)"));
	err_context(&e, e.text);
	CHECK_STR(str_from(e.text), STR("outer (inner): outer (inner)"));
}

/* Text of n bytes, the last of them the end of a character of `length` bytes. */
static void fill(char *out, size_t n, const char *character, size_t length)
{
	memset(out, 'a', n);
	memcpy(out + n - length, character, length);
	out[n] = '\0';
}

TEST(long_text_is_cut_at_a_character_boundary)
{
	static const char *const characters[] = { "z", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };
	char text[2 * MOST];
	struct err e;

	for (size_t length = 1; length <= 4; length++) {
		for (size_t n = MOST - 8; n < MOST + 8; n++) {
			size_t want = n <= MOST ? n : n - length < MOST ? n - length : MOST;

			test_case("%zu bytes, the last %zu a character", n, length);
			fill(text, n, characters[length - 1], length);
			err_set(&e, ERR_DATA, "%s", text);
			CHECK_INT(strlen(e.text), want);
			CHECK_INT(utf8_check(str_from(e.text)), want);
			CHECK(memcmp(e.text, text, want) == 0);
		}
	}
}

TEST(the_reason_stays_when_the_text_before_it_is_too_long)
{
	char path[3000];
	struct err e;

	for (size_t n = 900; n < 2900; n += 7) {
		fill(path, n, "\xf0\x9f\x98\x80", 4);
		err_system(&e, ENOSPC, "cannot write %s", path);
		CHECK(str_ends(str_from(e.text), STR(": No space left on device")));
		CHECK_INT(utf8_check(str_from(e.text)), strlen(e.text));
	}
	CHECK_INT(strlen(e.text), MOST);
}

TEST(context_longer_than_the_room_cuts_the_text_then_itself)
{
	char what[3000];
	struct err e;

	for (size_t n = 1; n < 2000; n++) {
		fill(what, n, "z", 1);
		err_set(&e, ERR_DATA, "the text of the error, caf\xc3\xa9");
		err_context(&e, what);
		test_case("%zu", n);
		CHECK(strlen(e.text) <= MOST);
		CHECK(n >= MOST - 2 || e.text[n] == ':');
		CHECK(n < MOST || strlen(e.text) == MOST);
		CHECK_INT(utf8_check(str_from(e.text)), strlen(e.text));
	}
}
