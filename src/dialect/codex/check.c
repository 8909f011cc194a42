/*
 * Whether a log of Codex is whole: ordinals count without a gap, calls have outputs, turns end, totals grow. The scan
 * (check_line.c) leaves marks; the fold here holds them against each other.
 */
#include "dialect/codex/check.h"

#include "dialect/codex/check_private.h"
#include "dialect/codex/rules.h"
#include "dialect/session/compaction.h"

#define GAPS 64 /* that are remembered: a log with more of them is no log any more */

/* Ordinals that have not come. */
struct codex_gap {
	int64_t from, to; /* the first and the last of them */
	struct mark_place at; /* of the line behind it */
};

struct codex_fold {
	struct mark_ids calls, turns;
	struct mark_types types;
	struct mark_sight sight;
	struct hash meta, before; /* the thread's id; the line before */
	bool begun, has_meta, has_origin;
	bool inside; /* the log begins in the middle: what came before is elsewhere */
	bool has_ordinal, said_none, said_meta;
	int64_t next; /* ordinal */
	struct codex_gap gaps[GAPS];
	size_t gap_count;
	int64_t time, tokens;
	bool has_time, has_tokens;
	int64_t turn;  /* counts messages, beginnings and ends of turns */
	int64_t since; /* what `turn` was when the turn at hand began */
	uint64_t newest; /* call of the turn at hand, counted from 1; `other` of it is the one before */
	struct mark_place last_turn;
	bool is_exec;
};

static void codex_begin(struct record_fold *f)
{
	struct codex_fold *c = f->state;

	mark_ids_init(&c->calls, f->arena);
	mark_ids_init(&c->turns, f->arena);
	mark_types_init(&c->types, f->arena);
}

/* ---- the session ---- */

static bool codex_is_same(const struct hash *a, const struct hash *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Only the first line may be anything else than a session's own. */
static void see_first(struct record_fold *f, const struct marks_walk *w)
{
	struct codex_fold *c = f->state;

	if (c->begun)
		return;
	c->begun = true;
	if (w->mark->n)
		return;
	c->inside = true;
	marks_note(f, CODEX_NO_META, w, "the first line of a rollout must be its session_meta");
}

/* The first session_meta is the log's own. Others are copies of where it came from, or do not belong here. */
static void see_meta(struct record_fold *f, const struct marks_walk *w)
{
	struct codex_fold *c = f->state;

	if (!c->has_meta) {
		c->has_meta = true;
		c->meta = w->mark->id;
		c->inside = c->inside || w->mark->n;
		return;
	}
	if (codex_is_same(&c->meta, &w->mark->id) || c->has_origin || c->said_meta)
		return;
	c->said_meta = true;
	marks_note(f, CODEX_OTHER_META, w, "this is the session_meta of another thread");
}

/* ---- ordinals ---- */

/* An ordinal that comes late fills its gap. False when no gap has room for it. */
static bool fill_gap(struct codex_fold *c, int64_t n)
{
	for (size_t i = 0; i < c->gap_count; i++) {
		struct codex_gap *g = &c->gaps[i];

		if (n < g->from || n > g->to)
			continue;
		if (g->from == g->to) {
			*g = c->gaps[--c->gap_count];
		} else if (n == g->from) {
			g->from++;
		} else if (n == g->to) {
			g->to--;
		} else if (c->gap_count < GAPS) {
			c->gaps[c->gap_count++] = (struct codex_gap){ n + 1, g->to, g->at };
			g->to = n - 1;
		}
		return true;
	}
	return false;
}

static void see_ordinal(struct record_fold *f, const struct marks_walk *w)
{
	struct codex_fold *c = f->state;
	int64_t n = w->mark->n;

	if (!c->has_ordinal || n == c->next) {
		c->has_ordinal = true;
		c->next = n + 1;
	} else if (n > c->next) {
		if (c->gap_count < GAPS)
			c->gaps[c->gap_count++] = (struct codex_gap){ c->next, n - 1, marks_place(w) };
		else
			marks_note(f, CODEX_ORDINAL_GAP, w, "ordinals %lld to %lld are missing before this line",
				   (long long)c->next, (long long)n - 1);
		c->next = n + 1;
	} else if (fill_gap(c, n)) {
		marks_note(f, CODEX_ORDINAL_LATE, w, "ordinal %lld comes behind a later one", (long long)n);
	} else {
		marks_note(f, CODEX_ORDINAL_TWICE, w, "ordinal %lld was used before; %lld is expected", (long long)n,
			   (long long)c->next);
	}
}

static void see_no_ordinal(struct record_fold *f, const struct marks_walk *w)
{
	struct codex_fold *c = f->state;

	if (!c->has_ordinal || c->said_none)
		return;
	c->said_none = true; /* once: the rest of the log will be likewise */
	marks_note(f, CODEX_ORDINAL_NONE, w, "lines before this one have ordinals");
}

static void finish_gaps(struct record_fold *f)
{
	struct codex_fold *c = f->state;

	for (size_t i = 0; i < c->gap_count; i++) {
		const struct codex_gap *g = &c->gaps[i];

		if (g->from == g->to)
			marks_note_late(f, CODEX_ORDINAL_GAP, g->at, "ordinal %lld is missing before this line",
					(long long)g->from);
		else
			marks_note_late(f, CODEX_ORDINAL_GAP, g->at,
					"ordinals %lld to %lld are missing before this line",
					(long long)g->from, (long long)g->to);
	}
}

/* ---- times and counts ---- */

#define CODEX_SLACK 1000 /* milliseconds */

static void codex_see_time(struct record_fold *f, const struct marks_walk *w)
{
	struct codex_fold *c = f->state;

	if (c->has_time && w->mark->n < c->time - CODEX_SLACK)
		marks_note(f, CODEX_TIME_BACK, w, "the line before is %.3f seconds younger",
			   (double)(c->time - w->mark->n) / 1000);
	c->time = w->mark->n;
	c->has_time = true;
}

static void see_tokens(struct record_fold *f, const struct marks_walk *w)
{
	struct codex_fold *c = f->state;

	if (c->has_tokens && w->mark->n < c->tokens)
		marks_note(f, CODEX_TOKENS_BACK, w, "the total goes down from %lld to %lld", (long long)c->tokens,
			   (long long)w->mark->n);
	c->tokens = w->mark->n;
	c->has_tokens = true;
}

static void codex_see_line(struct record_fold *f, const struct marks_walk *w)
{
	struct codex_fold *c = f->state;

	if (codex_is_same(&c->before, &w->mark->id))
		marks_note(f, CODEX_REPEATED, w, "this line is the one before it once more");
	c->before = w->mark->id;
}

/* ---- calls and turns ---- */

/* Of `exec --json` ids begin anew with each turn, and an item may be told complete that was never told begun. */
static void codex_see_call(struct record_fold *f, const struct marks_walk *w)
{
	struct codex_fold *c = f->state;
	bool added;
	struct mark_item *item = mark_ids_add(f, &c->calls, w, CODEX_LIMIT, &added);

	if (!item)
		return;
	if (added || item->n < c->since) {
		item->other = c->newest;
		c->newest = (uint64_t)(item - c->calls.items) + 1;
	}
	if (!added && !c->is_exec)
		marks_note(f, CODEX_CALL_TWICE, w, "line %llu has a call with this id",
			   (unsigned long long)item->at.line);
	if (!added && c->is_exec)
		*item = (struct mark_item){ .at = marks_place(w), .other = item->other, .is_open = true };
	item->n = c->turn;
	item->is_open = item->is_open && w->mark->n == 0; /* nobody waits for the output of some */
}

static void codex_see_output(struct record_fold *f, const struct marks_walk *w)
{
	struct codex_fold *c = f->state;
	struct mark_item *item = mark_ids_find(&c->calls, w->mark);

	mark_sight_result(&c->sight, c->has_time, c->time);
	if (item)
		item->is_open = false;
	else if (!c->inside && !c->is_exec && !c->calls.is_full)
		marks_note(f, CODEX_NO_CALL, w, "no line before this one has the call of this output");
}

/* What comes now is of another turn than the calls so far. */
static void leave_turn(struct codex_fold *c)
{
	c->since = ++c->turn;
	c->newest = 0;
}

static void see_turn(struct record_fold *f, const struct marks_walk *w)
{
	struct codex_fold *c = f->state;
	bool added;
	struct mark_item *item = mark_ids_add(f, &c->turns, w, CODEX_LIMIT, &added);

	leave_turn(c);
	if (!item)
		return;
	if (!added && item->is_open)
		marks_note_late(f, CODEX_TURN_OPEN, item->at, "this turn is not ended before the next begins");
	*item = (struct mark_item){ .at = marks_place(w), .is_open = true };
	c->last_turn = item->at;
}

/* A turn that was aborted leaves its calls open; those of the turns before it still need their outputs. */
static void see_turn_end(struct record_fold *f, const struct marks_walk *w)
{
	struct codex_fold *c = f->state;
	struct mark_item *item = mark_ids_find(&c->turns, w->mark);

	if (item)
		item->is_open = false;
	for (uint64_t at = w->mark->n ? c->newest : 0; at > 0; at = c->calls.items[at - 1].other)
		c->calls.items[at - 1].is_open = false;
	leave_turn(c);
}

static void finish_turns(struct record_fold *f)
{
	struct codex_fold *c = f->state;

	for (size_t i = 0; i < c->turns.count; i++) {
		const struct mark_item *item = &c->turns.items[i];

		if (!item->is_open)
			continue;
		if (item->at.offset == c->last_turn.offset) {
			marks_note_late(f, CODEX_STOPPED, item->at, "the log ends before this turn does");
			f->tally->interrupted = true;
		} else {
			marks_note_late(f, CODEX_TURN_OPEN, item->at, "no later line ends this turn");
		}
	}
}

/* Calls behind the last message or end of a turn are open because the log ends; of an earlier one a line is missing. */
static void codex_finish_calls(struct record_fold *f)
{
	struct codex_fold *c = f->state;
	const struct mark_item *last = NULL;

	for (size_t i = 0; i < c->calls.count; i++) {
		const struct mark_item *item = &c->calls.items[i];

		if (!item->is_open)
			continue;
		if (item->n < c->turn)
			marks_note_late(f, CODEX_NO_OUTPUT, item->at, "no later line has the output of this call");
		else
			last = last ? last : item;
	}
	if (last && !f->tally->interrupted)
		marks_note_late(f, CODEX_STOPPED, last->at, "the log ends before the output of this call");
	f->tally->interrupted = f->tally->interrupted || last;
}

/* ---- the file ---- */

static void codex_see(struct record_fold *f, const struct marks_walk *w)
{
	static const struct {
		void (*see)(struct record_fold *f, const struct marks_walk *w);
	} rows[] = {
		[CODEX_MARK_FIRST] = { see_first },         [CODEX_MARK_META] = { see_meta },
		[CODEX_MARK_ORDINAL] = { see_ordinal },     [CODEX_MARK_NO_ORDINAL] = { see_no_ordinal },
		[CODEX_MARK_TIME] = { codex_see_time },     [CODEX_MARK_TOKENS] = { see_tokens },
		[CODEX_MARK_LINE] = { codex_see_line },     [CODEX_MARK_CALL] = { codex_see_call },
		[CODEX_MARK_OUTPUT] = { codex_see_output }, [CODEX_MARK_TURN] = { see_turn },
		[CODEX_MARK_TURN_END] = { see_turn_end },
	};
	struct codex_fold *c = f->state;

	switch (w->mark->kind) {
	case CODEX_MARK_EXEC:
		c->is_exec = true;
		break;
	case CODEX_MARK_COMPACTED:
		mark_sight_compact(&c->sight, f, w, CODEX_COMPACTED);
		break;
	case CODEX_MARK_MESSAGE:
		mark_sight_answer(&c->sight);
		c->turn++;
		break;
	case CODEX_MARK_ORIGIN:
		c->has_origin = true;
		break;
	case CODEX_MARK_TYPE:
		mark_types_add(&c->types, f->arena, w);
		break;
	default:
		rows[w->mark->kind].see(f, w);
		break;
	}
}

static void codex_add(struct record_fold *f, const struct record_batch *b)
{
	for (struct marks_walk w = marks_begin(b); marks_next(&w);)
		codex_see(f, &w);
}

static void codex_finish(struct record_fold *f)
{
	struct codex_fold *c = f->state;

	f->tally->variant = c->is_exec ? "exec" : "rollout";
	finish_gaps(f);
	finish_turns(f);
	codex_finish_calls(f);
	mark_types_note(&c->types, f, CODEX_TYPE);
}

const struct record_format codex_format = {
	.on_utf8 = CODEX_UTF8,
	.on_syntax = CODEX_SYNTAX,
	.on_duplicate = CODEX_SYNTAX,
	.on_not_object = CODEX_NOT_LINE,
	.on_missing = CODEX_NOT_LINE,
	.on_type = CODEX_NOT_LINE,
	.on_unknown = CODEX_NOT_LINE,
	.on_blank = RECORD_NO_RULE,
	.on_torn = CODEX_TORN,
	.on_glued = CODEX_GLUED,
	.on_empty = CODEX_EMPTY,
	.on_secret = RECORD_NO_RULE,
	.is_log = true,
	.fact_size = sizeof(struct marks),
	.check = codex_check_line,
	.state_size = sizeof(struct codex_fold),
	.begin = codex_begin,
	.add = codex_add,
	.finish = codex_finish,
};
