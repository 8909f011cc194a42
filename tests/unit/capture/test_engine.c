#include "capture/engine.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "harness/test.h"
#include "net/server/server.h"

#define SECOND ((int64_t)1000000000)

#define VLLM \
	"# HELP vllm:num_requests_running Number of requests.\n# TYPE vllm:num_requests_running gauge\n" \
	"vllm:num_requests_running{engine=\"0\",model_name=\"m\"} 3.0\n" \
	"vllm:num_requests_running{engine=\"1\",model_name=\"m\"} 4.0\n" \
	"vllm:num_requests_waiting{engine=\"0\",model_name=\"m\"} 1.0\n" \
	"vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0.25\n" \
	"vllm:kv_cache_usage_perc{engine=\"1\",model_name=\"m\"} 0.125\n"
#define SGLANG \
	"sglang:token_usage{model_name=\"m\",tp_rank=\"0\"} 0.5\nsglang:num_running_reqs{model_name=\"m\"} 2\n" \
	"sglang:num_queue_reqs{model_name=\"m\"} 0\n"

/* ---- an engine that plays ---- */

struct played {
	const char *page; /* NULL: no answer at all */
	int status;
	unsigned asked;
	bool cut; /* breaks off in the middle */
	char target[100], authorization[100];
};

static void play_head(void *context, struct request *q)
{
	struct played *p = context;
	struct str given = http_find(q->head, STR("authorization"));

	q->own = p;
	p->asked++;
	snprintf(p->target, sizeof(p->target), "%.*s", STR_ARG(q->head->target));
	snprintf(p->authorization, sizeof(p->authorization), "%.*s", STR_ARG(given));
}

static void play_body(struct request *q, struct str bytes)
{
	(void)q;
	(void)bytes;
}

static void play_end(struct request *q)
{
	struct played *p = q->own;
	struct str page = str_from(p->page);

	if (!p->page)
		return;
	if (p->cut) {
		request_respond(q, 200, NULL, 0, HTTP_LENGTH, page.n + 10);
		request_write(q, page);
		request_abort(q);
	} else {
		request_reply(q, p->status, NULL, 0, page);
	}
}

static void play_gone(struct request *q, bool whole)
{
	(void)q;
	(void)whole;
}

static const struct server_ops play = { .head = play_head, .body = play_body, .end = play_end, .gone = play_gone };

/* ---- the stage ---- */

struct stage {
	struct arena a;
	uv_loop_t loop;
	struct clock_line clock;
	struct played played;
	struct server *server;
	struct engine *engine;
	uv_timer_t limit;
};

static void over(uv_timer_t *timer)
{
	(void)timer;
	FAIL("nothing happened for a long time");
}

static struct url parse(struct stage *s, const char *format, unsigned port)
{
	struct err err = { .kind = ERR_NONE };
	char text[200];
	struct url u;

	snprintf(text, sizeof(text), "http://%s127.0.0.1:%u%s", format[0] == '@' ? "jo:pw@" : "", port,
		 format + (format[0] == '@'));
	if (!url_parse(&s->a, str_from(text), &u, &err))
		FAIL("%s", err.text);
	return u;
}

static void open_stage(struct stage *s, struct played played, const char *path, unsigned period_ms)
{
	struct err err = { .kind = ERR_NONE };
	struct url u;

	*s = (struct stage){ .clock = clock_line_begin(), .played = played };
	arena_init(&s->a);
	CHECK(uv_loop_init(&s->loop) == 0);
	s->server = server_open(&s->loop, &(struct server_options){ .ops = &play, .context = &s->played }, &err);
	if (!s->server)
		FAIL("%s", err.text);
	uv_timer_init(&s->loop, &s->limit);
	uv_timer_start(&s->limit, over, 30000, 0);
	u = parse(s, path, server_port(s->server));
	s->engine = engine_open(&s->loop, &u, period_ms, &s->clock);
}

static struct engine_summary summary(const struct stage *s)
{
	struct engine_summary sum;

	engine_summarize(s->engine, &sum);
	return sum;
}

static void run_until(struct stage *s, uint64_t good, uint64_t failed)
{
	while (summary(s).good < good || summary(s).failed < failed)
		uv_run(&s->loop, UV_RUN_ONCE);
}

static void close_stage(struct stage *s)
{
	engine_stop(s->engine);
	engine_stop(s->engine); /* once more is no harm */
	server_stop(s->server, true);
	uv_close((uv_handle_t *)&s->limit, NULL);
	CHECK(uv_run(&s->loop, UV_RUN_DEFAULT) == 0);
	engine_close(s->engine);
	server_close(s->server);
	CHECK(uv_loop_close(&s->loop) == 0);
	arena_free(&s->a);
}

TEST(vllm_and_sglang_are_known_by_their_gauges)
{
	static const struct {
		const char *page, *kind;
		double kv, running, waiting;
	} cases[] = {
		{ VLLM, "vllm", 0.25, 7, 1 },
		{ SGLANG, "sglang", 0.5, 2, 0 },
		{ "vllm:gpu_cache_usage_perc 0\n", "vllm", 0, -1, -1 }, /* empty is a measurement too */
		{ "vllm:kv_cache_usage_perc NaN\nvllm:kv_cache_usage_perc{e=\"1\"} 1\n", "vllm", 1, -1, -1 },
		{ "x{\nvllm:kv_cache_usage_perc 0.5\ngarbage", "vllm", 0.5, -1, -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stage s;
		struct engine_summary sum;

		test_case("%s", cases[i].page);
		open_stage(&s, (struct played){ .page = cases[i].page, .status = 200 }, "", 50);
		run_until(&s, 1, 0);
		sum = summary(&s);
		CHECK_STR(str_from(sum.kind), str_from(cases[i].kind));
		CHECK(sum.last == cases[i].kv && sum.highest == cases[i].kv);
		CHECK(sum.running == cases[i].running && sum.waiting == cases[i].waiting);
		CHECK_INT(sum.failed, 0);
		CHECK_STR(str_from(s.played.target), STR("/metrics"));
		close_stage(&s);
	}
}

TEST(scrapes_go_on_and_the_highest_is_kept)
{
	struct stage s;

	open_stage(&s, (struct played){ .page = SGLANG, .status = 200 }, "", 20);
	run_until(&s, 2, 0);
	s.played.page = "sglang:token_usage 0.125\n";
	run_until(&s, summary(&s).good + 3, 0);
	CHECK(summary(&s).last == 0.125 && summary(&s).highest == 0.5);
	CHECK(summary(&s).running < 0); /* what the last one did not say */
	close_stage(&s);
}

TEST(the_address_may_have_a_path_a_query_and_a_user)
{
	struct stage s;

	open_stage(&s, (struct played){ .page = SGLANG, .status = 200 }, "@/engine/prom?x=1", 20);
	run_until(&s, 1, 0);
	CHECK_STR(str_from(s.played.target), STR("/engine/prom?x=1"));
	CHECK_STR(str_from(s.played.authorization), STR("Basic am86cHc="));
	close_stage(&s);
}

TEST(what_is_no_measurement_is_a_failure_with_a_reason)
{
	static const struct {
		struct played played;
		const char *why;
	} cases[] = {
		{ { .page = VLLM, .status = 404 }, "it answered 404 Not Found" },
		{ { .page = "", .status = 200 }, "its answer has no metrics in it" },
		{ { .page = "<html>hello</html>\n", .status = 200 }, "its answer has no metrics in it" },
		{ { .page = "process_cpu_seconds_total 1\n", .status = 200 },
		  "it gives no gauge of a KV cache: neither vllm:kv_cache_usage_perc nor sglang:token_usage" },
		{ { .page = "vllm:kv_cache_usage_perc NaN\n", .status = 200 },
		  "it gives no gauge of a KV cache: neither vllm:kv_cache_usage_perc nor sglang:token_usage" },
		{ { .page = "vllm:kv_cache_usage_perc -1\n", .status = 200 },
		  "it gives no gauge of a KV cache: neither vllm:kv_cache_usage_perc nor sglang:token_usage" },
		{ { .page = "vllm:kv_cache_usage_perc 0.5", .status = 200 }, "its answer has no metrics in it" },
		{ { .page = VLLM, .status = 200, .cut = true }, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stage s;

		test_case("case %zu", i);
		open_stage(&s, cases[i].played, "", 20);
		run_until(&s, 0, 1);
		CHECK_INT(summary(&s).good, 0);
		CHECK(summary(&s).kind == NULL);
		CHECK(summary(&s).why[0] != '\0');
		if (cases[i].why)
			CHECK_STR(str_from(summary(&s).why), str_from(cases[i].why));
		CHECK(!engine_measured(s.engine, 0, INT64_MAX / 2));
		close_stage(&s);
	}
}

TEST(nobody_there_is_a_failure_and_no_end)
{
	struct stage s;
	struct url u;
	struct engine_summary sum;

	open_stage(&s, (struct played){ .page = SGLANG, .status = 200 }, "", 20);
	u = parse(&s, "", 1); /* nobody listens there */
	engine_stop(s.engine);
	server_stop(s.server, true);
	uv_timer_stop(&s.limit);
	uv_run(&s.loop, UV_RUN_DEFAULT);
	engine_close(s.engine);
	uv_timer_start(&s.limit, over, 30000, 0);
	s.engine = engine_open(&s.loop, &u, 20, &s.clock);
	run_until(&s, 0, 3);
	sum = summary(&s);
	CHECK_INT(sum.good, 0);
	CHECK(strstr(sum.why, "onnection refused") != NULL);
	close_stage(&s);
}

TEST(an_engine_that_does_not_answer_is_asked_again_later)
{
	struct stage s;

	open_stage(&s, (struct played){ .page = NULL, .status = 200 }, "", 100);
	run_until(&s, 0, 1); /* after five seconds */
	CHECK(s.played.asked <= 2); /* not every period: one at a time */
	CHECK(str_starts(str_from(summary(&s).why), STR("it did not answer")) ||
	      str_starts(str_from(summary(&s).why), STR("no byte of an answer")));
	s.played.page = SGLANG;
	run_until(&s, 1, 0);
	close_stage(&s);
}

TEST(a_span_is_measured_when_a_scrape_falls_into_it_or_less_than_a_period_away)
{
	struct stage s;
	int64_t before, first, after;

	open_stage(&s, (struct played){ .page = SGLANG, .status = 200 }, "", 100);
	before = clock_line_ns(&s.clock);
	CHECK(!engine_measured(s.engine, before - SECOND, before + SECOND)); /* nothing was read yet */
	run_until(&s, 1, 0);
	first = clock_line_ns(&s.clock);
	run_until(&s, 6, 0);
	after = clock_line_ns(&s.clock);
	CHECK(engine_measured(s.engine, before, after));
	CHECK(engine_measured(s.engine, first, first));
	CHECK(engine_measured(s.engine, (first + after) / 2, (first + after) / 2));
	CHECK(engine_measured(s.engine, after + SECOND / 100, after + SECOND));
	CHECK(!engine_measured(s.engine, after + SECOND / 5, after + SECOND));
	CHECK(engine_measured(s.engine, before - SECOND, before - SECOND / 100));
	CHECK(!engine_measured(s.engine, before - SECOND, before - SECOND / 5));
	close_stage(&s);
}

static void wait_ms(struct stage *s, int64_t ms)
{
	int64_t until = clock_line_ns(&s->clock) + ms * 1000000;

	while (clock_line_ns(&s->clock) < until)
		uv_run(&s->loop, UV_RUN_ONCE);
}

TEST(a_gap_of_failures_is_not_measured)
{
	struct stage s;
	int64_t from, to;

	open_stage(&s, (struct played){ .page = SGLANG, .status = 200 }, "", 20);
	run_until(&s, 3, 0);
	s.played.status = 503;
	run_until(&s, 0, 1);
	from = clock_line_ns(&s.clock);
	wait_ms(&s, 400);
	to = clock_line_ns(&s.clock);
	s.played.status = 200;
	run_until(&s, summary(&s).good + 3, 0);
	CHECK(!engine_measured(s.engine, from + SECOND / 20, to - SECOND / 20));
	CHECK(engine_measured(s.engine, from - SECOND / 10, from));
	CHECK(engine_measured(s.engine, to, clock_line_ns(&s.clock)));
	CHECK_STR(str_from(summary(&s).why), STR("it answered 503 Service Unavailable"));
	close_stage(&s);
}

struct asker {
	struct stage *s;
	bool stop, seen;
	uv_mutex_t lock;
};

static void ask_often(void *context)
{
	struct asker *a = context;
	bool stop = false;

	while (!stop) {
		bool seen = engine_measured(a->s->engine, 0, INT64_MAX / 2) && summary(a->s).good > 0;

		uv_mutex_lock(&a->lock);
		a->seen |= seen;
		stop = a->stop;
		uv_mutex_unlock(&a->lock);
	}
}

TEST(another_thread_may_ask_while_it_scrapes)
{
	struct stage s;
	struct asker a = { .s = &s };
	uv_thread_t thread;

	open_stage(&s, (struct played){ .page = VLLM, .status = 200 }, "", 1);
	uv_mutex_init(&a.lock);
	CHECK(uv_thread_create(&thread, ask_often, &a) == 0);
	run_until(&s, 100, 0);
	for (bool seen = false; !seen;) {
		uv_mutex_lock(&a.lock);
		seen = a.seen;
		a.stop = seen;
		uv_mutex_unlock(&a.lock);
	}
	uv_thread_join(&thread);
	uv_mutex_destroy(&a.lock);
	close_stage(&s);
}
