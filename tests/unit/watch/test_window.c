#include "watch/window.h"

#include <math.h>
#include <stdio.h>

#include "harness/test.h"

#define NOW INT64_C(1800000000000000)
#define S INT64_C(1000000)

/* A node that ended `age_us` before NOW and took a second. */
static struct trace_row node(const char *trace, const char *id, enum at_kind kind, int64_t age_us)
{
	return (struct trace_row){ .type = TRACE_ROW_NODE, .trace = str_from(trace), .id = str_from(id), .kind = kind,
				   .from_us = NOW - age_us - S, .to_us = NOW - age_us, .ttft = -1, .stall = -1 };
}

static struct trace_row tool(const char *trace, const char *id, int64_t age_us, int64_t took_us, double stall)
{
	struct trace_row r = node(trace, id, AT_TOOL_CALL, age_us);

	r.from_us = r.to_us - took_us;
	r.stall = stall;
	return r;
}

static struct trace_row summary(const char *trace, int64_t age_us, int64_t took_us)
{
	return (struct trace_row){ .type = TRACE_ROW_SUMMARY, .trace = str_from(trace), .from_us = NOW - age_us - took_us,
				   .to_us = NOW - age_us, .ttft = -1, .stall = -1 };
}

static enum window_taken add(struct window *w, struct trace_row r)
{
	return window_add(w, &r, NOW);
}

static struct figures sum(const struct window *w, int64_t now)
{
	struct figures f;

	window_sum(w, now, &f);
	return f;
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

TEST(an_event_counts_while_its_end_is_within_the_last_300_seconds)
{
	struct window w;

	window_init(&w, 100);
	CHECK_INT(add(&w, node("t", "a", AT_MODEL_CALL, 0)), WINDOW_NEW);
	CHECK_INT(add(&w, node("t", "b", AT_MODEL_CALL, 299 * S)), WINDOW_NEW);
	CHECK_INT(add(&w, node("t", "c", AT_MODEL_CALL, 300 * S)), WINDOW_OLD);
	CHECK_INT(add(&w, node("t", "d", AT_MODEL_CALL, 300 * S - 1)), WINDOW_NEW);
	CHECK_INT(sum(&w, NOW).events, 3);
	CHECK_INT(sum(&w, NOW + 1).events, 2);
	CHECK_INT(sum(&w, NOW + S).events, 1);
	CHECK_INT(sum(&w, NOW + 300 * S - 1).events, 1);
	CHECK_INT(sum(&w, NOW + 300 * S).events, 0);
	window_free(&w);
}

TEST(an_event_ahead_of_the_clock_counts_when_its_time_has_come)
{
	struct window w;

	window_init(&w, 100);
	CHECK_INT(add(&w, node("t", "a", AT_MODEL_CALL, -10 * S)), WINDOW_NEW);
	CHECK_INT(add(&w, node("t", "b", AT_MODEL_CALL, -301 * S)), WINDOW_AHEAD);
	CHECK_INT(add(&w, node("t", "c", AT_MODEL_CALL, -(INT64_C(1) << 60))), WINDOW_AHEAD);
	CHECK_INT(sum(&w, NOW).events, 0);
	CHECK_INT(sum(&w, NOW + 10 * S).events, 1);
	window_free(&w);
}

TEST(an_event_that_is_read_again_counts_once)
{
	struct window w;

	window_init(&w, 100);
	for (int i = 0; i < 3; i++) {
		add(&w, node("t", "a", AT_MODEL_CALL, S));
		add(&w, node("u", "a", AT_MODEL_CALL, S)); /* of another run */
		add(&w, node("t", "b", AT_TOOL_CALL, S));
		add(&w, summary("t", S, 9 * S));
	}
	CHECK_INT(add(&w, summary("t", S, 9 * S)), WINDOW_KNOWN);
	CHECK_INT(sum(&w, NOW).events, 4);
	window_free(&w);
}

TEST(ids_that_only_look_alike_when_put_together_are_two)
{
	struct window w;

	window_init(&w, 100);
	CHECK_INT(add(&w, node("ab", "c", AT_SYSTEM, S)), WINDOW_NEW);
	CHECK_INT(add(&w, node("a", "bc", AT_SYSTEM, S)), WINDOW_NEW);
	CHECK_INT(add(&w, summary("ab", S, S)), WINDOW_NEW);
	CHECK_INT(add(&w, summary("a", S, S)), WINDOW_NEW);
	window_free(&w);
}

TEST(an_event_without_its_ids_cannot_be_told_from_others)
{
	struct window w;

	window_init(&w, 100);
	CHECK_INT(add(&w, node("", "a", AT_SYSTEM, S)), WINDOW_NAMELESS);
	CHECK_INT(add(&w, node("t", "", AT_SYSTEM, S)), WINDOW_NAMELESS);
	CHECK_INT(add(&w, node("t", NULL, AT_SYSTEM, S)), WINDOW_NAMELESS);
	CHECK_INT(add(&w, summary(NULL, S, S)), WINDOW_NAMELESS);
	CHECK_INT(sum(&w, NOW).events, 0);
	window_free(&w);
}

TEST(events_are_counted_by_what_they_are)
{
	struct window w;
	struct trace_row total = node("t", "total", AT_MODEL_CALL, S);
	struct figures f;

	window_init(&w, 100);
	for (unsigned i = 0; i < AT_KINDS; i++)
		add(&w, node("t", agent_trace_kinds[i].p, (enum at_kind)i, S));
	total.total_only = true; /* a node, but no call */
	add(&w, total);
	add(&w, summary("t", S, S));
	f = sum(&w, NOW);
	CHECK_INT(f.events, AT_KINDS + 2);
	CHECK_INT(f.model_calls, 1);
	CHECK_INT(f.tool_calls, 1);
	CHECK_INT(f.nodes[AT_MODEL_CALL], 2);
	for (unsigned i = AT_TOOL_CALL; i < AT_KINDS; i++)
		CHECK_INT(f.nodes[i], 1);
	window_free(&w);
}

TEST(quantiles_are_of_the_window_and_nan_without_a_sample)
{
	struct window w;
	struct figures f;

	window_init(&w, 1000);
	f = sum(&w, NOW);
	CHECK(isnan(f.ttft_p50) && isnan(f.ttft_p99) && isnan(f.stall_ratio));
	add(&w, node("t", "unknown", AT_MODEL_CALL, S)); /* its ttft is not 0 */
	for (unsigned i = 0; i <= 100; i++) {
		struct trace_row r = node("t", (char[]){ (char)('a' + i / 26), (char)('a' + i % 26), 0 }, AT_MODEL_CALL, 250 * S);

		r.ttft = (double)((i * 37) % 101);
		add(&w, r);
	}
	f = sum(&w, NOW);
	CHECK_INT(f.ttfts, 101);
	CHECK(is_near(f.ttft_p50, 50) && is_near(f.ttft_p99, 99));
	CHECK(is_near(f.ttft_sum, 5050));
	f = sum(&w, NOW + 100 * S);
	CHECK(f.ttfts == 0 && isnan(f.ttft_p50) && isnan(f.ttft_p99));
	CHECK_INT(f.ttft_count, 101); /* since the start */
	window_free(&w);
}

TEST(a_run_that_lies_in_the_window_has_the_stall_share_of_its_summary)
{
	struct window w;

	window_init(&w, 100);
	add(&w, tool("t", "a", 50 * S, 30 * S, 20));
	add(&w, tool("t", "b", 10 * S, 30 * S, 25));
	add(&w, tool("t", "c", 10 * S, 30 * S, -1)); /* unknown is not 0, but others are known */
	add(&w, summary("t", 5 * S, 100 * S));
	CHECK(is_near(sum(&w, NOW).stall_ratio, 0.45));
	window_free(&w);
}

TEST(the_stall_ratio_is_known_when_the_stall_of_some_call_is)
{
	struct window w;

	window_init(&w, 100);
	add(&w, node("t", "a", AT_MODEL_CALL, 10 * S));
	CHECK(isnan(sum(&w, NOW).stall_ratio));
	add(&w, tool("t", "b", 10 * S, S, -1));
	CHECK(isnan(sum(&w, NOW).stall_ratio));
	add(&w, tool("u", "a", 10 * S, 10 * S, 0));
	CHECK(is_near(sum(&w, NOW).stall_ratio, 0));
	add(&w, tool("v", "a", 10 * S, 10 * S, 10)); /* t, of which nothing is known, does not count */
	CHECK(is_near(sum(&w, NOW).stall_ratio, 0.5));
	add(&w, node("x", "a", AT_MODEL_CALL, 10 * S)); /* a second of a run without tools does */
	CHECK(is_near(sum(&w, NOW).stall_ratio, 10.0 / 21));
	window_free(&w);
}

TEST(of_a_long_call_only_the_part_in_the_window_counts)
{
	struct window w;

	window_init(&w, 100);
	add(&w, tool("t", "a", 0, 600 * S, 600));
	CHECK(is_near(sum(&w, NOW).stall_ratio, 1));
	CHECK(is_near(sum(&w, NOW + 200 * S).stall_ratio, 1));
	window_free(&w);
	window_init(&w, 100);
	add(&w, tool("t", "a", 0, 0, 3)); /* no time at all passed */
	CHECK(is_near(sum(&w, NOW).stall_ratio, 0));
	window_free(&w);
}

TEST(a_full_window_refuses_and_makes_room_when_events_have_left)
{
	struct window w;
	struct trace_row r = node("t", "late", AT_MODEL_CALL, 0);

	window_init(&w, 64);
	for (unsigned i = 0; i < 64; i++)
		CHECK_INT(add(&w, node("t", (char[]){ (char)('0' + i), 0 }, AT_MODEL_CALL, i < 32 ? 200 * S : S)), WINDOW_NEW);
	CHECK_INT(add(&w, r), WINDOW_FULL);
	CHECK_INT(add(&w, node("t", "0", AT_MODEL_CALL, 200 * S)), WINDOW_KNOWN);
	CHECK_INT(sum(&w, NOW).events, 64);
	CHECK_INT(window_add(&w, &r, NOW + 150 * S), WINDOW_NEW);
	CHECK_INT(sum(&w, NOW + 150 * S).events, 33);
	CHECK_INT(w.events.count, 33);
	window_free(&w);
}

TEST(a_full_window_is_swept_once_a_second_at_most)
{
	struct window w;
	struct trace_row r = node("t", "late", AT_MODEL_CALL, -S);

	window_init(&w, 1);
	add(&w, node("t", "a", AT_MODEL_CALL, 0));
	CHECK_INT(w.swept_us, NOW);
	for (int64_t i = 1; i < 10; i++)
		CHECK_INT(window_add(&w, &r, NOW + i * S / 10), WINDOW_FULL);
	CHECK_INT(w.swept_us, NOW);
	CHECK_INT(window_add(&w, &r, NOW + S), WINDOW_FULL);
	CHECK_INT(w.swept_us, NOW + S);
	CHECK_INT(window_add(&w, &r, NOW - S), WINDOW_FULL); /* the clock was set back */
	CHECK_INT(w.swept_us, NOW - S);
	window_free(&w);
}

TEST(memory_stays_the_same_however_long_it_runs)
{
	struct window w;

	window_init(&w, WINDOW_EVENTS);
	for (int64_t second = 0; second < 10000; second++) {
		char id[24];
		struct trace_row r = node("t", id, AT_MODEL_CALL, -second * S);

		snprintf(id, sizeof(id), "%lld", (long long)second);
		r.id = str_from(id);
		CHECK_INT(window_add(&w, &r, NOW + second * S), WINDOW_NEW);
	}
	CHECK_INT(sum(&w, NOW + 9999 * S).events, 300);
	CHECK(w.events.cap <= 1024);
	window_free(&w);
}
