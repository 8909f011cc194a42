/*
 * What stands between the lines of Claude Code's logs: lines that were copied (by their uuid), which call a sub-agent
 * works for, where the run begins, and what it cost: a session's costs are those of its steps, a stream ends with
 * totals.
 */
#include <assert.h>

#include "base/map.h"
#include "dialect/claude_code/claude_code.h"
#include "dialect/claude_code/cost.h"
#include "dialect/reading/result_pieces.h"
#include "dialect/record/field.h"
#include "json/text.h"

#define HELD_MAX 256                      /* events that wait for the run to be known */
#define PENDING_MAX ((size_t)1 << 20)     /* bytes of an answer that is only known in pieces */

struct queued {
	struct queued *next;
	struct event *e;
};

/* Events that wait. */
struct queue {
	struct arena arena;
	struct queued *first, **last;
	size_t count;
};

/* An answer of which only the service's own pieces came so far; one for each branch. */
struct pending {
	struct pending *next;
	struct buf step;
	bool confirmed; /* lines came that tell it */
	struct queue queue;
};

/* A side chain: its name, and the call that began it. */
struct chain {
	struct str branch, parent;
};

#define SEEN_MAX ((size_t)1 << 17) /* lines remembered, twice */

/* A line that was read, by its uuid: open addressing, mark 0 is free. */
struct seen {
	uint64_t mark, message;
};

enum repeated {
	LINE_NEW,
	LINE_COPY,  /* told again: nothing new */
	LINE_OTHER, /* another message under the same uuid: a note */
};

struct fold {
	struct arena part, scratch;
	struct seen *seen, *older; /* the latest lines, and those before them */
	size_t seen_count, seen_cap, older_cap;
	enum repeated repeated; /* the line at hand */
	struct map agents, prompts, chains, branches;
	uint64_t chain_count;
	struct queue held;
	bool started, stream;
	struct buf run, text;
	struct claude_code_cost cost; /* of a stream */
	struct event *end;
	struct pending *pending;
	struct result_pieces pieces;
	bool unfinished;            /* a model said something after the latest result */
	bool waiting;               /* a prompt or a tool's result that no model has answered */
	bool main;                  /* there were answers outside of sub-agents */
	enum run_status stopped[2]; /* since the user interrupted it: the program itself, a sub-agent */
};

/* ---- hints ---- */

/* What the line said to this fold; nothing of what is not of a line. */
static const struct claude_code_hint *hint_of(const struct event *e)
{
	static const struct claude_code_hint nothing;

	return e->hint ? e->hint : &nothing;
}

/* With all its texts, for an event that outlives its batch. */
static struct claude_code_hint *hint_copy(struct arena *a, const struct claude_code_hint *h)
{
	struct claude_code_hint *copy = arena_new(a, struct claude_code_hint);
	struct str *texts[] = { &copy->run,    &copy->version,  &copy->agent,  &copy->before,
				&copy->prompt, &copy->printing, &copy->printed };

	*copy = *h;
	for (size_t i = 0; i < COUNT(texts); i++)
		if (texts[i]->p)
			*texts[i] = arena_copy(a, *texts[i]);
	return copy;
}

/* ---- queues ---- */

static void queue_init(struct queue *q)
{
	arena_init(&q->arena);
	q->first = NULL;
	q->last = &q->first;
	q->count = 0;
}

/* Copies the event and its hint to the queue's arena. */
static void queue_add(struct queue *q, const struct event *e)
{
	struct queued *one = arena_new(&q->arena, struct queued);

	assert(q->last && !*q->last); /* the end of the list */
	one->e = event_copy(&q->arena, e);
	one->e->hint = e->hint ? hint_copy(&q->arena, e->hint) : NULL;
	*q->last = one;
	q->last = &one->next;
	q->count++;
}

static void queue_clear(struct queue *q)
{
	arena_reset(&q->arena);
	q->first = NULL;
	q->last = &q->first;
	q->count = 0;
}

/* ---- lines seen before ---- */

/* The slot of this mark, or a free one. grow_seen keeps the table half empty, so the walk ends. */
static struct seen *find_seen(struct seen *list, size_t cap, uint64_t mark)
{
	size_t i = (size_t)(mark >> 1) & (cap - 1);

	assert(mark != 0); /* 0 marks a free slot */
	assert(cap > 0 && (cap & (cap - 1)) == 0);
	while (list[i].mark && list[i].mark != mark)
		i = (i + 1) & (cap - 1);
	return &list[i];
}

/* Twice the slots; every mark finds its place anew. */
static void grow_seen(struct fold *f)
{
	size_t cap = f->seen_cap ? f->seen_cap * 2 : 1024;
	struct seen *list = mem_alloc(cap * sizeof(*list));

	memset(list, 0, cap * sizeof(*list));
	for (size_t i = 0; i < f->seen_cap; i++)
		if (f->seen[i].mark)
			*find_seen(list, cap, f->seen[i].mark) = f->seen[i];
	mem_free(f->seen);
	f->seen = list;
	f->seen_cap = cap;
}

/* A copy stands near its original: of a log that does not end, the last lines are enough to know. */
static void turn_seen(struct fold *f)
{
	mem_free(f->older);
	f->older = f->seen;
	f->older_cap = f->seen_cap;
	f->seen = NULL;
	f->seen_cap = f->seen_count = 0;
}

/* Whether the line is new, by its uuid and message, and remembers it. One without a uuid is always new. */
static enum repeated see_line(struct fold *f, const struct claude_code_hint *h)
{
	struct seen *s, now = { .mark = h->line, .message = h->message };

	if (!now.mark)
		return LINE_NEW;
	if (f->seen_count >= SEEN_MAX)
		turn_seen(f);
	if (f->seen_count * 2 >= f->seen_cap)
		grow_seen(f);
	s = f->older ? find_seen(f->older, f->older_cap, now.mark) : NULL;
	if (!s || !s->mark)
		s = find_seen(f->seen, f->seen_cap, now.mark);
	assert(f->seen_count * 2 < f->seen_cap); /* half empty, as find_seen needs it */
	if (s->mark)
		return s->message == now.message ? LINE_COPY : LINE_OTHER;
	*s = now;
	f->seen_count++;
	return LINE_NEW;
}

/* ---- sub-agents ---- */

/* Values of these maps are pointers into the part's arena. */
static void *link_find(const struct map *m, struct str key)
{
	uint64_t *v = map_find(m, key);

	return v ? (void *)(uintptr_t)*v : NULL;
}

static void link_set(struct map *m, struct str key, void *value)
{
	bool added;

	*map_add(m, key, &added) = (uint64_t)(uintptr_t)value;
}

static struct str *claude_code_fold_keep_text(struct fold *f, struct str text)
{
	struct str *kept = arena_new(&f->part, struct str);

	*kept = arena_copy(&f->part, text);
	return kept;
}

/* Prompts are long: their digest will do. */
static struct str digest_key(const struct hash *h)
{
	return str_of(h, sizeof(*h));
}

static struct str find_prompt(const struct fold *f, struct str prompt)
{
	struct hash h = str_hash_wide(prompt);
	const struct str *call = prompt.n ? link_find(&f->prompts, digest_key(&h)) : NULL;

	return call ? *call : str_of(NULL, 0);
}

/* Remembers what a call gives its sub-agent, and which call an agent's work is the result of. */
static void note_links(struct fold *f, const struct event *e)
{
	const struct claude_code_hint *h = hint_of(e);

	if (e->kind == EVENT_CALL && h->prompt.n && e->call.n) {
		struct hash digest = str_hash_wide(h->prompt);

		link_set(&f->prompts, digest_key(&digest), claude_code_fold_keep_text(f, e->call));
	}
	if (e->kind == EVENT_RESULT && h->agent.n && e->call.n)
		link_set(&f->agents, h->agent, claude_code_fold_keep_text(f, e->call));
}

/* A side chain without a name is known by the line before. */
static void follow_chain(struct fold *f, struct event *e)
{
	const struct claude_code_hint *h = hint_of(e);
	uint64_t before = h->before.p ? str_hash(h->before) | 1 : 0;
	struct chain *c = before ? link_find(&f->chains, str_of(&before, sizeof(before))) : NULL;

	if (!c && h->place > 0) /* of the line at hand */
		c = link_find(&f->chains, str_of(&h->line, sizeof(h->line)));
	if (!c) {
		c = arena_new(&f->part, struct chain);
		c->branch = arena_printf(&f->part, "%s-%llu", CLAUDE_CODE_SIDECHAIN,
					 (unsigned long long)++f->chain_count);
		c->parent = find_prompt(f, h->prompt);
	}
	if (h->line)
		link_set(&f->chains, str_of(&h->line, sizeof(h->line)), c);
	e->branch = c->branch;
	if (!e->parent.p)
		e->parent = c->parent;
}

/*
 * The call that a sub-agent works for: told by the line, by an earlier result, or by the prompt that it begins with.
 * Unknown when none of them is.
 */
static void find_parent(struct fold *f, struct event *e)
{
	const struct str *call;

	if (!e->branch.p)
		return;
	f->cost.nested = true;
	if (str_eq(e->branch, STR(CLAUDE_CODE_SIDECHAIN))) {
		follow_chain(f, e);
		return;
	}
	if (e->parent.p)
		return;
	call = link_find(&f->agents, e->branch);
	if (!call && e->kind == EVENT_MESSAGE) {
		struct str found = find_prompt(f, hint_of(e)->prompt);

		if (found.p) {
			call = claude_code_fold_keep_text(f, found);
			link_set(&f->agents, e->branch, (void *)(uintptr_t)call);
		}
	}
	if (call)
		e->parent = *call;
}

/* ---- out ---- */

/* Streams tell totals at their end, so their steps are counted only in case those are missing. */
static bool claude_code_fold_put(struct fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	if (f->stream)
		claude_code_cost_add_step(&f->cost, e);
	return assemble_add(as, e, err);
}

/* The answer of this branch that is known in pieces; made when `make` says so, else NULL. */
static struct pending *find_pending(struct fold *f, struct str branch, bool make)
{
	struct str key = branch.p ? branch : STR("");
	struct pending *p = link_find(&f->branches, key);

	if (p || !make)
		return p;
	p = arena_new(&f->part, struct pending);
	queue_init(&p->queue);
	p->next = f->pending;
	f->pending = p;
	link_set(&f->branches, key, p);
	return p;
}

/* Nothing but the pieces ever came: they are all there is of the answer. */
static bool put_pieces(struct fold *f, struct pending *p, struct assemble *as, struct err *err)
{
	struct event broken = {
		.kind = EVENT_STEP,
		.flags = EVENT_PIECE | EVENT_STREAM | EVENT_PARTIAL,
		.step = buf_str(&p->step),
		.index = -1,
	};

	for (struct queued *q = p->queue.first; q; q = q->next) {
		q->e->flags &= ~(unsigned)EVENT_FALLBACK;
		if (q->e->kind == EVENT_STEP || q->e->kind == EVENT_CALL)
			q->e->step = buf_str(&p->step);
		broken.branch = q->e->branch;
		broken.parent = q->e->parent;
		if (!claude_code_fold_put(f, q->e, as, err))
			return false;
	}
	if (p->queue.count && p->step.n && !claude_code_fold_put(f, &broken, as, err))
		return false;
	queue_clear(&p->queue);
	return true;
}

/*
 * Pieces wait until lines tell the same answer, and then are dropped but for the last figures. When another answer
 * begins before that, they are all there is, and go out.
 */
static bool claude_code_fold_put_piece(struct fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	struct pending *p = find_pending(f, e->branch, true);
	struct event figures = *e;

	if (e->kind == EVENT_STEP && e->step.p && !str_eq(e->step, buf_str(&p->step))) {
		if (!put_pieces(f, p, as, err))
			return false;
		buf_clear(&p->step);
		buf_add_str(&p->step, e->step);
		p->confirmed = false;
	}
	if (!p->confirmed) {
		if (p->queue.arena.used < PENDING_MAX)
			queue_add(&p->queue, e);
		return true;
	}
	if (e->kind != EVENT_STEP || e->step.p || (!usage_is_known(&e->usage) && !e->stop_reason.p))
		return true;
	/* the figures at the end of an answer are better than those in its lines */
	figures.flags &= ~(unsigned)EVENT_FALLBACK;
	figures.step = buf_str(&p->step);
	figures.text = figures.reasoning = str_of(NULL, 0);
	return claude_code_fold_put(f, &figures, as, err);
}

/* A line tells the answer that was pending: its pieces are needed no more. */
static void confirm(struct fold *f, const struct event *e)
{
	struct pending *p = e->kind == EVENT_STEP && e->step.p ? find_pending(f, e->branch, false) : NULL;

	if (p && str_eq(e->step, buf_str(&p->step))) {
		p->confirmed = true;
		queue_clear(&p->queue);
	}
}

/* A run of several turns says several times how it ended: all but the last are notes. */
static bool keep_end(struct fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	if (f->end) {
		f->end->kind = EVENT_NOTE;
		f->end->role = STR("result");
		f->end->content = f->end->output.p ? f->end->output : STR("null");
		f->end->output = f->end->reason = str_of(NULL, 0);
		if (!assemble_add(as, f->end, err))
			return false;
	}
	f->end = event_copy(&f->part, e);
	f->unfinished = false;
	return true;
}

/* A failed request is an answer too: that the run failed is told by it. */
static void note_waiting(struct fold *f, const struct event *e)
{
	if (e->branch.p)
		return;
	if (e->kind == EVENT_STEP || (e->kind == EVENT_ERROR && !e->call.p))
		f->waiting = false;
	else if (e->kind == EVENT_RESULT || (e->kind == EVENT_MESSAGE && str_eq(e->role, STR("user"))))
		f->waiting = true;
}

/* After an interruption, only what a model says is going on; an answer that failed is none. */
static void note_stop(struct fold *f, const struct event *e)
{
	enum run_status *stopped = &f->stopped[e->branch.p != NULL];

	if (e->kind == EVENT_STEP && !e->branch.p)
		f->main = f->unfinished = true;
	note_waiting(f, e);
	if (e->kind == EVENT_NOTE && str_eq(e->role, STR(CLAUDE_CODE_STOPPED)))
		*stopped = STATUS_INTERRUPTED;
	else if (e->kind == EVENT_STEP)
		*stopped = STATUS_UNKNOWN;
	else if (e->kind == EVENT_ERROR && e->retryable != TRUTH_TRUE && *stopped != STATUS_UNKNOWN)
		*stopped = STATUS_ERROR;
}

/* How a run ended that does not say so itself: as far as it shows. */
static struct event claude_code_fold_find_end(const struct fold *f)
{
	struct event end = { .kind = EVENT_RUN_END, .index = -1 };

	end.status = f->stopped[0] == STATUS_UNKNOWN && !f->main ? f->stopped[1] : f->stopped[0];
	if (end.status == STATUS_INTERRUPTED) {
		end.reason = STR("interrupted by the user");
	} else if (end.status == STATUS_UNKNOWN && (f->stream || (f->main && f->waiting))) {
		end.status = STATUS_INTERRUPTED;
		end.reason = f->stream ? STR("no result line") : STR("no model answered the last line");
	}
	return end;
}

/*
 * What is still pending goes out, then the costs, then how it ended. A result that a model went on after is not the
 * end.
 */
static bool claude_code_fold_end_run(struct fold *f, struct assemble *as, struct err *err)
{
	struct event end = claude_code_fold_find_end(f);

	for (struct pending *p = f->pending; p; p = p->next)
		if (!put_pieces(f, p, as, err))
			return false;
	if (f->end && f->unfinished && !keep_end(f, &end, as, err))
		return false;
	if (f->end)
		end = *f->end;
	if (f->stream && !claude_code_cost_put(&f->cost, as, err))
		return false;
	return (!f->end && end.status == STATUS_UNKNOWN) || assemble_add(as, &end, err);
}

/* The arena of the part is kept: links between calls and agents hold for all runs of a part. */
static void claude_code_fold_forget_run(struct fold *f)
{
	for (struct pending *p = f->pending; p; p = p->next) {
		buf_free(&p->step);
		arena_free(&p->queue.arena);
	}
	f->pending = NULL;
	f->end = NULL;
	f->main = f->unfinished = f->waiting = false;
	f->stopped[0] = f->stopped[1] = STATUS_UNKNOWN;
	result_pieces_reset(&f->pieces);
	claude_code_cost_free(&f->cost);
	claude_code_cost_init(&f->cost, &f->part);
	map_init(&f->branches, &f->part);
	buf_clear(&f->run);
}

/* What commands print while they run, until their results come. */
static void follow_output(struct fold *f, struct event *e, const struct claude_code_hint *h)
{
	if (e->kind == EVENT_CALL) {
		result_pieces_begin(&f->pieces, e->call, e->ts);
	} else if (e->kind == EVENT_RESULT) {
		arena_reset(&f->scratch);
		if (!e->chunks.p)
			e->chunks = result_pieces_take(&f->pieces, &f->scratch, e);
	} else if (e->kind == EVENT_NOTE && h->printing.p) {
		result_pieces_add_whole(&f->pieces, h->printing, h->printed, e->ts);
	}
}

/* An event of a run that has begun. */
static bool claude_code_fold_pass(struct fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	struct event clean = *e;

	clean.hint = NULL;
	follow_output(f, &clean, hint_of(e));
	note_stop(f, &clean);
	switch (e->kind) {
	case EVENT_COST:
		if (hint_of(e)->own)
			return claude_code_fold_put(f, &clean, as, err);
		claude_code_cost_add_total(&f->cost, e, hint_of(e)->by_model);
		return true;
	case EVENT_RUN_END:
		return keep_end(f, &clean, as, err);
	default:
		if (e->flags & EVENT_FALLBACK)
			return claude_code_fold_put_piece(f, &clean, as, err);
		confirm(f, e);
		return claude_code_fold_put(f, &clean, as, err);
	}
}

/* ---- the beginning ---- */

/* A RUN_START of the line's own, or one made up of its hint; then what was held, and the event itself. */
static bool claude_code_fold_begin_run(struct fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	const struct claude_code_hint *h = hint_of(e);
	struct event start = {
		.kind = EVENT_RUN_START,
		.agent = STR("claude-code"),
		.framework = STR("claude_code"),
		.run = h->run,
		.agent_version = h->version,
		.index = -1,
	};

	f->started = true;
	f->stream = !h->session;
	buf_add_str(&f->run, h->run);
	assemble_use(as, (struct assemble_options){
				 .flags = f->stream || h->own ? 0 : ASSEMBLE_STEP_COSTS,
				 .vendor = STR("claude-code") });
	if (!claude_code_fold_pass(f, e->kind == EVENT_RUN_START ? e : &start, as, err))
		return false;
	for (struct queued *q = f->held.first; q; q = q->next)
		if (!claude_code_fold_pass(f, q->e, as, err))
			return false;
	queue_clear(&f->held);
	return e->kind == EVENT_RUN_START || claude_code_fold_pass(f, e, as, err);
}

/* Whether enough is known to begin: the program's version in a session, the first line or an answer in a stream. */
static bool may_begin(const struct fold *f, const struct event *e)
{
	const struct claude_code_hint *h = hint_of(e);

	if (e->kind == EVENT_RUN_START || f->held.count >= HELD_MAX)
		return true;
	if (h->session && h->run.p && (h->version.p || e->kind == EVENT_MESSAGE))
		return true;
	return e->kind == EVENT_STEP || e->kind == EVENT_COST || e->kind == EVENT_RUN_END;
}

/* A JSON string; lasts until the next. */
static struct str quote(struct fold *f, struct str text)
{
	buf_clear(&f->text);
	text_quote(&f->text, text);
	return buf_str(&f->text);
}

/* A session that goes on under another id: the run stays one. */
static bool note_session(struct fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	struct event note = { .kind = EVENT_NOTE, .role = STR("session"), .ts = e->ts, .index = -1 };

	buf_clear(&f->run);
	buf_add_str(&f->run, hint_of(e)->run);
	note.content = quote(f, hint_of(e)->run);
	return assemble_add(as, &note, err);
}

static bool is_other(const struct fold *f, const struct event *e)
{
	struct str run = hint_of(e)->run;

	return run.n && f->run.n && !str_eq(run, buf_str(&f->run));
}

/* Another session id is another run in a stream, and the same run going on in a session file. */
static bool run_event(struct fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	if (!f->started) {
		if (may_begin(f, e))
			return claude_code_fold_begin_run(f, e, as, err);
		queue_add(&f->held, e);
		return true;
	}
	if (e->kind == EVENT_RUN_START && hint_of(e)->own) {
		if (!claude_code_fold_end_run(f, as, err) || !assemble_end(as, false, err))
			return false;
		claude_code_fold_forget_run(f);
		return claude_code_fold_begin_run(f, e, as, err);
	}
	if (f->stream && e->kind == EVENT_RUN_START && is_other(f, e)) {
		if (!claude_code_fold_end_run(f, as, err))
			return false;
		claude_code_fold_forget_run(f);
		buf_add_str(&f->run, hint_of(e)->run);
	} else if (!f->stream && hint_of(e)->place == 0 && is_other(f, e) && !note_session(f, e, as, err)) {
		return false;
	}
	return claude_code_fold_pass(f, e, as, err);
}

/* ---- the door ---- */

/* Everything as new; the table of lines is kept, and emptied. */
static void begin_part(struct fold *f)
{
	map_init(&f->agents, &f->part);
	map_init(&f->prompts, &f->part);
	map_init(&f->chains, &f->part);
	claude_code_fold_forget_run(f);
	queue_clear(&f->held);
	f->chain_count = 0;
	f->started = f->stream = false;
	f->repeated = LINE_NEW;
	f->seen_count = 0;
	if (f->seen_cap)
		memset(f->seen, 0, f->seen_cap * sizeof(*f->seen));
	mem_free(f->older);
	f->older = NULL;
}

void *claude_code_fold_open(void)
{
	struct fold *f = mem_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	arena_init(&f->part);
	arena_init(&f->scratch);
	queue_init(&f->held);
	claude_code_cost_init(&f->cost, &f->part);
	begin_part(f);
	return f;
}

/* The fold must not be NULL. */
void claude_code_fold_close(void *fold)
{
	struct fold *f = fold;

	claude_code_fold_forget_run(f);
	claude_code_cost_free(&f->cost);
	arena_free(&f->part);
	arena_free(&f->scratch);
	arena_free(&f->held.arena);
	buf_free(&f->run);
	buf_free(&f->text);
	mem_free(f->seen);
	mem_free(f->older);
	mem_free(f);
}

/* A line that came before is dropped; another message under its uuid becomes one NOTE. */
bool claude_code_fold(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct fold *f = fold;
	struct event copy = *e;

	if (hint_of(e)->place == 0)
		f->repeated = see_line(f, hint_of(e));
	if (f->repeated == LINE_COPY || (f->repeated == LINE_OTHER && hint_of(e)->place > 0))
		return true;
	if (f->repeated == LINE_OTHER) {
		copy.kind = EVENT_NOTE;
		copy.role = STR("same_uuid");
		copy.content = e->content;
		if (!e->content.p)
			copy.content = e->text.p ? arena_copy(&f->part, quote(f, e->text)) : STR("null");
		copy.usage = (struct usage){ 0 };
		copy.flags = 0;
		copy.call = str_of(NULL, 0);
	}
	note_links(f, &copy);
	find_parent(f, &copy);
	return run_event(f, &copy, as, err);
}

/* A part that was over before its run was known begins it now, with what was held. */
bool claude_code_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct fold *f = fold;
	bool good = true;

	if (!f->started && f->held.count) {
		struct event start = {
			.kind = EVENT_RUN_START,
			.agent = STR("claude-code"),
			.framework = STR("claude_code"),
			.run = hint_of(f->held.first->e)->run,
			.index = -1,
			.hint = f->held.first->e->hint,
		};

		good = claude_code_fold_begin_run(f, &start, as, err);
	}
	good = good && (!f->started || claude_code_fold_end_run(f, as, err));
	claude_code_fold_forget_run(f);
	arena_reset(&f->part);
	begin_part(f);
	return good;
}
