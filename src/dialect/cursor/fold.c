/*
 * The lines of Cursor in order. The agent names an answer only when it is over or calls something, so what was thought
 * and the tokens of what is said wait for that name. Calls that name no answer, as those of older builds and of the
 * editor's hooks, belong to the answer at hand; one that comes when all calls have their results begins another.
 */
#include "base/buf.h"
#include "base/map.h"
#include "dialect/cursor/cursor.h"
#include "dialect/record/field.h"

/* The main line of a conversation, or a sub-agent's. */
struct cursor_branch {
	struct cursor_branch *next;
	struct str session, parent; /* the call it runs in */
	struct str turn, step;      /* those at hand; p NULL before the first */
	size_t open;                /* calls without a result */
	bool called, answered;      /* a call, a result came since the step began */
};

struct cursor_fold {
	struct arena run, held_ts;
	struct map told;    /* calls that were told */
	struct buf thought, said;
	struct moment ts;   /* of the latest of both */
	struct cursor_branch *branches; /* the main line is the last */
	bool begun, ended, prints;
	struct str model;   /* of the run, which its answers do not repeat */
	struct str child;   /* the call in which the latest sub-agent began; p NULL when none did */
	uint64_t made;      /* names that were made */
	enum run_status status;
};

void *cursor_fold_open(void)
{
	struct cursor_fold *f = mem_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	arena_init(&f->run);
	arena_init(&f->held_ts);
	map_init(&f->told, &f->run);
	return f;
}

void cursor_fold_close(void *fold)
{
	struct cursor_fold *f = fold;

	if (!f)
		return;
	arena_free(&f->run);
	arena_free(&f->held_ts);
	buf_free(&f->thought);
	buf_free(&f->said);
	mem_free(f);
}

static void cursor_fold_forget(struct cursor_fold *f)
{
	struct cursor_fold old = *f;

	memset(f, 0, sizeof(*f));
	f->run = old.run;
	f->held_ts = old.held_ts;
	f->thought = old.thought;
	f->said = old.said;
	arena_reset(&f->run);
	arena_reset(&f->held_ts);
	buf_clear(&f->thought);
	buf_clear(&f->said);
	map_init(&f->told, &f->run);
}

/* ---- answers ---- */

/* What waits becomes a piece of this step. */
static bool give_held(struct cursor_fold *f, struct str step, struct assemble *as, struct err *err)
{
	struct event e = { .kind = EVENT_STEP, .flags = EVENT_PIECE, .index = -1, .step = step, .ts = f->ts,
			   .model = f->model };
	bool good;

	if (!f->thought.n && !f->said.n)
		return true;
	if (f->thought.n)
		e.reasoning = buf_str(&f->thought);
	if (f->said.n) {
		e.text = buf_str(&f->said);
		e.flags |= EVENT_STREAM;
	}
	good = assemble_add(as, &e, err);
	buf_clear(&f->thought);
	buf_clear(&f->said);
	arena_reset(&f->held_ts);
	return good;
}

/* What else its line says goes on by itself: it is about no more than this piece. */
static bool hold_piece(struct cursor_fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	struct event note = { .kind = EVENT_NOTE, .index = -1, .ts = e->ts, .role = STR("piece"),
			      .content = STR("null"), .extras = e->extras, .line = e->line };

	buf_add_str(&f->thought, e->reasoning);
	buf_add_str(&f->said, e->text);
	arena_reset(&f->held_ts);
	f->ts = e->ts;
	f->ts.text = e->ts.text.p ? arena_copy(&f->held_ts, e->ts.text) : e->ts.text;
	return !e->extras || assemble_add(as, &note, err);
}

/* A name for an answer that has none. */
static struct str make_step(struct cursor_fold *f, struct str turn)
{
	struct str made = arena_printf(&f->run, "%llu", (unsigned long long)++f->made);

	return turn.p ? ARENA_JOIN(&f->run, turn, STR("-"), made) : ARENA_JOIN(&f->run, STR("answer-"), made);
}

/*
 * The step of something that the model said or asked for, begun when it is another: by its own name; else that at hand,
 * unless all that was asked for is done.
 */
static bool find_step(struct cursor_fold *f, struct cursor_branch *b, struct event *e, bool turn, struct assemble *as,
		      struct err *err)
{
	bool fresh = !b->step.p || (b->answered && b->open == 0) ||
		     (e->kind == EVENT_STEP && !turn && (b->called || !(e->flags & EVENT_PIECE)));
	struct event begun = { .kind = EVENT_STEP, .flags = EVENT_PIECE, .index = -1, .ts = e->ts, .branch = e->branch,
			       .parent = e->parent, .line = e->line, .model = f->model };

	if (turn && !str_eq(b->turn, e->step)) {
		b->turn = e->step.p ? arena_copy(&f->run, e->step) : e->step;
		fresh = true;
	} else if (!turn && e->step.p) {
		fresh = !b->step.p || !str_eq(b->step, e->step);
	}
	if (fresh) {
		b->step = !turn && e->step.p ? arena_copy(&f->run, e->step) : make_step(f, b->turn);
		b->called = b->answered = false;
		b->open = 0;
	}
	e->step = begun.step = b->step;
	if (!give_held(f, b->step, as, err))
		return false;
	return e->kind == EVENT_STEP || !fresh || assemble_add(as, &begun, err);
}

/* What waits when nothing names it: an answer of its own, or more of the one at hand. */
static bool flush(struct cursor_fold *f, struct assemble *as, struct err *err)
{
	struct event e = { .kind = EVENT_STEP, .flags = EVENT_PIECE, .index = -1, .ts = f->ts };

	return (!f->thought.n && !f->said.n) || !f->branches || find_step(f, f->branches, &e, false, as, err);
}

/* ---- runs ---- */

static bool cursor_fold_end_run(struct cursor_fold *f, struct assemble *as, struct err *err)
{
	struct event end = { .kind = EVENT_RUN_END, .index = -1, .status = f->status };

	if (!f->begun)
		return true;
	if (!flush(f, as, err))
		return false;
	if (f->prints && !f->ended) { /* it prints no result when it fails */
		end.status = STATUS_INTERRUPTED;
		end.flags = EVENT_INFERRED;
	}
	return f->ended || end.status == STATUS_UNKNOWN || assemble_add(as, &end, err);
}

static struct cursor_branch *add_branch(struct cursor_fold *f, struct str session)
{
	struct cursor_branch *b = arena_new(&f->run, struct cursor_branch);

	b->session = session.p ? arena_copy(&f->run, session) : session;
	b->next = f->branches;
	f->branches = b;
	return b;
}

/* Another conversation is a sub-agent's when one was begun, and else another run. */
static struct cursor_branch *cursor_fold_find_branch(struct cursor_fold *f, struct str session)
{
	struct cursor_branch *b = f->branches;

	while (b && session.p && b->session.p && !str_eq(b->session, session))
		b = b->next;
	if (b || !f->child.p)
		return b;
	b = add_branch(f, session);
	b->parent = f->child;
	return b;
}

static bool cursor_fold_begin_run(struct cursor_fold *f, const struct event *e, const struct cursor_hint *h,
				  struct assemble *as, struct err *err)
{
	struct event start = { .kind = EVENT_RUN_START, .index = -1, .ts = e->ts, .run = h->session, .line = e->line };

	if (!cursor_fold_end_run(f, as, err))
		return false;
	cursor_fold_forget(f);
	f->begun = true;
	f->prints = h->prints;
	add_branch(f, h->session);
	start.agent = h->prints ? STR("cursor-agent") : STR("cursor");
	start.agent_version = h->version;
	start.framework = STR("cursor_sdk");
	return e->kind == EVENT_RUN_START || assemble_add(as, &start, err);
}

/* ---- events ---- */

/* A whole text makes the tokens that it was told by superfluous. */
static void drop_tokens(struct cursor_fold *f, const struct event *e)
{
	if (e->kind == EVENT_STEP && e->text.n && str_ends(e->text, buf_str(&f->said)))
		buf_clear(&f->said);
}

static bool cursor_fold_give(struct cursor_fold *f, struct cursor_branch *b, struct event *e,
			     const struct cursor_hint *h, struct assemble *as, struct err *err)
{
	bool turn = h->what == CURSOR_TURN, added;

	if (b->next) { /* not the main line */
		e->branch = b->session;
		e->parent = b->parent;
	}
	if (e->kind == EVENT_CALL && h->what == CURSOR_AGAIN && e->call.p && map_find(&f->told, e->call))
		return true;
	if (e->kind == EVENT_STEP)
		drop_tokens(f, e);
	if ((e->kind == EVENT_STEP || e->kind == EVENT_COST) && !e->model.p)
		e->model = f->model;
	if (e->kind == EVENT_STEP || e->kind == EVENT_CALL) {
		if (!find_step(f, b, e, turn, as, err))
			return false;
	} else if (e->kind != EVENT_RESULT && !flush(f, as, err)) {
		return false;
	}
	if (e->kind == EVENT_CALL) {
		if (e->call.p)
			map_add(&f->told, e->call, &added);
		b->called = true;
		b->open++;
	}
	if (e->kind == EVENT_RESULT) {
		e->step = str_of(NULL, 0); /* it was paired with its call */
		b->answered = true;
		b->open -= b->open > 0;
	}
	if (e->kind == EVENT_MESSAGE)
		b->step = str_of(NULL, 0);
	return assemble_add(as, e, err);
}

bool cursor_fold(void *fold, const struct event *given, struct assemble *as, struct err *err)
{
	static const struct cursor_hint nothing;
	struct cursor_fold *f = fold;
	const struct cursor_hint *h = given->hint ? given->hint : &nothing;
	struct event e = *given;
	struct cursor_branch *b = cursor_fold_find_branch(f, h->session);

	e.hint = NULL;
	if (!b || (f->ended && h->session.p)) {
		if (!cursor_fold_begin_run(f, &e, h, as, err))
			return false;
		b = f->branches;
	}
	f->prints = f->prints || h->prints;
	if (e.kind == EVENT_RUN_START && e.model.n)
		f->model = arena_copy(&f->run, e.model);
	if (h->status != STATUS_UNKNOWN || e.kind == EVENT_MESSAGE)
		f->status = h->status;
	if (h->what == CURSOR_THOUGHT || h->what == CURSOR_TOKEN)
		return hold_piece(f, &e, as, err);
	if (h->what == CURSOR_CHILD)
		f->child = e.call.p ? arena_copy(&f->run, e.call) : STR("");
	if (!cursor_fold_give(f, b, &e, h, as, err))
		return false;
	f->ended = f->ended || e.kind == EVENT_RUN_END;
	return true;
}

bool cursor_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct cursor_fold *f = fold;
	bool good = cursor_fold_end_run(f, as, err);

	cursor_fold_forget(f);
	return good;
}
