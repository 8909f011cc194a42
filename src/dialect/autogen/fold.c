/*
 * What the order of AutoGen's records says. A tool that has run is told without an id: it is the call that an answer
 * before it asked for, by name and arguments. Answers that come from a cache have the id of the first; each is a step.
 */
#include "base/map.h"
#include "dialect/autogen/private.h"
#include "dialect/exchange/asked.h"
#include "dialect/exchange/exchange.h"

#define AUTOGEN_SESSION_LINE "Started new session with Session ID: "

struct autogen_fold_state {
	void *inner; /* of exchange.h: messages that requests tell again */
	struct arena run;
	struct asked asked;
	struct map steps;  /* ids of answers: how often */
	struct str session;
	struct str told, step; /* the id of the latest answer as it is told, and what it is called here */
	struct str ran;        /* the call that has run, until its result */
	struct event *thought; /* of the next answer; NULL: none */
	bool begun;
	unsigned made;
};

static void autogen_fold_forget(struct autogen_fold_state *f)
{
	asked_reset(&f->asked);
	arena_reset(&f->run);
	map_init(&f->steps, &f->run);
	f->session = f->told = f->step = f->ran = str_of(NULL, 0);
	f->thought = NULL;
	f->begun = false;
	f->made = 0;
}

void *autogen_fold_open(void)
{
	struct autogen_fold_state *f = mem_alloc(sizeof(*f));

	*f = (struct autogen_fold_state){ .inner = exchange_fold_open() };
	arena_init(&f->run);
	asked_init(&f->asked);
	autogen_fold_forget(f);
	return f;
}

void autogen_fold_close(void *fold)
{
	struct autogen_fold_state *f = fold;

	if (!f)
		return;
	exchange_fold_close(f->inner);
	asked_free(&f->asked);
	arena_free(&f->run);
	mem_free(f);
}

static bool autogen_fold_pass(struct autogen_fold_state *f, struct event *e, struct assemble *as, struct err *err)
{
	if (!(e->flags & EVENT_HISTORY))
		e->hint = NULL;
	return exchange_fold(f->inner, e, as, err);
}

/* A thought that no answer followed is a note. */
static bool autogen_fold_put_thought(struct autogen_fold_state *f, struct assemble *as, struct err *err)
{
	struct event *e = f->thought;

	f->thought = NULL;
	return !e || autogen_fold_pass(f, e, as, err);
}

/* ---- runs ---- */

/* The session that a line of text or a record says begins, p NULL for none. */
static struct str autogen_fold_session(const struct event *e, const struct autogen_hint *h)
{
	struct str line = STR(AUTOGEN_SESSION_LINE), text = e->content;
	size_t n = 0;

	if (h->what == AUTOGEN_SESSION)
		return h->run;
	if (e->kind != EVENT_NOTE || e->flags & EVENT_HISTORY || !str_eq(e->role, STR("text")) || text.n < line.n + 2 ||
	    !str_starts(str_of(text.p + 1, text.n - 1), line))
		return str_of(NULL, 0);
	text = str_of(text.p + 1 + line.n, text.n - 2 - line.n);
	while (n < text.n && text.p[n] > ' ' && text.p[n] != '\\')
		n++;
	return text_or_none(str_of(text.p, n));
}

static bool autogen_fold_begin(struct autogen_fold_state *f, const struct event *e, struct str session,
			       struct assemble *as, struct err *err)
{
	struct event start = { .kind = EVENT_RUN_START, .index = -1, .agent = STR("autogen"),
			       .framework = STR("autogen"), .ts = e->ts, .line = e->line };

	if (!autogen_fold_put_thought(f, as, err))
		return false;
	autogen_fold_forget(f);
	f->begun = true;
	if (session.p)
		f->session = arena_copy(&f->run, session);
	start.run = f->session;
	return autogen_fold_pass(f, &start, as, err);
}

/* ---- steps and calls ---- */

static struct str autogen_fold_make_id(struct autogen_fold_state *f)
{
	return arena_printf(&f->run, "autogen-%u", ++f->made);
}

static void autogen_fold_name_step(struct autogen_fold_state *f, struct event *e)
{
	uint64_t *times;
	bool added;

	if (f->thought && !e->reasoning.p) {
		e->reasoning = f->thought->text;
		f->thought = NULL;
	}
	f->told = f->step = str_of(NULL, 0);
	if (!e->step.n)
		return;
	times = map_add(&f->steps, e->step, &added);
	f->told = f->step = arena_copy(&f->run, e->step);
	if (++*times > 1)
		f->step = arena_printf(&f->run, "%.*s#%llu", STR_ARG(f->told), (unsigned long long)*times);
	e->step = f->step;
}

/* A call that an answer asks for. */
static void autogen_fold_want(struct autogen_fold_state *f, struct event *e)
{
	if (e->step.n && str_eq(e->step, f->told))
		e->step = f->step;
	if (!e->call.n)
		e->call = autogen_fold_make_id(f);
	asked_add(&f->asked, e);
}

/* A tool has run: true when an answer asked for it, and there is nothing more to say of the call. */
static bool autogen_fold_run(struct autogen_fold_state *f, struct event *e)
{
	struct asked_call *c = e->call.n ? asked_find(&f->asked, e->call) : NULL;

	if (!c)
		c = asked_run(&f->asked, e->tool, e->args);
	if (c) {
		c->ran = c->answered = true;
		f->ran = c->id;
		return true;
	}
	if (!e->tool.n)
		e->tool = STR("function"); /* 0.2 does not say which */
	f->ran = e->call.n ? arena_copy(&f->run, e->call) : autogen_fold_make_id(f);
	e->call = f->ran;
	return false;
}

/* A result by id: what requests tell of it later says nothing new. */
static void autogen_fold_answer(struct autogen_fold_state *f, const struct event *e)
{
	struct asked_call *c = e->call.n ? asked_find(&f->asked, e->call) : NULL;

	if (c)
		c->ran = c->answered = true;
}

bool autogen_fold(void *fold, const struct event *given, struct assemble *as, struct err *err)
{
	static const struct autogen_hint nothing;
	struct autogen_fold_state *f = fold;
	struct event e = *given;
	const struct autogen_hint *h = e.flags & EVENT_HISTORY || !e.hint ? &nothing : e.hint;
	struct str session = autogen_fold_session(&e, h);

	if (!f->begun || (session.n && !str_eq(session, f->session)))
		if (!autogen_fold_begin(f, &e, session, as, err))
			return false;
	if (session.n && h->what != AUTOGEN_SESSION)
		return true; /* the line says nothing else */
	if (e.flags & EVENT_HISTORY) {
		if (e.kind == EVENT_RESULT)
			asked_settle_result(&f->asked, &e);
		return autogen_fold_pass(f, &e, as, err);
	}
	if (h->what == AUTOGEN_THOUGHT) {
		if (!autogen_fold_put_thought(f, as, err))
			return false;
		f->thought = event_copy(&f->run, &e);
		f->thought->text = arena_copy(&f->run, h->thought);
		return true;
	}
	if (e.kind == EVENT_STEP)
		autogen_fold_name_step(f, &e);
	else if (h->what == AUTOGEN_WANTED)
		autogen_fold_want(f, &e);
	else if (h->what == AUTOGEN_RAN && autogen_fold_run(f, &e))
		return true;
	else if (h->what == AUTOGEN_RESULT)
		e.call = f->ran;
	else if (e.kind == EVENT_RESULT)
		autogen_fold_answer(f, &e);
	return autogen_fold_pass(f, &e, as, err);
}

bool autogen_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct autogen_fold_state *f = fold;
	bool good = autogen_fold_put_thought(f, as, err) && exchange_fold_end(f->inner, as, err);

	autogen_fold_forget(f);
	return good;
}
