/*
 * OpenHands. V0 wrote a run as one value: a list of events, or a line of results with its history. V1 keeps a
 * conversation as a directory: its state, and a file for each event; such events also stand on lines. Which of them a
 * value is, and, in the fold, what is only true at the end of a conversation: its sums and how it ended.
 */
#include "dialect/formats.h"
#include "dialect/openhands/private.h"
#include "dialect/record/field.h"
#include "model/assemble.h"

#define METRICS 16 /* names of sums: the agent, its condenser, ... */

/* ---- what both generations do ---- */

struct openhands_hint *openhands_hint_add(struct reading *r, struct event *e)
{
	struct openhands_hint *h = arena_new(r->arena, struct openhands_hint);

	e->hint = h;
	return h;
}

struct event *openhands_add_note(struct reading *r, struct val v, struct str role)
{
	struct event *e = reading_add(r, EVENT_NOTE);

	e->role = role.n ? role : STR("event");
	e->ts = reading_time(r, v, STR("timestamp"));
	e->content = reading_json_of(r, e, "content", v);
	return e;
}

struct usage openhands_read_tokens(struct reading *r, struct val usage)
{
	struct usage u = { .input = reading_count(r, usage, STR("prompt_tokens")) };

	u.output = reading_count(r, usage, STR("completion_tokens"));
	u.cache_read = reading_count(r, usage, STR("cache_read_tokens"));
	u.cache_write = reading_count(r, usage, STR("cache_write_tokens"));
	u.reasoning = reading_count(r, usage, STR("reasoning_tokens"));
	return u;
}

/* A part that is text: its type says nothing more then. */
static void openhands_read_part(struct reading *r, struct val part, struct buf *b)
{
	struct val text = val_get(part, STR("text"));

	if (!val_is(text, JSON_STRING))
		return;
	buf_add_str(b, reading_text_of(r, text));
	reading_take(r, val_get(part, STR("type")));
}

struct str openhands_read_words(struct reading *r, struct val object, struct str name)
{
	struct val v = val_get(object, name);
	struct buf b = { 0 };

	if (val_is(v, JSON_STRING))
		return reading_text_of(r, v);
	openhands_read_part(r, v, &b);
	VALUES_EACH(part, v)
		openhands_read_part(r, part, &b);
	return arena_take(r->arena, &b);
}

/* ---- values ---- */

static bool openhands_is_list(struct val list)
{
	struct val first = values_first(list);

	return openhands_is_v0(val_is(first, JSON_ARRAY) ? values_first(first) : first);
}

/* The list of events in what holds one: results have a `history`, the server's answer a `trajectory`. */
static struct val openhands_find_list(struct val v)
{
	struct val history = val_get(v, STR("history")), trajectory = val_get(v, STR("trajectory"));

	return openhands_is_list(trajectory) && !openhands_is_list(history) ? trajectory : history;
}

/* A line of results may have no history: a run that never began. */
static bool openhands_is_result(struct val v)
{
	return openhands_is_list(openhands_find_list(v)) ||
	       (val_has(v, STR("instance_id")) && val_has(v, STR("test_result")) && val_has(v, STR("history")));
}

/* A page of events, as the server of V1 gives them. */
static bool openhands_is_page(struct val v)
{
	return openhands_fits_v1(values_first(val_get(v, STR("items")))) > 0;
}

/* Lists of actions are common: a bare one must have what only ours have. */
static int openhands_fits_list(struct val v)
{
	static const struct str sources[] = { WORD("agent"), WORD("user"), WORD("environment") };
	struct val first = values_first(v);

	if (val_is(first, JSON_ARRAY))
		first = values_first(first);
	if (openhands_is_v0(first) && values_is_word(val_get(first, STR("source")), sources, COUNT(sources)) &&
	    (val_is(val_get(first, STR("args")), JSON_OBJECT) || val_is(val_get(first, STR("extras")), JSON_OBJECT)))
		return 90;
	return openhands_fits_v1(first);
}

static int openhands_fits(struct val v)
{
	if (val_is(v, JSON_ARRAY))
		return openhands_fits_list(v);
	if (!val_is(v, JSON_OBJECT))
		return 0;
	return openhands_is_result(v) ? 85 : openhands_is_page(v) ? 90 : openhands_fits_v1(v);
}

static void openhands_read_page(struct reading *r, struct val v)
{
	struct val items = val_get(v, STR("items"));
	size_t at = r->count;

	VALUES_EACH(event, items)
		openhands_read_v1(r, event);
	if (r->count > at)
		reading_rest_under(r, &r->events[r->count - 1], v, STR("page"));
}

static void openhands_read_value(struct reading *r, struct val v)
{
	if (val_is(v, JSON_ARRAY) && openhands_is_list(v)) {
		openhands_read_v0(r, v, v);
	} else if (val_is(v, JSON_ARRAY)) {
		VALUES_EACH(event, v)
			openhands_read_v1(r, event);
	} else if (openhands_is_result(v)) {
		openhands_read_v0(r, v, openhands_find_list(v));
	} else if (openhands_is_page(v)) {
		openhands_read_page(r, v);
	} else {
		openhands_read_v1(r, v);
	}
}

/* ---- the fold ---- */

struct fold {
	struct arena arena;
	struct event *sums[METRICS]; /* the latest of each name */
	struct str names[METRICS];
	size_t count;
	bool v1;                     /* a conversation was read */
	bool any;                    /* of which something happened */
	bool finished;               /* the agent said that it is done, and nothing came after it */
	struct event *start;         /* what the state says of it, until something happened */
	struct str status, model;    /* the agent's, by the state: answers do not tell theirs */
};

static void *openhands_fold_open(void)
{
	struct fold *f = mem_alloc(sizeof(*f));

	*f = (struct fold){ .count = 0 };
	arena_init(&f->arena);
	return f;
}

static void openhands_fold_close(void *fold)
{
	struct fold *f = fold;

	arena_free(&f->arena);
	mem_free(f);
}

/* Sums only grow: the state may be older than the events, or newer. */
static void openhands_keep_sum(struct fold *f, const struct event *e, struct str name)
{
	size_t i = 0;

	while (i < f->count && !str_eq(f->names[i], name))
		i++;
	if (i == METRICS || (i < f->count && e->usage.input.n < f->sums[i]->usage.input.n))
		return;
	if (i == f->count)
		f->names[f->count++] = arena_copy(&f->arena, name);
	f->sums[i] = event_copy(&f->arena, e);
}

/* What the agent did last, where no state tells how it ended. */
static void openhands_note_last(struct fold *f, const struct event *e)
{
	if (e->kind == EVENT_CALL)
		f->finished = str_eq(e->tool, STR("finish"));
	else if (e->kind == EVENT_STEP || e->kind == EVENT_MESSAGE || e->kind == EVENT_ERROR)
		f->finished = f->finished && e->kind == EVENT_STEP && !e->text.n;
}

static bool openhands_fold_event(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct fold *f = fold;
	const struct openhands_hint *h = e->hint;
	struct event plain = *e;

	plain.hint = NULL;
	if (h && h->status.p)
		f->status = arena_copy(&f->arena, h->status);
	if (h && h->metric.p) {
		openhands_keep_sum(f, &plain, h->metric);
		return true;
	}
	if (h && h->begins && !assemble_end(as, false, err))
		return false;
	f->v1 = f->v1 || (h && h->v1);
	if (f->v1 && !f->any && e->kind == EVENT_RUN_START && e->run.p) {
		f->start = event_copy(&f->arena, &plain);
		f->model = f->start->model;
		return true;
	}
	f->any = true;
	if (f->start && !assemble_add(as, f->start, err))
		return false;
	f->start = NULL;
	if (f->v1 && e->kind == EVENT_STEP)
		plain.model = f->model;
	openhands_note_last(f, e);
	return assemble_add(as, &plain, err);
}

/* The words of a conversation's state for how it ended; others say that it goes on. */
static enum run_status openhands_status(struct str word)
{
	static const struct {
		struct str word;
		enum run_status status;
	} ends[] = {
		{ WORD("finished"), STATUS_SUCCESS }, { WORD("error"), STATUS_ERROR }, { WORD("stuck"), STATUS_ERROR },
		{ WORD("deleting"), STATUS_INTERRUPTED }, { WORD("paused"), STATUS_INTERRUPTED },
	};

	for (size_t i = 0; i < COUNT(ends); i++)
		if (str_eq(word, ends[i].word))
			return ends[i].status;
	return STATUS_UNKNOWN;
}

/* A state without events is no run. */
static bool openhands_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct fold *f = fold;
	struct event end = { .kind = EVENT_RUN_END, .index = -1, .status = openhands_status(f->status) };
	bool good = true;

	for (size_t i = 0; good && f->any && i < f->count; i++)
		good = assemble_add(as, f->sums[i], err);
	if (f->v1 && f->any && good) {
		end.reason = f->status;
		if (end.status == STATUS_UNKNOWN && f->finished)
			end.status = STATUS_SUCCESS;
		good = assemble_add(as, &end, err);
	}
	arena_reset(&f->arena);
	f->count = 0;
	f->v1 = f->any = f->finished = false;
	f->start = NULL;
	f->status = f->model = str_of(NULL, 0);
	return good;
}

static const struct read_ops read_openhands = {
	.vendor = "openhands",
	.key = "openhands/1",
	.assemble = ASSEMBLE_STEP_COSTS,
	.value = openhands_read_value,
	.fold_open = openhands_fold_open,
	.fold_close = openhands_fold_close,
	.fold = openhands_fold_event,
	.fold_end = openhands_fold_end,
};

const struct dialect openhands_dialect = {
	.name = "openhands",
	.title = "OpenHands: events of V0, conversations of V1",
	.file = "events/",
	.unit = "event",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = openhands_fits,
	.read = &read_openhands,
};
