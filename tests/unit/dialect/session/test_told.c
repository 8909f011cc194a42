#include "dialect/session/told.h"

#include "dialect/formats.h"
#include "dialect/record/field.h"
#include "harness/test.h"

static struct arena arena;
static struct reading r;

/* A value to read from; it lives until the next one. */
static struct val value_of(const char *text)
{
	static struct json_parser *p;
	struct val v;

	if (!p) {
		p = json_parser_open((struct json_options){ 0 });
		arena_init(&arena);
		reading_init(&r, &pi_dialect);
		r.arena = &arena;
	}
	CHECK(json_parse_copy(p, str_from(text), &v, NULL));
	reading_enter(&r, 0, v);
	return v;
}

TEST(tokens_are_counted_as_the_table_and_the_figures_say)
{
	static const struct {
		const char *text;
		bool cache_apart, reasoning_apart;
		uint64_t in, out;
	} cases[] = {
		{ "{\"i\":100,\"o\":7,\"c\":{\"r\":20,\"w\":3}}", true, false, 123, 7 },
		{ "{\"i\":100,\"o\":7,\"c\":{\"r\":20,\"w\":3}}", false, false, 100, 7 },
		{ "{\"i\":10,\"o\":7,\"c\":{\"r\":20,\"w\":3}}", false, false, 33, 7 }, /* it cannot hold them */
		{ "{\"i\":10,\"o\":7,\"t\":5}", false, false, 10, 7 },
		{ "{\"i\":10,\"o\":7,\"t\":5}", false, true, 10, 12 },
		{ "{\"i\":10,\"o\":7,\"t\":5,\"all\":22}", false, false, 10, 12 }, /* the total holds it too */
		{ "{\"i\":10,\"o\":7,\"t\":5,\"all\":17}", false, true, 10, 7 },
		{ "{\"i\":10,\"o\":7,\"t\":9}", false, false, 10, 16 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct told_names names = { .input = WORD("i"), .output = WORD("o"), .cache_read = WORD("/c/r"),
					    .cache_write = WORD("/c/w"), .reasoning = WORD("t"), .total = WORD("all"),
					    .cache_apart = cases[i].cache_apart,
					    .reasoning_apart = cases[i].reasoning_apart };
		struct usage u = told_usage(&r, value_of(cases[i].text), &names);

		test_case("%s", cases[i].text);
		CHECK_INT(u.input.n, cases[i].in);
		CHECK_INT(u.output.n, cases[i].out);
	}
}

TEST(what_is_no_object_has_no_tokens)
{
	struct told_names names = { .input = WORD("i"), .output = WORD("o") };
	struct usage u = told_usage(&r, value_of("[1]"), &names);

	CHECK(!usage_is_known(&u));
}

TEST(milliseconds_are_taken_and_others_stay)
{
	struct val v = value_of("{\"ms\":1794856918366,\"s\":1794856918,\"no\":true}");

	CHECK_STR(told_time(&r, v, STR("ms")).text, STR("2026-11-16T19:21:58.366Z"));
	CHECK(reading_is_marked(&r, val_get(v, STR("ms"))));
	CHECK_STR(told_time(&r, v, STR("s")).text, STR("2026-11-16T19:21:58.000Z"));
	CHECK(!reading_is_marked(&r, val_get(v, STR("s"))));
	CHECK(!told_time(&r, v, STR("no")).text.p);
}

TEST(a_span_needs_two_times_in_order)
{
	struct moment a = { .text = STR("a"), .ns = 1000000 }, b = { .text = STR("b"), .ns = 3500000 };

	CHECK(told_span(a, b).n == 2.5);
	CHECK(!amount_is_known(told_span(b, a)));
	CHECK(!amount_is_known(told_span(a, (struct moment){ 0 })));
}

TEST(arguments_are_an_object_or_a_text)
{
	struct event e = { .kind = EVENT_CALL };
	struct val v = value_of("{\"a\":{\"x\":1},\"b\":\"{}\",\"c\":3}");

	told_args(&r, &e, val_get(v, STR("a")));
	CHECK_STR(e.args, STR("{\"x\":1}"));
	told_args(&r, &e, val_get(v, STR("b")));
	CHECK_STR(e.args_text, STR("{}"));
	e = (struct event){ .kind = EVENT_CALL };
	told_args(&r, &e, val_get(v, STR("c")));
	CHECK(!e.args.p && !e.args_text.p);
}

TEST(a_note_has_a_name_and_a_content)
{
	struct val v = value_of("{\"a\":1}");
	struct event *e = told_note(&r, STR("x"), (struct moment){ 0 }, v);

	CHECK_STR(e->role, STR("x"));
	CHECK_STR(e->content, STR("{\"a\":1}"));
	CHECK(reading_is_marked(&r, v));
	e = told_note(&r, str_of(NULL, 0), (struct moment){ 0 }, VAL_NONE);
	CHECK_STR(e->role, STR("note"));
	CHECK_STR(e->content, STR("null"));
}

TEST(what_is_told_again_is_taken)
{
	static const struct str names[] = { WORD("a"), WORD("none") };
	struct val v = value_of("{\"a\":1,\"b\":2}");

	told_again(&r, v, names, 2);
	CHECK(reading_is_marked(&r, val_get(v, STR("a"))));
	CHECK(!reading_is_marked(&r, val_get(v, STR("b"))));
}
