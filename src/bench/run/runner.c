/* Joins the schedule to the loop, the providers and the files of the run. */
#include "bench/run/runner.h"

#include <math.h>
#include <sys/resource.h>

#include "base/stop.h"
#include "bench/run/runner_private.h"

#define TICK_MS 100        /* how soon Ctrl-C is noticed, how often progress is told */
#define SAMPLE_LIMIT 65536 /* latencies that are kept to tell quantiles */

/* ---- the end ---- */

static void on_wake(uv_timer_t *timer);

void runner_finish(struct runner *r, enum runner_end end)
{
	if (r->over)
		return;
	r->over = true;
	r->report->end = end;
	uv_timer_start(&r->wake, on_wake, 0, 0);
}

struct err *runner_err(struct runner *r, struct err *other)
{
	return r->report->end == RUNNER_FAILED ? other : r->err;
}

void runner_check(struct runner *r, bool written)
{
	if (written)
		return;
	runner_finish(r, RUNNER_FAILED);
	r->report->end = RUNNER_FAILED; /* also of a run that was stopping already */
}

/* Gives up what is open and closes all handles, so that the loop ends. */
static void shut(struct runner *r)
{
	for (struct runner_call *c = r->open; c; c = c->next)
		if (c->call)
			provider_cancel(c->call, NULL);
	r->open = NULL;
	provider_pool_close(r->pool);
	uv_close((uv_handle_t *)&r->tick, NULL);
	uv_close((uv_handle_t *)&r->wake, NULL);
}

/* ---- the loop ---- */

static void set_wake(struct runner *r, uint64_t until, uint64_t now)
{
	uint64_t ns = until > now ? until - now : 0;

	if (until == SCHEDULE_NEVER)
		uv_timer_stop(&r->wake);
	else
		uv_timer_start(&r->wake, on_wake, (ns + RUNNER_NS_PER_MS - 1) / RUNNER_NS_PER_MS, 0);
}

/* Does all that can be done now. Gives false when it is to be waited. */
static bool pump_once(struct runner *r)
{
	uint64_t now = clock_mono_ns();
	struct schedule_step step = schedule_next(r->schedule, now);

	switch (step.what) {
	case SCHEDULE_BEGIN:
		runner_target_begin(r, step.target);
		return true;
	case SCHEDULE_SEND:
		runner_send(r, &step);
		return true;
	case SCHEDULE_EXPIRE:
		runner_expire(r, step.row);
		return true;
	case SCHEDULE_SKIP:
		runner_skip(r, &step, now);
		return true;
	case SCHEDULE_END:
		runner_target_end(r, step.target);
		return true;
	case SCHEDULE_WAIT:
		set_wake(r, step.until, now);
		return false;
	case SCHEDULE_OVER:
		if (r->threads == 0)
			runner_finish(r, r->report->end);
		return false;
	}
	return false;
}

void runner_pump(struct runner *r)
{
	while (!r->over) {
		if (stop_signal())
			runner_finish(r, RUNNER_STOPPED);
		else if (!pump_once(r))
			return;
	}
}

static void on_wake(uv_timer_t *timer)
{
	struct runner *r = timer->data;

	if (r->over)
		shut(r);
	else
		runner_pump(r);
}

static void runner_on_tick(uv_timer_t *timer)
{
	struct runner *r = timer->data;

	if (r->over)
		return;
	runner_expire_warming(r);
	arena_reset(&r->work);
	runner_tell_progress(r);
	runner_pump(r);
}

/* ---- beginning and end ---- */

static bool count_old(void *own, const struct result *row, struct str line)
{
	struct runner *r = own;

	(void)line;
	runner_count(&r->progress, row);
	return true;
}

/* What is there already counts: in the progress, against the budget, and is not asked again. */
static bool know_old(struct runner *r, struct err *err)
{
	const struct config *c = r->o->config;
	const struct map *rows = run_dir_rows(r->o->dir);
	struct results_lost lost;

	if (rows->count && !results_walk(run_dir_path(r->o->dir), count_old, r, &lost, err))
		return false;
	r->used_usd = r->progress.usd;
	r->progress.done = 0;
	for (uint64_t row = 0; rows->count && row < schedule_count(r->schedule); row++) {
		uint64_t repetition, prompt;
		const struct target *t;
		size_t target;

		schedule_row(r->schedule, row, &target, &repetition, &prompt);
		t = &c->targets[target];
		if (map_find(rows, result_key(&r->work, str_from(provider_name(t->provider)), t->model, t->thinking,
					      r->o->suite->prompts[prompt].id, (int64_t)repetition + 1))) {
			schedule_mark_done(r->schedule, row);
			r->progress.done++;
		}
		arena_reset(&r->work);
	}
	r->done_before = r->progress.done;
	return true;
}

static bool check_targets(const struct config *c, struct err *err)
{
	for (size_t i = 0; i < c->target_count; i++)
		for (size_t k = 0; k < i; k++)
			if (str_eq(c->targets[i].tag, c->targets[k].tag))
				return err_set(err, ERR_USAGE,
					       "target %.*s is given twice, or has the same file names as "
					       "another" ERR_HELP "give each once",
					       STR_ARG(c->targets[i].tag));
	return true;
}

/* Opens the lanes, makes the schedule, marks rows that are there already and logs the beginning. */
static bool prepare(struct runner *r, struct err *err)
{
	const struct config *c = r->o->config;
	struct schedule_options o = {
		.target_count = c->target_count, .prompts = r->o->suite->count, .repeat = c->repeat,
		.retries = (unsigned)c->retries, .retry_delay_ms = c->retry_delay_ms, .timeout_ms = c->timeout_ms,
		.seed = c->seed,
	};

	if (!runner_lanes_open(&r->lanes, &r->keep, r->pool, c->targets, r->o->providers, c->target_count,
			       c->concurrency, err))
		return false;
	o.lanes = r->lanes.lanes;
	o.lane_count = r->lanes.count;
	o.limits = r->lanes.limits;
	r->schedule = schedule_new(&r->keep, &o);
	r->targets = arena_array(&r->keep, struct runner_target, c->target_count);
	r->limits = arena_array(&r->keep, unsigned, r->lanes.count);
	r->pauses = arena_array(&r->keep, uint64_t, r->lanes.count);
	for (size_t i = 0; i < r->lanes.count; i++) {
		uint64_t paused_until;

		r->limits[i] = schedule_limit(r->schedule, i, &paused_until);
	}
	r->progress.total = schedule_count(r->schedule);
	if (!know_old(r, err))
		return false;
	runner_log_begin(&r->log);
	json_put_i64_or_null(&r->log.w, "rows", (int64_t)r->progress.total);
	json_put_i64_or_null(&r->log.w, "rows_before", (int64_t)r->done_before);
	json_put_i64_or_null(&r->log.w, "lanes", (int64_t)r->lanes.count);
	return runner_log_end(&r->log, "run_begin", err);
}

static double runner_cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* Works out how late we ourselves were, and whether that spoiled the times. */
static void fill_report(struct runner *r, double cpu)
{
	struct runner_report *report = r->report;
	double wall = (double)(clock_mono_ns() - r->began_ns) / 1e9, median = quantile_get(&r->latency, 0.5);
	bool is_late;

	report->last = r->progress;
	report->late_p50_ms = quantile_get(&r->late, 0.5);
	report->late_p99_ms = quantile_get(&r->late, 0.99);
	report->busy = wall > 0 ? fmin(cpu / wall, 1) : 0;
	is_late = report->late_p99_ms > 5 && report->late_p99_ms > 0.05 * median;
	/* who measured nothing, because all rows were there, held nothing up */
	report->was_bottleneck = r->late.seen > 0 && (is_late || report->busy > 0.9);
}

static void runner_run_loop(struct runner *r)
{
	uv_timer_init(&r->loop, &r->tick);
	uv_timer_init(&r->loop, &r->wake);
	r->tick.data = r->wake.data = r;
	uv_timer_start(&r->tick, runner_on_tick, TICK_MS, TICK_MS);
	uv_timer_start(&r->wake, on_wake, 0, 0);
	uv_run(&r->loop, UV_RUN_DEFAULT);
	if (r->report->end == RUNNER_STOPPED || r->report->end == RUNNER_COMPLETE)
		runner_target_stopped(r);
}

bool runner_run(const struct runner_options *o, struct runner_report *report, struct err *err)
{
	struct runner r = { .o = o, .report = report, .err = err, .line = clock_line_begin() };
	double cpu = runner_cpu_seconds();
	bool ready;

	*report = (struct runner_report){ .end = RUNNER_COMPLETE };
	if (!check_targets(o->config, err))
		return false;
	arena_init(&r.keep);
	arena_init(&r.work);
	runner_log_init(&r.log, o->dir);
	quantile_init(&r.late, SAMPLE_LIMIT);
	quantile_init(&r.latency, SAMPLE_LIMIT);
	uv_loop_init(&r.loop);
	r.pool = provider_pool_open(&r.loop);
	r.began_ns = clock_mono_ns();
	ready = prepare(&r, err);
	if (ready) {
		runner_run_loop(&r);
	} else {
		report->end = RUNNER_FAILED;
		provider_pool_close(r.pool);
		uv_run(&r.loop, UV_RUN_DEFAULT);
	}
	provider_pool_free(r.pool);
	uv_loop_close(&r.loop);
	if (ready)
		runner_tell_progress(&r);
	fill_report(&r, runner_cpu_seconds() - cpu);
	if (report->end != RUNNER_FAILED) {
		runner_log_begin(&r.log);
		runner_log_report(&r.log, report);
		if (!runner_log_end(&r.log, "run_end", err))
			report->end = RUNNER_FAILED;
	}
	quantile_free(&r.late);
	quantile_free(&r.latency);
	runner_log_free(&r.log);
	arena_free(&r.work);
	arena_free(&r.keep);
	return report->end != RUNNER_FAILED;
}
