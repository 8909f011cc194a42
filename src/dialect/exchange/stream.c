/*
 * A piece is joined to a stream by its id, by an alias that was found for it, or because it does not begin an answer;
 * one without an id gets the name of the nameless stream at hand.
 */
#include "dialect/exchange/stream.h"

#include "dialect/exchange/hint.h"
#include "json/text.h"
#include "model/merge.h"

#define SAID_MAX ((size_t)8 << 10) /* of what pieces say, merged */

void exchange_streams_init(struct exchange_streams *s, bool watch)
{
	*s = (struct exchange_streams){ .watch = watch };
	arena_init(&s->scratch);
	s->merge = merge_open();
	arena_init(&s->arena);
}

void exchange_streams_free(struct exchange_streams *s)
{
	for (size_t i = 0; i < EXCHANGE_STREAMS; i++) {
		buf_free(&s->all[i].step);
		buf_free(&s->all[i].branch);
		buf_free(&s->all[i].said);
		buf_free(&s->all[i].model);
	}
	exchange_gather_free(&s->gather);
	buf_free(&s->gathered);
	arena_free(&s->scratch);
	merge_close(s->merge);
	buf_free(&s->current);
	buf_free(&s->alias);
	buf_free(&s->name);
	arena_free(&s->arena);
}

void exchange_streams_reset(struct exchange_streams *s)
{
	for (size_t i = 0; i < EXCHANGE_STREAMS; i++)
		s->all[i].used = false;
	buf_clear(&s->current);
	buf_clear(&s->alias);
	buf_clear(&s->gathered);
	s->nameless = 0;
	s->nameless_open = false;
	s->stray = NULL;
}

static void exchange_stream_set_text(struct buf *b, struct str text)
{
	if (str_eq(buf_str(b), text))
		return;
	buf_clear(b);
	buf_add_str(b, text);
}

/* "chatcmpl-1" of "chatcmpl-1#2": choices of one answer come side by side. */
static struct str base_of(struct str step)
{
	struct str rest;

	return str_cut(step, '#', &rest);
}

static bool is_piece(const struct event *e)
{
	return e->kind == EVENT_STEP && (e->flags & EVENT_PIECE) && e->step.p;
}

/* ---- what pieces say each for itself ---- */

/* To the step of which it was gathered, if that is there to take it. */
static bool put_gathered(struct exchange_streams *s, struct assemble *as, struct err *err)
{
	struct event e = { .kind = EVENT_STEP, .index = -1, .flags = EVENT_PIECE | EVENT_MARKER };
	struct str key, json;

	arena_reset(&s->scratch);
	json = exchange_gather_end(&s->gather, &s->scratch, &key);
	if (!json.p)
		return true;
	if (s->gathered.n)
		e.step = buf_str(&s->gathered);
	event_add_extra(&e, &s->scratch, key, json);
	return assemble_add(as, &e, err);
}

/* Takes the elements off a piece, and gives those of the step before when another begins. */
static bool gather(struct exchange_streams *s, struct event *e, struct assemble *as, struct err *err)
{
	struct str base = base_of(e->step);
	bool own = e->kind == EVENT_STEP || exchange_gather_has(e);
	bool part = own || e->kind == EVENT_CALL || e->kind == EVENT_NOTE || e->kind == EVENT_ERROR;

	/* it must come before the step is over: with another one, or with whatever answers it */
	if ((!part || (own && !str_eq(base, buf_str(&s->gathered)))) && !put_gathered(s, as, err))
		return false;
	if (own)
		exchange_stream_set_text(&s->gathered, base);
	exchange_gather_take(&s->gather, e);
	return true;
}

static void exchange_stream_gather_text(struct exchange_streams *s, const struct event *e, const char *name,
					struct str text)
{
	struct str key = e->extras ? e->extras->key : STR("openai-chat/1");
	struct buf b = { 0 };

	text_quote(&b, text);
	exchange_gather_add(&s->gather, key, str_from(name), buf_str(&b));
	buf_free(&b);
}

/* Extras of pieces are merged and the last wins: where that would lose something, all of them are kept. */
static void compare_piece(struct exchange_streams *s, struct exchange_stream *one, const struct event *e)
{
	struct str said = buf_str(&one->said), both;

	if (e->model.n && one->model.n && !str_eq(e->model, buf_str(&one->model)))
		exchange_stream_gather_text(s, e, "models", buf_str(&one->model));
	if (e->model.n)
		exchange_stream_set_text(&one->model, e->model);
	if (!e->extras || str_eq(said, e->extras->json))
		return;
	if (said.n > SAID_MAX) { /* merging more and more for each piece would take for ever */
		exchange_gather_add(&s->gather, e->extras->key, STR("pieces"), e->extras->json);
		return;
	}
	arena_reset(&s->scratch);
	both = said.n ? merge_objects(s->merge, &s->scratch, said, e->extras->json) : e->extras->json;
	if (said.n && !str_eq(both, merge_objects(s->merge, &s->scratch, e->extras->json, said)))
		exchange_gather_add(&s->gather, e->extras->key, STR("pieces"), said);
	exchange_stream_set_text(&one->said, both);
}

/* The answers that were streamed are over, but the one named so: those that did not say why were cut. */
static bool end_others(struct exchange_streams *s, struct str but, struct assemble *as, struct err *err)
{
	for (size_t i = 0; i < EXCHANGE_STREAMS; i++) {
		struct exchange_stream *one = &s->all[i];
		struct event e = { .kind = EVENT_STEP, .index = -1 };

		if (!one->used || (but.n && str_eq(base_of(buf_str(&one->step)), but)))
			continue;
		e.flags = EVENT_PIECE | EVENT_MARKER | EVENT_PARTIAL;
		e.step = buf_str(&one->step);
		if (one->has_branch)
			e.branch = buf_str(&one->branch);
		one->used = false;
		if (!one->ended && !assemble_add(as, &e, err))
			return false;
	}
	return true;
}

static struct exchange_stream *find_stream(struct exchange_streams *s, struct str step)
{
	for (size_t i = 0; i < EXCHANGE_STREAMS; i++)
		if (s->all[i].used && str_eq(buf_str(&s->all[i].step), step))
			return &s->all[i];
	return NULL;
}

/* Remembers the piece as the latest of its stream. With more streams than are followed at once, one more is not. */
static void follow(struct exchange_streams *s, const struct event *e)
{
	struct exchange_stream *one = find_stream(s, e->step);

	for (size_t i = 0; i < EXCHANGE_STREAMS && !one; i++) {
		if (s->all[i].used)
			continue;
		one = &s->all[i];
		one->used = true;
		one->ended = false;
		one->has_branch = e->branch.p != NULL;
		exchange_stream_set_text(&one->step, e->step);
		exchange_stream_set_text(&one->branch, e->branch);
		buf_clear(&one->said);
		buf_clear(&one->model);
	}
	if (one)
		compare_piece(s, one, e);
	if (one)
		one->ended = one->ended || e->stop_reason.p || (e->flags & (EVENT_PARTIAL | EVENT_LAST));
	if (!e->branch.p) {
		exchange_stream_set_text(&s->current, e->step);
		s->current_ended = one && one->ended;
	}
}

/*
 * Some servers give every piece an id of its own. One that does not begin an answer goes on with the one that is not
 * ended; one with figures only belongs to the latest.
 */
static void join_piece(struct exchange_streams *s, struct event *e)
{
	bool figures = !e->text.p && !e->reasoning.p && !e->stop_reason.p;

	if (!s->current.n || e->branch.p || find_stream(s, e->step))
		return;
	if (figures || (!exchange_hint_of(e)->begins && !s->current_ended)) {
		exchange_stream_gather_text(s, e, "ids", e->step);
		exchange_stream_set_text(&s->alias, e->step);
		e->step = buf_str(&s->current);
	}
}

/* Pieces without an id get one: those of one stream the same. */
static void name_piece(struct exchange_streams *s, struct event *e)
{
	bool begins = e->kind == EVENT_STEP && s->nameless_ended && e->text.p;

	if (!s->nameless_open || begins) {
		s->nameless++;
		s->nameless_open = true;
		s->nameless_ended = false;
		buf_clear(&s->name);
		buf_printf(&s->name, "stream-%llu", (unsigned long long)s->nameless);
	}
	if (e->stop_reason.p)
		s->nameless_ended = true;
	e->step = buf_str(&s->name);
}

static bool says_nothing(const struct event *e)
{
	return !e->text.n && !e->reasoning.n && !e->stop_reason.p && !usage_is_known(&e->usage);
}

/* The piece that came before its stream had a name; without a step it is a note. */
static bool put_stray(struct exchange_streams *s, struct str step, struct assemble *as, struct err *err)
{
	struct event *e = s->stray;

	if (!e)
		return true;
	s->stray = NULL;
	e->step = step;
	exchange_gather_take(&s->gather, e);
	if (!step.p) {
		e->kind = EVENT_NOTE;
		e->role = STR("chunk");
	}
	return assemble_add(as, e, err);
}

/* Ends the streams that this step is not of, and follows its own. */
static bool watch_step(struct exchange_streams *s, const struct event *e, struct assemble *as, struct err *err)
{
	if (!is_piece(e))
		buf_clear(&s->current);
	if (!end_others(s, is_piece(e) ? base_of(e->step) : str_of(NULL, 0), as, err))
		return false;
	if (is_piece(e) && (e->flags & (EVENT_STREAM | EVENT_LAST)))
		follow(s, e);
	return true;
}

static bool is_nameless(const struct event *e)
{
	return (e->kind == EVENT_STEP || e->kind == EVENT_CALL) && (e->flags & EVENT_PIECE) && e->step.p &&
	       e->step.n == 0;
}

/* A first piece that says nothing and has no id is held: the next one may have the stream's id. */
bool exchange_streams_place(struct exchange_streams *s, struct event *e, bool *held, struct assemble *as,
			    struct err *err)
{
	*held = is_nameless(e) && e->kind == EVENT_STEP && says_nothing(e) && !s->nameless_open && !s->stray;
	if (*held) {
		arena_reset(&s->arena);
		s->stray = event_copy(&s->arena, e);
		return true;
	}
	if (is_nameless(e))
		name_piece(s, e);
	else if (e->kind == EVENT_STEP)
		s->nameless_open = false;
	if (s->watch && is_piece(e) && (e->flags & EVENT_STREAM))
		join_piece(s, e);
	else if (s->watch && e->step.n && s->alias.n && str_eq(e->step, buf_str(&s->alias)))
		e->step = buf_str(&s->current);
	if (!gather(s, e, as, err))
		return false;
	if (e->kind != EVENT_STEP)
		return true;
	return (!s->watch || watch_step(s, e, as, err)) &&
	       put_stray(s, is_piece(e) ? e->step : str_of(NULL, 0), as, err);
}

bool exchange_streams_end(struct exchange_streams *s, struct assemble *as, struct err *err)
{
	buf_clear(&s->current);
	s->nameless_open = false;
	return put_stray(s, str_of(NULL, 0), as, err) && put_gathered(s, as, err) &&
	       end_others(s, str_of(NULL, 0), as, err);
}
