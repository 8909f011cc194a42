#include "dialect/exchange/calls.h"

#include <stdio.h>

#include "dialect/exchange/hint.h"
#include "harness/test.h"

static struct event call_of(const char *tool, const char *args)
{
	return (struct event){ .kind = EVENT_CALL, .tool = str_from(tool), .args = str_from(args), .step = STR("s"), .index = -1 };
}

static struct event result_of(const char *tool)
{
	return (struct event){ .kind = EVENT_RESULT, .tool = str_from(tool), .index = -1 };
}

TEST(a_call_without_an_id_gets_one_of_its_step)
{
	struct event step = { .kind = EVENT_STEP, .step = STR("s") }, a = call_of("f", "{}"), b = call_of("f", "{}"), own = call_of("g", "{}");
	struct exchange_calls c;

	exchange_calls_init(&c);
	exchange_calls_step(&c, &step);
	exchange_calls_name(&c, &a);
	exchange_calls_name(&c, &b);
	CHECK_STR(a.call, STR("call_s_0"));
	CHECK_STR(b.call, STR("call_s_1"));
	own.call = STR("mine");
	exchange_calls_name(&c, &own);
	CHECK_STR(own.call, STR("mine"));
	step.step = STR("t");
	exchange_calls_step(&c, &step);
	a = call_of("f", "{}");
	a.step = STR("t");
	exchange_calls_name(&c, &a);
	CHECK_STR(a.call, STR("call_t_0"));
	exchange_calls_free(&c);
}

TEST(a_result_goes_to_the_call_that_its_request_tells)
{
	struct event first = call_of("f", "{\"a\":1}"), second = call_of("f", "{\"a\":2}"), told = call_of("f", "{\"a\":2}"), r = result_of("f"),
		other;
	struct exchange_calls c;

	exchange_calls_init(&c);
	exchange_calls_name(&c, &first);
	exchange_calls_name(&c, &second);
	exchange_calls_begin(&c);
	CHECK(exchange_calls_tell(&c, &told, false));
	exchange_calls_answer(&c, &r);
	CHECK_STR(r.call, second.call);
	other = result_of("g");
	exchange_calls_answer(&c, &other);
	CHECK(!other.call.p);
	exchange_calls_begin(&c);
	r = result_of("f"); /* not told again: the one that waits */
	exchange_calls_answer(&c, &r);
	CHECK_STR(r.call, first.call);
	exchange_calls_free(&c);
}

TEST(ids_of_the_client_lead_to_those_of_the_answer)
{
	struct event said = call_of("f", "{}"), told = call_of("f", "{}"), r = result_of("f"), stranger = call_of("f", "{\"x\":1}");
	struct exchange_calls c;

	exchange_calls_init(&c);
	exchange_calls_name(&c, &said);
	exchange_calls_begin(&c);
	stranger.call = STR("c9");
	CHECK(!exchange_calls_tell(&c, &stranger, false));
	told.call = STR("c1");
	CHECK(exchange_calls_tell(&c, &told, false));
	r.call = STR("c1");
	exchange_calls_answer(&c, &r);
	CHECK_STR(r.call, said.call);
	r.call = STR("c7");
	exchange_calls_answer(&c, &r);
	CHECK_STR(r.call, STR("c7"));
	exchange_calls_free(&c);
}

static struct event own_call_of(const char *id, const char *tool, const char *args)
{
	struct event e = call_of(tool, args);

	e.call = str_from(id);
	return e;
}

static struct str answered(struct exchange_calls *c, const char *id)
{
	struct event r = result_of("");

	r.call = str_from(id);
	exchange_calls_answer(c, &r);
	return r.call;
}

TEST(a_call_with_an_id_is_known_under_another_by_tool_and_arguments)
{
	struct event one = own_call_of("a", "f", "{\"n\":1}"), two = own_call_of("b", "f", "{\"n\":2}"), piece = own_call_of("p", "g", NULL);
	struct event told = own_call_of("x", "f", "{\"n\":2}"), stranger = own_call_of("y", "f", "{\"n\":3}"),
		     grown = own_call_of("z", "g", "{}"), again = own_call_of("w", "f", "{\"n\":2}");
	struct exchange_calls c;

	exchange_calls_init(&c);
	exchange_calls_name(&c, &one);
	exchange_calls_name(&c, &two);
	exchange_calls_name(&c, &piece);
	exchange_calls_begin(&c);
	CHECK(exchange_calls_rename(&c, &told));
	CHECK(!exchange_calls_rename(&c, &stranger));
	CHECK(exchange_calls_rename(&c, &grown)); /* its arguments came in pieces */
	CHECK(!exchange_calls_rename(&c, &again)); /* it has a new name already */
	CHECK_STR(answered(&c, "x"), STR("b"));
	CHECK_STR(answered(&c, "z"), STR("p"));
	CHECK_STR(answered(&c, "a"), STR("a"));
	CHECK_STR(answered(&c, "x"), STR("x"));
	again = own_call_of("v", "f", "{\"n\":1}");
	CHECK(!exchange_calls_rename(&c, &again)); /* it was answered */
	exchange_calls_free(&c);
}

TEST(calls_of_two_answers_that_fit_are_none)
{
	struct event step = { .kind = EVENT_STEP, .step = STR("s") }, one = own_call_of("a", "f", "{}"), told = own_call_of("x", "f", "{}");
	struct exchange_calls c;

	exchange_calls_init(&c);
	exchange_calls_step(&c, &step);
	exchange_calls_name(&c, &one);
	step.step = STR("t");
	exchange_calls_step(&c, &step);
	one = own_call_of("b", "f", "{}");
	exchange_calls_name(&c, &one);
	CHECK(!exchange_calls_rename(&c, &told));
	for (int i = 0; i < EXCHANGE_CALLS_OWN; i++) {
		char id[20];

		snprintf(id, sizeof(id), "other%d", i);
		one = own_call_of(id, "g", "{}");
		exchange_calls_name(&c, &one);
	}
	CHECK(!exchange_calls_rename(&c, &told)); /* forgotten by now */
	exchange_calls_free(&c);
}

TEST(what_grows_is_complete_when_something_else_comes)
{
	struct event begin = call_of("f", ""), more = call_of("", ""), end, next = { .kind = EVENT_MESSAGE };
	struct exchange_hint first = { .pieces = STR("[]") };
	struct exchange_hint second = { .pieces = STR("[{\"jsonPath\":\"$.a\",\"numberValue\":1}]") };
	struct exchange_calls c;

	exchange_calls_init(&c);
	begin.args = more.args = more.tool = str_of(NULL, 0);
	begin.flags = more.flags = EVENT_PIECE;
	begin.hint = &first;
	more.hint = &second;
	exchange_calls_name(&c, &begin);
	CHECK(!exchange_calls_end(&c, &more, &end));
	exchange_calls_name(&c, &more);
	CHECK_STR(more.call, begin.call);
	CHECK(!more.args_text.p);
	CHECK(exchange_calls_end(&c, &next, &end));
	CHECK_STR(end.call, begin.call);
	CHECK_STR(end.args_text, STR("{\"a\":1}"));
	CHECK(!exchange_calls_end(&c, &next, &end));
	second.pieces = STR("[1]"); /* of nothing */
	more.call = str_of(NULL, 0);
	exchange_calls_name(&c, &more);
	CHECK(more.kind == EVENT_NOTE);
	exchange_calls_free(&c);
}

TEST(no_more_calls_are_kept_than_there_is_room_for)
{
	struct exchange_calls c;
	struct event r = result_of("f");

	exchange_calls_init(&c);
	for (int i = 0; i < 3 * EXCHANGE_CALLS_OPEN; i++) {
		struct event e = call_of("f", "{}");

		exchange_calls_name(&c, &e);
	}
	CHECK_INT(c.count, EXCHANGE_CALLS_OPEN);
	exchange_calls_answer(&c, &r);
	CHECK_STR(r.call, STR("call_s_2048"));
	exchange_calls_reset(&c);
	CHECK_INT(c.count, 0);
	exchange_calls_free(&c);
}
