#include "bench/run/bench_trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "harness/convert.h"
#include "harness/test.h"
#include "unit/bench/bench_run.h"

static struct str traced(struct bench_run *b, bool interrupted)
{
	struct target targets[2] = { { .model = STR("m1") }, { .model = STR("m2"), .thinking = STR("high") } };
	struct str bases[2] = { STR("http://user:secret@127.0.0.1:8080/v1?key=x"), { NULL, 0 } };
	struct config c = { .run_id = STR("r1"), .created_at = STR("2026-02-14T00:00:00Z"), .stream = true,
			    .targets = targets, .bases = bases, .target_count = 2 };
	struct str text;
	struct err err;

	targets[0].provider = targets[1].provider = provider_find(STR("mock"));
	CHECK(targets[0].provider);
	bench_run_save(b);
	if (!bench_trace_write(b->dir, &c, interrupted, &err))
		FAIL("%s", err.text);
	CHECK(file_read(&b->arena, ARENA_JOIN(&b->arena, b->dir, STR("/agent-trace.jsonl")), 1 << 24, &text, &err));
	return text;
}

static size_t count(struct str text, const char *what)
{
	size_t n = 0, at;

	while ((at = str_find(text, str_from(what))) != (size_t)-1) {
		text = str_of(text.p + at + 1, text.n - at - 1);
		n++;
	}
	return n;
}

static void check_valid(struct bench_run *b, struct str text)
{
	struct str first = { NULL, 0 };

	if (convert_errors(&b->arena, "agent-trace", text, &first))
		FAIL("%.*s", STR_ARG(first));
}

TEST(every_row_that_was_sent_is_a_model_call)
{
	struct bench_run *b = bench_run_new();
	struct result r = bench_row("m1", "P1", 1);
	struct str text;

	r.cache_read_tokens = 2;
	r.usd = 0.5;
	bench_run_add(b, &r);
	r = bench_row("m2", "P1", 1);
	r.thinking = STR("high");
	bench_run_fail(&r, PROVIDER_ERROR, "timeout");
	r.ended_at_ms -= 5; /* ended before the line before it */
	bench_run_add(b, &r);
	r = bench_row("m1", "P2", 1);
	bench_run_fail(&r, PROVIDER_UNAVAILABLE, "connect_error");
	r.attempts = 0;
	bench_run_add(b, &r);
	text = traced(b, false);
	check_valid(b, text);
	CHECK_INT(count(text, "\"event_type\":\"node\""), 2);
	CHECK_INT(count(text, "\"event_type\":\"summary\""), 1);
	CHECK_INT(count(text, "\"stop_reason\":\"error\""), 1);
	CHECK_INT(count(text, "\"exit_status\":\"success\""), 1);
	CHECK_INT(count(text, "\"endpoint\":\"http://127.0.0.1:8080/v1/chat/completions\""), 1);
	CHECK_INT(count(text, "\"model\":\"m1\""), 1);
	CHECK_INT(count(text, "\"node_counts\":{\"model_call\":2"), 1);
	CHECK_INT(count(text, "\"input_tokens\":10,"), 2);
	CHECK_INT(count(text, "\"latency_seconds\":0.5,"), 2);
	CHECK_INT(count(text, "\"cache_read_tokens\":2"), 1);
	/* in the order of their ends */
	CHECK(str_find(text, STR("\"stop_reason\":\"error\"")) < str_find(text, STR("\"model\":\"m1\"")));
	bench_run_free(b);
}

/* An event of a try that failed, `ms` behind the start of the rows. */
static void add_try(struct buf *events, const char *prompt, int attempt, int ms, const char *reason)
{
	buf_printf(events, "{\"record_type\":\"event\",\"run_id\":\"r1\",\"at_ms\":%lld,\"event\":\"retry\",\"target\":\"mock:m1\","
		   "\"prompt_id\":\"%s\",\"repetition\":1,\"attempt\":%d,\"started_at_ms\":%lld,\"e2e_ms\":5,\"reason\":\"%s\","
		   "\"message\":\"canary\",\"retry_after_ms\":null,\"delay_ms\":20}\n", (long long)BENCH_RUN_START + ms + 5, prompt,
		   attempt, (long long)BENCH_RUN_START + ms, reason);
}

static struct str traced_with(struct bench_run *b, const struct buf *events)
{
	struct str text;

	bench_run_file(b, "events.jsonl", buf_str(events));
	text = traced(b, false);
	check_valid(b, text);
	CHECK(str_find(text, STR("canary")) == (size_t)-1);
	return text;
}

TEST(every_try_is_a_call_with_a_retry_between)
{
	struct bench_run *b = bench_run_new();
	struct result r = bench_row("m1", "P1", 1);
	struct buf events;
	struct str text;

	buf_init(&events);
	r.attempts = 3;
	bench_run_add(b, &r);
	add_try(&events, "P1", 1, 100, "http_503");
	add_try(&events, "P1", 2, 300, "http_429");
	buf_add_str(&events, STR("rubbish\n{\"event\":\"retry\"}\n"));
	text = traced_with(b, &events);
	CHECK_INT(count(text, "\"kind\":\"model_call\""), 3);
	CHECK_INT(count(text, "\"kind\":\"retry\""), 2);
	CHECK_INT(count(text, "\"parent_node_ids\":[]"), 1);
	CHECK_INT(count(text, "\"stop_reason\":\"error\""), 2);
	CHECK_INT(count(text, "\"latency_seconds\":0.005,"), 2);
	CHECK_INT(count(text, "\"node_counts\":{\"model_call\":3,\"retry\":2}"), 1);
	CHECK_STR(traced_with(b, &events), text);
	buf_free(&events);
	bench_run_free(b);
}

TEST(what_was_never_sent_is_no_call)
{
	static const struct {
		enum provider_status status;
		const char *failure;
	} cases[] = {
		{ PROVIDER_UNAVAILABLE, "connect_error" },
		{ PROVIDER_ERROR, "connect_error" },
		{ PROVIDER_AUTH, "openai_api_key_missing" },
		{ PROVIDER_UNAVAILABLE, "claude_cli_missing" },
	};
	struct bench_run *b = bench_run_new();
	struct buf events;
	struct result r;
	struct str text;

	buf_init(&events);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r = bench_row("m1", "P1", (int64_t)i + 10);
		bench_run_fail(&r, cases[i].status, cases[i].failure);
		bench_run_add(b, &r);
	}
	/* two connections that were not made, then an answer */
	r = bench_row("m1", "P2", 1);
	r.attempts = 3;
	bench_run_add(b, &r);
	add_try(&events, "P2", 1, 100, "connect_error");
	add_try(&events, "P2", 2, 200, "connect_error");
	/* given up while it waited: the one try was all */
	r = bench_row("m1", "P3", 1);
	bench_run_fail(&r, PROVIDER_AUTH, "http_401");
	bench_run_add(b, &r);
	add_try(&events, "P3", 1, 300, "http_503");
	text = traced_with(b, &events);
	CHECK_INT(count(text, "\"kind\":\"model_call\""), 2);
	CHECK_INT(count(text, "\"kind\":\"retry\""), 0);
	buf_free(&events);
	bench_run_free(b);
}

TEST(tries_of_a_run_that_was_killed_and_gone_on_with_are_calls_too)
{
	struct bench_run *b = bench_run_new();
	struct result r = bench_row("m1", "P1", 1);
	struct buf events;
	struct str text;

	buf_init(&events);
	r.attempts = 2;
	bench_run_add(b, &r);
	add_try(&events, "P1", 1, 100, "http_503"); /* killed behind this */
	add_try(&events, "P1", 2, 150, "http_503");
	add_try(&events, "P1", 1, 300, "http_503"); /* and begun anew */
	add_try(&events, "P9", 1, 400, "http_503"); /* its row was never written */
	text = traced_with(b, &events);
	CHECK_INT(count(text, "\"kind\":\"model_call\""), 5);
	CHECK_INT(count(text, "\"kind\":\"retry\""), 3);
	buf_free(&events);
	bench_run_free(b);
}

TEST(the_endpoint_is_the_one_that_was_called_then)
{
	struct bench_run *b = bench_run_new();
	struct buf events;
	struct str text;

	buf_init(&events);
	for (int i = 1; i <= 2; i++) {
		struct result r = bench_row("m1", "P1", i);

		bench_run_add(b, &r);
		buf_printf(&events, "{\"at_ms\":%lld,\"event\":\"target_begin\",\"target\":\"mock:m1\",\"endpoint\":"
			   "\"http://127.0.0.1:%d/v1/chat/completions\"}\n", (long long)BENCH_RUN_START + i * 1000 - 500, i);
	}
	text = traced_with(b, &events);
	CHECK_INT(count(text, "\"endpoint\":\"http://127.0.0.1:1/v1/chat/completions\""), 1);
	CHECK_INT(count(text, "\"endpoint\":\"http://127.0.0.1:2/v1/chat/completions\""), 1);
	buf_free(&events);
	bench_run_free(b);
}

TEST(a_trace_that_is_written_again_is_the_same)
{
	struct bench_run *b = bench_run_new();
	struct str first;

	for (int i = 1; i < 30; i++) {
		struct result r = bench_row(i % 2 ? "m1" : "m2", "P1", i);

		bench_run_add(b, &r);
	}
	first = traced(b, false);
	CHECK_STR(traced(b, false), first);
	CHECK(!str_eq(traced(b, true), first));
	CHECK_INT(count(traced(b, true), "\"exit_status\":\"interrupted\""), 1);
	bench_run_free(b);
}

/* A row that is there twice is an error of the results; the trace must not have two nodes of one name. */
TEST(the_same_row_twice_is_one_node)
{
	struct bench_run *b = bench_run_new();
	struct result r = bench_row("m1", "P1", 1);

	bench_run_add(b, &r);
	bench_run_add(b, &r);
	check_valid(b, traced(b, false));
	CHECK_INT(count(traced(b, false), "\"event_type\":\"node\""), 1);
	bench_run_free(b);
}

/* Rows may have been written by anybody. */
TEST(figures_beyond_all_bounds_make_a_trace_all_the_same)
{
	struct bench_run *b = bench_run_new();
	struct result r = bench_row("m1", "P1", 1);

	r.attempts = 2;
	r.started_at_ms = 0;
	r.ended_at_ms = INT64_MAX;
	r.input_tokens = r.output_tokens = INT64_MAX;
	bench_run_add(b, &r);
	r = bench_row("m1", "P2", 1);
	r.e2e_ms = INT64_MAX;
	r.input_tokens = r.output_tokens = INT64_MAX;
	bench_run_add(b, &r);
	CHECK_INT(count(traced(b, false), "\"event_type\":\"node\""), 2);
	CHECK(count(traced(b, false), "9999-12-31T23:59:59.999") > 0);
	bench_run_free(b);
}

TEST(a_run_in_which_nothing_was_sent_has_a_summary_only)
{
	struct bench_run *b = bench_run_new();
	struct str text = traced(b, true);

	check_valid(b, text);
	CHECK_INT(count(text, "\n"), 1);
	CHECK_INT(count(text, "\"started_at\":\"2026-02-14T00:00:00.000Z\""), 1);
	bench_run_free(b);
}

TEST(nothing_that_was_said_gets_into_a_trace)
{
	static const struct str tools[] = { { "canary", 6 } };
	struct bench_run *b = bench_run_new();
	struct result r = bench_row("m1", "canary-prompt", 1);
	struct str text;

	r.prompt_name = r.output = r.violation = STR("the canary sings");
	r.pass = VERDICT_FALSE;
	r.parsed = STR("{\"text\":\"canary\"}");
	r.tools = tools;
	r.tool_count = 1;
	bench_run_add(b, &r);
	bench_run_fail(&r, PROVIDER_ERROR, "canary");
	r.repetition = 2;
	bench_run_add(b, &r);
	text = traced(b, false);
	check_valid(b, text);
	CHECK_INT(count(text, "\"event_type\":\"node\""), 2);
	CHECK(str_find(text, STR("canary")) == (size_t)-1);
	CHECK(str_find(text, STR("secret")) == (size_t)-1);
	bench_run_free(b);
}

TEST(a_run_without_results_has_no_trace)
{
	struct config c = { .run_id = STR("r1"), .created_at = STR("x") };
	struct err err;

	CHECK(!bench_trace_write(STR("/nonexistent/run"), &c, false, &err));
	CHECK_INT(err.kind, ERR_IO);
}
