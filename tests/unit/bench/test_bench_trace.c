#include "bench/bench_trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "harness/convert.h"
#include "harness/test.h"
#include "bench_run.h"

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
	CHECK_INT(count(text, "\"endpoint\":\"http://127.0.0.1:8080/v1\""), 1);
	CHECK_INT(count(text, "\"model\":\"m1\""), 1);
	CHECK_INT(count(text, "\"node_counts\":{\"model_call\":2"), 1);
	CHECK_INT(count(text, "\"input_tokens\":10,"), 2);
	CHECK_INT(count(text, "\"latency_seconds\":0.5,"), 2);
	CHECK_INT(count(text, "\"cache_read_tokens\":2"), 1);
	/* in the order of their ends */
	CHECK(str_find(text, STR("\"stop_reason\":\"error\"")) < str_find(text, STR("\"model\":\"m1\"")));
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
