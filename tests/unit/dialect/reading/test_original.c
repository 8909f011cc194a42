#include "dialect/reading/original.h"

#include "dialect/record/field.h"
#include "harness/test.h"

static struct json_parser *parser(void)
{
	return json_parser_open((struct json_options){ 0 });
}

static struct event event_with(struct arena *a, const char *json)
{
	struct event e = { .kind = EVENT_NOTE };

	event_add_extra(&e, a, STR("x/1"), str_from(json));
	return e;
}

TEST(what_was_kept_wins_over_the_model)
{
	struct arena a;
	struct event e;
	struct json_parser *p = parser();
	struct buf out = { 0 };
	struct json_writer j;
	struct val rest;
	static const struct str names[] = { WORD("a"), WORD("b"), WORD("c"), WORD("d") };

	arena_init(&a);
	e = event_with(&a, "{\"#mark\":\"m\",\"a\":null,\"c\":2.5,\"other\":[1]}");
	rest = original_rest(p, &e, "x/1", &a);
	json_write_init(&j, &out, JSON_COMPACT);
	json_write_begin_object(&j);
	original_text(&j, rest, STR("a"), STR("not this"));
	original_text(&j, rest, STR("b"), STR("this"));
	original_figure(&j, rest, STR("c"), FIGURE(7));
	original_figure(&j, rest, STR("d"), (struct figure){ FIGURE_NULL, 0, 0 });
	original_figure(&j, rest, STR("e"), (struct figure){ 0, 0, 0 });
	original_figure(&j, rest, STR("f"), FIGURE((uint64_t)-9));
	original_amount(&j, rest, STR("g"), AMOUNT(0.5));
	original_amount(&j, rest, STR("h"), (struct amount){ 0, 0, 0 });
	original_text(&j, rest, STR("i"), (struct str){ NULL, 0 });
	CHECK(!original_copy(&j, rest, STR("nothing")));
	original_others(&j, rest, names, 4, &a);
	json_write_end_object(&j);
	CHECK_STR(buf_str(&out), STR("{\"a\":null,\"b\":\"this\",\"c\":2.5,\"d\":null,\"f\":-9,\"g\":0.5,\"other\":[1]}"));
	CHECK_STR(original_note(rest, STR("#mark")), STR("m"));
	CHECK(original_note(rest, STR("#none")).p == NULL);
	buf_free(&out);
	arena_free(&a);
	json_parser_close(p);
}

TEST(numbers_that_became_texts_are_numbers_again)
{
	struct bignum far = { NULL, STR("/ext/y~11/n") }, text = { &far, STR("/ext/x~11/s") };
	struct bignum deep = { &text, STR("/ext/x~11/a/0/n") }, args = { &deep, STR("/args/id") };
	struct json_parser *p = parser();
	struct arena a;
	struct event e;

	arena_init(&a);
	e = event_with(&a, "{\"a\":[{\"n\":\"12345678901234567890\"}],\"n\":\"5\",\"s\":\"NaN\"}");
	e.bignums = &args;
	CHECK_STR(val_source(original_rest(p, &e, "x/1", &a)),
		  STR("{\"a\":[{\"n\":12345678901234567890}],\"n\":\"5\",\"s\":\"NaN\"}"));
	CHECK_STR(original_payload(p, &e, "args", STR("{\"id\":\"98765432109876543210\",\"x\":\" \"}"), &a),
		  STR("{\"id\":98765432109876543210,\"x\":\" \"}"));
	arena_free(&a);
	json_parser_close(p);
}

TEST(a_result_that_nobody_waited_for_is_one_again)
{
	struct json_parser *p = parser();
	struct event e = { .kind = EVENT_ERROR, .code = STR("orphan_result") }, out;
	struct arena a;

	arena_init(&a);
	event_add_extra(&e, &a, STR("trackway/1"), STR("{\"call_id\":\"c\",\"result\":\"r\"}"));
	CHECK(original_result(p, &e, &out, &a));
	CHECK_INT(out.kind, EVENT_RESULT);
	CHECK_STR(out.call, STR("c"));
	CHECK_STR(out.content, STR("\"r\""));
	e = (struct event){ .kind = EVENT_NOTE, .role = STR("second_result"), .content = STR("null") };
	CHECK(original_result(p, &e, &out, &a));
	CHECK(out.content.p == NULL);
	e = (struct event){ .kind = EVENT_NOTE, .role = STR("hook") };
	CHECK(!original_result(p, &e, &out, &a));
	arena_free(&a);
	json_parser_close(p);
}
