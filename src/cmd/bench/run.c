/* Running it: the files that stand at the beginning, the line that moves, what it came to. */
#include "cmd/bench/run.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/stop.h"
#include "bench/report/outputs.h"
#include "bench/report/summary_cells.h"
#include "bench/run/inventory.h"
#include "bench/run/runner.h"
#include "cmd/inputs.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/progress.h"

struct running {
	struct bench_job *job;
	struct progress progress;
	struct buf line;
};

/* `brief`: only what people look for first. */
static void add_progress(struct buf *out, const struct runner_progress *p, bool brief)
{
	buf_printf(out, "bench %llu/%llu  ok %llu", (unsigned long long)p->done, (unsigned long long)p->total,
		   (unsigned long long)p->ok);
	if (p->failed)
		buf_printf(out, "  failed %llu", (unsigned long long)p->failed);
	if (p->judged && !brief)
		buf_printf(out, "  passed %llu of %llu", (unsigned long long)p->passed, (unsigned long long)p->judged);
	if (!brief)
		buf_printf(out, "  open %llu", (unsigned long long)p->open);
	if (p->waiting)
		buf_printf(out, "  waiting %llu", (unsigned long long)p->waiting);
	if (p->output_tokens && p->elapsed_ms && !brief) {
		buf_add_str(out, STR("  "));
		amounts_add_count(out, p->output_tokens * 1000 / p->elapsed_ms, false);
		buf_add_str(out, STR(" tok/s"));
	}
	if (p->usd > 0) {
		buf_add_str(out, STR("  "));
		amounts_add_dollars(out, p->usd, false);
	}
	if (p->eta_ms >= 0)
		buf_printf(out, "  ETA %02lld:%02lld", (long long)(p->eta_ms / 60000),
			   (long long)(p->eta_ms / 1000 % 60));
}

/* For runner_options.progress. On a narrow screen a shorter line is made rather than the end cut off. */
static void bench_run_show_progress(void *own, const struct runner_progress *p)
{
	struct running *r = own;
	uint64_t now = clock_mono_ns();

	if (!progress_is_due(&r->progress, now))
		return;
	buf_clear(&r->line);
	add_progress(&r->line, p, false);
	if (r->progress.is_live && r->line.n >= r->progress.width) { /* the end of the line is what matters */
		buf_clear(&r->line);
		add_progress(&r->line, p, true);
	}
	progress_show(&r->progress, buf_str(&r->line), now);
}

/* For runner_options.tell: a sentence of the runner, above the line that moves. */
static void bench_run_tell(void *own, struct str line)
{
	struct running *r = own;

	if (r->job->frame->quiet)
		return;
	progress_erase(&r->progress);
	inputs_say("bench: %.*s", STR_ARG(line));
}

/*
 * What must be there before anything is sent: by what machine, and what will be sent. config.json comes last: with it
 * the directory is a run that can be resumed, and then nothing else may be missing.
 */
static bool write_beginning(struct bench_job *j, struct run_dir *d, struct err *err)
{
	struct buf text;
	bool done;

	buf_init(&text);
	inventory_write(&text, j->arena);
	done = run_dir_write(d, "inventory.json", buf_str(&text), err);
	buf_clear(&text);
	config_write(&text, &j->config);
	done = done && run_dir_write(d, "config.json", buf_str(&text), err);
	buf_free(&text);
	return done;
}

static void show_plan(struct bench_job *j)
{
	struct buf text;

	if (j->frame->quiet)
		return;
	buf_init(&text);
	bench_plan_show(&text, j, &j->frame->err);
	inputs_print(buf_str(&text));
	buf_free(&text);
}

/* Makes the directory, or opens the stopped run. The plan is shown before anything is sent. NULL with *err. */
static struct run_dir *open_dir(struct bench_job *j, const struct bench_place *place, struct err *err)
{
	struct run_dir *d = place->dir.p ? run_dir_resume(place->dir, err)
					 : run_dir_make(place->parent, j->config.run_id, err);

	if (!d)
		return NULL;
	show_plan(j);
	if (place->dir.p) {
		struct results_lost lost = run_dir_lost(d);

		bench_shown_warn(j->frame, lost.skipped, lost.repeated);
		return d;
	}
	if (!write_beginning(j, d, err)) {
		run_dir_close(d);
		return NULL;
	}
	bench_args_list_run(j->arena, j->config.run_id, run_dir_path(d), j->config.created_at);
	return d;
}

/* ---- the end ---- */

/* What is said on standard error at the end. Why a run stopped is said with -q, too. */
static void say_end(struct bench_job *j, struct str dir, const struct runner_report *r)
{
	const struct frame *f = j->frame;
	unsigned long long done = r->last.done, total = r->last.total;

	if (r->end == RUNNER_BUDGET) {
		struct buf usd;

		buf_init(&usd);
		amounts_add_dollars(&usd, j->config.budget_usd, false);
		inputs_say("bench: stopped at the budget of %.*s with %llu of %llu rows", STR_ARG(buf_str(&usd)),
			   done, total);
		buf_free(&usd);
	}
	if (r->end == RUNNER_STOPPED) {
		inputs_say("bench: stopped with %llu of %llu rows", done, total);
		inputs_say("   = help: 'trackway bench run --resume %.*s' continues it", STR_ARG(dir));
	}
	if (r->was_bottleneck) {
		inputs_warn(f, "this machine was the bottleneck: answers waited up to %.1f ms (p99) to be read, and "
			    "%.0f %% of a core was busy", r->late_p99_ms, 100 * r->busy);
		inputs_note(f, "   = help: lower --concurrency, or run it on an idle machine");
	} else if (r->last.ok) {
		inputs_note(f, "bench: delay of this machine: p50 %.2f ms, p99 %.2f ms; %.0f %% of a core",
			    r->late_p50_ms, r->late_p99_ms, 100 * r->busy);
	}
	inputs_note(f, "wrote %.*s (results.jsonl, summary.md, report.html, ...)", STR_ARG(dir));
}

/* A target and what its rows came to instead of answers: "mock:x (skipped_unavailable 3, error 1)". */
static void add_unreached(struct buf *out, struct arena *a, const struct summary_group *g)
{
	const struct {
		enum provider_status status;
		uint64_t n;
	} counts[] = {
		{ PROVIDER_UNAVAILABLE, g->n_unavailable },
		{ PROVIDER_AUTH, g->n_auth },
		{ PROVIDER_LIMITED, g->n_limited },
		{ PROVIDER_ERROR, g->n_error - g->n_auth },
	};
	const char *before = " (";

	buf_printf(out, "%s%s", out->n ? ", " : "", cell_target(a, g));
	for (size_t i = 0; i < COUNT(counts); i++) {
		if (!counts[i].n)
			continue;
		buf_printf(out, "%s%s %llu", before, provider_status_name(counts[i].status),
			   (unsigned long long)counts[i].n);
		before = ", ";
	}
	buf_add_byte(out, ')');
}

/* False when a target gave not one ok answer. */
static bool are_reached(const struct summary *s, struct err *err)
{
	struct arena a;
	struct buf names;
	bool all = true;

	arena_init(&a);
	buf_init(&names);
	for (size_t i = 0; i < s->count; i++)
		if (!s->groups[i].n_ok)
			add_unreached(&names, &a, &s->groups[i]);
	if (names.n)
		all = bench_args_unreachable(buf_str(&names), err);
	buf_free(&names);
	arena_free(&a);
	return all;
}

/* A signal wins; then targets that never answered, but only of a complete run; then the budget and the thresholds. */
static int status_of(struct bench_job *j, const struct runner_report *r, const struct summary *s, bool met,
		     struct err *err)
{
	if (r->end == RUNNER_STOPPED)
		return stop_signal() ? 128 + stop_signal() : EXIT_INTERRUPTED;
	if (r->end == RUNNER_COMPLETE && !j->config.allow_unreachable && !are_reached(s, err))
		return EXIT_FAIL;
	return r->end == RUNNER_BUDGET || !met ? EXIT_NO : EXIT_YES;
}

/* Writes the derived files first: whatever follows may fail, and the run is complete on disk. */
static int bench_run_conclude(struct bench_job *j, struct str dir, const struct runner_report *r,
			      const struct bench_shown *o, const struct bench_wanted *w, struct err *err)
{
	struct summary s;
	bool met;

	if (!outputs_write(j->arena, dir, &j->config, (enum rate_method)o->method, r->end != RUNNER_COMPLETE, &s, err))
		return EXIT_FAIL;
	bench_shown_print(j->frame, o, &s);
	fflush(stdout);
	say_end(j, dir, r);
	met = bench_shown_meets(j->frame, o, w, &s);
	return bench_shown_export(o, &s, err) ? status_of(j, r, &s, met, err) : EXIT_FAIL;
}

int bench_job_run(struct bench_job *j, const struct bench_place *place, const struct bench_shown *o,
		  const struct bench_wanted *w, struct err *err)
{
	struct running r = { .job = j };
	struct runner_options how = {
		.config = &j->config,
		.suite = &j->suite,
		.providers = j->providers,
		.prices = j->prices,
		.progress = bench_run_show_progress,
		.tell = bench_run_tell,
		.own = &r,
	};
	struct runner_report report = { .end = RUNNER_FAILED };
	struct str dir;
	bool done;

	how.dir = open_dir(j, place, err);
	if (!how.dir)
		return EXIT_FAIL;
	dir = arena_copy(j->arena, run_dir_path(how.dir));
	buf_init(&r.line);
	progress_init(&r.progress, j->frame, fileno(stderr), clock_mono_ns());
	done = runner_run(&how, &report, err);
	progress_erase(&r.progress);
	buf_free(&r.line);
	run_dir_close(how.dir);
	return done ? bench_run_conclude(j, dir, &report, o, w, err) : EXIT_FAIL;
}
