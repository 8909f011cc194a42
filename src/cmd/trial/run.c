/* Tells of trials as they end: lines for people, or one document; and the counts, with both denominators. */
#include "cmd/trial/run.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "cmd/frame/field.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/report/report.h"
#include "cmd/screen/progress.h"
#include "proc/self.h"

const char *const trial_run_fields[] = {
	"job", "experiment_id", "isolation", "trials", "slots", "done", "scored", "mean_reward", "classes", "sealed",
	"already_sealed", "refused", NULL,
};

struct run_shown {
	struct arena *arena;
	const struct frame *frame;
	const struct job *job;
	struct opt_maybe json;
	struct progress progress;
	struct buf out;
	struct json_writer w;
	bool has_trials; /* they were asked for */
};

/* ---- one trial ---- */

static void run_put_trial(struct json_writer *w, const struct crew_trial *t)
{
	const struct finish_facts *f = &t->facts;
	bool is_in = t->sealed->outcome == SEAL_ADDED || t->sealed->outcome == SEAL_SAME;

	json_write_begin_object(w);
	json_put_text(w, "trial_id", t->id);
	json_put_text(w, "task_id", f->task_id);
	json_put_text(w, "task", t->task_dir);
	json_put_u64(w, "attempt", t->attempt);
	json_put_word(w, "class", trial_class_name(f->class));
	json_put_double(w, "reward", f->class == CLASS_INFRASTRUCTURE ? NAN : f->reward);
	json_put_bool(w, "verifier_completed", f->verifier_completed);
	json_put_word(w, "completeness", f->is_complete ? "complete" : "partial");
	json_put_double(w, "seconds", f->seconds);
	json_put_double(w, "estimated_cost_usd", f->cost_usd);
	json_put_text_or_null(w, "error", f->error);
	json_put_word(w, "part", is_in ? ledger_part_name(t->sealed->part) : NULL);
	json_put_u64_or_null(w, "index", t->sealed->index, is_in);
	json_put_bool(w, "resumed", t->is_old);
	json_write_end_object(w);
}

static void run_add_line(struct run_shown *s, const struct crew_trial *t)
{
	const struct finish_facts *f = &t->facts;

	term_add_text(&s->out, t->id);
	buf_add_str(&s->out, STR("  "));
	term_add_text(&s->out, f->task_id);
	if (s->job->repeat > 1)
		buf_printf(&s->out, " %llu/%llu", (unsigned long long)t->attempt, (unsigned long long)s->job->repeat);
	if (f->class == CLASS_INFRASTRUCTURE)
		buf_add_str(&s->out, STR("  no reward"));
	else
		buf_printf(&s->out, "  reward %.3g", f->reward);
	buf_printf(&s->out, "  %s  %.1f s", trial_class_name(f->class), f->seconds);
	if (f->error.p) {
		buf_add_str(&s->out, STR("  "));
		term_add_text(&s->out, f->error);
	}
	buf_add_str(&s->out, t->is_old ? STR("  (before)\n") : STR("\n"));
	stream_write(stdout, buf_str(&s->out));
	buf_clear(&s->out);
	fflush(stdout);
}

/* A record that the ledger does not take is a fault of ours or of the ledger: it is said, and the files stay. */
static void run_say_refused(struct run_shown *s, const struct crew_trial *t)
{
	const struct seal_result *r = t->sealed;

	if (r->outcome == SEAL_ADDED || r->outcome == SEAL_SAME)
		return;
	inputs_warn(s->frame, "%.*s is not in the ledger (%s): %.*s", STR_ARG(t->id), r->code,
		    STR_ARG(r->findings && r->findings->kept_count ? r->findings->kept[0].message :
								     STR("it has another record of this id")));
}

static bool run_each(void *context, const struct crew_trial *t, struct err *err)
{
	struct run_shown *s = context;

	(void)err;
	progress_erase(&s->progress);
	if (!s->json.given)
		run_add_line(s, t);
	else if (s->has_trials)
		run_put_trial(&s->w, t);
	run_say_refused(s, t);
	return true;
}

static void run_tick(void *context, const struct crew_tally *now)
{
	struct run_shown *s = context;
	char line[160];
	int n;

	if (!progress_is_due(&s->progress, clock_mono_ns()))
		return;
	n = snprintf(line, sizeof(line),
		     "trial %llu/%llu  running %llu  completed %llu  failed %llu  infrastructure %llu",
		     (unsigned long long)now->done, (unsigned long long)now->slots, (unsigned long long)now->running,
		     (unsigned long long)now->by_class[CLASS_COMPLETED],
		     (unsigned long long)(now->by_class[CLASS_AGENT_FAILED] + now->by_class[CLASS_AGENT_TIMEOUT] +
					  now->by_class[CLASS_VERIFIER_FAILED]),
		     (unsigned long long)now->by_class[CLASS_INFRASTRUCTURE]);
	progress_show(&s->progress, str_of(line, (size_t)n), clock_mono_ns());
}

/* ---- all of them ---- */

static uint64_t run_trials(const struct crew_tally *t)
{
	uint64_t all = 0;

	for (unsigned c = 0; c < CLASSES; c++)
		all += t->by_class[c];
	return all;
}

static void run_put_counts(struct run_shown *s, const struct crew_tally *t)
{
	uint64_t scored = run_trials(t) - t->by_class[CLASS_INFRASTRUCTURE];
	struct json_writer *w = &s->w;

	if (s->has_trials)
		json_write_end_array(w);
	field_put_u64(w, s->json, "slots", t->slots);
	field_put_u64(w, s->json, "done", t->done);
	field_put_u64(w, s->json, "scored", scored);
	field_put_double(w, s->json, "mean_reward", scored ? t->reward_sum / (double)scored : NAN);
	if (report_begin_field(w, s->json, "classes")) {
		json_write_begin_object(w);
		for (unsigned c = 0; c < CLASSES; c++)
			json_put_u64(w, trial_class_name((enum trial_class)c), t->by_class[c]);
		json_write_end_object(w);
	}
	field_put_u64(w, s->json, "sealed", t->sealed);
	field_put_u64(w, s->json, "already_sealed", t->already);
	field_put_u64(w, s->json, "refused", t->refused);
	field_end_document(w);
	stream_write(stdout, buf_str(&s->out));
}

static void run_say_counts(struct run_shown *s, const struct crew_tally *t)
{
	uint64_t all = run_trials(t), infra = t->by_class[CLASS_INFRASTRUCTURE], scored = all - infra;
	const char *comma = "";
	struct buf text;

	buf_init(&text);
	buf_printf(&text, "%llu trial%s: ", (unsigned long long)all, all == 1 ? "" : "s");
	for (unsigned c = 0; c < CLASSES; c++) {
		if (!t->by_class[c])
			continue;
		buf_printf(&text, "%s%llu %s", comma, (unsigned long long)t->by_class[c],
			   trial_class_name((enum trial_class)c));
		comma = ", ";
	}
	inputs_note(s->frame, "%.*s", STR_ARG(buf_str(&text)));
	buf_free(&text);
	if (scored)
		inputs_note(s->frame, "mean reward %.3f over %llu scored of %llu trial%s; %.3f if infrastructure "
			    "failures counted as 0", t->reward_sum / (double)scored, (unsigned long long)scored,
			    (unsigned long long)all, all == 1 ? "" : "s", t->reward_sum / (double)all);
	inputs_note(s->frame, "%s %.*s", stop_signal() ? "stopped; go on with: trackway trial run --resume" :
		    "records and artifacts are sealed in the ledger; files:", STR_ARG(s->job->dir));
}

static void run_begin_document(struct run_shown *s)
{
	field_begin_document(&s->w, &s->out, JSON_COMPACT, "trial-run");
	field_put_text(&s->w, s->json, "job", s->job->dir);
	field_put_text(&s->w, s->json, "experiment_id", s->job->experiment);
	field_put_word(&s->w, s->json, "isolation", sandbox_level_name(s->job->isolation));
	s->has_trials = report_begin_field(&s->w, s->json, "trials");
	if (s->has_trials)
		json_write_begin_array(&s->w);
}

int trial_run_job(struct arena *a, struct args args, const struct job *j, struct ledger *l, unsigned jobs,
		  struct opt_maybe json, struct err *err)
{
	struct run_shown s = { .arena = a, .frame = args.frame, .job = j, .json = json };
	struct crew_options o = { .job = j, .ledger = l, .program = self_path(a), .jobs = jobs ? jobs : 1,
				  .each = run_each, .tick = run_tick, .context = &s };
	struct crew_tally t;
	bool done;

	o.prices = trial_job_prices(a, j->prices, err);
	if (!o.prices)
		return EXIT_FAIL;
	buf_init(&s.out);
	progress_init(&s.progress, args.frame, STDERR_FILENO, clock_mono_ns());
	if (json.given)
		run_begin_document(&s);
	done = crew_run(a, &o, &t, err);
	progress_erase(&s.progress);
	if (done && json.given)
		run_put_counts(&s, &t);
	if (done)
		run_say_counts(&s, &t);
	buf_free(&s.out);
	if (!done)
		return EXIT_FAIL;
	return t.by_class[CLASS_INFRASTRUCTURE] || t.refused ? EXIT_CANNOT : EXIT_YES;
}
