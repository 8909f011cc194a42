#include "model/calls.h"

#include <stdio.h>

#include "harness/test.h"

#define NONE str_of(NULL, 0)

TEST(an_open_call_is_found_by_id_and_branch_and_gone_when_closed)
{
	struct calls c;
	struct open_call *a, *b;

	calls_init(&c);
	a = calls_open(&c, STR("x"), NONE);
	b = calls_open(&c, STR("x"), STR("sub"));
	CHECK(calls_find(&c, STR("x"), NONE) == a);
	CHECK(calls_find(&c, STR("x"), STR("sub")) == b);
	CHECK(calls_find(&c, STR("x"), STR("other")) == b); /* the latest of any branch */
	CHECK(calls_find(&c, STR("y"), NONE) == NULL);
	CHECK(calls_find_first(&c, STR("sub")) == b);
	calls_answer(a);
	CHECK(calls_find(&c, STR("x"), NONE) == b);
	calls_close(&c, b);
	CHECK(calls_find(&c, STR("x"), NONE) == NULL);
	CHECK(c.oldest == a && c.newest == a);
	calls_free(&c);
}

TEST(many_calls_are_found_and_closed_in_any_order)
{
	enum { MANY = 5000 };
	struct open_call *open[MANY];
	struct calls c;
	char id[32];

	calls_init(&c);
	for (int i = 0; i < MANY; i++)
		open[i] = calls_open(&c, str_of(id, (size_t)snprintf(id, sizeof(id), "call-%d", i)), NONE);
	for (int i = MANY; i-- > 0;)
		CHECK(calls_find(&c, str_of(id, (size_t)snprintf(id, sizeof(id), "call-%d", i)), NONE) == open[i]);
	for (int i = 0; i < MANY; i += 2)
		calls_close(&c, open[i]);
	CHECK_INT(c.open_count, MANY / 2);
	CHECK(calls_find(&c, STR("call-4"), NONE) == NULL);
	CHECK(calls_find(&c, STR("call-5"), NONE) == open[5]);
	calls_reset(&c);
	CHECK_INT(c.open_count, 0);
	CHECK(c.oldest == NULL && c.newest == NULL);
	calls_free(&c);
}

TEST(ids_that_were_used_are_remembered_until_the_run_ends)
{
	struct calls c;
	struct call_trace *t;
	char id[32];

	calls_init(&c);
	CHECK(calls_find_trace(&c, STR("a")) == NULL);
	CHECK_INT(calls_note(&c, STR("a"))->times, 1);
	CHECK_INT(calls_note(&c, STR("a"))->times, 2);
	for (int i = 0; i < 3000; i++)
		calls_note(&c, str_of(id, (size_t)snprintf(id, sizeof(id), "%d", i)));
	t = calls_find_trace(&c, STR("a"));
	CHECK(t && t->times == 2);
	t->times = 0; /* forgotten */
	CHECK(calls_find_trace(&c, STR("a")) == NULL);
	CHECK(calls_find_trace(&c, STR("2999")) != NULL);
	calls_reset(&c);
	CHECK(calls_find_trace(&c, STR("2999")) == NULL);
	calls_free(&c);
}

TEST(a_call_keeps_the_name_it_is_given)
{
	struct calls c;
	struct open_call *o;
	char name[] = "first";

	calls_init(&c);
	o = calls_open(&c, NONE, NONE);
	calls_name(o, str_from(name));
	name[0] = 'x';
	CHECK_STR(o->id, STR("first"));
	calls_name(o, STR("second"));
	CHECK_STR(o->id, STR("second"));
	calls_free(&c);
}

TEST(a_call_that_is_answered_is_not_found_again)
{
	struct calls c;
	struct open_call *first, *second;

	calls_init(&c);
	first = calls_open(&c, STR("a"), NONE);
	second = calls_open(&c, STR("a"), NONE);
	CHECK(calls_find(&c, STR("a"), NONE) == second);
	calls_answer(second);
	CHECK(calls_find(&c, STR("a"), NONE) == first);
	for (int i = 0; i < 200; i++) /* the table grows */
		calls_open(&c, i % 2 ? STR("b") : NONE, NONE);
	CHECK(calls_find(&c, STR("a"), NONE) == first);
	calls_close(&c, second);
	calls_close(&c, first);
	CHECK(calls_find(&c, STR("a"), NONE) == NULL);
	calls_free(&c);
}

TEST(very_many_calls_of_one_id_are_closed_in_no_time)
{
	struct calls c;

	calls_init(&c);
	for (int i = 0; i < 200000; i++) /* a walk for each would take minutes */
		calls_open(&c, i % 2 ? STR("a") : NONE, NONE);
	while (c.oldest)
		calls_close(&c, c.oldest);
	CHECK_INT(c.open_count, 0);
	calls_free(&c);
}
