/* The driver against the built-in server. Times are checked with bounds that only a broken one would miss. */
#include "bench/load/load.h"

#include <math.h>
#include <signal.h>

#include "base/stop.h"
#include "bench/load/line.h"
#include "bench/load/report.h"
#include "harness/test.h"
#include "json/json.h"
#include "provider/mock_script.h"

#define MS UINT64_C(1000000)

struct bench {
	struct arena a;
	struct target target;
	struct mock_script script;
	struct provider_options provider;
	double rate;
	struct arrivals_options arrivals;
	struct load_options o;
	struct load_stats stats;
	struct load_run run;
	struct err err;
	struct buf lines;
	unsigned writes, shows;
	bool refuse, stop;
};

static bool keep_lines(void *own, struct str lines, struct err *err)
{
	struct bench *b = own;

	b->writes++;
	buf_add_str(&b->lines, lines);
	return !b->refuse || err_set(err, ERR_IO, "disk full");
}

static void show(void *own, const struct load_progress *p)
{
	struct bench *b = own;

	b->shows++;
	CHECK(p->ok + p->failed + p->not_sent + p->open <= p->due);
	if (b->stop && p->due) {
		b->stop = false; /* the second one would end the process */
		raise(SIGINT);
	}
}

static void bench_init(struct bench *b, const char *script, double rate, uint64_t requests)
{
	*b = (struct bench){ .rate = rate };
	arena_init(&b->a);
	buf_init(&b->lines);
	CHECK(target_parse(&b->a, STR("mock:m"), &b->target, &b->err));
	if (script) {
		CHECK(mock_script_parse(&b->a, str_from(script), STR("s.json"), &b->script, &b->err));
		b->provider.script = &b->script;
	}
	b->arrivals = (struct arrivals_options){
		.kind = ARRIVALS_CONSTANT, .rates = &b->rate, .rate_count = 1, .speed = 1, .duration_ns = ARRIVALS_NO_END,
		.requests = requests,
	};
	b->o = (struct load_options){
		.target = &b->target, .provider = &b->provider, .arrivals = &b->arrivals, .input_tokens = 20, .temperature = -1,
		.timeout_ns = 60000 * MS, .max_open = LOAD_MAX_OPEN, .no_pauses = true, .write = keep_lines, .progress = show,
		.own = b,
	};
}

static bool bench_run(struct bench *b)
{
	return load_run(&b->o, &b->a, &b->stats, &b->run, &b->err);
}

static void bench_free(struct bench *b)
{
	load_stats_free(&b->stats);
	buf_free(&b->lines);
	arena_free(&b->a);
}

/* Every line is JSON and has a number that no other has. */
static void check_lines(const struct bench *b, uint64_t wanted)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str rest = buf_str(&b->lines), line;
	bool *seen = test_alloc(wanted + 1);
	uint64_t count = 0;

	while (rest.n) {
		struct val v;
		int64_t number;

		line = str_cut(rest, '\n', &rest);
		CHECK(json_parse_copy(p, line, &v, NULL));
		CHECK(val_i64(val_get(v, STR("number")), &number) && (uint64_t)number < wanted && !seen[number]);
		seen[number] = true;
		count++;
	}
	CHECK_INT(count, wanted);
	json_parser_close(p);
}

#define PACED "{\"schema\":\"trackway.mock/1\",\"rules\":[{\"reply\":{\"text\":\"a b c d e\",\"usage\":{\"input\":7,\"output\":5}}," \
	"\"pace\":{\"ttft_ms\":20,\"itl_ms\":5,\"chunk\":\"word\"}}]}"

TEST(every_request_is_sent_and_measured)
{
	struct bench b;
	struct load_stage *g;

	bench_init(&b, PACED, 200, 60);
	CHECK(bench_run(&b));
	g = &b.stats.stages[0];
	CHECK_INT(g->due, 60);
	CHECK_INT(g->ends[LOAD_OK], 60);
	CHECK_INT(g->output_tokens, 300);
	CHECK_INT(g->input_tokens, 420);
	CHECK_INT(g->estimated, 0);
	CHECK_INT(g->spreads[LOAD_ITL].n, 60 * 4);
	CHECK(g->spreads[LOAD_TTFT_SENT].least >= 18); /* the mock waits 20 ms on a clock of milliseconds */
	CHECK(g->spreads[LOAD_E2E].least >= 37);
	CHECK(g->spreads[LOAD_E2E].least >= g->spreads[LOAD_TTFT].least);
	CHECK(b.run.wall_ns >= 290 * MS); /* 59 gaps of 5 ms, and the last answer */
	CHECK(!b.run.stopped && b.run.most_open >= 1 && b.run.cpu_seconds >= 0);
	CHECK_INT(g->length_ns, 300 * MS);
	CHECK(b.shows >= 1);
	check_lines(&b, 60);
	bench_free(&b);
}

TEST(requests_beyond_max_open_are_counted_as_not_sent)
{
	struct bench b;

	bench_init(&b, "{\"schema\":\"trackway.mock/1\",\"rules\":[{\"reply\":{\"text\":\"x\"},\"pace\":{\"ttft_ms\":400}}]}", 500, 20);
	b.o.max_open = 3;
	CHECK(bench_run(&b));
	CHECK(b.stats.stages[0].ends[LOAD_NOT_SENT] > 0);
	CHECK_INT(b.stats.stages[0].ends[LOAD_NOT_SENT] + b.stats.stages[0].ends[LOAD_OK], 20);
	CHECK_INT(b.run.most_open, 3);
	check_lines(&b, 20);
	bench_free(&b);
}

TEST(an_answer_that_takes_too_long_is_a_timeout)
{
	struct bench b;

	bench_init(&b, "{\"schema\":\"trackway.mock/1\",\"rules\":[{\"match\":{\"nth\":2},\"reply\":{\"text\":\"x\"},\"pace\":{\"ttft_ms\":60000}},"
		       "{\"reply\":{\"text\":\"y\"}}]}", 100, 4);
	b.o.timeout_ns = 3000 * MS * test_slower();
	CHECK(bench_run(&b));
	CHECK_INT(b.stats.stages[0].ends[LOAD_TIMEOUT], 1);
	CHECK_INT(b.stats.stages[0].ends[LOAD_OK], 3);
	CHECK_STR(str_from(b.stats.failures[0].name), STR("timeout"));
	check_lines(&b, 4);
	bench_free(&b);
}

TEST(refusals_are_told_apart_and_nothing_is_tried_twice)
{
	struct bench b;

	bench_init(&b, "{\"schema\":\"trackway.mock/1\",\"rules\":[{\"match\":{\"nth\":1},\"fault\":{\"status\":429}},"
		       "{\"match\":{\"nth\":2},\"fault\":{\"status\":503}},{\"reply\":{\"text\":\"y\"}}]}", 100, 5);
	CHECK(bench_run(&b));
	CHECK_INT(b.stats.stages[0].ends[LOAD_LIMITED], 1);
	CHECK_INT(b.stats.stages[0].ends[LOAD_ERROR], 1);
	CHECK_INT(b.stats.stages[0].ends[LOAD_OK], 3);
	CHECK_INT(b.stats.failure_count, 2);
	bench_free(&b);
}

TEST(a_server_that_is_not_there_is_an_error_for_each)
{
	struct bench b;

	bench_init(&b, NULL, 100, 5);
	b.provider.base = STR("http://127.0.0.1:1/v1");
	CHECK(bench_run(&b));
	CHECK_INT(b.stats.stages[0].ends[LOAD_ERROR], 5);
	CHECK_STR(str_from(b.stats.failures[0].name), STR("connect_error"));
	bench_free(&b);
}

TEST(whole_answers_have_no_first_token)
{
	struct bench b;

	bench_init(&b, PACED, 100, 5);
	b.o.whole = true;
	CHECK(bench_run(&b));
	CHECK_INT(b.stats.stages[0].spreads[LOAD_TTFT].n, 0);
	CHECK_INT(b.stats.stages[0].spreads[LOAD_E2E].n, 5);
	bench_free(&b);
}

TEST(a_signal_ends_it_with_what_was_done)
{
	struct bench b;

	stop_install();
	bench_init(&b, "{\"schema\":\"trackway.mock/1\",\"rules\":[{\"reply\":{\"text\":\"x\"},\"pace\":{\"ttft_ms\":60000}}]}", 100, 100000);
	b.stop = true;
	CHECK(bench_run(&b));
	CHECK(b.run.stopped);
	CHECK_INT(b.stats.stages[0].ends[LOAD_GIVEN_UP], b.stats.stages[0].due);
	CHECK(b.stats.stages[0].length_ns <= b.run.wall_ns);
	check_lines(&b, b.stats.stages[0].due);
	bench_free(&b);
}

TEST(a_disk_that_refuses_ends_it)
{
	struct bench b;

	bench_init(&b, NULL, 50, 1000);
	b.refuse = true;
	CHECK(!bench_run(&b));
	CHECK_STR(str_from(b.err.text), STR("disk full"));
	CHECK_INT(b.writes, 1);
	bench_free(&b);
}

/* ---- the line and the reports ---- */

TEST(a_line_has_the_times_since_the_start_and_no_content)
{
	static const uint64_t pieces[] = { 2009 * MS };
	struct load_outcome o = {
		.number = 3, .stage = 1, .end = LOAD_OK, .http_status = 200, .streamed = true, .due_ns = 2000 * MS, .sent_ns = 2000 * MS + 1,
		.byte_ns = 2001 * MS, .token_ns = 2002 * MS, .ended_ns = 2010 * MS + 500000, .input_tokens = 4, .output_tokens = 2,
		.output_known = true, .events = 5, .late_ns = 1500, .arrivals = pieces, .arrival_count = 1,
	};
	struct buf out;

	buf_init(&out);
	load_line_add(&out, &o, 1000 * MS, STR("r\"1"));
	CHECK_STR(buf_str(&out),
		  STR("{\"number\":3,\"stage\":2,\"status\":\"ok\",\"failure\":null,\"http_status\":200,\"due_ms\":1000.000000,"
		      "\"sent_ms\":1000.000001,\"first_byte_ms\":1001.000000,\"first_token_ms\":1002.000000,"
		      "\"last_token_ms\":1009.000000,\"end_ms\":1010.500000,"
		      "\"input_tokens\":4,\"output_tokens\":2,\"output_tokens_source\":\"api\",\"events\":5,\"late_ms\":0.001500,"
		      "\"longest_gap_ms\":null,\"request_id\":\"r\\\"1\"}\n"));
	buf_clear(&out);
	o = (struct load_outcome){ .end = LOAD_NOT_SENT, .due_ns = 999 * MS, .failure = "max_open" };
	load_line_add(&out, &o, 1000 * MS, (struct str){ NULL, 0 });
	CHECK_STR(buf_str(&out),
		  STR("{\"number\":0,\"stage\":1,\"status\":\"not_sent\",\"failure\":\"max_open\",\"http_status\":null,\"due_ms\":-1.000000,"
		      "\"sent_ms\":null,\"first_byte_ms\":null,\"first_token_ms\":null,\"last_token_ms\":null,\"end_ms\":null,\"input_tokens\":null,"
		      "\"output_tokens\":null,\"output_tokens_source\":null,\"events\":0,\"late_ms\":0.000000,\"longest_gap_ms\":null,"
		      "\"request_id\":null}\n"));
	buf_free(&out);
}

static double number_at(struct val root, const char *pointer)
{
	double d = NAN;

	return val_double(val_at(root, str_from(pointer)), &d) ? d : NAN;
}

TEST(the_reports_have_the_figures)
{
	static const struct load_slo slo = { .text = { "e2e<=60s", 8 }, .metric = LOAD_E2E, .ms = 60000 };
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct load_bound bound = { .text = STR("p50_e2e<=1s") };
	struct load_verdict verdict = { .bound = &bound, .met = true, .said = STR("p50_e2e 3 ms, wanted <=1s") };
	struct bench b;
	struct load_percentile few;
	struct load_report r;
	struct buf out;
	struct val v;

	bench_init(&b, PACED, 100, 10);
	b.stats.slos = &slo;
	b.stats.slo_count = 1;
	CHECK(bench_run(&b));
	r = (struct load_report){
		.run_id = STR("id"), .started_at = STR("2026-01-01T00:00:00Z"), .version = STR("1"), .target = STR("mock:m"), .options = &b.o,
		.stats = &b.stats, .run = &b.run, .has_server = true, .verdicts = &verdict, .verdict_count = 1,
	};
	buf_init(&out);
	load_report_json(&out, &r);
	CHECK(json_parse_copy(p, buf_str(&out), &v, NULL));
	CHECK(val_text_is(val_get(v, STR("schema")), STR("trackway.bench-load/1")));
	CHECK(number_at(v, "/all/due") == 10 && number_at(v, "/stages/0/ok") == 10);
	CHECK(number_at(v, "/all/goodput/share") == 1);
	CHECK(number_at(v, "/all/e2e_ms/p50") == load_spread_get(&b.stats.stages[0].spreads[LOAD_E2E], 0.5).value);
	CHECK(val_is(val_at(v, STR("/all/e2e_ms/p99_interval")), JSON_NULL)); /* ten are too few */
	CHECK(val_is(val_at(v, STR("/all/e2e_ms/p50_interval")), JSON_ARRAY));
	CHECK(val_is(val_at(v, STR("/thresholds/0/met")), JSON_TRUE));
	CHECK(val_is(val_get(v, STR("completed")), JSON_TRUE));
	CHECK(load_report_event_us(&r) > 0 && load_report_busy(&r) > 0);
	buf_clear(&out);
	load_report_md(&out, &r);
	CHECK(str_starts(buf_str(&out), STR("# Load test id\n\nmock:m, constant at 100/s, 10 requests;")));
	CHECK(str_find(buf_str(&out), STR("100.0 % [72.2, 100.0]")) != (size_t)-1);
	CHECK(str_find(buf_str(&out), STR("- met: p50_e2e 3 ms")) != (size_t)-1);
	buf_clear(&out);
	b.run.stopped = true;
	load_report_notes(&out, &r, "* ");
	CHECK(str_starts(buf_str(&out), STR("* stopped by a signal")));
	CHECK(str_find(buf_str(&out), STR("by seed 0")) != (size_t)-1);
	buf_clear(&out);
	few = (struct load_percentile){ .value = 5, .interval = { NAN, NAN }, .estimated = true };
	CHECK_STR(str_from(load_report_percentile(few, true).text), STR("5.00 ms~ (n too small)"));
	b.arrivals.kind = ARRIVALS_RECORDED;
	b.arrivals.speed = 2;
	load_report_arrivals(&out, &r);
	CHECK_STR(buf_str(&out), STR("as recorded, 2 times as fast, 10 requests"));
	buf_free(&out);
	json_parser_close(p);
	bench_free(&b);
}
