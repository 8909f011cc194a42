/*
 * Events of a run come before the rows that show which run it is. So the errors of every run are counted, and kept when
 * it turns out to be the one that is wanted.
 */
#include "cmd/show_load.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "cmd/inputs.h"

#define RUN_PART 6 /* characters that may stand for an id */

void show_load_free(struct show_load *l)
{
	profile_free(&l->profile);
}

/* ---- an agent-trace ---- */

static void show_load_tick(void *context, const struct source *from)
{
	inputs_show_progress(context, "show", from);
}

/* The directory of a recording with content has a trajectory, and others a conversation. */
static void show_load_beside(struct show_load *l, struct str path)
{
	struct str dir = str_dirname(path);
	struct err ignored;

	if (!str_eq(str_basename(path), STR("agent-trace.jsonl")) ||
	    (access(ARENA_JOIN(l->arena, dir, STR("/trajectory.jsonl")).p, R_OK) != 0 &&
	     access(ARENA_JOIN(l->arena, dir, STR("/conversation.jsonl")).p, R_OK) != 0))
		return;
	if (!signals_load(l->arena, path, &(struct transcript_how){ .jobs = l->jobs }, &l->signals, &ignored))
		l->signals = (struct signals){ .has_transcript = false };
}

/* Whoever wants no costs computed does not want to hear that there are none. */
static void show_load_forget_prices(struct profile *p)
{
	p->unpriced = 0;
	for (size_t i = 0; i < p->models.count; i++)
		p->models.list[i]->unpriced = 0;
}

/* A run without a summary is running when its writer still holds the file. */
bool show_load_trace(struct show_load *l, struct str path, struct err *err)
{
	struct source_options how = { .shape = SOURCE_LINES, .io = l->io };
	struct progress line;
	struct profile_flow f = {
		.from = source_open(l->arena, &path, 1, how, err),
		.jobs = l->jobs,
		.permissive = l->permissive,
		.row_limit = l->row_limit,
		.tick = show_load_tick,
		.context = &line,
	};
	bool done, running = file_is_claimed(path); /* asked first: it may end while it is read */

	l->format = "agent-trace";
	if (!f.from)
		return false;
	progress_init(&line, l->frame, STDERR_FILENO, clock_mono_ns());
	done = profile_run(l->arena, &f, &l->profile, err);
	if (done && !l->profile.has_summary && running)
		l->profile.verdict = PROFILE_RUNNING;
	progress_erase(&line);
	source_close(f.from);
	if (done && !l->prices)
		show_load_forget_prices(&l->profile);
	if (done)
		show_load_beside(l, path);
	return done;
}

/* ---- any log ---- */

/* By its number in the log, from 1, its id, or a part of that. */
static bool show_load_is_wanted(const struct show_load *l, size_t run)
{
	struct str id = l->table.list[run].id, want = l->run;
	uint64_t number;

	if (!want.p)
		return run == 0;
	if (want.n < RUN_PART && num_parse_u64(want, &number))
		return number == run + 1;
	if (str_eq_nocase(want, id))
		return true;
	return want.n >= RUN_PART && want.n <= id.n &&
	       (str_eq_nocase(want, str_of(id.p, want.n)) || str_eq_nocase(want, str_skip(id, id.n - want.n)));
}

static void show_load_row(void *context, size_t run, const struct trace_row *r)
{
	struct show_load *l = context;
	bool is_new = l->chosen != run && show_load_is_wanted(l, run);

	if (is_new && l->chosen == SIZE_MAX)
		l->chosen = run;
	l->several = l->several || (is_new && l->chosen != run);
	if (l->chosen != run)
		return;
	l->profile.lines++;
	profile_fold_add(&l->fold, r);
}

/* The run whose events came so far is over. Its rows came too: it is the last of the table. */
static void show_load_end_events(struct show_load *l)
{
	if (!l->said_fold)
		return;
	signals_close(l->said_fold);
	l->said_fold = NULL;
	if (l->chosen == SIZE_MAX || l->chosen + 1 != l->table.count || l->signals.has_transcript)
		return;
	l->signals = l->said;
	if (l->said.first_error.p)
		l->signals.first_error = arena_copy(l->arena, l->said.first_error);
	l->signals.tools = arena_array(l->arena, struct signals_tool, l->said.tool_count + 1);
	for (size_t i = 0; i < l->said.tool_count; i++) {
		l->signals.tools[i] = l->said.tools[i];
		l->signals.tools[i].name = arena_copy(l->arena, l->said.tools[i].name);
	}
}

static void show_load_event(void *context, const struct event *e)
{
	struct show_load *l = context;

	if (e->kind == EVENT_RUN_START || !l->said_fold) {
		show_load_end_events(l);
		arena_reset(&l->events);
		l->said_fold = signals_open(&l->events, &l->said);
		signals_begin(l->said_fold, l->from);
	}
	signals_add(l->said_fold, e);
}

static void show_load_begin(void *context, const struct dialect *from)
{
	struct show_load *l = context;

	show_load_end_events(l);
	l->from = from;
}

static bool show_load_check(struct show_load *l, struct str path, struct err *err)
{
	struct str name = str_eq(path, STR("-")) ? STR("standard input") : path;

	if (l->several)
		return usage_set(err, "give more of the id of one of them", "several runs of %.*s match '%.*s'",
				 STR_ARG(name), STR_ARG(l->run));
	if (l->run.p && l->chosen == SIZE_MAX && l->table.count)
		return usage_set(err, "without --run it lists them", "no run of %.*s matches '%.*s'", STR_ARG(name),
				 STR_ARG(l->run));
	return true;
}

bool show_load_log(struct show_load *l, struct str path, struct err *err)
{
	struct runs_load load = {
		.arena = l->arena, .frame = l->frame, .table = &l->table, .as = l->as, .jobs = l->jobs,
		.permissive = l->permissive, .prices = l->prices, .io = l->io, .row = show_load_row,
		.event = show_load_event, .begin = show_load_begin, .context = l,
	};
	bool done;

	l->chosen = SIZE_MAX;
	l->profile = (struct profile){ .arena = l->arena };
	run_table_init(&l->table, l->arena);
	arena_init(&l->events);
	profile_fold_init(&l->fold, &l->profile, l->row_limit);
	done = runs_load_paths(&load, &path, 1, err);
	show_load_end_events(l);
	if (done)
		profile_fold_finish(&l->fold);
	if (done && !l->prices)
		show_load_forget_prices(&l->profile);
	profile_fold_free(&l->fold);
	arena_free(&l->events);
	l->failed = load.logs.failed;
	l->format = load.format ? load.format->name : NULL;
	return done && show_load_check(l, path, err);
}
