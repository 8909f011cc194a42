/*
 * Each function adds its events and marks what it took; the caller keeps the rest, since it knows which event that
 * belongs to.
 */
#include "dialect/exchange/common.h"

#include <assert.h>

#include "model/history.h"

/* ---- answers ---- */

void exchange_answer_settle(struct exchange_answer *a)
{
	a->model = text_or_none(a->model);
	if (a->id.n == 0)
		a->id = a->piece ? STR("") : str_of(NULL, 0);
}

struct event *exchange_add_step(struct reading *r, const struct exchange_answer *a, struct str step)
{
	struct event *e = reading_add(r, EVENT_STEP);

	e->flags = a->flags;
	e->step = step;
	e->response_id = text_or_none(a->id);
	e->model = a->model;
	e->ts = a->ts;
	return e;
}

/* A null reason in a piece says that there is more to come, and is taken; in a whole answer it is kept. */
struct event *exchange_add_choice(struct reading *r, const struct exchange_answer *a, struct val choice, size_t place,
				  struct str word, struct val finish)
{
	struct figure index = reading_count(r, choice, STR("index"));
	unsigned long long n = figure_is_known(index) ? index.n : place;
	struct event *e = exchange_add_step(r, a, a->id);

	if (n > 0)
		e->branch = arena_printf(r->arena, "%.*s-%llu", STR_ARG(word), n);
	if (n > 0 && a->id.n)
		e->step = arena_printf(r->arena, "%.*s#%llu", STR_ARG(a->id), n);
	e->stop_reason = text_or_none(reading_text_of(r, finish));
	if (val_is(finish, JSON_NULL) && a->piece)
		reading_take(r, finish);
	return e;
}

void exchange_end_choice(struct reading *r, size_t at, struct val choice, struct str word)
{
	assert(at < r->count || r->cut); /* a reading with bounds keeps no more than it may */
	for (size_t i = at + 1; i < r->count; i++)
		r->events[i].branch = r->events[at].branch;
	reading_rest_under(r, &r->events[at], choice, word);
}

/* `error` that is neither text nor object gives an event without a message. */
struct event *exchange_add_error(struct reading *r, struct val error, struct str code, struct str otherwise)
{
	struct event *e = reading_add(r, EVENT_ERROR);

	e->class = STR("model");
	if (val_is(error, JSON_STRING))
		e->text = reading_text_of(r, error);
	if (val_is(error, JSON_OBJECT)) {
		e->text = reading_text(r, error, STR("message"));
		e->code = reading_text(r, error, code);
		if (!e->code.n)
			e->code = reading_text(r, error, otherwise);
	}
	e->code = text_or_none(e->code);
	return e;
}

/* ---- requests ---- */

void exchange_read_tools(struct reading *r, struct val tools)
{
	struct event *e;

	if (!val_is(tools, JSON_ARRAY))
		return;
	e = reading_add(r, EVENT_RUN_START);
	e->flags = EVENT_HISTORY;
	e->tools = reading_json_of(r, e, "tools", tools);
	e->digest = history_digest(e->tools);
}

void exchange_mark_message(struct reading *r, size_t from, uint32_t position, uint64_t digest)
{
	for (size_t i = from; i < r->count; i++) {
		r->events[i].position = position;
		r->events[i].digest = digest;
	}
}

void exchange_digest_add(uint64_t *digest, struct str text)
{
	*digest = (*digest ^ history_digest(text)) * UINT64_C(0x9E3779B97F4A7C15);
	*digest ^= *digest >> 29;
}

/* ---- lists ---- */

void exchange_read_each(struct reading *r, struct val v, void (*read_one)(struct reading *r, struct val one))
{
	if (val_is_none(values_first(v)))
		read_one(r, v);
	VALUES_EACH(one, v)
		read_one(r, one);
}
