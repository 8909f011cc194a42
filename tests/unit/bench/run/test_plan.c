#include "bench/run/plan.h"

#include <math.h>

#include "harness/test.h"
#include "transform/stats.h"

static void make(struct plan *p, struct arena *a, struct config *c, const char *suite, const char *const *targets, size_t count)
{
	struct suite_text text = { .name = STR("s.json"), .text = str_from(suite) };
	struct suite_options o = { .finding_limit = 0 };
	struct err err = { .kind = ERR_NONE };
	struct suite s;

	suite_parse(&s, a, &text, 1, NULL, &o);
	CHECK_INT(s.errors, 0);
	c->targets = arena_array(a, struct target, count);
	c->target_count = count;
	for (size_t i = 0; i < count; i++)
		CHECK(target_parse(a, str_from(targets[i]), &c->targets[i], &err));
	plan_make(p, a, c, &s, prices_new(a));
}

#define TWO "[{\"id\":\"a\",\"name\":\"a\",\"prompt\":\"12345678\",\"validator\":{\"type\":\"exact\",\"value\":\"x\"}}," \
	    "{\"id\":\"b\",\"name\":\"b\",\"prompt\":\"1\",\"validator\":{\"type\":\"noop\"},\"expected_tool_calls\":[\"ls\"]}]"

TEST(a_plan_counts_questions_and_estimates_tokens)
{
	const char *const targets[] = { "mock:a", "mock:b" };
	struct config c = { .repeat = 3 };
	struct plan p;
	struct arena a;

	arena_init(&a);
	make(&p, &a, &c, TWO, targets, 2);
	CHECK_INT(p.questions, 12);
	CHECK_INT(p.prompts, 2);
	CHECK_INT(p.judged, 1);
	CHECK_INT(p.tools, 1);
	CHECK_INT(p.targets[0].questions, 6);
	CHECK_INT(p.targets[0].input_tokens, 3 * (2 + 1));
	CHECK_INT(p.targets[0].output_most, 0);
	CHECK(isnan(p.targets[0].usd_most) && isnan(p.usd_most));
	CHECK_STR(p.targets[1].name, STR("mock:b"));
	arena_free(&a);
}

TEST(a_ceiling_of_cost_needs_a_price_and_a_limit_of_the_answer)
{
	const char *const targets[] = { "openai_responses:gpt-4o" };
	struct config c = { .repeat = 2 };
	struct plan p;
	struct arena a;

	arena_init(&a);
	make(&p, &a, &c, TWO, targets, 1);
	CHECK(p.targets[0].has_price && isnan(p.usd_most));
	c.max_tokens = 1000;
	make(&p, &a, &c, TWO, targets, 1);
	/* four answers of 1000 tokens at $10 and six tokens of input at $2.50 for a million */
	CHECK(fabs(p.usd_most - (4 * 1000 * 10e-6 + 6 * 2.5e-6)) < 1e-9);
	arena_free(&a);
}

TEST(more_prompts_and_more_repetitions_show_smaller_differences)
{
	const char *const targets[] = { "mock:a" };
	struct config once = { .repeat = 1 }, often = { .repeat = 100 };
	struct plan p, q;
	struct arena a;

	arena_init(&a);
	make(&p, &a, &once, TWO, targets, 1);
	make(&q, &a, &often, TWO, targets, 1);
	/* one judged prompt: (1.96 + 0.84) * sqrt(0.25) */
	CHECK(fabs(p.detectable - stats_detectable(1, 0.25, 0.95, 0.8)) < 1e-12);
	CHECK(q.detectable < p.detectable && q.detectable > p.detectable / 2);
	CHECK(p.half_width > 0.3 && p.half_width < 0.5);
	arena_free(&a);
}

TEST(tokens_are_estimated_from_bytes)
{
	CHECK_INT(plan_tokens(STR("")), 0);
	CHECK_INT(plan_tokens(STR("a")), 1);
	CHECK_INT(plan_tokens(STR("abcd")), 1);
	CHECK_INT(plan_tokens(STR("abcde")), 2);
}

TEST(without_judged_prompts_nothing_can_be_said_of_differences)
{
	const char *const targets[] = { "mock:a" };
	struct config c = { .repeat = 1 };
	struct plan p;
	struct arena a;

	arena_init(&a);
	make(&p, &a, &c, "[{\"id\":\"b\",\"name\":\"b\",\"prompt\":\"1\",\"validator\":{\"type\":\"noop\"}}]", targets, 1);
	CHECK(isnan(p.detectable) && isnan(p.half_width));
	arena_free(&a);
}
