/* One file that fails is told, and the others are still written. */
#include "capture/run_end.h"

#include "capture/derive.h"

static void run_end_failure(struct run_end *e, const char *what, const struct err *err)
{
	e->trouble(e->context, ARENA_JOIN(e->arena, str_from(what), STR(": "), str_from(err->text)));
}

static void note_lost_lines(struct run_end *e, const char *name, const struct line_file *t, struct run_files_end *end)
{
	end->lost_lines += t->lost;
	if (t->failure.kind != ERR_NONE)
		e->trouble(e->context,
			   arena_printf(e->arena, "%s: %s; %s, lines lost: %llu", name, t->failure.text,
					t->moved     ? "what was written is not there"
					: t->is_torn ? "its last line is torn"
						     : "what was written before is whole",
					(unsigned long long)t->lost));
}

void run_end_lines(struct run_end *e, const char *exit_status, struct str error, struct run_files_end *end)
{
	const struct recorder_run_options *o = &e->run->o;
	struct cassette_end last = { .exit_status = exit_status, .error = error, .ended_ns = end->ended_ns,
				     .code = end->signal ? -1 : end->status, .output = e->output };
	struct str summary;
	struct err err;

	e->exchanged = e->run->group > 0;
	recorder_run_finish(e->run, &last, &summary);
	if (run_files_write_summary(e->files, summary, &err))
		run_files_wrote(e->files, "summary.json");
	else
		run_end_failure(e, "summary.json", &err);
	line_file_close(o->trace);
	if (!o->trace->moved)
		run_files_wrote(e->files, "agent-trace.jsonl");
	if (o->cassette)
		line_file_close(o->cassette);
	end->tally = recorder_run_tally(e->run);
	note_lost_lines(e, "agent-trace.jsonl", o->trace, end);
	if (o->cassette)
		note_lost_lines(e, "cassette.jsonl", o->cassette, end);
}

static void add_content(struct run_end *e, const char *name)
{
	run_files_wrote(e->files, name);
	e->content[e->content_count++] = name;
}

/* Members for run_start, each with a comma behind it. */
static struct str run_end_declared(const struct run_end *e)
{
	struct str budget = e->budget, set = e->retrieval_set;

	return ARENA_JOIN(e->arena, budget.p ? STR("\"budget\":") : STR(""), budget, budget.p ? STR(",") : STR(""),
			  set.p ? STR("\"retrieval_set\":") : STR(""), set, set.p ? STR(",") : STR(""));
}

void run_end_others(struct run_end *e, const struct run_files_end *end, bool has_trace, bool has_cassette)
{
	static const struct { const char *to, *name; } copies[] = {
		{ "otutl", "run.otutl.jsonl" }, { "trajectory", "trajectory.jsonl" },
	};
	bool any = end->tally.counts[AT_MODEL_CALL] > 0 && e->exchanged;
	struct run_files *d = e->files;
	struct err err;

	if (!run_files_is_in_place(d)) {
		e->trouble(e->context, STR("the directory of the run was moved or replaced during the run: what was "
					   "written is in the one that was made"));
		return;
	}
	if (has_cassette)
		add_content(e, "cassette.jsonl");
	for (size_t i = 0; i < 2 && has_cassette && any; i++) {
		if (derive_convert(e->arena, run_files_file(e->arena, d, "cassette.jsonl"), copies[i].to,
				   i == 0 ? run_end_declared(e) : STR(""), d->dir, str_from(copies[i].name), &err))
			add_content(e, copies[i].name);
		else
			run_end_failure(e, copies[i].name, &err);
	}
	if (e->has_output)
		add_content(e, OUTPUT_FILE);
	if (!e->dot || !has_trace)
		return;
	if (derive_dot(run_files_file(e->arena, d, "agent-trace.jsonl"), d->dir, STR("agent-trace.dot"), &err))
		run_files_wrote(d, "agent-trace.dot");
	else
		run_end_failure(e, "agent-trace.dot", &err);
}
