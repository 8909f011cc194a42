/*
 * Calls and results belong to the latest answer of their branch: side by side, a sub-agent and its parent do not take
 * each other's.
 */
#include "trial/classify/turns.h"

#include "base/utf8.h"

/* The beginning, cut between characters; p NULL stays so. */
static struct str turns_keep(struct turns *t, struct str text, size_t most)
{
	return text.p ? arena_copy(t->arena, utf8_cut(text, most)) : text;
}

/* The number of the latest turn of a branch; 0: none yet. */
static uint64_t *turns_latest(struct turns *t, struct str branch)
{
	bool added;

	return map_add(&t->latest, branch.p ? branch : STR(""), &added);
}

static void turns_add_step(struct turns *t, const struct event *e)
{
	struct turn *turn;

	arena_grow(t->arena, t->items, t->count, t->cap, 16);
	turn = &t->items[t->count++];
	*turn = (struct turn){ .text = turns_keep(t, e->text, TURNS_TEXT),
			       .thought = turns_keep(t, e->reasoning, TURNS_TEXT) };
	t->has_content = t->has_content || turn->text.n || turn->thought.n;
	*turns_latest(t, e->branch) = t->count;
}

static void turns_add_call(struct turns *t, struct turn *turn, const struct event *e)
{
	struct turn_call *call;

	if (turn->all_calls++ >= TURNS_CALLS)
		return;
	arena_grow(t->arena, turn->calls, turn->call_count, turn->call_cap, 4);
	call = &turn->calls[turn->call_count++];
	call->tool = turns_keep(t, e->tool, 200);
	call->args = turns_keep(t, e->args.p ? e->args : e->args_text, TURNS_TEXT);
	if (e->flags & EVENT_WITHHELD)
		call->args = (struct str){ NULL, 0 };
	t->has_content = t->has_content || call->args.n > strlen("null");
}

static void turns_add_result(struct turns *t, struct turn *turn, const struct event *e)
{
	turn->results++;
	turn->errors += transcript_is_error(t->kind, e);
	if (!turn->result.p)
		turn->result = turns_keep(t, e->content, TURNS_RESULT);
}

static void turns_event(void *own, const struct event *e)
{
	struct turns *t = own;
	uint64_t latest;

	if (t->kind == TRANSCRIPT_NONE || (e->branch.p && str_eq(e->branch, STR("warmup"))))
		return;
	if (e->kind == EVENT_STEP) {
		turns_add_step(t, e);
		return;
	}
	if (e->kind != EVENT_CALL && e->kind != EVENT_RESULT)
		return;
	latest = *turns_latest(t, e->branch);
	if (latest == 0) /* of no answer: the log begins in the middle */
		return;
	if (e->kind == EVENT_CALL)
		turns_add_call(t, &t->items[latest - 1], e);
	else
		turns_add_result(t, &t->items[latest - 1], e);
}

static void turns_begin(void *own, enum transcript_kind kind)
{
	struct turns *t = own;

	t->kind = kind;
	map_init(&t->latest, t->arena);
}

struct transcript_taker turns_open(struct turns *t, struct arena *a)
{
	*t = (struct turns){ .arena = a };
	return (struct transcript_taker){ .begin = turns_begin, .event = turns_event, .own = t };
}

bool turns_load(struct turns *t, struct arena *a, struct str path, const struct transcript_how *how, struct err *err)
{
	struct transcript_taker taker = turns_open(t, a);

	return transcript_load(a, path, how, &taker, &t->from, err);
}

bool turns_check(const struct turns *t, struct str path, struct err *err)
{
	if (!t->from.path.p && t->from.by_record)
		return err_set(err, ERR_DATA, "%.*s: the transcript that this record names is not there, or it names "
			       "none: there is nothing to classify", STR_ARG(path));
	if (!t->from.path.p || t->kind == TRANSCRIPT_NONE)
		return err_set(err, ERR_DATA, "%.*s: a trace without content cannot be classified: bonds are told from "
			       "what the model said and called" ERR_HELP "give its transcript; a run that is recorded "
			       "with its content has one",
			       STR_ARG(path));
	if (t->count == 0)
		return err_set(err, ERR_DATA, "%.*s: there is no turn of a model in it, so nothing to classify",
			       STR_ARG(t->from.path));
	if (!t->has_content)
		return err_set(err, ERR_DATA, "%.*s: the content of this log was left out: there is no text and no "
			       "argument in it from which bonds could be told" ERR_HELP
			       "classify the log before it is redacted, or the transcript beside it",
			       STR_ARG(t->from.path));
	return true;
}
