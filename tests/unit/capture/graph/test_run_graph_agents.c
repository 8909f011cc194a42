/* Sub-agents, and the bounds of what is kept to find them. The scenes of tests/integration/record have the rest. */
#include "unit/capture/run_graph_dag.h"

static const struct run_graph_options plain_options = { .framework = { NULL, 0 } };

static void check_dag(struct graphing *w, const char *want)
{
	graphing_finish(w);
	CHECK_STR(graphing_dag(w), str_from(want));
}

/* An answer with one call whose arguments are given. */
static void ask_with(struct graphing *w, const char *messages, const char *call, struct str args)
{
	struct asked q = graphing_ask(w, messages);

	q.feed.answer = arena_printf(&w->arena,
		"{\"id\":\"chatcmpl-%d\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":"
		"{\"role\":\"assistant\",\"content\":null,"
		"\"tool_calls\":[{\"id\":\"%s\",\"type\":\"function\",\"function\":{\"name\":\"help\",\"arguments\":%.*s}}]},"
		"\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}",
		(int)q.feed.number, call, (int)args.n, args.p);
	graphing_end(w, &q);
}

TEST(a_conversation_that_begins_with_an_argument_begins_in_the_call)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	ask_with(&w, "s boss|u go", "call_1", STR("\"{\\\"deep\\\":[{\\\"task\\\":\\\"look into all of it\\\"}]}\""));
	graphing_talk(&w, "s helper|u look into all of it", "x");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "M2 < T1\n"
		      "T1 < M1\n");
	CHECK(str_find(buf_str(&w.lines), STR("look into")) == (size_t)-1);
	graphing_close(&w);
}

/* Of the strings of a call the first sixteen count. */
TEST(only_so_many_strings_of_a_call_are_kept)
{
	for (int n = 16; n <= 17; n++) {
		struct graphing w;
		struct buf args;

		buf_init(&args);
		buf_add_str(&args, STR("\"["));
		for (int i = 1; i <= n; i++)
			buf_printf(&args, "%s\\\"string number %d of many\\\"", i > 1 ? "," : "", i);
		buf_add_str(&args, STR("]\""));
		graphing_open(&w, plain_options);
		ask_with(&w, "s boss|u go", "call_1", buf_str(&args));
		graphing_talk(&w, arena_printf(&w.arena, "s helper|u string number %d of many", n).p, "x");
		check_dag(&w, n == 16 ? "U1 <\nM1 < U1\nM2 < T1\nT1 < M1\n" : "U1 <\nM1 < U1\nU2 <\nM2 < U2\nT1 < M1\n");
		graphing_close(&w);
		buf_free(&args);
	}
}

/* Arguments of more than 256 KiB are not looked into, and the answer is read all the same. */
TEST(arguments_that_are_too_long_say_nothing)
{
	struct graphing w;
	struct buf args;

	buf_init(&args);
	buf_add_str(&args, STR("\"{\\\"task\\\":\\\"look into all of it\\\",\\\"more\\\":\\\""));
	for (size_t i = 0; i < (size_t)300 << 10; i++)
		buf_add_byte(&args, 'x');
	buf_add_str(&args, STR("\\\"}\""));
	graphing_open(&w, plain_options);
	ask_with(&w, "s boss|u go", "call_1", buf_str(&args));
	graphing_talk(&w, "s helper|u look into all of it", "x");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "U2 <\n"
		      "M2 < U2\n"
		      "T1 < M1\n");
	graphing_close(&w);
	buf_free(&args);
}

/* The parents of 256 requests are kept: of one before these nothing but its messages is known. */
TEST(another_sample_of_a_request_long_ago_still_has_a_parent)
{
	struct graphing w;
	const char *messages;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u go|a yes|u on", "first");
	for (int i = 0; i < 300; i++) {
		messages = arena_printf(&w.arena, "u go %d|a yes|u on %d", i, i).p;
		graphing_talk(&w, messages, "more");
	}
	graphing_talk(&w, messages, "again");
	graphing_talk(&w, "u go|a yes|u on", "again");
	graphing_finish(&w);
	CHECK_INT(run_graph_tally(w.run_graph)->counts[AT_MODEL_CALL], 303);
	CHECK_INT(run_graph_tally(w.run_graph)->counts[AT_USER_INPUT], 302);
	graphing_close(&w);
}

/* The search for arguments in a first message is bounded: the latest texts are looked for, and the rest is left. */
TEST(many_calls_that_wait_do_not_hold_up_a_conversation)
{
	struct graphing w;
	struct buf opening;

	graphing_open(&w, plain_options);
	buf_init(&opening);
	buf_add_str(&opening, STR("s helper|u "));
	for (int i = 0; i < 600; i++) {
		struct str args = arena_printf(&w.arena, "\"{\\\"task\\\":\\\"this is the argument of the call that has number %d\\\"}\"", i);

		ask_with(&w, arena_printf(&w.arena, "s boss|u go %d", i).p, arena_printf(&w.arena, "call_%d", i).p, args);
	}
	buf_add_str(&opening, STR("please do: this is the argument of the call that has number 0, and do it well"));
	buf_add_byte(&opening, '\0');
	graphing_talk(&w, opening.p, "x");
	graphing_finish(&w);
	CHECK_INT(run_graph_tally(w.run_graph)->counts[AT_USER_INPUT], 601);
	buf_free(&opening);
	graphing_close(&w);
}
