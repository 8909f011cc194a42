/* `trackway bench load`: reads the options into a load test, runs it, and writes its report. */
#include <stdio.h>

#include "base/build.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/stop.h"
#include "bench/load/dir.h"
#include "cmd/bench/args.h"
#include "cmd/bench/load_args.h"
#include "cmd/bench/load_shown.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/screen/progress.h"
#include "provider/provider_row.h"

#define INPUT_TOKENS 100
#define SPEED_LEAST 0.001
#define SPEED_MOST 1000000.0
#define DURATION_NS (UINT64_C(30) * 1000000000)

struct load_opts {
	struct bench_who who;
	struct bench_how how;
	struct bench_what what;
	struct str rate, schedule, speed, duration, out, run_id;
	int arrivals, order;
	unsigned requests, max_open, input_tokens;
	struct opt_list slo, fail_under;
	bool confident, allow_unreachable;
	struct opt_maybe json;
};

static const struct load_opts defaults = {
	.how = { .timeout = BENCH_TIMEOUT },
	.max_open = LOAD_MAX_OPEN,
	.input_tokens = INPUT_TOKENS,
	.out = { "runs", 4 },
};

static const struct opt options[] = {
	BENCH_WHO_OPTIONS(struct load_opts, "only one in a load test"),
	{ OPT_STR, 0, "rate", offsetof(struct load_opts, rate), "R[,R...]",
	  "requests per second; several are stages, one after the other" },
	{ OPT_CHOICE, 0, "arrivals", offsetof(struct load_opts, arrivals), "poisson|constant",
	  "random spacing, as from many users, or even (poisson)" },
	{ OPT_STR, 0, "schedule", offsetof(struct load_opts, schedule), "FILE",
	  "send requests at the times in this file: an agent-trace.jsonl or a Mooncake trace" },
	{ OPT_STR, 0, "speed", offsetof(struct load_opts, speed), "X", "with --schedule: speed factor (1)" },
	{ OPT_STR, 0, "duration", offsetof(struct load_opts, duration), "TIME",
	  "length of each stage, as 30s, 500ms or 5m (30s, unless --requests or --schedule ends it)" },
	{ OPT_UINT, 0, "requests", offsetof(struct load_opts, requests), "N", "most requests in each stage" },
	{ OPT_UINT, 0, "max-open", offsetof(struct load_opts, max_open), "N",
	  "most open requests at once; those due beyond it are counted as not sent (10000)" },
	{ OPT_CHOICE, 0, "order", offsetof(struct load_opts, order), "turn|random",
	  "take prompts of the suite in turn, or at random (turn)" },
	{ OPT_UINT, 0, "input-tokens", offsetof(struct load_opts, input_tokens), "N",
	  "without a suite: the length of questions, roughly (100)" },
	{ OPT_LIST, 0, "slo", offsetof(struct load_opts, slo), "LIMIT",
	  "the limits of a good answer, as 'ttft<=500ms', 'tpot<=50ms', 'e2e<=10s'; it must meet all" },
	BENCH_REACH_OPTION(struct load_opts),
	BENCH_HOW_OPTIONS(struct load_opts),
	BENCH_WHAT_OPTIONS(struct load_opts),
	{ OPT_STR, 0, "out", offsetof(struct load_opts, out), "DIR", "where runs are kept (runs)" },
	{ OPT_STR, 0, "run-id", offsetof(struct load_opts, run_id), "ID",
	  "name of the run's directory (default: the time)" },
	{ OPT_LIST, 0, "fail-under", offsetof(struct load_opts, fail_under), "FIGURE",
	  "exit with 1 unless every stage meets this, as 'p99_ttft<=1s' or 'goodput>=95%'" },
	{ OPT_FLAG, 0, "confident", offsetof(struct load_opts, confident), NULL,
	  "compare the worse end of a figure's interval with --fail-under" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct load_opts, json), "FIELDS", "load.json; only the named fields" },
	OPT_LAST,
};

/* A test in the making. */
struct loading {
	struct arena *a;
	const struct load_opts *o;
	const struct frame *frame;
	struct target *target;
	struct provider_options *provider;
	struct suite suite;
	double rates[ARRIVALS_STAGES];
	struct recorded recorded;
	bool has_recorded;
	struct arrivals_options arrivals;
	struct load_options options;
	struct load_slo slos[LOAD_SLOS];
	struct load_bound *bounds;
	struct load_stats stats;
	struct load_run run;
	struct load_report report;
	struct load_dir dir;
	struct progress progress;
	struct buf line;
};

/* ---- what is asked for ---- */

/* Only a recorded schedule can be made faster; for --rate the rate itself says how fast. */
static bool read_speed(struct loading *l, struct err *err)
{
	double *speed = &l->arrivals.speed;

	*speed = 1;
	if (!l->o->speed.p)
		return true;
	if (!l->o->schedule.p)
		return usage_set(err, "add --schedule FILE, or change --rate", "--speed needs a recorded schedule");
	if (num_parse_double(l->o->speed, speed) != NUM_OK || !(*speed >= SPEED_LEAST && *speed <= SPEED_MOST))
		return usage_set(err, "2 is twice as fast, 0.5 half as fast", "--speed: '%.*s' is not a speed",
				 STR_ARG(l->o->speed));
	return true;
}

/* What was cut or left out of a recording is said before anything is sent. */
static void say_recorded(const struct loading *l)
{
	const struct recorded *r = &l->recorded;

	if (r->capped)
		inputs_note(l->frame, "%.*s:%llu: %llu length%s beyond %u tokens cut to that", STR_ARG(l->o->schedule),
			    (unsigned long long)r->first_capped, (unsigned long long)r->capped,
			    r->capped == 1 ? "" : "s", RECORDED_TOKENS_MOST);
	if (r->unsized)
		inputs_note(l->frame, "load: %llu model call%s without input_tokens: using --input-tokens (%u)",
			    (unsigned long long)r->unsized, r->unsized == 1 ? "" : "s", l->o->input_tokens);
	if (r->torn)
		inputs_note(l->frame, "%.*s: its last line breaks off and is left out", STR_ARG(l->o->schedule));
}

/* Reads the recorded times. A schedule of more than a month is refused unless something ends it. */
static bool read_schedule(struct loading *l, struct err *err)
{
	const struct load_opts *o = l->o;
	uint64_t last;

	if (o->rate.p)
		return usage_set(err, "--speed makes a schedule faster", "--rate and --schedule exclude each other");
	l->has_recorded = true;
	if (!recorded_read(&l->recorded, l->a, o->schedule, err))
		return false;
	l->arrivals.kind = ARRIVALS_RECORDED;
	l->arrivals.recorded = &l->recorded;
	last = l->recorded.items[l->recorded.count - 1].due_ns;
	if ((double)last / l->arrivals.speed >= (double)ARRIVALS_LONGEST_NS &&
	    l->arrivals.duration_ns == ARRIVALS_NO_END)
		return usage_set(err, "make it faster with --speed, or end it with --duration or --requests",
				 "%.*s: this schedule lasts longer than a month", STR_ARG(o->schedule));
	say_recorded(l);
	return true;
}

/*
 * When requests are sent, from --rate or --schedule. 30 s is the length only when neither --requests nor a schedule
 * ends the test.
 */
static bool read_arrivals(struct loading *l, struct err *err)
{
	const struct load_opts *o = l->o;
	struct arrivals_options *out = &l->arrivals;

	*out = (struct arrivals_options){
		.kind = o->arrivals ? ARRIVALS_CONSTANT : ARRIVALS_POISSON,
		.duration_ns = ARRIVALS_NO_END,
		.requests = o->requests ? o->requests : ARRIVALS_NO_END,
		.seed = o->how.seed,
	};
	if (!read_speed(l, err) ||
	    (o->duration.p && !load_args_time(o->duration, "--duration", &out->duration_ns, err)))
		return false;
	if (o->schedule.p)
		return read_schedule(l, err);
	if (!o->rate.p)
		return usage_set(err, "add --rate 2 (requests per second) or --schedule FILE",
				 "no --rate and no --schedule given");
	out->rates = l->rates;
	if (!load_args_rates(o->rate, l->rates, &out->rate_count, err))
		return false;
	if (!o->duration.p && !o->requests)
		out->duration_ns = DURATION_NS;
	return true;
}

/* --slo and --fail-under. Goodput means nothing before --slo says what is good. */
static bool read_limits(struct loading *l, struct err *err)
{
	const struct load_opts *o = l->o;

	if (o->slo.count > LOAD_SLOS)
		return usage_set(err, "give one for each figure", "--slo: more than %d", LOAD_SLOS);
	for (size_t i = 0; i < o->slo.count; i++)
		if (!load_args_slo(&l->slos[i], o->slo.items[i], err))
			return false;
	l->bounds = arena_array(l->a, struct load_bound, o->fail_under.count + 1);
	for (size_t i = 0; i < o->fail_under.count; i++) {
		if (!load_args_bound(&l->bounds[i], o->fail_under.items[i], err))
			return false;
		if ((l->bounds[i].figure == LOAD_FIGURE_GOODPUT || l->bounds[i].figure == LOAD_FIGURE_GOODPUT_RATE) &&
		    !o->slo.count)
			return usage_set(err, "say with --slo what a good answer is",
					 "--fail-under '%.*s' without --slo",
					 STR_ARG(o->fail_under.items[i]));
	}
	l->stats.slos = l->slos;
	l->stats.slo_count = o->slo.count;
	return true;
}

/* Exactly one target, its key, and the suite if one is named. */
static bool read_target(struct loading *l, struct args args, struct err *err)
{
	struct suite_options how;
	size_t count;

	if (!bench_args_targets(l->a, &l->o->who, &l->target, &count, err))
		return false;
	if (count > 1)
		return usage_set(err, "test one after the other: two at once would disturb each other",
				 "--target: a load test has one target");
	return bench_args_providers(l->a, &l->o->who, l->target, 1, &l->provider, NULL, err) &&
	       bench_args_addresses(l->target, l->provider, 1, err) &&
	       (l->o->allow_unreachable || bench_args_keys(l->target, l->provider, 1, err)) &&
	       (!args.count || bench_args_suite(l->a, l->frame, args.items, args.count, &l->o->what, &l->suite, &how,
						err));
}

/* The mock, unless it has an address, runs in this process. */
static bool has_server(const struct loading *l)
{
	return l->target->provider->built_in && !l->provider->base.p;
}

/* Everything that can be wrong is read and checked here, before a directory is made or a request is sent. */
static bool bench_load_read_options(struct loading *l, struct args args, struct err *err)
{
	const struct load_opts *o = l->o;

	l->options = (struct load_options){
		.by_chance = o->order == 1,
		.input_tokens = o->input_tokens,
		.max_tokens = o->how.max_tokens,
		.system = o->how.system,
		.whole = o->how.no_stream,
		.timeout_ns = (uint64_t)o->how.timeout * 1000000000,
		.max_open = o->max_open,
		.seed = o->how.seed,
		.arrivals = &l->arrivals,
	};
	if (o->max_open == 0 || o->how.timeout == 0)
		return usage_set(err, "give 1 or more", "--%s 0 leaves nothing to measure",
				 o->max_open ? "timeout" : "max-open");
	if (o->input_tokens == 0 || o->input_tokens > RECORDED_TOKENS_MOST)
		return usage_set(err, "give 1 to 1048576", "--input-tokens: a question cannot have %u tokens",
				 o->input_tokens);
	if (!read_limits(l, err) || !bench_args_temperature(&o->how, &l->options.temperature, err) ||
	    !read_target(l, args, err) || !read_arrivals(l, err))
		return false;
	l->options.target = l->target;
	l->options.provider = l->provider;
	l->options.suite = args.count ? &l->suite : NULL;
	l->options.no_pauses = has_server(l);
	return true;
}

/* ---- while it runs ---- */

/* Some times a second and not line by line: a disk that stalls would be in the times we measure. */
static bool on_lines(void *own, struct str lines, struct err *err)
{
	struct loading *l = own;

	return load_dir_add(&l->dir, lines, err);
}

static void on_progress(void *own, const struct load_progress *p)
{
	struct loading *l = own;
	uint64_t now = clock_mono_ns();

	if (!progress_is_due(&l->progress, now))
		return;
	buf_clear(&l->line);
	load_shown_progress(&l->line, p, arrivals_length_ns(&l->arrivals), l->stats.count);
	progress_show(&l->progress, buf_str(&l->line), now);
}

/* ---- the end ---- */

/* Everything the report needs of the options; it points into *l. */
static void fill_report(struct loading *l, struct args args, uint64_t wall_ns)
{
	struct load_report *r = &l->report;

	r->started_at = stamp_new_ns(l->a, (int64_t)wall_ns, 3);
	r->version = STR(BUILD_VERSION);
	r->command = bench_args_command(l->a, l->frame, &r->command_count);
	r->target = target_name(l->a, str_from(provider_name(l->target->provider)), l->target->model,
				l->target->thinking);
	r->options = &l->options;
	r->schedule = l->o->schedule;
	r->suites = args.items;
	r->suite_count = args.count;
	r->stats = &l->stats;
	r->run = &l->run;
	r->has_server = has_server(l);
	r->confident = l->o->confident;
}

/* Limits that are not met are said with -q, too; those that are met only with -v. */
static void say_verdicts(const struct loading *l)
{
	for (size_t i = 0; i < l->report.verdict_count; i++) {
		const struct load_verdict *v = &l->report.verdicts[i];
		const char *met = v->met ? "met" : "not met";

		if (v->met && !l->frame->verbose)
			continue;
		if (l->stats.count > 1)
			inputs_say("%s: stage %zu: %.*s", met, v->stage + 1, STR_ARG(v->said));
		else
			inputs_say("%s: %.*s", met, STR_ARG(v->said));
	}
}

/* Writes the files and shows the figures. They are shown even if the files cannot be written: they cost time to get. */
static bool bench_load_conclude(struct loading *l, struct err *err)
{
	struct buf json, text;
	bool done;

	buf_init(&json);
	buf_init(&text);
	done = load_dir_report(&l->dir, &l->report, &json, err);
	if (l->o->json.given)
		load_shown_json(&text, buf_str(&json), l->o->json);
	else
		load_shown_text(&text, l->a, &l->report, &l->frame->out);
	stream_write(stdout, buf_str(&text));
	if (done)
		inputs_note(l->frame, "wrote %.*s (load.json, load.md, requests.jsonl)", STR_ARG(l->dir.path));
	buf_free(&json);
	buf_free(&text);
	return done;
}

/* False when the target was asked and did not give one ok answer. */
static bool is_reached(const struct loading *l, struct err *err)
{
	struct load_stage *all = load_stats_all(l->report.stats);
	struct buf why;

	if (l->o->allow_unreachable || l->run.stopped || !all->due || all->ends[LOAD_OK])
		return true;
	buf_init(&why);
	buf_printf(&why, "%.*s (", STR_ARG(l->report.target));
	for (size_t i = 0; i < l->stats.failure_count; i++)
		buf_printf(&why, "%s%s %llu", i ? ", " : "", l->stats.failures[i].name,
			   (unsigned long long)l->stats.failures[i].count);
	buf_add_byte(&why, ')');
	bench_args_unreachable(buf_str(&why), err);
	buf_free(&why);
	return false;
}

/* Makes the directory, runs the test, writes and shows the report. A test that was stopped is still reported. */
static int execute(struct loading *l, struct args args, struct err *err)
{
	uint64_t began = clock_wall_ns();
	bool done, met;

	if (!bench_args_run_id(l->a, l->o->run_id, l->o->out, &l->report.run_id, err) ||
	    !load_dir_make(&l->dir, l->a, l->o->out, l->report.run_id, err))
		return EXIT_FAIL;
	l->options.write = on_lines;
	l->options.progress = on_progress;
	l->options.own = l;
	buf_init(&l->line);
	progress_init(&l->progress, l->frame, fileno(stderr), clock_mono_ns());
	done = load_run(&l->options, l->a, &l->stats, &l->run, err);
	progress_erase(&l->progress);
	buf_free(&l->line);
	load_dir_close(&l->dir);
	if (!done) {
		load_stats_free(&l->stats);
		return EXIT_FAIL;
	}
	fill_report(l, args, began);
	met = load_report_judge(&l->report, l->a, l->bounds, l->o->fail_under.count);
	done = bench_load_conclude(l, err);
	if (done)
		say_verdicts(l);
	done = done && is_reached(l, err);
	load_stats_free(&l->stats);
	if (!done)
		return EXIT_FAIL;
	return l->run.stopped ? 128 + stop_signal() : met ? EXIT_YES : EXIT_NO;
}

/* The command. *l is large, so it lies in the arena and not on the stack. */
static int bench_load_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	struct loading *l = arena_new(a, struct loading);
	int status = EXIT_FAIL;

	l->a = a;
	l->o = given;
	l->frame = args.frame;
	if (bench_load_read_options(l, args, err))
		status = execute(l, args, err);
	if (l->has_recorded)
		recorded_free(&l->recorded);
	return status;
}

static const struct example examples[] = {
	{ "trackway bench load --target mock:echo --rate 20 --duration 1s",
	  "made-up questions, 20 a second, at random times" },
	{ "trackway bench load suite.json --target mock:echo --rate 10,20 --requests 10", "a suite, at two rates" },
	{ "trackway bench load --target mock:echo --schedule agent-trace.jsonl --speed 50",
	  "at the times an agent once asked" },
	{ NULL, NULL },
};

const struct command bench_load_command = {
	.name = "bench load",
	.summary = "put load on a server and measure how it answers",
	.usage = "[SUITE...] --target PROVIDER:MODEL --rate R|--schedule FILE",
	.description =
		"Sends each request when it is due, however many are still open, and measures from that moment. "
		"So a slow server cannot make the test ask less (coordinated omission). Requests that fail, time "
		"out or cannot be sent are counted, never dropped. Failed requests are not retried.\n\n"
		"When requests are due: --rate with --arrivals poisson or constant; several rates are stages, "
		"each with its own figures. Or --schedule: the model calls of an agent-trace.jsonl, or a Mooncake "
		"trace (JSONL with timestamp in ms, input_length, output_length, hash_ids). Equal hash_ids become "
		"equal text, so that a prefix cache is hit as in the recording; 'record --hash-blocks' keeps them.\n\n"
		"What is asked: the prompts of a suite; without one, words of about --input-tokens tokens.\n\n"
		"What is measured: time to first token (ttft), per output token (tpot), between the pieces of a "
		"stream (itl), to the end (e2e), and the last two also to the last token, as AIPerf has them "
		"(tpot_last, e2e_last); p50 to p99 with 95 % intervals by order statistics; tokens per "
		"second. With --slo also the share of good answers and how many come per second (goodput). The "
		"delay of this machine is measured too, and the run is marked when this machine was the "
		"bottleneck.\n\n"
		"Writes DIR/ID/load.json, load.md and requests.jsonl (a line for each request, no content). "
		"Ctrl-C stops the test and still reports what was done (exit status 130).\n\n"
		"The exit status is 0 when the test was completed; 1 when a --fail-under is not met; 2 when the "
		"target has no key, before anything is sent; 3 when the target gave no ok answer, unless "
		"--allow-unreachable is given. doc/bench-load.md has the details.",
	.examples = examples,
	.options = options,
	.defaults = &defaults,
	.fields = load_shown_fields,
	.options_size = sizeof(struct load_opts),
	.args = ARGS_SUITES,
	.args_min = 0,
	.args_max = ARGS_MANY,
	.run = bench_load_run,
};
