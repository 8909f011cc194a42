/*
 * The messages of a session in order. A file that is added to tells a message again, whole, when it has more of it,
 * and takes messages back; so messages are held until the session is over, or there are too many of them. What is
 * printed goes on at once: an answer is what is said until all that it asked for was done.
 */
#include "base/map.h"
#include "dialect/gemini_cli/gemini_cli.h"
#include "dialect/record/field.h"

#define HELD_BYTES ((size_t)64 << 20)

struct held_event {
	struct held_event *next;
	struct event *e;
	bool again;
};

struct held_message {
	struct held_message *next;
	struct str id;
	struct held_event *first, **last;
	bool gone;
};

struct gemini_cli_fold {
	struct arena run;
	struct map known;   /* ids of messages, to their places in the list */
	struct map results; /* calls that have one */
	struct held_message *first, **last, *at_hand;
	bool begun;
	bool kept;    /* it is a session, and not printed */
	bool said;    /* a message came that is no context */
	bool passing; /* the message at hand is told again, and passed over */
	struct str session;
	/* of what is printed */
	struct str step;
	struct str model;
	size_t open;
	bool answered;
	uint64_t made;
};

static void gemini_cli_fold_empty(struct gemini_cli_fold *f)
{
	struct arena run = f->run;

	*f = (struct gemini_cli_fold){ .run = run };
	arena_reset(&f->run);
	map_init(&f->known, &f->run);
	map_init(&f->results, &f->run);
	f->last = &f->first;
}

void *gemini_cli_fold_open(void)
{
	struct gemini_cli_fold *f = mem_alloc(sizeof(*f));

	arena_init(&f->run);
	gemini_cli_fold_empty(f);
	return f;
}

void gemini_cli_fold_close(void *fold)
{
	struct gemini_cli_fold *f = fold;

	if (!f)
		return;
	arena_free(&f->run);
	mem_free(f);
}

/* ---- sessions ---- */

static bool put_held(struct gemini_cli_fold *f, const struct held_event *h, struct assemble *as, struct err *err)
{
	bool added = true;

	if (h->e->kind == EVENT_RESULT && h->e->call.p && h->again && map_find(&f->results, h->e->call))
		return true;
	if (h->e->kind == EVENT_RESULT && h->e->call.p)
		map_add(&f->results, h->e->call, &added);
	return assemble_add(as, h->e, err);
}

/* Everything that is held goes on. */
static bool gemini_cli_fold_flush(struct gemini_cli_fold *f, struct assemble *as, struct err *err)
{
	bool good = true;

	for (struct held_message *m = f->first; m && good; m->gone = true, m = m->next)
		for (struct held_event *h = m->gone ? NULL : m->first; h && good; h = h->next)
			good = put_held(f, h, as, err);
	f->first = f->at_hand = NULL;
	f->last = &f->first;
	return good;
}

static struct held_message *add_message(struct gemini_cli_fold *f, struct str id)
{
	struct held_message *m = arena_new(&f->run, struct held_message);
	bool added;

	m->id = id.p ? arena_copy(&f->run, id) : id;
	m->last = &m->first;
	*f->last = m;
	f->last = &m->next;
	if (id.p)
		*map_add(&f->known, id, &added) = (uintptr_t)m;
	return m;
}

/* The message with this id that still stands, or NULL. */
static struct held_message *gemini_cli_fold_find(const struct gemini_cli_fold *f, struct str id)
{
	const uint64_t *at = id.p ? map_find(&f->known, id) : NULL;
	struct held_message *m = at ? (struct held_message *)(uintptr_t)*at : NULL;

	return m && !m->gone ? m : NULL;
}

/* The first message that is taken back: all behind it go, too. When nobody knows it, all go. */
static void rewind_to(struct gemini_cli_fold *f, struct str id)
{
	struct held_message *m = gemini_cli_fold_find(f, id);

	for (m = m ? m : f->first; m; m = m->next)
		m->gone = m->gone || m->id.p;
}

static void hold_event(struct gemini_cli_fold *f, const struct event *e, const struct gemini_cli_hint *h)
{
	struct event context = *e;
	struct held_event *held;

	if (h->what == GEMINI_CLI_REWIND)
		rewind_to(f, h->id);
	if (h->begins) {
		struct held_message *m = h->what == GEMINI_CLI_REWIND ? NULL : gemini_cli_fold_find(f, h->id);

		f->passing = m && h->what == GEMINI_CLI_CONTEXT;
		f->at_hand = m ? m : add_message(f, h->what == GEMINI_CLI_REWIND ? str_of(NULL, 0) : h->id);
		if (m && !f->passing) {
			m->first = NULL;
			m->last = &m->first;
		}
	}
	if (f->passing)
		return;
	if (!f->at_hand)
		f->at_hand = add_message(f, str_of(NULL, 0));
	f->said = f->said || h->what == GEMINI_CLI_MESSAGE;
	if (e->kind == EVENT_MESSAGE && h->what == GEMINI_CLI_CONTEXT && f->said) {
		context.kind = EVENT_NOTE;
		context.role = STR("context");
	}
	held = arena_new(&f->run, struct held_event);
	held->e = event_copy(&f->run, &context);
	held->again = h->again;
	*f->at_hand->last = held;
	f->at_hand->last = &held->next;
}

/* ---- what is printed ---- */

/* The answer of what the model says or asks for. */
static bool gemini_cli_fold_step(struct gemini_cli_fold *f, struct event *e, struct assemble *as, struct err *err)
{
	bool fresh = !f->step.p || (f->answered && f->open == 0);
	struct event begun = { .kind = EVENT_STEP, .flags = EVENT_PIECE, .index = -1, .ts = e->ts, .line = e->line,
			       .model = f->model, .provider = STR("google") };

	if (fresh) {
		f->step = arena_printf(&f->run, "answer-%llu", (unsigned long long)++f->made);
		f->answered = false;
		f->open = 0;
	}
	e->step = begun.step = f->step;
	if (e->kind == EVENT_STEP) {
		e->model = f->model;
		e->provider = STR("google");
	}
	f->open += e->kind == EVENT_CALL;
	return e->kind == EVENT_STEP || !fresh || assemble_add(as, &begun, err);
}

static bool give_printed(struct gemini_cli_fold *f, struct event *e, struct assemble *as, struct err *err)
{
	if ((e->kind == EVENT_STEP || e->kind == EVENT_CALL) && !gemini_cli_fold_step(f, e, as, err))
		return false;
	if (e->kind == EVENT_RESULT) {
		f->answered = true;
		f->open -= f->open > 0;
	}
	if (e->kind == EVENT_MESSAGE)
		f->step = str_of(NULL, 0);
	return assemble_add(as, e, err);
}

/* ---- both ---- */

static bool gemini_cli_fold_begin(struct gemini_cli_fold *f, const struct event *e, struct assemble *as,
				  struct err *err)
{
	struct event start = *e;

	if (!gemini_cli_fold_flush(f, as, err))
		return false;
	gemini_cli_fold_empty(f);
	f->begun = true;
	f->kept = e->hint;
	f->session = e->run.p ? arena_copy(&f->run, e->run) : e->run;
	f->model = e->model.n ? arena_copy(&f->run, e->model) : str_of(NULL, 0);
	start.hint = NULL;
	return assemble_add(as, &start, err);
}

/* Too much to wait for: what comes later for these messages is told as it comes. */
static bool let_go(struct gemini_cli_fold *f, struct assemble *as, struct err *err)
{
	struct arena old = f->run;
	bool good = gemini_cli_fold_flush(f, as, err);

	arena_init(&f->run);
	map_init(&f->known, &f->run);
	map_init(&f->results, &f->run);
	f->session = f->session.p ? arena_copy(&f->run, f->session) : f->session;
	f->step = f->model = str_of(NULL, 0); /* a session has neither */
	arena_free(&old);
	return good;
}

bool gemini_cli_fold(void *fold, const struct event *given, struct assemble *as, struct err *err)
{
	static const struct gemini_cli_hint stray = { .what = GEMINI_CLI_NOTE, .begins = true };
	struct gemini_cli_fold *f = fold;
	const struct gemini_cli_hint *h = given->hint;
	struct event e = *given;

	if (e.kind == EVENT_RUN_START && !(f->begun && f->kept && h && str_eq(f->session, e.run)))
		return gemini_cli_fold_begin(f, &e, as, err);
	e.hint = NULL;
	f->kept = f->kept || h;
	if (!f->kept)
		return give_printed(f, &e, as, err);
	hold_event(f, &e, h ? h : &stray); /* a line that is none, too, stands among messages */
	return f->run.used < HELD_BYTES || let_go(f, as, err);
}

bool gemini_cli_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct gemini_cli_fold *f = fold;
	bool good = gemini_cli_fold_flush(f, as, err);

	gemini_cli_fold_empty(f);
	return good;
}
