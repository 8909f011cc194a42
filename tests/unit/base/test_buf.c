#include "base/buf.h"

#include "harness/test.h"
#include "unit/base/child.h"

TEST(what_is_added_is_there_in_order)
{
	struct buf b;

	buf_init(&b);
	CHECK_STR(buf_str(&b), STR(""));
	buf_add_str(&b, STR("one "));
	buf_add(&b, "two\0", 4);
	buf_add_byte(&b, '!');
	buf_add(&b, NULL, 0);
	buf_add_str(&b, str_of(NULL, 0));
	buf_printf(&b, " %d %s", 3, "four");
	CHECK_STR(buf_str(&b), STR("one two\0! 3 four"));
	buf_clear(&b);
	CHECK_STR(buf_str(&b), STR(""));
	buf_add_byte(&b, 'x');
	CHECK_STR(buf_str(&b), STR("x"));
	buf_free(&b);
	CHECK(!b.p && b.n == 0 && b.cap == 0);
	buf_free(&b);
}

TEST(bytes_survive_growth_byte_by_byte)
{
	struct buf b;
	size_t moves = 0, cap = 0;

	buf_init(&b);
	for (size_t i = 0; i < 1000000; i++) {
		buf_add_byte(&b, (char)(i * 31));
		moves += b.cap != cap;
		cap = b.cap;
	}
	CHECK_INT(b.n, 1000000);
	for (size_t i = 0; i < b.n; i++)
		CHECK(b.p[i] == (char)(i * 31));
	CHECK(moves < 20);
	buf_free(&b);
}

TEST(reserved_room_is_writable_and_not_counted)
{
	struct buf b;

	buf_init(&b);
	buf_reserve(&b, 0);
	for (size_t n = 1; n < 5000; n++) {
		memset(buf_reserve(&b, n), 'r', n);
		CHECK_INT(b.n, 0);
		CHECK(b.cap >= n);
	}
	buf_add_byte(&b, '1');
	memset(buf_reserve(&b, 100000), 'r', 100000);
	CHECK_STR(buf_str(&b), STR("1"));
	buf_free(&b);
}

TEST(formatted_text_fits_whatever_room_is_left)
{
	struct buf b;

	buf_init(&b);
	for (int n = 1; n < 700; n++) {
		size_t before = b.n;

		test_case("%d", n);
		buf_printf(&b, "%0*d", n, 5);
		CHECK_INT(b.n, before + (size_t)n);
		CHECK(b.p[b.n - 1] == '5' && (n == 1 || b.p[b.n - 2] == '0'));
	}
	buf_free(&b);
}

TEST(formatted_text_that_fills_the_room_exactly_is_whole)
{
	for (int over = -2; over <= 2; over++) {
		struct buf b;
		int n;

		buf_init(&b);
		buf_add_byte(&b, '1');
		n = (int)(b.cap - b.n) + over;
		buf_printf(&b, "%0*d", n, 5);
		test_case("%d over the room", over);
		CHECK_INT(b.n, n + 1);
		CHECK(b.p[b.n - 1] == '5' && b.n < b.cap);
		buf_free(&b);
	}
}

static void add_too_much(void)
{
	struct buf b;

	buf_init(&b);
	buf_add_byte(&b, 'x');
	buf_reserve(&b, SIZE_MAX - 1);
}

static void wrap_around(void)
{
	struct buf b;

	buf_init(&b);
	buf_add_byte(&b, 'x');
	buf_reserve(&b, SIZE_MAX);
}

TEST(impossible_sizes_end_the_process)
{
	CHECK_INT(child_run(add_too_much).status, 3);
	CHECK_INT(child_run(wrap_around).status, 3);
}
