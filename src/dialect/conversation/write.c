/*
 * Writing a conversation. The events of a line are gathered until one comes that is of another: a step and its calls,
 * results that stand together, whatever was one line before. Then the line is written, as it was (kept.c)
 * or anew (fresh.c).
 */
#include <assert.h>

#include "dialect/conversation/write_private.h"

#include "dialect/reading/original.h"
#include "dialect/record/seed_formats.h"

/* Writes the line that was gathered. */
static void conversation_write_flush(struct conversation_writer *t)
{
	if (t->line.count && t->line.kept) {
		conversation_write_kept(t);
	} else if (t->line.count) {
		waiting_drain(&t->waiting, t->w->out);
		conversation_write_fresh(t);
	}
	arena_reset(&t->hold);
	t->line = (struct conversation_line){ .events = NULL };
}

/* Copies the event to the line's arena: the caller's lasts for one call only. A place beyond the end is the end. */
static void append(struct conversation_writer *t, const struct event *e, size_t place)
{
	struct conversation_line *l = &t->line;

	arena_grow(&t->hold, l->events, l->count, l->cap, 8);
	assert(l->count < l->cap);
	place = place < l->count ? place : l->count;
	memmove(&l->events[place + 1], &l->events[place], (l->count - place) * sizeof(*l->events));
	l->events[place] = event_copy(&t->hold, e);
	l->count++;
}

/* Whether a line of this dialect may stand in the output as it is. */
static bool is_ours(const struct conversation_writer *t, struct str dialect)
{
	if (str_eq(dialect, STR("plain")))
		return true;
	if (str_eq(dialect, STR("parts")))
		return t->variant != CONVERSATION_CANONICAL;
	if (str_eq(dialect, STR("openai")))
		return t->variant == CONVERSATION_OPENAI;
	if (str_eq(dialect, STR("anthropic")))
		return t->variant == CONVERSATION_ANTHROPIC;
	return str_eq(dialect, STR("canonical")) && t->variant == CONVERSATION_CANONICAL;
}

/* Where an event of a line goes among those that came: they may have come in another order. */
static size_t find_place(struct conversation_writer *t, int64_t place)
{
	size_t i = t->line.count;
	int64_t other;

	while (i > 0) {
		struct val rest = writing_rest(t->parser, t->line.events[i - 1], CONVERSATION_KEY);

		if (!val_i64(val_get(rest, STR(MARK_PLACE)), &other) || other <= place)
			break;
		i--;
	}
	return i;
}

/*
 * An event that has the marks of a line of the same dialect goes to that line, and the line before is written. False
 * when it has none, or when its dialect may not stand in this output.
 */
static bool add_kept(struct conversation_writer *t, const struct event *e)
{
	struct val rest = writing_rest(t->parser, e, CONVERSATION_KEY);
	int64_t line = 0, place = 0;

	if (val_is_none(rest) || !is_ours(t, original_note(rest, STR(MARK_DIALECT))))
		return false;
	val_i64(val_get(rest, STR(MARK_PLACE)), &place);
	if (!val_i64(val_get(rest, STR(MARK_LINE)), &line) || !t->line.kept || t->line.line != (uint64_t)line)
		conversation_write_flush(t);
	t->line.kept = true;
	t->line.line = (uint64_t)line;
	append(t, e, find_place(t, place));
	return true;
}

/* Whether it goes into the line that is open. */
static bool belongs(const struct conversation_writer *t, const struct event *e)
{
	const struct event *head = t->line.count ? t->line.events[0] : NULL;

	if (!head || t->line.kept || t->variant == CONVERSATION_CANONICAL)
		return false;
	if (e->kind == EVENT_CALL)
		return head->kind == EVENT_STEP && str_eq(head->branch, e->branch);
	return e->kind == EVENT_RESULT && head->kind == EVENT_RESULT && t->variant == CONVERSATION_ANTHROPIC &&
	       str_eq(head->branch, e->branch);
}

static void conversation_write_add(struct conversation_writer *t, const struct event *e)
{
	if (add_kept(t, e))
		return;
	if (!belongs(t, e))
		conversation_write_flush(t);
	append(t, e, t->line.count);
}

/* What nobody waited for is a result all the same; other errors and notes have no place here. */
static void add_other(struct conversation_writer *t, const struct event *e)
{
	struct event result;
	struct arena a;

	arena_init(&a);
	if (original_result(t->inner, e, &result, &a))
		conversation_write_add(t, &result);
	else if (e->kind == EVENT_ERROR && str_eq(e->code, STR("no_result")))
		t->unanswered = true;
	else if (e->kind == EVENT_ERROR)
		losses_note(t->w->losses, true, "error");
	else
		losses_note(t->w->losses, !add_kept(t, e), "note");
	arena_free(&a);
}

/* A conversation has no word for the beginning of a run: all that RUN_START says of tools and agent is lost. */
static void conversation_write_begin_run(struct conversation_writer *t, const struct event *e)
{
	conversation_write_flush(t);
	waiting_drain(&t->waiting, t->w->out);
	losses_note(t->w->losses, t->runs++ > 0, "run: where one ends and the next begins");
	losses_note(t->w->losses, e->tools.n > 0, "run.tools");
	losses_note(t->w->losses, e->agent.n > 0, "run.agent");
}

/* A run is over: what its last line must say of the end, and what is lost of it. */
static void conversation_write_end_run(struct conversation_writer *t, const struct event *e)
{
	bool any = t->line.count > 0, kept = any && t->line.kept;
	bool tells = writing_tells_end(e, t->unanswered) && (!kept || t->torn);

	t->line.end = tells ? e : NULL;
	t->torn = t->unanswered = false;
	conversation_write_flush(t);
	waiting_drain(&t->waiting, t->w->out);
	losses_note(t->w->losses, e->output.n > 0, "run.output");
	losses_note(t->w->losses, e->reason.n > 0 && !(tells && any) && !kept, "run.reason");
	losses_note(t->w->losses, tells && !any, "run.status");
}

/* ---- the writer ---- */

/*
 * The variant is canonical unless `w` names another. Two parsers, since a payload is looked into while the rest of the
 * event is still in use.
 */
static void *conversation_write_open_writer(struct writing *w)
{
	struct conversation_writer *t = mem_alloc(sizeof(*t));
	struct str variant = str_from(w->variant);

	*t = (struct conversation_writer){ .w = w };
	if (str_eq(variant, STR("openai")))
		t->variant = CONVERSATION_OPENAI;
	else if (str_eq(variant, STR("anthropic")))
		t->variant = CONVERSATION_ANTHROPIC;
	t->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	t->inner = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	arena_init(&t->hold);
	return t;
}

static void conversation_write_close_writer(void *writer)
{
	struct conversation_writer *t = writer;

	waiting_free(&t->waiting);
	buf_free(&t->text);
	json_parser_close(t->parser);
	json_parser_close(t->inner);
	arena_free(&t->hold);
	mem_free(t);
}

/* Gathers events of messages, steps, calls and results to lines; of the others, notes what is lost. */
static bool conversation_write_event(void *writer, const struct event *e, struct err *err)
{
	struct conversation_writer *t = writer;

	(void)err;
	t->torn = t->torn || event_is_torn(e);
	switch (e->kind) {
	case EVENT_MESSAGE:
	case EVENT_STEP:
	case EVENT_CALL:
	case EVENT_RESULT:
		conversation_write_add(t, e);
		break;
	case EVENT_NOTE:
	case EVENT_ERROR:
		add_other(t, e);
		break;
	case EVENT_COST:
		losses_note(t->w->losses, amount_is_known(e->usd), "cost.usd");
		losses_note(t->w->losses, usage_is_known(&e->usage) && str_eq(e->scope, STR("run")),
			    "usage of the run");
		break;
	case EVENT_RUN_START:
		conversation_write_begin_run(t, e);
		break;
	default:
		conversation_write_end_run(t, e);
	}
	return true;
}

static bool conversation_write_end_writer(void *writer, struct err *err)
{
	struct conversation_writer *t = writer;

	(void)err;
	conversation_write_flush(t);
	waiting_drain(&t->waiting, t->w->out);
	return true;
}

const struct write_ops conversation_write = {
	.cannot = "models, cost, branches, times of calls, errors that belong to no call, and where one run ends "
		  "and "
		  "the next begins",
	.lacks_cost = true,
	.open = conversation_write_open_writer,
	.close = conversation_write_close_writer,
	.event = conversation_write_event,
	.end = conversation_write_end_writer,
};
