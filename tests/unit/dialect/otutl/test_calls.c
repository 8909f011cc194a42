#include "dialect/otutl/calls.h"

#include <stdio.h>

#include "harness/test.h"

static struct otutl_key key(const char *id)
{
	return otutl_key_of(str_from(id));
}

TEST(a_key_depends_on_every_byte_and_the_length)
{
	char a[40], b[40];

	memset(a, 'x', sizeof(a));
	for (size_t n = 0; n <= sizeof(a); n++) {
		struct otutl_key k = otutl_key_of(str_of(a, n)), shorter = otutl_key_of(str_of(a, n ? n - 1 : 1));

		CHECK(k.a != shorter.a && k.b != shorter.b);
		CHECK(memcmp(&k, &(struct otutl_key){ 0, 0 }, sizeof(k)) != 0);
		for (size_t i = 0; i < n; i++) {
			struct otutl_key other;

			memcpy(b, a, sizeof(a));
			b[i] = 'y';
			other = otutl_key_of(str_of(b, n));
			CHECK(other.a != k.a && other.b != k.b);
		}
	}
	CHECK(key("call_1").a == key("call_1").a && key("call_1").b == key("call_1").b);
	CHECK(otutl_key_of(str_of("a\0", 1)).b != otutl_key_of(str_of("a\0", 2)).b);
}

TEST(an_id_is_found_after_it_was_added_however_many_there_are)
{
	struct otutl_calls c;
	char id[32];

	otutl_calls_init(&c);
	CHECK(otutl_calls_find(&c, key("a")) == NULL);
	for (unsigned i = 0; i < 20000; i++) {
		snprintf(id, sizeof(id), "call_%u", i);
		CHECK(otutl_calls_find(&c, key(id)) == NULL);
		otutl_calls_add(&c, key(id))->name = i + 1;
	}
	CHECK_INT(c.count, 20000);
	for (unsigned i = 0; i < 20000; i++) {
		snprintf(id, sizeof(id), "call_%u", i);
		CHECK_INT(otutl_calls_find(&c, key(id))->name, i + 1);
		CHECK(otutl_calls_add(&c, key(id)) == otutl_calls_find(&c, key(id)));
	}
	CHECK_INT(c.count, 20000);
	otutl_calls_clear(&c);
	CHECK_INT(c.count, 0);
	CHECK(otutl_calls_find(&c, key("call_1")) == NULL);
	otutl_calls_free(&c);
}

static void open_call(struct otutl_calls *c, const char *id, uint64_t line)
{
	struct otutl_record r = { .line = line, .call_id = str_from(id) };

	otutl_calls_open(c, otutl_calls_add(c, key(id)), &r);
}

TEST(open_calls_are_listed_by_line_until_they_are_closed)
{
	struct otutl_calls c;
	const struct otutl_open *open;
	size_t count;

	otutl_calls_init(&c);
	open_call(&c, "c", 3);
	open_call(&c, "a", 1);
	open_call(&c, "d", 4);
	open_call(&c, "b", 2);
	otutl_calls_close(&c, otutl_calls_find(&c, key("c")));
	CHECK_INT(otutl_calls_find(&c, key("c"))->state, OTUTL_CLOSED);
	open = otutl_calls_sort_open(&c, &count);
	CHECK_INT(count, 3);
	for (size_t i = 0; i < count; i++)
		CHECK_STR(str_of(open[i].id, open[i].id_n), str_of(&"abd"[i], 1));

	/* sorting has moved them: closing must still hit the right one */
	otutl_calls_close(&c, otutl_calls_find(&c, key("a")));
	open = otutl_calls_sort_open(&c, &count);
	CHECK_INT(count, 2);
	CHECK_STR(str_of(open[0].id, open[0].id_n), STR("b"));
	otutl_calls_close(&c, otutl_calls_find(&c, key("d")));
	otutl_calls_close(&c, otutl_calls_find(&c, key("b")));
	otutl_calls_sort_open(&c, &count);
	CHECK_INT(count, 0);
	otutl_calls_free(&c);
}

TEST(calls_may_be_closed_in_any_order)
{
	struct otutl_calls c;
	const struct otutl_open *open;
	size_t count;

	otutl_calls_init(&c);
	open_call(&c, "a", 1);
	open_call(&c, "b", 2);
	open_call(&c, "c", 3);
	otutl_calls_close(&c, otutl_calls_find(&c, key("a"))); /* the last one takes its place */
	otutl_calls_close(&c, otutl_calls_find(&c, key("c")));
	open = otutl_calls_sort_open(&c, &count);
	CHECK_INT(count, 1);
	CHECK_STR(str_of(open[0].id, open[0].id_n), STR("b"));
	otutl_calls_free(&c);
}

TEST(a_long_id_is_kept_in_part_and_not_cut_within_a_character)
{
	struct otutl_calls c;
	const struct otutl_open *open;
	char id[100] = "";
	struct otutl_record r = { .line = 1, .call_id = str_of(id, sizeof(id)) };
	size_t count;

	memset(id, 'x', sizeof(id));
	memcpy(id + OTUTL_OPEN_SHOWN - 1, "\xc3\xa9", 2);
	otutl_calls_init(&c);
	otutl_calls_open(&c, otutl_calls_add(&c, key("k")), &r);
	open = otutl_calls_sort_open(&c, &count);
	CHECK_INT(open[0].id_n, OTUTL_OPEN_SHOWN - 1);
	otutl_calls_free(&c);
}
