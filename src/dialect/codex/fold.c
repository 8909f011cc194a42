/*
 * Events of the step at hand wait in `held`, in order, so that what comes late (counts, how a call ended) can still be
 * put to the event it belongs to. fold.h says which count is whose.
 */
#include "dialect/codex/fold.h"

#include <assert.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/id.h"
#include "base/map.h"
#include "dialect/codex/private.h"
#include "dialect/codex/turn.h"
#include "dialect/reading/result_pieces.h"
#include "dialect/record/field.h"
#include "model/merge.h"

#define HELD 512                /* events held at once */
#define HELD_BYTES ((size_t)8 << 20)
#define CARRIED 32              /* notes that wait for the item that says the same */
#define SAID 64                 /* digests of the latest items, to know what events say again */
#define BURST_NS 1000000000     /* copied history is written at once */
#define MS_LIMIT 9000000000000  /* whose nanoseconds an int64_t holds */

/* What a log says over and over. */
static const struct str repeating[] = { WORD("turn_context"), WORD("world_state"), WORD("token_count"), WORD("state") };

static const size_t hint_texts[] = {
	offsetof(struct codex_hint, forked_from), offsetof(struct codex_hint, turn), offsetof(struct codex_hint, model),
	offsetof(struct codex_hint, call),        offsetof(struct codex_hint, text), offsetof(struct codex_hint, tool),
	offsetof(struct codex_hint, server),      offsetof(struct codex_hint, response),
};

struct codex_fold {
	struct arena run;  /* of the run */
	struct arena hold; /* of what is held */
	struct event *held[HELD]; /* NULL where something was taken out again */
	size_t count;
	struct merge *merge;
	struct map started; /* items of exec that have begun */
	/* the run */
	bool begun;
	struct str thread, model;
	struct codex_turn turn;
	struct hash latest[COUNT(repeating)];
	uint64_t said[SAID];
	size_t said_count;
	/* history that was copied when a thread was forked */
	struct str forked_from;
	bool copying;
	int64_t fork_ns;
	/* the step at hand */
	uint64_t steps;
	struct buf step_text;
	struct str step; /* its id, in step_text; p NULL before the first */
	struct event *head; /* NULL when it is no longer held */
	bool open, counted, went_on; /* went_on: the turn has, since it was closed */
	uint64_t call_line; /* of the latest call: a result on the same line closes nothing */
	/* counts */
	bool has_total;
	struct hash total;
	struct arena counts, carry;
	struct event *pending; /* of a step to come; in `counts` */
	struct buf name;       /* of the item at hand */
	struct result_pieces pieces;
};

/* All state is zero at first. The merge and the arenas are kept from one part to the next. */
void *codex_fold_open(void)
{
	struct codex_fold *f = mem_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	arena_init(&f->run);
	arena_init(&f->hold);
	arena_init(&f->counts);
	arena_init(&f->carry);
	f->merge = merge_open();
	map_init(&f->started, &f->run);
	return f;
}

/* Everything but what is held: a run that has no beginning in the log begins with that. */
static void codex_fold_reset(struct codex_fold *f)
{
	struct codex_fold old;

	result_pieces_reset(&f->pieces);
	old = *f;
	memset(f, 0, sizeof(*f));
	f->run = old.run;
	f->hold = old.hold;
	f->counts = old.counts;
	f->carry = old.carry;
	f->step_text = old.step_text;
	f->name = old.name;
	f->merge = old.merge;
	memcpy(f->held, old.held, sizeof(f->held));
	f->count = old.count;
	arena_reset(&f->run);
	map_init(&f->started, &f->run);
}

void codex_fold_close(void *fold)
{
	struct codex_fold *f = fold;

	if (!f)
		return;
	arena_free(&f->run);
	arena_free(&f->hold);
	arena_free(&f->counts);
	arena_free(&f->carry);
	buf_free(&f->step_text);
	buf_free(&f->name);
	merge_close(f->merge);
	result_pieces_reset(&f->pieces);
	mem_free(f);
}

/* ---- what is held ---- */

/* A copy of an event, with its hint. */
static struct event *codex_fold_keep_event(struct arena *a, const struct event *e)
{
	struct event *copy = event_copy(a, e);
	struct codex_hint *h;

	if (!e->hint)
		return copy;
	h = arena_new(a, struct codex_hint);
	*h = *codex_hint_of(e);
	copy->hint = h;
	for (size_t i = 0; i < COUNT(hint_texts); i++) {
		struct str *text = (struct str *)((char *)h + hint_texts[i]);

		if (text->p)
			*text = arena_copy(a, *text);
	}
	return copy;
}

/* An event that does not count becomes a note: only what every kind has is left of it. */
static struct event make_note(const struct event *e, struct str role, struct str content)
{
	return (struct event){
		.kind = EVENT_NOTE,
		.flags = e->flags,
		.ts = e->ts,
		.branch = e->branch,
		.parent = e->parent,
		.role = role,
		.content = content,
		.index = -1,
		.extras = e->extras,
		.bignums = e->bignums,
		.line = e->line,
	};
}

/* Hints are for this fold alone; flags that only steps may have are taken off the others. */
static bool codex_fold_put(struct assemble *as, const struct event *e, struct err *err)
{
	struct event out = *e;

	out.hint = NULL;
	if (out.kind != EVENT_STEP)
		out.flags &= ~(unsigned)(EVENT_FALLBACK | EVENT_MARKER);
	return assemble_add(as, &out, err);
}

/* Gives everything that is held to the assembler, in order. */
static bool codex_fold_flush(struct codex_fold *f, struct assemble *as, struct err *err)
{
	bool ok = true;

	for (size_t i = 0; i < f->count && ok; i++)
		ok = !f->held[i] || codex_fold_put(as, f->held[i], err);
	f->count = 0;
	f->head = NULL;
	arena_reset(&f->hold);
	return ok;
}

/*
 * Copies the event to what is held; when that is full, all of it goes out first. Before the run has begun only the
 * number counts. NULL when the assembler refused an event.
 */
static struct event *codex_fold_hold(struct codex_fold *f, const struct event *e, struct assemble *as,
				     struct err *err)
{
	if ((f->count == HELD || f->hold.used > HELD_BYTES) && f->begun && !codex_fold_flush(f, as, err))
		return NULL;
	if (f->count == HELD && !codex_fold_flush(f, as, err))
		return NULL;
	assert(f->count < HELD);
	return f->held[f->count++] = codex_fold_keep_event(&f->hold, e);
}

/* The latest of this kind for the call; NULL when none is held. The caller may set what it points to to NULL. */
static struct event **codex_fold_find_held(struct codex_fold *f, enum event_kind kind, struct str call)
{
	for (size_t i = f->count; i-- > 0 && call.p;)
		if (f->held[i] && f->held[i]->kind == kind && f->held[i]->call.p && str_eq(f->held[i]->call, call))
			return &f->held[i];
	return NULL;
}

/* ---- steps ---- */

/* Objects of the same key become one, the later members winning; all is copied to what is held. */
static void merge_extras(struct codex_fold *f, struct event *into, const struct event *from)
{
	for (const struct extra *x = from->extras; x; x = x->next) {
		struct extra *same = into->extras;

		while (same && (same->member || !str_eq(same->key, x->key)))
			same = same->next;
		if (same)
			same->json = merge_objects(f->merge, &f->hold, same->json, x->json);
		else
			event_add_extra(into, &f->hold, arena_copy(&f->hold, x->key), arena_copy(&f->hold, x->json));
	}
}

/* Gives a step its figures, and what else the line of the count said. */
static void count_step(struct event *step, const struct event *count, struct arena *a)
{
	step->usage = count->usage;
	if (codex_hint_of(count)->response.p)
		step->response_id = arena_copy(a, codex_hint_of(count)->response);
	for (const struct extra *x = count->extras; x; x = x->next)
		event_add_extra(step, a, arena_copy(a, x->key), arena_copy(a, x->json));
}

/* Notes that an item of the step to come may say again: those of the step before have waited long enough. */
static size_t take_shown(struct codex_fold *f, struct event **shown)
{
	size_t n = 0;

	arena_reset(&f->carry);
	for (size_t i = 0; i < f->count && n < CARRIED; i++) {
		struct event *e = f->held[i];
		struct codex_hint *h;

		if (!e || !codex_hint_of(e)->shown || codex_hint_of(e)->waited)
			continue;
		h = arena_new(&f->carry, struct codex_hint);
		*h = (struct codex_hint){ .shown = true, .waited = true, .digest = codex_hint_of(e)->digest };
		shown[n] = event_copy(&f->carry, e);
		shown[n++]->hint = h;
		f->held[i] = NULL;
	}
	return n;
}

/*
 * The step before goes out, all but notes that an item may still repeat; those wait for one step more. NULL when the
 * assembler refused.
 */
static struct event *codex_fold_new_step(struct codex_fold *f, const struct event *from, struct assemble *as,
					 struct err *err)
{
	struct event step = { .kind = EVENT_STEP, .ts = from->ts, .line = from->line, .index = -1 };
	struct event *shown[CARRIED];
	size_t count = take_shown(f, shown);

	if (!codex_fold_flush(f, as, err))
		return NULL;
	buf_clear(&f->step_text);
	buf_printf(&f->step_text, "step_%llu", (unsigned long long)++f->steps);
	f->step = buf_str(&f->step_text);
	step.step = f->step;
	step.model = f->model;
	f->head = codex_fold_hold(f, &step, as, err);
	f->counted = f->went_on = false;
	f->call_line = 0;
	for (size_t i = 0; i < count && f->head; i++)
		if (!codex_fold_hold(f, shown[i], as, err))
			return NULL;
	return f->head;
}

/* A count that nothing was said for: the model was called all the same. */
static bool codex_fold_settle(struct codex_fold *f, struct assemble *as, struct err *err)
{
	struct event *step, *count = f->pending;

	if (!count)
		return true;
	f->pending = NULL;
	step = codex_fold_new_step(f, count, as, err);
	if (!step)
		return false;
	step->flags |= EVENT_INFERRED;
	count_step(step, count, &f->hold);
	f->counted = true;
	f->open = false;
	return true;
}

/* A step begins with the event at hand. A count that came before it is its own. */
static bool codex_fold_begin_step(struct codex_fold *f, const struct event *e, struct assemble *as,
				  struct err *err)
{
	struct event *count = f->pending;
	struct event *step = codex_fold_new_step(f, e, as, err);

	if (!step)
		return false;
	f->open = true;
	f->pending = NULL;
	if (count) {
		count_step(step, count, &f->hold);
		f->counted = true;
	}
	return true;
}

/*
 * A count of tokens. It belongs to the step at hand, or, when that has one, to a step of which nothing else is known.
 */
static bool codex_fold_add_tokens(struct codex_fold *f, const struct event *e, struct assemble *as,
				  struct err *err)
{
	struct hash total = str_hash_wide(codex_hint_of(e)->text);
	struct event late;

	if (f->has_total && total.a == f->total.a && total.b == f->total.b) { /* told again, with the limits */
		if (f->head)
			merge_extras(f, f->head, e);
		return true;
	}
	f->has_total = true;
	f->total = total;
	if (!f->step.p || f->counted || (!f->open && f->went_on)) {
		f->open = false;
		if (!codex_fold_settle(f, as, err))
			return false;
		arena_reset(&f->counts);
		f->pending = codex_fold_keep_event(&f->counts, e);
		return true;
	}
	f->open = false;
	f->counted = true;
	if (f->head) {
		count_step(f->head, e, &f->hold);
		return true;
	}
	late = *e; /* the step was too large to be held */
	late.scope = STR("step");
	late.step = f->step;
	late.model = f->model;
	return codex_fold_hold(f, &late, as, err);
}

/* ---- what is said twice ---- */

/* An item: the event that showed the same goes, whichever came first; with extras, only its text does. */
static void add_said_text(struct codex_fold *f, uint64_t digest)
{
	if (!digest)
		return;
	f->said[f->said_count++ % SAID] = digest;
	for (size_t i = 0; i < f->count; i++) {
		struct event *e = f->held[i];

		if (!e || !codex_hint_of(e)->shown || codex_hint_of(e)->digest != digest)
			continue;
		if (e->extras)
			e->content = STR("null");
		else
			f->held[i] = NULL;
	}
}

/* Whether one of the last SAID items had a text of this digest. 0 is no digest. */
static bool has_said_text(const struct codex_fold *f, uint64_t digest)
{
	for (size_t i = 0; i < SAID && i < f->said_count; i++)
		if (digest && f->said[i] == digest)
			return true;
	return false;
}

/*
 * A note that says what an item said, or what the latest of its kind said word for word. One with extras is never
 * dropped.
 */
static bool is_repeat(struct codex_fold *f, const struct event *e)
{
	struct hash h;

	if (codex_hint_of(e)->shown && !e->extras && has_said_text(f, codex_hint_of(e)->digest))
		return true;
	for (size_t i = 0; i < COUNT(repeating); i++) {
		if (!str_eq(e->role, repeating[i]) || e->extras)
			continue;
		h = str_hash_wide(e->content);
		if (h.a == f->latest[i].a && h.b == f->latest[i].b)
			return true;
		f->latest[i] = h;
	}
	return false;
}

/* ---- calls and how they ended ---- */

/* What the end of a call says goes to its result; an error that is told anywhere counts. */
static void merge_end(struct codex_fold *f, struct event *result, const struct event *end)
{
	const struct codex_hint *h = codex_hint_of(end);

	if (figure_is_known(h->exit_code))
		result->exit_code = h->exit_code;
	if (amount_is_known(h->duration_ms))
		result->duration_ms = h->duration_ms;
	if (h->is_error == TRUTH_TRUE || (h->is_error == TRUTH_FALSE && result->is_error == TRUTH_ABSENT))
		result->is_error = h->is_error;
	merge_extras(f, result, end);
}

/* A NOTE about the end of a call: to its result, or kept until that comes. */
static bool add_end(struct codex_fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	struct event **call = codex_fold_find_held(f, EVENT_CALL, e->call),
		     **result = codex_fold_find_held(f, EVENT_RESULT, e->call);
	const struct codex_hint *h = codex_hint_of(e);
	struct event *note;

	if (call && h->server.p && !(*call)->server.p) {
		(*call)->server = arena_copy(&f->hold, h->server);
		if (h->tool.p)
			(*call)->tool = arena_copy(&f->hold, h->tool);
	}
	if (result) {
		merge_end(f, *result, e);
		return true;
	}
	note = codex_fold_hold(f, e, as, err);
	if (!note)
		return false;
	if (!note->content.p)
		note->content = STR("null");
	return true;
}

/* A result closes the step, unless it stands on the line of its call. */
static bool codex_fold_add_result(struct codex_fold *f, const struct event *e, struct assemble *as,
				  struct err *err)
{
	struct event **end, *result;

	if (e->line != f->call_line)
		f->open = false;
	result = codex_fold_hold(f, e, as, err);
	if (!result)
		return false;
	result->chunks = result_pieces_take(&f->pieces, &f->hold, result);
	end = codex_fold_find_held(f, EVENT_NOTE, e->call);
	if (end) {
		merge_end(f, result, *end);
		*end = NULL;
	}
	return true;
}

/* Items of exec have ids of their thread: "item_3". Lasts until the next. */
static struct str item_id(struct codex_fold *f, struct str id)
{
	if (!f->thread.p)
		return id;
	buf_clear(&f->name);
	buf_add_str(&f->name, f->thread);
	buf_add_byte(&f->name, '/');
	buf_add_str(&f->name, id);
	return buf_str(&f->name);
}

/* Said to have begun, a call is not begun again when it ends. */
static bool name_item(struct codex_fold *f, struct event *e)
{
	uint64_t *going;
	bool added;

	if (codex_hint_of(e)->what != CODEX_ITEM || !e->call.p)
		return true;
	e->call = item_id(f, e->call);
	if (e->kind != EVENT_CALL)
		return true;
	going = map_add(&f->started, e->call, &added);
	if (e->flags & EVENT_FALLBACK) {
		bool known = *going != 0;

		*going = 0;
		return !known;
	}
	*going = 1;
	return true;
}

/* ---- history that was copied ---- */

/* When a UUIDv7 was made; 0 when the text is none. Milliseconds that no int64_t of nanoseconds holds are wrapped. */
static int64_t uuid_ns(struct str text)
{
	struct id id;

	if (!id_parse_uuid(text, &id) || id_uuid_version(id) != 7)
		return 0;
	return (int64_t)(id_uuid7_ms(id) % MS_LIMIT) * 1000000;
}

/* Whether the thread's own part begins: with a turn younger than the thread, or after the burst of copying. */
static bool ends_copy(const struct codex_fold *f, const struct event *e)
{
	struct str turn = codex_hint_of(e)->turn;

	if (turn.p && uuid_ns(turn))
		return uuid_ns(turn) >= f->fork_ns - 1000000;
	return e->ts.text.p && e->ts.ns - f->fork_ns > BURST_NS;
}

/* Told in another file already: kept as a note, so that nothing is counted twice. */
static bool add_copied(struct codex_fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	struct event note;

	if (e->kind == EVENT_MESSAGE || e->kind == EVENT_NOTE)
		return codex_fold_hold(f, e, as, err);
	note = make_note(e, STR("copied"), e->content.p ? e->content : e->args.p ? e->args : STR("null"));
	return codex_fold_hold(f, &note, as, err);
}

/* ---- all of them ---- */

/*
 * A session begins. Another one inside a log that has begun is that of the thread it was forked from, and what
 * follows is copied history.
 */
static bool add_session(struct codex_fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	const struct codex_hint *h = codex_hint_of(e);
	bool same = f->thread.p && e->run.p && str_eq(f->thread, e->run);
	struct event note;

	if (f->begun && h->what == CODEX_SESSION && !same) {
		/* the thread this one was forked from: what follows is its history */
		f->copying = f->forked_from.p && e->run.p && str_eq(f->forked_from, e->run);
		note = make_note(e, STR("session_meta"), STR("null"));
		return codex_fold_hold(f, &note, as, err);
	}
	if (f->begun && !same) {
		if (!codex_fold_end(f, as, err))
			return false;
	} else if (f->begun) {
		return codex_fold_flush(f, as, err) && codex_fold_put(as, e, err);
	}
	f->begun = true;
	f->thread = e->run.p ? arena_copy(&f->run, e->run) : e->run;
	f->forked_from = h->forked_from.p ? arena_copy(&f->run, h->forked_from) : h->forked_from;
	f->fork_ns = e->ts.ns;
	if (uuid_ns(f->thread))
		f->fork_ns = uuid_ns(f->thread);
	return codex_fold_put(as, e, err);
}

/* What a call printed: it is kept for its result, and the note goes on without it. */
static struct event take_piece(struct codex_fold *f, const struct event *e)
{
	const struct codex_hint *h = codex_hint_of(e);
	struct event note = *e;

	if (h->what == CODEX_PIECE)
		result_pieces_add(&f->pieces, h->call, h->text, e->ts);
	else
		result_pieces_add_whole(&f->pieces, item_id(f, h->call), h->text, e->ts);
	note.hint = NULL;
	return note;
}

/* What a note does besides being kept: it may be output of a call, the end of one, or name the model from now on. */
static bool codex_fold_add_note(struct codex_fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	const struct codex_hint *h = codex_hint_of(e);
	struct event note;

	if (h->what == CODEX_PIECE || h->what == CODEX_WHOLE) {
		note = take_piece(f, e);
		e = &note;
	}
	if (is_repeat(f, e))
		return true;
	if (h->shown && has_said_text(f, h->digest)) { /* the rest of it is new */
		note = *e;
		note.content = STR("null");
		e = &note;
	}
	if (e->call.p)
		return add_end(f, e, as, err);
	if (h->model.p && !str_eq(h->model, f->model))
		f->model = arena_copy(&f->run, h->model);
	if (str_eq(e->role, STR("turn_context")))
		f->went_on = !f->open;
	return codex_fold_hold(f, e, as, err);
}

/*
 * Something that the model said: it opens a step, unless one is open. A call that was said to have begun is dropped
 * when its end tells it again.
 */
static bool add_said(struct codex_fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	struct event out = *e;

	/* no item of the model's own: it goes with the step, but makes none */
	if (e->kind == EVENT_STEP && (e->flags & EVENT_MARKER) && !f->open) {
		out = make_note(e, STR("item"), STR("null"));
		return codex_fold_hold(f, &out, as, err);
	}
	add_said_text(f, codex_hint_of(e)->digest);
	if (e->kind == EVENT_CALL && !name_item(f, &out))
		return true;
	if (!f->open && !codex_fold_begin_step(f, e, as, err))
		return false;
	if (e->kind == EVENT_CALL && codex_hint_of(e)->what != CODEX_ITEM)
		f->call_line = e->line;
	out.step = f->step;
	out.flags &= ~(unsigned)EVENT_MARKER;
	if (e->kind == EVENT_CALL)
		result_pieces_begin(&f->pieces, out.call, out.ts);
	return codex_fold_hold(f, &out, as, err);
}

/* A message ends the step, and a count behind it is of the step to come. */
static bool codex_fold_add_message(struct codex_fold *f, const struct event *e, struct assemble *as,
				   struct err *err)
{
	add_said_text(f, codex_hint_of(e)->digest);
	f->open = false;
	f->went_on = true;
	return codex_fold_hold(f, e, as, err);
}

/* By kind; all but the beginning of a session and copied history is also followed for how the turn ended. */
bool codex_fold(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct codex_fold *f = fold;
	struct event named;

	if (e->kind == EVENT_RUN_START)
		return add_session(f, e, as, err);
	if (f->copying && ends_copy(f, e))
		f->copying = false;
	if (f->copying)
		return add_copied(f, e, as, err);
	codex_turn_follow(&f->turn, e, codex_hint_of(e)->status);
	switch (e->kind) {
	case EVENT_COST:
		if (codex_hint_of(e)->what == CODEX_TOKENS)
			return codex_fold_add_tokens(f, e, as, err);
		return codex_fold_hold(f, e, as, err);
	case EVENT_NOTE:
		return codex_fold_add_note(f, e, as, err);
	case EVENT_STEP:
	case EVENT_CALL:
		return add_said(f, e, as, err);
	case EVENT_RESULT:
		named = *e;
		name_item(f, &named);
		return codex_fold_add_result(f, &named, as, err);
	case EVENT_MESSAGE:
		return codex_fold_add_message(f, e, as, err);
	default:
		return codex_fold_hold(f, e, as, err);
	}
}

bool codex_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct codex_fold *f = fold;
	struct event end = codex_turn_end(&f->turn);
	bool ok = codex_fold_settle(f, as, err) && codex_fold_flush(f, as, err);

	if (ok && end.status != STATUS_UNKNOWN)
		ok = codex_fold_put(as, &end, err);
	codex_fold_reset(f);
	return ok;
}
