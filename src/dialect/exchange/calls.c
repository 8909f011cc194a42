/*
 * Calls that wait are a list, the oldest first. A request marks those that it tells in its own order, so that results
 * without ids find theirs by that order.
 */
#include "dialect/exchange/calls.h"

#include <assert.h>

#include "dialect/exchange/hint.h"

void exchange_calls_init(struct exchange_calls *c)
{
	*c = (struct exchange_calls){ .count = 0 };
	arena_init(&c->run);
	path_args_init(&c->args);
	exchange_calls_reset(c);
}

void exchange_calls_free(struct exchange_calls *c)
{
	arena_free(&c->run);
	buf_free(&c->step);
	buf_free(&c->id);
	buf_free(&c->text);
	path_args_free(&c->args);
}

void exchange_calls_reset(struct exchange_calls *c)
{
	arena_reset(&c->run);
	c->first = NULL;
	c->last = &c->first;
	c->count = c->own_count = 0;
	c->growing = NULL;
	c->piece = NULL;
	c->answers = c->places = c->told = 0;
	buf_clear(&c->step);
}

/* ---- answers ---- */

void exchange_calls_step(struct exchange_calls *c, const struct event *e)
{
	bool same = e->step.n ? str_eq(e->step, buf_str(&c->step)) : (e->flags & EVENT_PIECE) != 0;

	if (same)
		return;
	c->answers++;
	c->places = 0;
	buf_clear(&c->step);
	buf_add_str(&c->step, e->step);
}

/* Makes room for another call; nobody is likely to answer the oldest any more. */
static void forget_oldest(struct exchange_calls *c)
{
	struct exchange_call *oldest = c->first;

	assert(oldest && c->count > 0);
	c->first = oldest->next;
	if (!c->first)
		c->last = &c->first;
	if (c->growing == oldest)
		c->growing = NULL;
	c->count--;
}

/* Remembers a call, with a copy of its id and tool. */
static struct exchange_call *exchange_calls_add(struct exchange_calls *c, const struct event *e, struct str id)
{
	struct exchange_call *call = arena_new(&c->run, struct exchange_call);

	if (c->count == EXCHANGE_CALLS_OPEN)
		forget_oldest(c);
	call->id = arena_copy(&c->run, id);
	call->tool = arena_copy(&c->run, e->tool);
	call->args = e->args.p ? str_hash(e->args) | 1 : 0;
	*c->last = call;
	c->last = &call->next;
	c->count++;
	return call;
}

/* An id for a call that has none; it lasts until the next. */
static struct str make_id(struct exchange_calls *c, struct str step, uint64_t place)
{
	buf_clear(&c->id);
	buf_add_str(&c->id, STR("call_"));
	if (step.n)
		buf_add_str(&c->id, step);
	else
		buf_printf(&c->id, "answer%llu", (unsigned long long)c->answers);
	buf_printf(&c->id, "_%llu", (unsigned long long)place);
	return buf_str(&c->id);
}

/* All that has come of the arguments. */
static void complete(struct exchange_calls *c, struct event *e)
{
	assert(c->growing);
	buf_clear(&c->text);
	path_args_end(&c->args, &c->text);
	e->args_text = buf_str(&c->text);
	c->growing = NULL;
}

/* A piece of arguments. */
static void exchange_calls_grow(struct exchange_calls *c, struct event *e, const struct exchange_hint *h)
{
	struct event bare = *e;

	if (!e->tool.n && !c->growing) { /* of a call whose beginning is not there */
		e->kind = EVENT_NOTE;
		e->role = STR("call_piece");
		e->content = h->pieces;
		return;
	}
	if (e->tool.n) {
		path_args_reset(&c->args);
		c->growing = exchange_calls_add(c, e, e->call.n ? e->call : make_id(c, e->step, c->places++));
		bare.extras = NULL;
		c->piece = event_copy(&c->run, &bare);
		c->piece->call = c->growing->id;
	}
	path_args_add(&c->args, h->pieces);
	e->call = c->growing->id;
	if (h->completes)
		complete(c, e);
}

/* The i-th of those with ids, from the oldest that is still there; NULL behind the last. */
static struct exchange_call *own_call(const struct exchange_calls *c, size_t i)
{
	size_t first = c->own_count > EXCHANGE_CALLS_OWN ? c->own_count - EXCHANGE_CALLS_OWN : 0;

	return first + i < c->own_count ? c->own[(first + i) % EXCHANGE_CALLS_OWN] : NULL;
}

/* A call that has an id. Pieces of it come with the same one. */
static void keep_own(struct exchange_calls *c, const struct event *e)
{
	struct exchange_call *call;

	for (size_t i = 0; (call = own_call(c, i)); i++) {
		if (call->answer != c->answers || !str_eq(call->id, e->call))
			continue;
		if (e->args.p)
			call->args = str_hash(e->args) | 1;
		return;
	}
	call = arena_new(&c->run, struct exchange_call);
	call->id = arena_copy(&c->run, e->call);
	call->tool = arena_copy(&c->run, e->tool);
	call->args = e->args.p ? str_hash(e->args) | 1 : 0;
	call->answer = c->answers;
	c->own[c->own_count++ % EXCHANGE_CALLS_OWN] = call;
}

void exchange_calls_name(struct exchange_calls *c, struct event *e)
{
	const struct exchange_hint *h = exchange_hint_of(e);

	if (h->pieces.p && !e->args.p)
		exchange_calls_grow(c, e, h);
	else if (!e->call.n && e->args.p)
		e->call = exchange_calls_add(c, e, make_id(c, e->step, c->places++))->id;
	else if (e->call.n && e->tool.n)
		keep_own(c, e);
}

bool exchange_calls_end(struct exchange_calls *c, const struct event *next, struct event *e)
{
	bool goes_on = next && (next->flags & EVENT_PIECE) &&
		       (next->kind == EVENT_CALL || next->kind == EVENT_STEP) && c->piece &&
		       str_eq(next->step, c->piece->step) && (next->kind == EVENT_STEP || !next->tool.n);

	if (!c->growing || goes_on)
		return false;
	*e = *c->piece;
	complete(c, e);
	return true;
}

/* ---- requests ---- */

/* Forgets what the request before told, and drops the calls that were answered. */
void exchange_calls_begin(struct exchange_calls *c)
{
	struct exchange_call **at = &c->first;

	c->told = 0;
	while (*at) {
		(*at)->told = 0;
		(*at)->given = str_of(NULL, 0);
		if ((*at)->done) {
			*at = (*at)->next;
			c->count--;
		} else {
			at = &(*at)->next;
		}
	}
	c->last = at;
}

/* A call that no request has told yet, by its tool and arguments; `loosely` by its tool alone. */
static struct exchange_call *exchange_calls_find_call(const struct exchange_calls *c, const struct event *e,
						      bool loosely)
{
	uint64_t args = e->args.p ? str_hash(e->args) | 1 : 0;

	for (struct exchange_call *call = c->first; call; call = call->next)
		if (!call->told && !call->done && str_eq(call->tool, e->tool) &&
		    (loosely || call->args == args || call->args == 0))
			return call;
	return NULL;
}

/* A call with an id of its own that no answer asked for is the client's business, and is left alone. */
bool exchange_calls_tell(struct exchange_calls *c, struct event *e, bool answer)
{
	struct exchange_call *call = exchange_calls_find_call(c, e, false);
	bool known;

	if (!call && answer)
		call = exchange_calls_find_call(c, e, true);
	known = call != NULL;
	if (!call && (answer || e->call.n))
		return false;
	if (!call) {
		call = exchange_calls_add(c, e, make_id(c, e->step, c->places++));
		e->call = call->id;
	}
	call->told = ++c->told;
	call->given = e->call.n && known ? arena_copy(&c->run, e->call) : str_of(NULL, 0);
	return known;
}

bool exchange_calls_rename(struct exchange_calls *c, const struct event *e)
{
	uint64_t args = e->args.p ? str_hash(e->args) | 1 : 0;
	struct exchange_call *call, *best = NULL;

	for (size_t i = 0; (call = own_call(c, i)); i++) {
		if (call->done || call->given.p || !str_eq(call->tool, e->tool) ||
		    (call->args && args && call->args != args))
			continue;
		if (best && best->answer != call->answer)
			return false;
		best = best ? best : call;
	}
	if (best)
		best->given = arena_copy(&c->run, e->call);
	return best != NULL;
}

/* One of those with ids: it is answered now. True when the client has another name for it, which is put right. */
static bool answer_own(struct exchange_calls *c, struct event *e)
{
	struct exchange_call *call;

	for (size_t i = 0; e->call.n && (call = own_call(c, i)); i++) {
		bool renamed = call->given.p && str_eq(call->given, e->call);

		if (call->done || (!renamed && !str_eq(call->id, e->call)))
			continue;
		call->done = true;
		e->call = call->id;
		return renamed;
	}
	return false;
}

/* By the client's id where it gave one, else by the tool. */
void exchange_calls_answer(struct exchange_calls *c, struct event *e)
{
	struct exchange_call *best = NULL;

	if (answer_own(c, e))
		return;

	/* first those that the request told, in its order; then the one that waits longest */
	for (struct exchange_call *call = c->first; call; call = call->next) {
		bool same = e->call.n ? call->told && call->given.n && str_eq(call->given, e->call)
				      : !e->tool.n || str_eq(call->tool, e->tool);

		if (same && !call->done && (!best || (call->told && (!best->told || call->told < best->told))))
			best = call;
	}
	if (!best)
		return;
	best->done = true;
	best->told = 0;
	e->call = best->id;
}
