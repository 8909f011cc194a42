/*
 * What the order of CrewAI's events says. Tools have no call ids: what ends a tool ends the latest that the same agent
 * began, and what other agents do meanwhile happens inside that call. A run is a kickoff. Its end waits for the next
 * one, so that what is said about it afterwards is still its own; what is said before the first waits for that.
 */
#include "base/map.h"
#include "dialect/crewai/private.h"
#include "dialect/exchange/asked.h"
#include "dialect/exchange/exchange.h"
#include "dialect/record/field.h"

#define EARLY 256  /* notes and messages that wait for a kickoff */
#define SPARES 256 /* events of answers that no event of CrewAI has told yet */

struct crewai_call {
	struct crewai_call *below; /* that was open before it */
	struct str id, role, tool, args, event;
	struct str parent; /* the call around it; p NULL: none. Its branch has the same name */
	struct asked_call *asked; /* NULL: the model's answer did not name it */
};

/* A call of the model that has no answer yet. */
struct crewai_question {
	struct crewai_question *below;
	struct str call, role, step;
	struct moment ts;
	bool has_piece;
};

struct crewai_fold {
	void *inner; /* of exchange.h: messages that requests tell again */
	struct arena part, run, next; /* of the log; of the run; of what waits for the next one */
	struct asked asked;
	struct map names;  /* of runs */
	struct map ids;    /* of calls and steps that are used */
	struct map around; /* ids of events: the call that they are inside of, or are; 0: none */
	struct crewai_call *open, *closing;
	struct crewai_question *questions;
	struct str inside; /* the call that the latest call of the model is inside of */
	struct event *end; /* of the run; NULL while it goes on */
	struct event *early[EARLY];
	size_t early_count;
	struct arena spare; /* of what follows */
	struct event *spares[SPARES]; /* NULL: told by now */
	size_t spare_count;
	struct str batch, version; /* of the next run */
	bool running, counted;
	unsigned runs, made, nested;
};

static void crewai_fold_forget(struct crewai_fold *f)
{
	asked_reset(&f->asked);
	arena_reset(&f->run);
	map_init(&f->ids, &f->run);
	map_init(&f->around, &f->run);
	f->open = f->closing = NULL;
	f->questions = NULL;
	f->inside = str_of(NULL, 0);
	f->end = NULL;
	f->running = f->counted = false;
	f->made = f->nested = 0;
}

void *crewai_fold_open(void)
{
	struct crewai_fold *f = mem_alloc(sizeof(*f));

	*f = (struct crewai_fold){ .inner = exchange_fold_open() };
	arena_init(&f->part);
	arena_init(&f->run);
	arena_init(&f->next);
	arena_init(&f->spare);
	asked_init(&f->asked);
	map_init(&f->names, &f->part);
	crewai_fold_forget(f);
	return f;
}

void crewai_fold_close(void *fold)
{
	struct crewai_fold *f = fold;

	if (!f)
		return;
	exchange_fold_close(f->inner);
	asked_free(&f->asked);
	arena_free(&f->part);
	arena_free(&f->run);
	arena_free(&f->next);
	arena_free(&f->spare);
	mem_free(f);
}

/* ---- answers of services ---- */

/* An event of an answer that a log of requests has waits for the event of CrewAI that tells the same answer. */
static bool crewai_fold_spare(struct crewai_fold *f, const struct event *e)
{
	if (f->spare_count == SPARES)
		return false;
	f->spares[f->spare_count] = event_copy(&f->spare, e);
	f->spares[f->spare_count++]->hint = NULL;
	return true;
}

static bool crewai_fold_put_spare(struct crewai_fold *f, struct event *e, struct assemble *as, struct err *err)
{
	if (e->kind == EVENT_CALL)
		asked_add(&f->asked, e);
	f->counted = f->counted || usage_is_known(&e->usage);
	return exchange_fold(f->inner, e, as, err);
}

/* The spare answer that says the same as a step goes before it as a part of it: it has the counts. */
static bool crewai_fold_use_spare(struct crewai_fold *f, const struct event *step, struct assemble *as,
				  struct err *err)
{
	size_t at = 0, from;

	while (at < f->spare_count && !(f->spares[at] && f->spares[at]->kind == EVENT_STEP &&
					str_eq(str_trim(f->spares[at]->text), str_trim(step->text))))
		at++;
	for (from = at; at < f->spare_count && f->spares[at]; at++) {
		struct event *e = f->spares[at];

		if (e->kind == EVENT_STEP && at > from)
			break;
		f->spares[at] = NULL;
		if (e->kind == EVENT_STEP)
			e->text = e->reasoning = str_of(NULL, 0);
		e->step = step->step;
		e->parent = step->parent;
		e->branch = step->branch;
		if (!crewai_fold_put_spare(f, e, as, err))
			return false;
	}
	return true;
}

/* Answers that nothing of CrewAI told are steps of their own. */
static bool crewai_fold_put_spares(struct crewai_fold *f, struct assemble *as, struct err *err)
{
	for (size_t i = 0; i < f->spare_count; i++)
		if (f->spares[i] && !crewai_fold_put_spare(f, f->spares[i], as, err))
			return false;
	f->spare_count = 0;
	arena_reset(&f->spare);
	return true;
}

/* ---- runs ---- */

/* Notes the call that an event is inside of, or is; NULL: none. */
static void crewai_fold_note_around(struct crewai_fold *f, const struct crewai_hint *h, struct crewai_call *c)
{
	if (h->event.n)
		*map_add(&f->around, h->event, &(bool){ false }) = (uint64_t)(uintptr_t)c;
}

static bool crewai_fold_pass(struct crewai_fold *f, struct event *e, struct assemble *as, struct err *err)
{
	if (!(e->flags & EVENT_HISTORY))
		e->hint = NULL;
	return exchange_fold(f->inner, e, as, err);
}

static bool crewai_fold_put_early(struct crewai_fold *f, struct assemble *as, struct err *err)
{
	for (size_t i = 0; i < f->early_count; i++)
		if (!crewai_fold_pass(f, f->early[i], as, err))
			return false;
	f->early_count = 0;
	arena_reset(&f->next);
	f->batch = f->version = str_of(NULL, 0);
	return true;
}

/* The end of the run at hand, if it was told; all of the run is forgotten. */
static bool crewai_fold_end_run(struct crewai_fold *f, struct assemble *as, struct err *err)
{
	bool good = (!f->running || crewai_fold_put_spares(f, as, err)) &&
		    (!f->end || crewai_fold_pass(f, f->end, as, err));

	crewai_fold_forget(f);
	return good;
}

/* A run begins with its kickoff, or with the first thing that needs one. */
static bool crewai_fold_begin(struct crewai_fold *f, const struct event *e, const struct crewai_hint *h,
			      struct assemble *as, struct err *err)
{
	struct event start = *e;
	bool added = false;

	if (!crewai_fold_end_run(f, as, err))
		return false;
	f->running = true;
	f->runs++;
	crewai_fold_note_around(f, h, NULL);
	start.run = f->batch.n ? f->batch : h->event;
	if (start.run.n)
		map_add(&f->names, start.run, &added);
	if (!added) /* two runs of one name would be read as one */
		start.run = arena_printf(&f->run, "kickoff-%u", f->runs);
	start.agent_version = text_or_none(f->version);
	return crewai_fold_pass(f, &start, as, err) && crewai_fold_put_early(f, as, err);
}

static bool crewai_fold_begin_unasked(struct crewai_fold *f, const struct event *e, struct assemble *as,
				      struct err *err)
{
	static const struct crewai_hint nothing;
	struct event start = { .kind = EVENT_RUN_START, .index = -1, .agent = STR("crewai"), .framework = STR("crewai"),
			       .ts = e->ts, .line = e->line };

	return crewai_fold_begin(f, &start, e->flags & EVENT_HISTORY || !e->hint ? &nothing : e->hint, as, err);
}

/* What comes before any run waits when it is a note or a message. False when there are too many, or it is neither. */
static bool crewai_fold_wait(struct crewai_fold *f, const struct event *e)
{
	if (f->running || !(e->kind == EVENT_NOTE || e->flags & EVENT_HISTORY) || f->early_count == EARLY)
		return false;
	f->early[f->early_count++] = event_copy(&f->next, e);
	return true;
}

/* ---- names ---- */

static struct str crewai_fold_copy(struct crewai_fold *f, struct str text)
{
	return text.p ? arena_copy(&f->run, text) : text;
}

/* The id, or one that is made up where there is none, or the run has it already. */
static struct str crewai_fold_name(struct crewai_fold *f, struct str id, const char *word)
{
	bool added = false;

	if (id.n)
		map_add(&f->ids, id, &added);
	if (added)
		return crewai_fold_copy(f, id);
	while (!added) {
		id = arena_printf(&f->run, "%s-%u", word, ++f->made);
		map_add(&f->ids, id, &added);
	}
	return id;
}

/* ---- what is inside of what ---- */

/*
 * The call around an event: as the event around it has it, else the latest that is open. An agent does one thing after
 * the other, so an open call of its own is around nothing of it.
 */
static struct crewai_call *crewai_fold_around(struct crewai_fold *f, const struct crewai_hint *h)
{
	uint64_t *known = h->parent.n ? map_find(&f->around, h->parent) : NULL;
	struct crewai_call *c = f->open;

	if (known)
		return (struct crewai_call *)(uintptr_t)*known;
	while (c && h->role.n && str_eq(c->role, h->role))
		c = c->below;
	return c;
}

/* ---- tools ---- */

/* The open call that an event ends: the one it names, else the latest of agent and tool, best with its arguments. */
static struct crewai_call *crewai_fold_find_call(struct crewai_fold *f, const struct event *e,
						 const struct crewai_hint *h)
{
	struct crewai_call *found = NULL;
	int best = 0;

	for (struct crewai_call *c = f->open; c; c = c->below) {
		int fit = 0;

		if (h->started.n && str_eq(c->event, h->started))
			return c;
		if (!str_eq(c->tool, e->tool) || (h->role.n && c->role.n && !str_eq(c->role, h->role)))
			continue;
		fit = 1 + (e->args.p && str_eq(c->args, e->args)) + 2 * str_eq(c->role, h->role);
		if (fit > best) {
			best = fit;
			found = c;
		}
	}
	return found;
}

static void crewai_fold_remove_call(struct crewai_fold *f, struct crewai_call *gone)
{
	for (struct crewai_call **at = &f->open; *at; at = &(*at)->below) {
		if (*at == gone) {
			*at = gone->below;
			return;
		}
	}
}

/* A tool begins. Where the model's answer named the call, the CALL is told already, and this is a note about it. */
static void crewai_fold_start_call(struct crewai_fold *f, struct event *e, const struct crewai_hint *h)
{
	struct crewai_call *around = crewai_fold_around(f, h), *c = arena_new(&f->run, struct crewai_call);

	c->asked = asked_run(&f->asked, e->tool, e->args);
	c->id = c->asked ? c->asked->id : e->call.n ? crewai_fold_copy(f, e->call)
						: crewai_fold_name(f, h->event, "call");
	c->role = crewai_fold_copy(f, h->role);
	c->tool = crewai_fold_copy(f, e->tool);
	c->args = crewai_fold_copy(f, e->args);
	c->event = crewai_fold_copy(f, h->event);
	c->parent = around ? around->id : str_of(NULL, 0);
	c->below = f->open;
	f->open = f->closing = c;
	crewai_fold_note_around(f, h, c);
	e->call = c->id;
	e->parent = e->branch = c->parent;
	if (!c->asked)
		return;
	e->kind = EVENT_NOTE;
	e->role = STR("tool_usage_started");
	e->content = STR("null");
}

/* The end of a tool tells its call again. False when it is known: nothing is to be put. */
static bool crewai_fold_end_call(struct crewai_fold *f, struct event *e, const struct crewai_hint *h)
{
	f->closing = crewai_fold_find_call(f, e, h);
	if (f->closing)
		return false;
	crewai_fold_start_call(f, e, h);
	e->flags |= EVENT_INFERRED;
	return true;
}

/* The RESULT stands where its call does. */
static void crewai_fold_end_tool(struct crewai_fold *f, struct event *e)
{
	struct crewai_call *c = f->closing;

	if (!c)
		return;
	e->call = c->id;
	e->parent = e->branch = c->parent;
	if (c->asked)
		c->asked->answered = true;
	crewai_fold_remove_call(f, c);
	f->closing = NULL;
}

/* ---- calls of the model ---- */

static void crewai_fold_ask(struct crewai_fold *f, const struct event *e, const struct crewai_hint *h)
{
	struct crewai_question *q = arena_new(&f->run, struct crewai_question);

	q->call = crewai_fold_copy(f, h->call);
	q->role = crewai_fold_copy(f, h->role);
	q->ts = e->ts;
	q->ts.text = crewai_fold_copy(f, e->ts.text);
	q->below = f->questions;
	f->questions = q;
}

/* The question that an answer, a piece or a failure belongs to, by its id or its agent; NULL when there is none. */
static struct crewai_question **crewai_fold_find_question(struct crewai_fold *f, const struct crewai_hint *h)
{
	struct crewai_question **found = NULL;

	for (struct crewai_question **at = &f->questions; *at; at = &(*at)->below) {
		if (h->call.n && str_eq((*at)->call, h->call))
			return at;
		if (!found && !(h->call.n && (*at)->call.n) && str_eq((*at)->role, h->role))
			found = at;
	}
	return found;
}

/* Milliseconds from the question; absent where one of the times is. */
static struct amount crewai_fold_since(const struct crewai_question *q, const struct event *e)
{
	if (!q->ts.text.p || !e->ts.text.p || e->ts.ns < q->ts.ns)
		return (struct amount){ .state = FIGURE_ABSENT };
	return (struct amount){ FIGURE_KNOWN, FIGURE_ESTIMATED, (double)(e->ts.ns - q->ts.ns) / 1e6 };
}

static struct str crewai_fold_name_step(struct crewai_fold *f, const struct crewai_hint *h)
{
	return crewai_fold_name(f, h->call.n ? h->call : h->event, "step");
}

/* A part of an answer. One that nobody asked for makes its question. */
static void crewai_fold_answer_piece(struct crewai_fold *f, struct crewai_question *q, struct event *e,
				     const struct crewai_hint *h)
{
	if (!q) {
		crewai_fold_ask(f, e, h);
		q = f->questions;
		q->ts.text = str_of(NULL, 0);
	}
	if (!q->step.p)
		q->step = crewai_fold_name_step(f, h);
	if (!q->has_piece)
		e->ttft_ms = crewai_fold_since(q, e);
	q->has_piece = true;
	e->step = q->step;
}

/* An answer gets the name of its call; it, or a failure, ends the question. */
static void crewai_fold_answer(struct crewai_fold *f, struct event *e, const struct crewai_hint *h)
{
	struct crewai_question **at = crewai_fold_find_question(f, h), *q = at ? *at : NULL;

	if (h->what == CREWAI_PIECE) {
		crewai_fold_answer_piece(f, q, e, h);
		return;
	}
	if (q)
		*at = q->below;
	e->step = q && q->has_piece ? q->step : str_of(NULL, 0);
	if (h->what == CREWAI_FAILED)
		return;
	if (!e->step.p)
		e->step = crewai_fold_name_step(f, h);
	if (q)
		e->latency_ms = crewai_fold_since(q, e);
	if (q && q->has_piece)
		e->flags |= EVENT_STREAM;
	f->counted = f->counted || usage_is_known(&e->usage);
}

/* ---- the fold ---- */

/* An event inside a run. *put is false when it is not to go on. */
static void crewai_fold_place(struct crewai_fold *f, struct event *e, const struct crewai_hint *h, bool *put)
{
	struct crewai_call *around = crewai_fold_around(f, h);

	switch (h->what) {
	case CREWAI_STARTED:
		crewai_fold_start_call(f, e, h);
		return;
	case CREWAI_OVER:
		*put = crewai_fold_end_call(f, e, h);
		return;
	case CREWAI_RESULT:
		crewai_fold_end_tool(f, e);
		return;
	case CREWAI_TOTAL:
		*put = !f->counted;
		return;
	default:
		break;
	}
	crewai_fold_note_around(f, h, around);
	e->parent = e->branch = around ? around->id : str_of(NULL, 0);
	if (h->what == CREWAI_ASKED) {
		crewai_fold_ask(f, e, h);
		f->inside = e->parent;
	} else if (h->what == CREWAI_PIECE || h->what == CREWAI_ANSWERED || h->what == CREWAI_FAILED) {
		crewai_fold_answer(f, e, h);
	} else if (h->what == CREWAI_FAULT) {
		around = crewai_fold_find_call(f, e, h);
		e->call = around ? around->id : e->call;
	} else if (h->what == CREWAI_WANTED) {
		e->call = crewai_fold_name(f, e->call, "call");
		asked_add(&f->asked, e);
	}
}

static bool crewai_fold_is_nested(struct crewai_fold *f, const struct crewai_hint *h)
{
	uint64_t *known = h->parent.n ? map_find(&f->around, h->parent) : NULL;

	return known && *known;
}

/* A crew that another one's tool starts is part of that one's run. True when the event was used. */
static bool crewai_fold_bound(struct crewai_fold *f, struct event *e, const struct crewai_hint *h, bool *done)
{
	*done = false;
	if (h->what == CREWAI_KICKOFF && crewai_fold_is_nested(f, h)) {
		f->nested++;
		e->kind = EVENT_NOTE;
		e->role = STR("crew_kickoff_started");
		e->content = STR("null");
	} else if (h->what == CREWAI_ENDED && f->nested) {
		f->nested--;
		e->kind = EVENT_NOTE;
		e->role = STR("crew_kickoff_ended");
		e->content = e->output.p ? e->output : STR("null");
	} else if (h->what == CREWAI_ENDED) {
		*done = true;
		if (!f->end)
			f->end = event_copy(&f->run, e);
	}
	return *done;
}

/* Told again by a request: a message, or a result of a call that only the request tells. */
static bool crewai_fold_history(struct crewai_fold *f, struct event *e, struct assemble *as, struct err *err)
{
	if (e->kind == EVENT_RESULT)
		asked_settle_result(&f->asked, e);
	if (e->kind != EVENT_RUN_START)
		e->parent = e->branch = f->inside;
	return crewai_fold_pass(f, e, as, err);
}

bool crewai_fold(void *fold, const struct event *given, struct assemble *as, struct err *err)
{
	static const struct crewai_hint nothing;
	struct crewai_fold *f = fold;
	struct event e = *given;
	bool history = e.flags & EVENT_HISTORY, put = true;
	const struct crewai_hint *h = history || !e.hint ? &nothing : e.hint;

	if (h->what == CREWAI_BATCH) {
		if (f->running && !crewai_fold_end_run(f, as, err))
			return false;
		f->batch = h->run.p ? arena_copy(&f->next, h->run) : h->run;
		f->version = h->version.p ? arena_copy(&f->next, h->version) : h->version;
	}
	if (h->what == CREWAI_KICKOFF && !crewai_fold_is_nested(f, h))
		return crewai_fold_begin(f, &e, h, as, err);
	if (crewai_fold_wait(f, &e) || (h->what == CREWAI_EXCHANGE && crewai_fold_spare(f, &e)))
		return true;
	if (!f->running && !crewai_fold_begin_unasked(f, &e, as, err))
		return false;
	if (history)
		return crewai_fold_history(f, &e, as, err);
	if (crewai_fold_bound(f, &e, h, &put))
		return true;
	put = true;
	crewai_fold_place(f, &e, h, &put);
	if (h->what == CREWAI_ANSWERED && !crewai_fold_use_spare(f, &e, as, err))
		return false;
	return !put || crewai_fold_pass(f, &e, as, err);
}

/* What waits goes, even without a run to go to. */
bool crewai_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct crewai_fold *f = fold;
	bool good = crewai_fold_end_run(f, as, err) && crewai_fold_put_early(f, as, err) &&
		    crewai_fold_put_spares(f, as, err) && exchange_fold_end(f->inner, as, err);

	f->early_count = f->spare_count = 0;
	arena_reset(&f->spare);
	f->runs = 0;
	arena_reset(&f->part);
	map_init(&f->names, &f->part);
	f->batch = f->version = str_of(NULL, 0);
	arena_reset(&f->next);
	return good;
}
