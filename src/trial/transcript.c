/*
 * Trajectories and conversations are handed over line by line: the assembler would pair results with calls and drop
 * those that no call asked for, and a message is a line there. Other logs are handed over when their events are
 * finished, since their lines are pieces.
 */
#include "trial/transcript.h"

#include "dialect/conversation/marks.h"
#include "dialect/formats.h"
#include "flow/trace_load.h"
#include "trial/transcript_find.h"

struct transcript_job {
	struct arena *arena;
	const struct transcript_how *how;
	const struct transcript_taker *taker;
	struct transcript *out;
	bool is_record; /* no log, but a trial record */
};

enum transcript_kind transcript_kind_of(const struct dialect *from)
{
	return from == &trajectory_dialect     ? TRANSCRIPT_TRAJECTORY
	       : from == &conversation_dialect ? TRANSCRIPT_CONVERSATION
	       : from == &agent_trace_dialect  ? TRANSCRIPT_NONE
					       : TRANSCRIPT_OTHER;
}

/*
 * Other logs than those of AEC-Bench say it by an exit code or by is_error; only where they say neither, the words
 * decide as in a conversation.
 */
bool transcript_is_error(enum transcript_kind kind, const struct event *e)
{
	bool is_told = figure_is_known(e->exit_code) || e->is_error == TRUTH_TRUE || e->is_error == TRUTH_FALSE;
	bool failed = figure_is_known(e->exit_code) && e->exit_code.n != 0;

	if (kind == TRANSCRIPT_TRAJECTORY)
		return failed;
	failed = e->is_error == TRUTH_TRUE || (failed && kind == TRANSCRIPT_OTHER);
	if (kind == TRANSCRIPT_OTHER && is_told)
		return failed;
	return failed || (e->content.p && conversation_marks_failure(e->content));
}

static bool transcript_take_event(void *context, const struct event *e, struct err *err)
{
	struct transcript_job *j = context;

	(void)err;
	j->out->unreadable += event_is_torn(e);
	j->taker->event(j->taker->own, e);
	return true;
}

static void transcript_begin_input(void *context, const struct dialect *from)
{
	struct transcript_job *j = context;

	j->taker->begin(j->taker->own, transcript_kind_of(from));
}

static bool transcript_end_input(void *context, const struct convert_input *input, struct err *err)
{
	struct transcript_job *j = context;

	j->is_record = !input->from && !input->failure && input->looks.best == &trial_dialect;
	if (j->is_record)
		return true;
	if (!input->from || input->failure)
		return log_refuse(input, err);
	j->out->unreadable += input->unreadable;
	j->out->path = arena_copy(j->arena, input->name);
	j->out->from = input->from;
	return true;
}

static void transcript_tick(void *context, const struct source *from)
{
	struct transcript_job *j = context;

	if (j->how->tick)
		j->how->tick(j->how->context, from);
}

/* Reads one log. j->is_record: it is none, but a trial record. */
static bool transcript_read(struct transcript_job *j, struct str path, const struct dialect *as, struct err *err)
{
	static const struct dialect *const by_line[] = { &trajectory_dialect, &conversation_dialect, NULL };
	struct source_options how = { .shape = as ? SOURCE_LINES : SOURCE_CONTENT, .file_groups = true };
	struct log_flow flow = {
		.from = source_open(j->arena, &path, 1, how, err), .as = as, .jobs = j->how->jobs, .as_read = by_line,
		.input = transcript_end_input, .begin = transcript_begin_input, .tick = transcript_tick, .context = j,
	};
	bool done;

	if (!flow.from)
		return false;
	done = event_load(&flow, transcript_take_event, err);
	source_close(flow.from);
	return done;
}

/* What a directory or a record leads to; nothing when it leads nowhere. */
static bool transcript_read_found(struct transcript_job *j, const struct transcript_found *found, struct err *err)
{
	return !found->as || transcript_read(j, found->path, found->as, err);
}

bool transcript_load(struct arena *a, struct str path, const struct transcript_how *how,
		     const struct transcript_taker *taker, struct transcript *out, struct err *err)
{
	struct transcript_job j = { .arena = a, .how = how, .taker = taker, .out = out };
	struct transcript_found found;

	*out = (struct transcript){ .path = { NULL, 0 } };
	if (transcript_find_in_directory(a, path, &found))
		return transcript_read_found(&j, &found, err);
	if (!transcript_read(&j, path, NULL, err))
		return false;
	if (!j.is_record)
		return true;
	if (!transcript_find_by_record(a, path, &found, &out->record, err))
		return false;
	out->by_record = true;
	return transcript_read_found(&j, &found, err);
}
