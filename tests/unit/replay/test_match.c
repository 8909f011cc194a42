#include "replay/match.h"

#include "harness/test.h"
#include "transform/redact.h"

#define CLOCK (INT64_C(1782900000) * 1000000)         /* 2026-07-01T10:00:00Z */
#define LATER (CLOCK + INT64_C(90) * 86400 * 1000000) /* 2026-09-29 */
#define U1 "550e8400-e29b-41d4-a716-446655440000"
#define U2 "11111111-2222-3333-4444-555555555555"
#define U3 "99999999-2222-3333-4444-555555555555"

/* A match and an arena for what it says. */
struct stage {
	struct match *m;
	struct arena a;
	uint64_t x;
};

static struct stage begin_with(struct match_options o)
{
	struct stage s = { .x = 0 };

	o.recorded_clock_us = CLOCK;
	o.live_clock_us = LATER;
	s.m = match_open(&o);
	arena_init(&s.a);
	return s;
}

static struct stage begin(void)
{
	return begin_with((struct match_options){ .lenient = false });
}

static void finish(struct stage *s)
{
	match_close(s->m);
	arena_free(&s->a);
}

static struct str body_of(struct stage *s, const char *text)
{
	return arena_copy(&s->a, str_from(text));
}

static void add_to(struct stage *s, const char *lane, const char *method, const char *target, const char *body, const char *answer, int64_t begun,
		   int64_t ended, uint64_t group)
{
	struct match_entry e = { .q = { .lane = str_from(lane), .method = str_from(method), .target = str_from(target), .body = body_of(s, body) },
				 .x = s->x++, .group = group, .begun_us = CLOCK + begun, .ended_us = CLOCK + ended };

	e.answer = answer ? body_of(s, answer) : e.answer;
	match_add(s->m, &e);
}

/* One after the other, each in its own group. */
static void add(struct stage *s, const char *body, const char *answer)
{
	add_to(s, "model", "POST", "/v1/messages", body, answer, (int64_t)s->x * 100, (int64_t)s->x * 100 + 50, s->x);
}

static struct match_result ask_in(struct stage *s, const char *lane, const char *method, const char *target, const char *body)
{
	struct match_question q = { .lane = str_from(lane), .method = str_from(method), .target = str_from(target),
				    .body = str_from(body) };
	struct match_result r;

	match_ask(s->m, &s->a, &q, &r);
	return r;
}

static struct match_result ask(struct stage *s, const char *body)
{
	return ask_in(s, "model", "POST", "/v1/messages", body);
}

#define CHECK_SERVED(result, tier_, x_)                   \
	do {                                              \
		struct match_result r_ = (result);        \
		CHECK_INT(r_.tier, tier_);                \
		CHECK(r_.entry && r_.entry->x == (x_));   \
	} while (0)

TEST(the_same_question_gets_its_answers_in_order_and_then_none)
{
	struct stage s = begin();
	struct match_result r;

	for (int i = 0; i < 3; i++)
		add(&s, "{\"a\":1}", "x");
	add(&s, "{\"a\":2}", "y");
	match_seal(s.m);
	for (uint64_t i = 0; i < 3; i++)
		CHECK_SERVED(ask(&s, "{ \"a\":1.0 }"), MATCH_EXACT, i);
	r = ask(&s, "{\"a\":1}");
	CHECK_INT(r.tier, MATCH_MISS);
	CHECK(r.used_up && !r.entry);
	CHECK_INT(r.near_count, 1);
	CHECK_INT(r.near[0].x, 3);
	CHECK_STR(r.difference.path, STR("/a"));
	r = ask(&s, "{\"a\":7}");
	CHECK(!r.used_up && r.tier == MATCH_MISS);
	CHECK_INT(match_tally(s.m).exact, 3);
	CHECK_INT(match_tally(s.m).missed, 2);
	CHECK_INT(match_tally(s.m).unused, 1);
	CHECK_INT(match_tally(s.m).entries, 4);
	finish(&s);
}

static unsigned next_random(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

TEST(two_hundred_of_one_template_never_swap_their_answers)
{
	enum { MANY = 200, SHUFFLES = 1000 };
	static const char form[] = "{\"system\":\"You are reviewer %d.\",\"run\":\"%08x-2222-3333-4444-555555555555\","
	  "\"messages\":[{\"role\":\"user\",\"content\":\"go\"}]}";
	unsigned order[MANY], state = 7;

	for (unsigned round = 0; round < SHUFFLES; round++) {
		struct stage s = begin();

		for (unsigned i = 0; i < MANY; i++)
			add_to(&s, "model", "POST", "/v1/messages", arena_printf(&s.a, form, (int)i, 77).p, "ok", 0, 1000, 1);
		match_seal(s.m);
		for (unsigned i = 0; i < MANY; i++)
			order[i] = i;
		for (unsigned i = MANY - 1; i > 0; i--) {
			unsigned k = next_random(&state) % (i + 1), t = order[i];

			order[i] = order[k];
			order[k] = t;
		}
		for (unsigned i = 0; i < MANY; i++) {
			struct match_result r = ask(&s, arena_printf(&s.a, form, (int)order[i], 1000 + round).p);

			CHECK_SERVED(r, MATCH_MASKED, order[i]);
			CHECK(!r.out_of_order);
		}
		finish(&s);
	}
}

TEST(a_date_far_from_the_clock_is_literal)
{
	struct stage s = begin();
	struct match_result r;

	add(&s, "{\"p\":\"flights on 2031-04-05\"}", "x");
	match_seal(s.m);
	r = ask(&s, "{\"p\":\"flights on 2032-04-05\"}");
	CHECK_INT(r.tier, MATCH_MISS);
	CHECK_STR(r.difference.hint, STR("volatile:date?"));
	CHECK_INT(r.difference.byte, 14);
	finish(&s);
}

TEST(a_time_near_its_own_clock_is_masked)
{
	struct stage s = begin();
	struct match_result r;

	add(&s, "{\"p\":\"today is 2026-07-01\",\"t\":1782900000123}", "x");
	match_seal(s.m);
	r = ask(&s, "{\"p\":\"today is 2026-09-29\",\"t\":1790676000123}");
	CHECK_SERVED(r, MATCH_MASKED, 0);
	CHECK_INT(r.swap_count, 2);
	CHECK_STR(str_from(r.swaps[0].type), STR("date"));
	CHECK_STR(r.swaps[0].path, STR("/p"));
	CHECK_STR(r.swaps[1].path, STR("/t"));
	CHECK_STR(r.swaps[1].live, STR("1790676000123"));
	finish(&s);
}

TEST(a_date_that_is_near_one_clock_by_chance_may_stay_as_it_is)
{
	struct stage s = begin();
	struct match_result r;

	add(&s, "{\"p\":\"since 2026-07-01\",\"i\":\"" U1 "\"}", "x");
	add(&s, "{\"p\":\"until 2026-09-29\",\"i\":\"" U1 "\"}", "x");
	match_seal(s.m);
	r = ask(&s, "{\"p\":\"since 2026-07-01\",\"i\":\"" U2 "\"}");
	CHECK_SERVED(r, MATCH_MASKED, 0);
	CHECK_INT(r.swap_count, 1);
	CHECK_SERVED(ask(&s, "{\"p\":\"until 2026-09-29\",\"i\":\"" U2 "\"}"), MATCH_MASKED, 1);
	finish(&s);
}

TEST(a_value_that_the_client_made_is_masked_and_listed)
{
	struct stage s = begin();
	struct match_result r;

	add(&s, "{\"m\":[{\"id\":\"" U1 "\"}]}", "x");
	match_seal(s.m);
	r = ask(&s, "{\"m\":[{\"id\":\"" U2 "\"}]}");
	CHECK_SERVED(r, MATCH_MASKED, 0);
	CHECK_INT(r.swap_count, 1);
	CHECK_STR(str_from(r.swaps[0].type), STR("uuid"));
	CHECK_STR(r.swaps[0].path, STR("/m/0/id"));
	CHECK_STR(r.swaps[0].recorded, STR(U1));
	CHECK_STR(r.swaps[0].live, STR(U2));
	finish(&s);
}

TEST(one_value_stands_for_one_value)
{
	static const struct { const char *recorded[2], *live[2]; } cases[] = {
		{ { "{\"a\":1,\"i\":\"" U1 "\"}", "{\"a\":2,\"i\":\"" U1 "\"}" }, { "{\"a\":1,\"i\":\"" U2 "\"}", "{\"a\":2,\"i\":\"" U3 "\"}" } },
		{ { "{\"a\":1,\"i\":\"" U1 "\"}", "{\"a\":2,\"i\":\"" U3 "\"}" }, { "{\"a\":1,\"i\":\"" U2 "\"}", "{\"a\":2,\"i\":\"" U2 "\"}" } },
		/* an exact one holds its values, too */
		{ { "{\"a\":1,\"i\":\"" U1 "\"}", "{\"a\":2,\"i\":\"" U1 "\"}" }, { "{\"a\":1,\"i\":\"" U1 "\"}", "{\"a\":2,\"i\":\"" U2 "\"}" } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct stage s = begin();
		struct match_result r;

		add(&s, cases[i].recorded[0], "x");
		add(&s, cases[i].recorded[1], "x");
		match_seal(s.m);
		CHECK(ask(&s, cases[i].live[0]).tier != MATCH_MISS);
		r = ask(&s, cases[i].live[1]);
		CHECK_INT(r.tier, MATCH_MISS);
		CHECK(!r.used_up);
		CHECK_STR(r.difference.path, STR("/i"));
		CHECK_STR(r.difference.hint, STR("volatile:uuid?"));
		finish(&s);
	}
}

TEST(one_second_of_the_recording_may_be_two_of_the_replay)
{
	struct stage s = begin();
	struct match_result r;

	add(&s, "{\"at\":\"2026-07-01T10:00:05Z\"}", NULL);
	add(&s, "{\"then\":\"2026-07-01T10:00:05Z\"}", NULL);
	match_seal(s.m);
	CHECK_INT(ask(&s, "{\"at\":\"2026-09-29T10:00:05Z\"}").tier, MATCH_MASKED);
	r = ask(&s, "{\"then\":\"2026-09-29T10:00:06Z\"}");
	CHECK_INT(r.tier, MATCH_MASKED);
	CHECK_INT(r.swap_count, 1);
	CHECK_STR(r.swaps[0].recorded, STR("2026-07-01T10:00:05Z"));
	CHECK_STR(r.swaps[0].live, STR("2026-09-29T10:00:06Z"));
	finish(&s);
}

TEST(the_next_entry_of_a_masked_key_is_tried)
{
	struct stage s = begin();

	add(&s, "{\"a\":0,\"i\":\"" U1 "\"}", "x");
	add(&s, "{\"a\":1,\"i\":\"" U3 "\"}", "x");
	add(&s, "{\"a\":1,\"i\":\"" U1 "\"}", "x");
	match_seal(s.m);
	CHECK_SERVED(ask(&s, "{\"a\":0,\"i\":\"" U2 "\"}"), MATCH_MASKED, 0);
	CHECK_SERVED(ask(&s, "{\"a\":1,\"i\":\"" U2 "\"}"), MATCH_MASKED, 2);
	CHECK(ask(&s, "{\"a\":0,\"i\":\"" U2 "\"}").used_up);
	finish(&s);
}

TEST(an_id_of_an_answer_must_come_back_as_it_was)
{
	static const char *const answers[] = {
		"{\"id\":\"" U1 "\"}",
		"data: {\"delta\":{\"text\":\"550e8400-e29b-41\"}}\n\ndata: {\"delta\":{\"text\":\"d4-a716-446655440000\"}}\n\n",
	};

	for (size_t i = 0; i < COUNT(answers); i++) {
		struct stage s = begin();

		add(&s, "{\"a\":1}", answers[i]);
		add(&s, "{\"a\":2,\"i\":\"" U1 "\"}", "x");
		match_seal(s.m);
		CHECK_SERVED(ask(&s, "{\"a\":1}"), MATCH_EXACT, 0);
		CHECK_INT(ask(&s, "{\"a\":2,\"i\":\"" U2 "\"}").tier, MATCH_MISS);
		CHECK_SERVED(ask(&s, "{\"a\":2,\"i\":\"" U1 "\"}"), MATCH_EXACT, 1);
		finish(&s);
	}
}

TEST(an_id_of_an_answer_does_not_stand_for_one_that_was_made_up)
{
	struct stage s = begin();

	add(&s, "{\"a\":1}", "{\"id\":\"" U1 "\"}");
	add(&s, "{\"a\":2,\"i\":\"" U3 "\"}", "x");
	match_seal(s.m);
	CHECK_SERVED(ask(&s, "{\"a\":1}"), MATCH_EXACT, 0);
	CHECK_INT(ask(&s, "{\"a\":2,\"i\":\"" U1 "\"}").tier, MATCH_MISS);
	CHECK_SERVED(ask(&s, "{\"a\":2,\"i\":\"" U2 "\"}"), MATCH_MASKED, 1);
	finish(&s);
}

TEST(an_answer_that_ended_later_or_echoes_makes_no_value_foreign)
{
	struct stage s = begin();
	struct buf b;

	buf_init(&b);
	add_to(&s, "model", "POST", "/", "{\"i\":\"" U1 "\"}", "{\"echo\":\"" U1 "\"}", 0, 50, 0);
	add_to(&s, "model", "POST", "/", "{\"i\":\"" U1 "\",\"more\":1}", "x", 100, 150, 1);
	match_seal(s.m);
	CHECK_SERVED(ask_in(&s, "model", "POST", "/", "{\"i\":\"" U2 "\"}"), MATCH_MASKED, 0);
	CHECK(match_translate(s.m, STR("{\"echo\":\"" U1 "\"}"), &b));
	CHECK_STR(buf_str(&b), STR("{\"echo\":\"" U2 "\"}"));
	CHECK_SERVED(ask_in(&s, "model", "POST", "/", "{\"i\":\"" U2 "\",\"more\":1}"), MATCH_MASKED, 1);
	buf_free(&b);
	finish(&s);
}

TEST(values_of_the_inputs_are_literal)
{
	struct str input = STR("--session=" U1);
	struct stage s = begin_with((struct match_options){ .inputs = &input, .input_count = 1 });

	add(&s, "{\"i\":\"" U1 "\"}", "x");
	match_seal(s.m);
	CHECK_INT(ask(&s, "{\"i\":\"" U2 "\"}").tier, MATCH_MISS);
	CHECK_SERVED(ask(&s, "{\"i\":\"" U1 "\"}"), MATCH_EXACT, 0);
	finish(&s);
}

TEST(parameters_are_compared_apart)
{
	struct stage s = begin();
	struct match_result r;

	add(&s, "{\"temperature\":0,\"seed\":1,\"a\":1}", "x");
	match_seal(s.m);
	r = ask(&s, "{\"temperature\":0.7,\"a\":1,\"max_tokens\":5}");
	CHECK_SERVED(r, MATCH_EXACT, 0);
	CHECK_INT(r.parameter_count, 3);
	CHECK_STR(r.parameters[0].name, STR("/seed"));
	CHECK(!r.parameters[0].live.p);
	CHECK_STR(r.parameters[1].name, STR("/temperature"));
	CHECK_STR(r.parameters[1].recorded, STR("0"));
	CHECK_STR(r.parameters[1].live, STR("0.7"));
	CHECK(!r.parameters[2].recorded.p);
	finish(&s);
}

TEST(who_asks_is_compared_apart_and_is_no_parameter)
{
	struct stage s = begin();
	struct match_result r;

	add(&s, "{\"temperature\":0,\"user\":\"a\",\"metadata\":{\"user_id\":\"b\"},\"q\":1}", "x");
	match_seal(s.m);
	r = ask(&s, "{\"temperature\":1,\"user\":\"a\",\"metadata\":{\"user_id\":\"c\"},\"q\":1}");
	CHECK_SERVED(r, MATCH_EXACT, 0);
	CHECK_INT(r.parameter_count, 2);
	for (size_t i = 0; i < r.parameter_count; i++)
		CHECK_INT(r.parameters[i].is_user, str_eq(r.parameters[i].name, STR("/metadata/user_id")));
	finish(&s);
}

TEST(tools_may_come_in_another_order)
{
	struct stage s = begin();

	add(&s, "{\"tools\":[{\"name\":\"a\"},{\"name\":\"b\"}]}", "x");
	add(&s, "{\"tools\":[{\"name\":\"a\"},{\"name\":\"b\"}]}", "x");
	match_seal(s.m);
	CHECK(ask(&s, "{\"tools\":[{\"name\":\"b\"},{\"name\":\"a\"}]}").tool_order);
	CHECK(!ask(&s, "{\"tools\":[{\"name\":\"a\"},{\"name\":\"b\"}]}").tool_order);
	finish(&s);
}

TEST(ids_and_progress_tokens_of_mcp_do_not_matter)
{
	struct stage s = begin();

	add_to(&s, "mcp:files", "tools/call", "", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"read\","
	  "\"_meta\":{\"progressToken\":1}}}", "x", 0, 1, 0);
	match_seal(s.m);
	CHECK_INT(ask_in(&s, "mcp:other", "tools/call", "", "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"read\"}}").tier, MATCH_MISS);
	CHECK_SERVED(ask_in(&s, "mcp:files", "tools/call", "", "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\",\"params\":"
	  "{\"name\":\"read\",\"_meta\":{\"progressToken\":\"t\"}}}"), MATCH_EXACT, 0);
	finish(&s);
}

TEST(order_is_that_of_the_recording_but_for_what_overlapped)
{
	struct stage s = begin();
	struct match_result r;

	add_to(&s, "model", "POST", "/", "{\"a\":0}", "x", 0, 50, 0);
	add_to(&s, "model", "POST", "/", "{\"a\":1}", "x", 50, 90, 1); /* after it */
	add_to(&s, "model", "POST", "/", "{\"a\":2}", "x", 80, 120, 2); /* overlaps */
	add_to(&s, "model", "POST", "/", "{\"a\":3}", "x", 110, 130, 3); /* through another one */
	add_to(&s, "model", "POST", "/", "{\"a\":4}", "x", 200, 210, 4);
	add_to(&s, "model", "POST", "/", "{\"a\":5}", "x", 300, 310, 4); /* of one group with the last */
	match_seal(s.m);
	CHECK(!ask_in(&s, "model", "POST", "/", "{\"a\":3}").out_of_order);
	CHECK(!ask_in(&s, "model", "POST", "/", "{\"a\":1}").out_of_order);
	CHECK(!ask_in(&s, "model", "POST", "/", "{\"a\":5}").out_of_order);
	CHECK(!ask_in(&s, "model", "POST", "/", "{\"a\":4}").out_of_order);
	r = ask_in(&s, "model", "POST", "/", "{\"a\":2}");
	CHECK(r.out_of_order);
	CHECK_INT(r.after, 5);
	r = ask_in(&s, "model", "POST", "/", "{\"a\":0}");
	CHECK_SERVED(r, MATCH_EXACT, 0);
	CHECK(r.out_of_order);
	finish(&s);
}

TEST(an_entry_is_passed_when_a_later_one_was_asked)
{
	struct stage s = begin();
	const struct match_entry *left[3];
	size_t at = 0;

	add(&s, "{\"a\":0}", NULL);
	add_to(&s, "model", "POST", "/v1/messages", "{\"a\":1}", NULL, 1000, 1900, 5);
	add_to(&s, "model", "POST", "/v1/messages", "{\"a\":2}", NULL, 1500, 1950, 5);
	add_to(&s, "model", "POST", "/v1/messages", "{\"a\":3}", NULL, 3000, 3100, 6);
	match_seal(s.m);
	CHECK_SERVED(ask(&s, "{\"a\":2}"), MATCH_EXACT, 2);
	for (size_t i = 0; i < 3; i++)
		left[i] = match_next_unused(s.m, &at);
	CHECK(match_is_passed(s.m, left[0]));
	CHECK(!match_is_passed(s.m, left[1])); /* it was made at the same time */
	CHECK(!match_is_passed(s.m, left[2]));
	CHECK_SERVED(ask(&s, "{\"a\":3}"), MATCH_EXACT, 3);
	CHECK(match_is_passed(s.m, left[1]));
	CHECK(!match_is_passed(s.m, left[2])); /* it is used */
	finish(&s);
}

TEST(a_lenient_match_serves_the_oldest_of_the_same_tool_and_says_so)
{
	struct stage s = begin_with((struct match_options){ .lenient = true });

	add_to(&s, "mcp:f", "tools/call", "", "{\"params\":{\"name\":\"a\",\"q\":1}}", "x", 0, 1, 0);
	add_to(&s, "mcp:f", "tools/call", "", "{\"params\":{\"name\":\"b\",\"q\":1}}", "x", 2, 3, 1);
	match_seal(s.m);
	CHECK_SERVED(ask_in(&s, "mcp:f", "tools/call", "", "{\"params\":{\"name\":\"b\",\"q\":2}}"), MATCH_LENIENT, 1);
	CHECK_INT(ask_in(&s, "mcp:f", "tools/call", "", "{\"params\":{\"name\":\"b\",\"q\":2}}").tier, MATCH_MISS);
	CHECK_INT(ask_in(&s, "mcp:f", "tools/list", "", "{\"params\":{\"name\":\"a\",\"q\":2}}").tier, MATCH_MISS);
	CHECK_INT(match_tally(s.m).lenient, 1);
	finish(&s);
}

TEST(the_nearest_are_those_with_the_fewest_differences)
{
	struct stage s = begin();
	struct match_result r;

	static const char *const bodies[] = { "{\"a\":1,\"b\":1,\"c\":1}", "{\"a\":9,\"b\":9,\"c\":1}", "{\"a\":9,\"b\":9,\"c\":9}" };

	for (size_t i = 0; i < COUNT(bodies); i++) /* at the same time */
		add_to(&s, "model", "POST", "/v1/messages", bodies[i], "x", 0, 100, 1);
	add_to(&s, "model", "GET", "/other", "{\"a\":9,\"b\":9,\"c\":8}", "x", 900, 901, 9);
	match_seal(s.m);
	r = ask(&s, "{\"a\":9,\"b\":9,\"c\":8}");
	CHECK_INT(r.near_count, 3);
	CHECK_INT(r.near[0].x, 1);
	CHECK_INT(r.near[0].distance, 1);
	CHECK_INT(r.near[1].x, 2);
	CHECK_INT(r.near[2].x, 0);
	CHECK_INT(r.near[2].distance, 3);
	CHECK_STR(r.difference.path, STR("/c"));
	for (uint64_t i = 0; i < 3; i++)
		match_consume(s.m, i);
	r = ask(&s, "{\"a\":9}");
	CHECK_STR(r.difference.path, STR("method"));
	r = ask_in(&s, "model", "GET", "/", "{\"a\":9}");
	CHECK_STR(r.difference.path, STR("target"));
	r = ask_in(&s, "shell", "", "", "{\"a\":9}");
	CHECK_INT(r.near_count, 0);
	finish(&s);
}

TEST(of_equally_near_ones_that_is_told_which_is_due_and_most_alike)
{
	struct stage s = begin();
	struct match_result r;

	for (int i = 0; i < 300; i++) /* at the same time */
		add_to(&s, "model", "POST", "/v1/messages", arena_printf(&s.a, "{\"a\":\"reviewer %d of all\",\"b\":1}", i).p, "x", 0, 1000, 1);
	add_to(&s, "model", "POST", "/v1/messages", "{\"a\":\"reviewer 270 of all!!\",\"b\":2}", "x", 2000, 3000, 2);
	match_seal(s.m);
	r = ask(&s, "{\"a\":\"reviewer 270 of all!!\",\"b\":1}");
	CHECK_INT(r.near[0].x, 270);
	CHECK_INT(r.near[0].distance, 1);
	CHECK_STR(r.difference.path, STR("/a"));
	finish(&s);
}

TEST(one_that_nobody_waited_for_overlaps_with_the_next)
{
	for (int open = 0; open < 2; open++) {
		struct stage s = begin();

		add_to(&s, "mcp:f", "tools/call", "", "{\"params\":{\"name\":\"a\"}}", NULL, 0, open ? MATCH_OPEN - CLOCK : 5, 1);
		add_to(&s, "model", "POST", "/v1/messages", "{\"a\":1}", "x", 10, 20, 2);
		add_to(&s, "model", "POST", "/v1/messages", "{\"a\":2}", "x", 30, 40, 3);
		match_seal(s.m);
		CHECK(!ask(&s, "{\"a\":1}").out_of_order);
		CHECK_INT(ask_in(&s, "mcp:f", "tools/call", "", "{\"params\":{\"name\":\"a\"}}").out_of_order, !open);
		CHECK(!ask(&s, "{\"a\":2}").out_of_order);
		finish(&s);
	}
}

TEST(what_is_left_is_listed_in_order)
{
	struct stage s = begin();
	size_t at = 0;

	for (int i = 0; i < 4; i++)
		add(&s, "{\"a\":1}", "x");
	match_seal(s.m);
	match_consume(s.m, 0);
	match_consume(s.m, 2);
	match_consume(s.m, 77);
	CHECK_INT(match_next_unused(s.m, &at)->x, 1);
	CHECK_INT(match_next_unused(s.m, &at)->x, 3);
	CHECK(!match_next_unused(s.m, &at));
	CHECK_SERVED(ask(&s, "{\"a\":1}"), MATCH_EXACT, 1);
	finish(&s);
}

TEST(what_is_no_json_is_compared_as_bytes)
{
	struct stage s = begin();
	struct match_result r;

	add_to(&s, "shell", "", "", "ls -l /tmp/abc/x", "x", 0, 1, 0);
	add_to(&s, "shell", "", "", "pwd", "x", 2, 3, 0);
	match_seal(s.m);
	r = ask_in(&s, "shell", "", "", "ls -l /tmp/def/x");
	CHECK_SERVED(r, MATCH_MASKED, 0);
	CHECK_STR(r.swaps[0].path, STR(""));
	CHECK_INT(ask_in(&s, "shell", "", "", "pwd ").tier, MATCH_MISS);
	finish(&s);
}

TEST(a_live_body_goes_through_redaction_first)
{
	static const uint8_t key[REDACT_KEY] = { 7 };
	struct err err;
	struct redact *r = redact_open(key, REDACT_CONTENT, &err);
	struct stage s;
	struct buf b;

	CHECK(r);
	buf_init(&b);
	redact_body(r, STR("{\"messages\":[{\"role\":\"user\",\"content\":\"a secret sentence\"}]}"), &b);
	buf_add_byte(&b, '\0');
	s = begin_with((struct match_options){ .redact = r });
	add(&s, b.p, "x");
	match_seal(s.m);
	CHECK_INT(ask(&s, "{\"messages\":[{\"role\":\"user\",\"content\":\"another sentence\"}]}").tier, MATCH_MISS);
	CHECK_SERVED(ask(&s, "{\"messages\":[{\"role\":\"user\",\"content\":\"a secret sentence\"}]}"), MATCH_EXACT, 0);
	finish(&s);
	redact_close(r);
	buf_free(&b);
}

TEST(another_version_of_the_api_is_a_parameter_that_changed)
{
	static const struct { const char *recorded, *live; size_t changed; } cases[] = {
		{ "anthropic-beta: a", "anthropic-beta: a", 0 },       { "anthropic-beta: a", "anthropic-beta: b", 1 },
		{ "anthropic-beta: a", "", 1 },                        { "", "anthropic-beta: a", 1 },
		{ "anthropic-beta: [tw:abc", "anthropic-beta: b", 0 }, { NULL, "anthropic-beta: b", 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct match_entry e = { .q = { .lane = STR("model"), .method = STR("POST"), .target = STR("/v1/messages"),
						.body = STR("{}"), .versions = str_from(cases[i].recorded) },
					 .answer = STR("{}"), .ended_us = 1 };
		struct match *m = match_open(&(struct match_options){ .lenient = false });
		struct match_question q = e.q;
		struct match_result r;
		struct arena a;

		arena_init(&a);
		match_add(m, &e);
		match_seal(m);
		q.versions = str_from(cases[i].live);
		match_ask(m, &a, &q, &r);
		CHECK_INT(r.tier, MATCH_EXACT);
		CHECK_INT(r.parameter_count, cases[i].changed);
		if (r.parameter_count)
			CHECK_STR(r.parameters[0].name, STR("headers"));
		match_close(m);
		arena_free(&a);
	}
}

static bool same_output(struct match *m, struct arena *a, const char *recorded, const char *live, struct match_result *r)
{
	return match_output(m, a, str_from(recorded), str_from(live), r);
}

TEST(outputs_may_differ_by_values_that_are_new_in_every_run)
{
	/* 2026-07-01T10:00:00Z, and a day later */
	struct match_options o = { .recorded_clock_us = INT64_C(1782900000000000), .live_clock_us = INT64_C(1782986400000000) };
	struct match_entry e = { .q = { .lane = STR("model"), .method = STR("POST"), .target = STR("/v1/messages"),
					.body = STR("{}") },
				 .answer = STR("{\"id\":\"550e8400-e29b-41d4-a716-446655440000\"}"), .ended_us = 1 };
	struct match *m = match_open(&o);
	struct match_question q = e.q;
	struct match_result r;
	struct arena a;

	arena_init(&a);
	match_add(m, &e);
	match_seal(m);
	match_ask(m, &a, &q, &r);
	CHECK(same_output(m, &a, "at 2026-07-01T10:00:00Z\nok\n", "at 2026-07-02T10:00:07Z\nok\n", &r));
	CHECK_INT(r.swap_count, 1);
	CHECK(!same_output(m, &a, "at 2026-07-01T10:00:00Z\nok\n", "at 2026-07-02T10:00:07Z\nno\n", &r));
	CHECK_INT(r.difference.byte, 24);
	CHECK(!same_output(m, &a, "in 2031-04-05", "in 2032-04-05", &r));
	CHECK(same_output(m, &a, "b5be3a41-13f2-4c8e-8d0f-0a0e6d2c1b11", "c5be3a41-13f2-4c8e-8d0f-0a0e6d2c1b11", &r));
	/* the first one stands for another one already */
	CHECK(!same_output(m, &a, "b5be3a41-13f2-4c8e-8d0f-0a0e6d2c1b11", "d5be3a41-13f2-4c8e-8d0f-0a0e6d2c1b11", &r));
	CHECK(r.difference.expected.p != NULL);
	/* it is the answer's, and what was made of the answer is the run's own work */
	CHECK(!same_output(m, &a, "550e8400-e29b-41d4-a716-446655440000", "650e8400-e29b-41d4-a716-446655440000", &r));
	/* a digest */
	CHECK(!same_output(m, &a, "0123456789abcdef0", "0123456789abcdef1", &r));
	match_close(m);
	arena_free(&a);
}
