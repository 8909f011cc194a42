#include "bench/run/runner_row.h"

#include "harness/test.h"

#define MS UINT64_C(1000000)

TEST(an_answer_tells_what_becomes_of_its_row)
{
	static const struct {
		const char *what;
		struct provider_answer answer;
		bool was_good;
		enum schedule_outcome want;
	} cases[] = {
		{ "ok", { .status = PROVIDER_OK, .http_status = 200 }, false, SCHEDULE_ANSWERED },
		{ "429", { .status = PROVIDER_LIMITED, .http_status = 429, .retryable = true }, true, SCHEDULE_BUSY },
		{ "503", { .status = PROVIDER_ERROR, .http_status = 503, .retryable = true }, true, SCHEDULE_BUSY },
		{ "overloaded in a stream", { .status = PROVIDER_ERROR, .http_status = 200, .retryable = true }, true,
		  SCHEDULE_BUSY },
		{ "a program's limit", { .status = PROVIDER_LIMITED, .retryable = true }, true, SCHEDULE_BUSY },
		{ "a quota", { .status = PROVIDER_LIMITED, .http_status = 429 }, true, SCHEDULE_IMPOSSIBLE },
		{ "no connection", { .status = PROVIDER_UNAVAILABLE, .retryable = true }, true, SCHEDULE_UNREACHED },
		{ "no such model", { .status = PROVIDER_UNAVAILABLE, .http_status = 404 }, false, SCHEDULE_IMPOSSIBLE },
		{ "404 later", { .status = PROVIDER_UNAVAILABLE, .http_status = 404 }, true, SCHEDULE_ANSWERED },
		{ "no program", { .status = PROVIDER_UNAVAILABLE }, false, SCHEDULE_IMPOSSIBLE },
		{ "no key", { .status = PROVIDER_AUTH }, false, SCHEDULE_IMPOSSIBLE },
		{ "401 later", { .status = PROVIDER_AUTH, .http_status = 401 }, true, SCHEDULE_IMPOSSIBLE },
		{ "403", { .status = PROVIDER_AUTH, .http_status = 403 }, false, SCHEDULE_IMPOSSIBLE },
		{ "403 later", { .status = PROVIDER_AUTH, .http_status = 403 }, true, SCHEDULE_ANSWERED },
		{ "400", { .status = PROVIDER_ERROR, .http_status = 400 }, true, SCHEDULE_ANSWERED },
		{ "cut off", { .status = PROVIDER_ERROR, .http_status = 200 }, true, SCHEDULE_BROKEN },
		{ "timed out", { .status = PROVIDER_ERROR }, true, SCHEDULE_BROKEN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].what);
		CHECK_INT(runner_outcome(&cases[i].answer, cases[i].was_good, RUNNER_REFUSALS), cases[i].want);
	}
}

TEST(a_single_refusal_may_be_of_the_prompt_alone)
{
	struct provider_answer absent = { .status = PROVIDER_UNAVAILABLE, .http_status = 404 };
	struct provider_answer refused = { .status = PROVIDER_AUTH, .http_status = 401 }, no_key = { .status = PROVIDER_AUTH };
	struct provider_answer no_program = { .status = PROVIDER_UNAVAILABLE };

	for (unsigned i = 1; i <= RUNNER_REFUSALS; i++) {
		enum schedule_outcome want = i < RUNNER_REFUSALS ? SCHEDULE_ANSWERED : SCHEDULE_IMPOSSIBLE;

		CHECK_INT(runner_outcome(&absent, false, i), want);
		CHECK_INT(runner_outcome(&refused, false, i), want);
		CHECK_INT(runner_outcome(&refused, true, i), want);
		CHECK_INT(runner_outcome(&no_key, false, i), SCHEDULE_IMPOSSIBLE);
		CHECK_INT(runner_outcome(&no_program, false, i), SCHEDULE_IMPOSSIBLE);
	}
}

static const struct suite_prompt prompt = { .id = { "p1", 2 }, .name = { "First", 5 } };

static struct target target_of(const char *provider, const char *model)
{
	return (struct target){ .provider = provider_find(str_from(provider)), .model = str_from(model) };
}

TEST(times_of_a_row_are_those_of_its_first_send_its_end_and_its_last_attempt)
{
	struct target t = target_of("mock", "m");
	struct runner_times times = { .offset = (int64_t)(5000 * MS), .due = 900 * MS, .first_sent = 1000 * MS,
				      .last_sent = 3000 * MS, .ended = 3250 * MS + MS / 2, .attempts = 3 };
	struct provider_answer a = { .text = STR("hi"), .byte_ns = 3050 * MS, .token_ns = 3100 * MS,
				     .usage = { .input = FIGURE(7), .output = FIGURE(2), .cache_read = FIGURE(1) } };
	struct result r;

	runner_row_begin(&r, &t, &prompt, 1, PROVIDER_OK, str_of(NULL, 0), &times);
	runner_row_answer(&r, &t, &a, NULL, &times);
	CHECK_INT(r.scheduled_at_ms, 5900);
	CHECK_INT(r.started_at_ms, 6000);
	CHECK_INT(r.ended_at_ms, 8250);
	CHECK_INT(r.e2e_ms, 251);
	CHECK_INT(r.ttft_ms, 100);
	CHECK_INT(r.ttfb_ms, 50);
	CHECK_INT(r.attempts, 3);
	CHECK_INT(r.repetition, 2);
	CHECK_INT(r.input_tokens, 7);
	CHECK_INT(r.output_tokens, 2);
	CHECK_INT(r.cache_read_tokens, 1);
	CHECK_INT(r.reasoning_tokens, -1);
	CHECK(r.success);
	CHECK(r.usd < 0);
	CHECK_STR(r.prompt_id, STR("p1"));
	CHECK_STR(r.output, STR("hi"));
}

TEST(a_skipped_row_takes_no_time)
{
	struct target t = target_of("mock", "m");
	struct runner_times never = { .due = 2 * MS, .ended = 7 * MS };
	struct runner_times tried = { .due = 2 * MS, .first_sent = 3 * MS, .last_sent = 5 * MS, .ended = 7 * MS };
	struct result r;

	runner_row_begin(&r, &t, &prompt, 0, PROVIDER_UNAVAILABLE, STR("connect_error"), &never);
	CHECK_INT(r.started_at_ms, 7);
	CHECK_INT(r.ended_at_ms, 7);
	CHECK_INT(r.e2e_ms, 0);
	CHECK(!r.success);
	runner_row_begin(&r, &t, &prompt, 0, PROVIDER_UNAVAILABLE, STR("model_not_found"), &tried);
	runner_row_answer(&r, &t, &(struct provider_answer){ .byte_ns = 6 * MS }, NULL, &tried);
	CHECK_INT(r.started_at_ms, 3);
	CHECK_INT(r.e2e_ms, 0);
	CHECK_INT(r.ttfb_ms, -1);
	runner_row_begin(&r, &t, &prompt, 0, PROVIDER_ERROR, STR("http_500"), &tried);
	CHECK_INT(r.e2e_ms, 2);
}

TEST(what_the_service_says_it_cost_goes_before_what_is_computed)
{
	struct target t = target_of("openai_responses", "model-of-a-test");
	struct runner_times times = { .offset = INT64_C(1790000000000000000), .first_sent = MS, .last_sent = MS, .ended = 2 * MS };
	struct provider_answer a = { .text = STR("x"), .usage = { .input = FIGURE(1000000), .output = FIGURE(500000) } };
	struct err err = { .kind = ERR_NONE };
	struct prices *prices;
	struct arena arena;
	struct result r;

	arena_init(&arena);
	prices = prices_new(&arena);
	if (!prices_override(prices, STR("openai\tmodel-of-a-test\t2020-01-01\t-\t2\t8\t-\t-\t-\tours\n"), STR("p.tsv"), &err))
		FAIL("%s", err.text);
	runner_row_begin(&r, &t, &prompt, 0, PROVIDER_OK, str_of(NULL, 0), &times);
	runner_row_answer(&r, &t, &a, prices, &times);
	CHECK(r.usd == 6);
	CHECK(r.usd_estimated);
	a.usd = AMOUNT(1.25);
	runner_row_begin(&r, &t, &prompt, 0, PROVIDER_OK, str_of(NULL, 0), &times);
	runner_row_answer(&r, &t, &a, prices, &times);
	CHECK(r.usd == 1.25);
	CHECK(!r.usd_estimated);
	arena_free(&arena);
}

TEST(an_answer_of_blanks_is_empty_and_one_with_a_call_is_not)
{
	struct provider_call_made call = { STR("exec"), STR("{}") };

	CHECK(runner_is_empty(&(struct provider_answer){ .text = STR("") }));
	CHECK(runner_is_empty(&(struct provider_answer){ .text = STR(" \n\t") }));
	CHECK(!runner_is_empty(&(struct provider_answer){ .text = STR("x") }));
	CHECK(!runner_is_empty(&(struct provider_answer){ .text = STR(""), .calls = &call, .call_count = 1 }));
}
