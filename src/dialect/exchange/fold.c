/*
 * The fold of exchanges: it lets through what a request tells for the first time, and gives the pieces of streams and
 * the calls their names.
 */
#include "base/map.h"
#include "dialect/exchange/calls.h"
#include "dialect/exchange/exchange.h"
#include "dialect/exchange/stream.h"
#include "model/history.h"

struct fold {
	struct history *history;
	struct arena run;     /* what is known of the run */
	struct map seen;      /* ids of calls and results, digests of prompts: the number of the request that had it */
	uint64_t number;      /* of the request at hand */
	struct buf key;

	/* the request at hand */
	bool telling, begun, own_run;
	uint64_t line, digest;
	uint32_t position;
	enum history_repeated repeated;
	struct arena prelude; /* tools and prompts, until its first message says whose they are */
	struct event **early;
	size_t early_count, early_cap;

	struct exchange_streams streams;
	struct exchange_calls calls;
};

static void exchange_fold_forget_run(struct fold *f)
{
	history_reset(f->history);
	exchange_calls_reset(&f->calls);
	arena_reset(&f->run);
	map_init(&f->seen, &f->run);
}

/* Both kinds of fold; they differ in whether streams are watched. */
static struct fold *open_fold(bool watch)
{
	struct fold *f = mem_alloc(sizeof(*f));

	*f = (struct fold){ .history = history_open() };
	arena_init(&f->run);
	arena_init(&f->prelude);
	exchange_streams_init(&f->streams, watch);
	exchange_calls_init(&f->calls);
	exchange_fold_forget_run(f);
	return f;
}

void *exchange_fold_open(void)
{
	return open_fold(false);
}

void *exchange_fold_open_streams(void)
{
	return open_fold(true);
}

/* NULL is allowed. */
void exchange_fold_close(void *fold)
{
	struct fold *f = fold;

	if (!f)
		return;
	exchange_streams_free(&f->streams);
	exchange_calls_free(&f->calls);
	history_close(f->history);
	arena_free(&f->run);
	arena_free(&f->prelude);
	buf_free(&f->key);
	mem_free(f->early);
	mem_free(f);
}

/* ---- what was there before ---- */

/* The length in front keeps two texts apart that read the same when joined. */
static void make_key(struct fold *f, char kind, struct str a, struct str b)
{
	buf_clear(&f->key);
	buf_add_byte(&f->key, kind);
	buf_add(&f->key, &a.n, sizeof(a.n));
	buf_add_str(&f->key, a);
	buf_add_str(&f->key, b);
}

/* The number of the request that had this first, or 0; notes it. `kind` keeps calls, results and prompts apart. */
static uint64_t exchange_fold_note(struct fold *f, char kind, struct str a, struct str b)
{
	uint64_t *value, before;
	bool added;

	make_key(f, kind, a, b);
	value = map_add(&f->seen, buf_str(&f->key), &added);
	before = added ? 0 : *value;
	*value = f->number + 1;
	return before;
}

static bool is_noted(struct fold *f, char kind, struct str a, struct str b)
{
	make_key(f, kind, a, b);
	return map_find(&f->seen, buf_str(&f->key)) != NULL;
}

/* Whether a request before this one, or an answer to one, had it. */
static bool was_before(struct fold *f, char kind, struct str a, struct str b)
{
	uint64_t before = exchange_fold_note(f, kind, a, b);

	return before && before != f->number + 1;
}

static struct str bytes_of(const uint64_t *n)
{
	return str_of(n, sizeof(*n));
}

static void exchange_fold_note_call(struct fold *f, const struct event *e)
{
	if (!e->call.n)
		return;
	exchange_fold_note(f, 'c', e->call, STR(""));
	exchange_fold_note(f, 't', e->call, e->tool);
}

/* Arguments that are complete, now that something else comes. */
static bool end_call(struct fold *f, const struct event *next, struct assemble *as, struct err *err)
{
	struct event e;

	return !exchange_calls_end(&f->calls, next, &e) || assemble_add(as, &e, err);
}

/* An event of an answer, or of no request at all. */
static bool exchange_fold_put_event(struct fold *f, const struct event *given, struct assemble *as,
				    struct err *err)
{
	struct event e = *given;
	bool held;

	if (!exchange_streams_place(&f->streams, &e, &held, as, err))
		return false;
	if (!end_call(f, &e, as, err))
		return false;
	if (held)
		return true;
	if (e.kind == EVENT_STEP)
		exchange_calls_step(&f->calls, &e);
	else if (e.kind == EVENT_CALL)
		exchange_calls_name(&f->calls, &e);
	if (e.kind == EVENT_CALL && e.call.n) {
		exchange_fold_note_call(f, &e);
		exchange_fold_note(f, 'a', e.call, e.tool);
	}
	e.hint = NULL;
	return assemble_add(as, &e, err);
}

/* ---- requests ---- */

/* An event that a request told, as one of the run: without what marked it as told. */
static bool put_repeated(struct fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	struct event plain = *e;

	(void)f;
	plain.hint = NULL;
	plain.flags &= ~(unsigned)EVENT_HISTORY;
	if (plain.kind == EVENT_RUN_START)
		plain.flags &= ~(unsigned)EVENT_INFERRED;
	return assemble_add(as, &plain, err);
}

/* A conversation that has nothing to do with those before is a run of its own, when nothing else tells runs apart. */
static bool begin_own_run(struct fold *f, struct assemble *as, struct err *err)
{
	exchange_fold_forget_run(f);
	history_begin(f->history);
	return assemble_end(as, false, err);
}

/* Tools and prompts pass once for each digest; those with digest 0 always do. */
static bool put_prelude(struct fold *f, struct assemble *as, struct err *err)
{
	for (size_t i = 0; i < f->early_count; i++) {
		const struct event *e = f->early[i];
		char kind = e->kind == EVENT_RUN_START ? 'r' : 'p';

		if (e->digest && exchange_fold_note(f, kind, bytes_of(&e->digest), STR("")))
			continue;
		if (!put_repeated(f, e, as, err))
			return false;
	}
	f->early_count = 0;
	return true;
}

/* The request at hand is over: what it began with goes, even when no message followed. */
static bool end_request(struct fold *f, struct assemble *as, struct err *err)
{
	if (!f->telling)
		return true;
	f->telling = false;
	if (!put_prelude(f, as, err))
		return false;
	history_end(f->history);
	return true;
}

static bool is_prompt(const struct event *e)
{
	return e->kind == EVENT_MESSAGE && (str_eq(e->role, STR("system")) || str_eq(e->role, STR("developer")));
}

/* Whether an event of a request begins another one. */
static bool is_next_request(const struct fold *f, const struct event *e)
{
	if (!f->telling || e->line != f->line)
		return true;
	if (e->kind == EVENT_RUN_START)
		return f->begun || f->early_count > 0;
	return f->begun && (e->position < f->position || (e->position == f->position && e->digest != f->digest));
}

/* Results without ids are joined to the calls that the same request tells, so calls are told anew for each. */
static void begin_request(struct fold *f, const struct event *e)
{
	f->telling = true;
	f->begun = f->own_run = false;
	f->line = e->line;
	f->number++;
	f->early_count = 0;
	arena_reset(&f->prelude);
	history_begin(f->history);
	exchange_calls_begin(&f->calls);
}

/* Tools and prompts wait for the first message: only that tells whether a run of its own begins. */
static void keep_early(struct fold *f, const struct event *e)
{
	mem_grow(f->early, f->early_count, f->early_cap, 8);
	f->early[f->early_count++] = event_copy(&f->prelude, e);
	f->own_run = f->own_run || (e->kind == EVENT_RUN_START && (e->flags & EVENT_INFERRED));
}

static bool is_said(const struct event *e)
{
	/* a note is a thought, or something else that only models put there */
	return e->kind == EVENT_STEP || e->kind == EVENT_CALL || e->kind == EVENT_NOTE ||
	       (e->kind == EVENT_MESSAGE && str_eq(e->role, STR("assistant")));
}

/* The first event of a message decides for all of it. */
static bool begin_message(struct fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	bool first = !f->begun, known = !history_is_empty(f->history);

	f->begun = true;
	f->position = e->position;
	f->digest = e->digest;
	f->repeated = history_next(f->history, e->digest, is_said(e));
	if (first && f->repeated == HISTORY_NEW && f->own_run && known) {
		if (!begin_own_run(f, as, err))
			return false;
		f->repeated = history_next(f->history, e->digest, is_said(e));
	}
	return !first || put_prelude(f, as, err);
}

/*
 * Of a message that is new. When the request has changed what it repeats, ids say what is not; a call that an
 * answer had is never new.
 */
static bool put_new(struct fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	bool changed = !history_is_continued(f->history), before = false;
	uint64_t content;

	if (e->kind == EVENT_CALL && e->call.n) {
		exchange_fold_note(f, 'c', e->call, STR(""));
		before = was_before(f, 't', e->call, e->tool);
		changed = changed || is_noted(f, 'a', e->call, e->tool);
	} else if (e->kind == EVENT_RESULT && e->call.n) {
		content = str_hash(e->content);
		before = was_before(f, 'r', e->call, bytes_of(&content));
	}
	return (changed && before) || put_repeated(f, e, as, err);
}

/* An event of a request's message: passed, known by an answer, or known before. */
static bool exchange_fold_put_message(struct fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	struct event call, own = *e;

	if (f->repeated == HISTORY_KNOWN)
		return true;
	if (e->kind == EVENT_CALL && exchange_calls_tell(&f->calls, &own, f->repeated == HISTORY_ANSWER))
		return true;
	if (e->kind == EVENT_RESULT)
		exchange_calls_answer(&f->calls, &own);
	if (f->repeated == HISTORY_NEW)
		return put_new(f, &own, as, err);
	/* a call that the answer itself did not have, or had under another id */
	if (f->repeated == HISTORY_ANSWER && e->kind == EVENT_CALL && e->call.n &&
	    !is_noted(f, 'c', e->call, STR("")) && !exchange_calls_rename(&f->calls, e)) {
		exchange_fold_note_call(f, e);
		call = *e;
		call.step = str_of(NULL, 0);
		return put_repeated(f, &call, as, err);
	}
	return true;
}

/*
 * One event of a request. Another request ends all that is open; of a message the first event decides for the others.
 */
static bool fold_repeated(struct fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	if (is_next_request(f, e)) {
		if (!end_request(f, as, err) || !end_call(f, NULL, as, err) ||
		    !exchange_streams_end(&f->streams, as, err))
			return false;
		begin_request(f, e);
	}
	if (!f->begun && (e->kind == EVENT_RUN_START || is_prompt(e))) {
		keep_early(f, e);
		return true;
	}
	if ((!f->begun || e->position != f->position || e->digest != f->digest) && !begin_message(f, e, as, err))
		return false;
	return exchange_fold_put_message(f, e, as, err);
}

/* ---- the fold ---- */

/* What is of no request ends the one at hand. A RUN_START with an id is a run of its own, and all is forgotten. */
bool exchange_fold(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct fold *f = fold;

	if (e->flags & EVENT_HISTORY)
		return fold_repeated(f, e, as, err);
	if (!end_request(f, as, err))
		return false;
	if (e->kind == EVENT_STEP)
		history_answer(f->history);
	if (e->kind == EVENT_RUN_START && e->run.p)
		exchange_fold_forget_run(f);
	return exchange_fold_put_event(f, e, as, err);
}

bool exchange_fold_next(void *fold, bool watch, struct assemble *as, struct err *err)
{
	struct fold *f = fold;

	if (!end_request(f, as, err) || !end_call(f, NULL, as, err) || !exchange_streams_end(&f->streams, as, err))
		return false;
	f->streams.watch = watch;
	return true;
}

/* The state is as new then, even after a refusal. */
bool exchange_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct fold *f = fold;
	bool good = end_request(f, as, err) && end_call(f, NULL, as, err) &&
		    exchange_streams_end(&f->streams, as, err);

	exchange_fold_forget_run(f);
	exchange_streams_reset(&f->streams);
	f->telling = false;
	f->number = 0;
	return good;
}
