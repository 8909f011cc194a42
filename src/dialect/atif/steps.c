/*
 * Steps are a list in the order in which they are written. Each has an arena of its own, so that it can be freed when
 * it was written, whatever still waits behind it.
 */
#include "dialect/atif/steps.h"

#include <assert.h>
#include <stdlib.h>

#include "base/num.h"
#include "dialect/atif/atif.h"
#include "dialect/atif/write_private.h"
#include "dialect/record/field.h"
#include "dialect/writing.h"
#include "json/write.h"

#define SCATTERED 4096 /* steps looked at for a place; a log whose numbers are no order is not put into one */
#define WAITING 512 /* steps held back by an open call; then the oldest goes without its result */

const struct str atif_figures[ATIF_FIGURES] = {
	WORD("input_tokens"), WORD("output_tokens"), WORD("cache_read_tokens"), WORD("cache_write_tokens"),
	WORD("cache_write_1h_tokens"), WORD("reasoning_tokens"),
};

/* On the heap: the track frees it. An absent text stays absent. */
static struct str own_copy(struct str text)
{
	char *copy;

	if (!text.p)
		return text;
	copy = mem_alloc(text.n + 1);
	memcpy(copy, text.p, text.n);
	return str_of(copy, text.n);
}

struct atif_track *atif_track_new(struct str branch, struct str parent, struct buf *out)
{
	struct atif_track *t = mem_alloc(sizeof(*t));

	*t = (struct atif_track){ .branch = own_copy(branch), .parent = own_copy(parent) };
	t->last = &t->first;
	t->out = out ? out : &t->body;
	return t;
}

static void step_free(struct atif_step *s)
{
	buf_free(&s->members);
	arena_free(&s->arena);
	mem_free(s);
}

void atif_track_free(struct atif_track *t)
{
	for (struct atif_step *s = t->first, *next; s; s = next) {
		next = s->next;
		step_free(s);
	}
	mem_free((char *)(uintptr_t)t->branch.p);
	mem_free((char *)(uintptr_t)t->parent.p);
	buf_free(&t->head);
	buf_free(&t->body);
	mem_free(t);
}

/* Before *place, which is a link of the list. */
static struct atif_step *step_insert(struct atif_track *t, struct atif_step **place)
{
	struct atif_step *s = mem_alloc(sizeof(*s));

	*s = (struct atif_step){ .next = *place };
	arena_init(&s->arena);
	s->calls.last = &s->calls.first;
	s->results.last = &s->results.first;
	*place = s;
	if (!s->next) {
		t->last = &s->next;
		t->latest = s;
	}
	t->waiting++;
	return s;
}

struct atif_step *atif_step_new(struct atif_track *t)
{
	return step_insert(t, t->last);
}

/*
 * Steps mostly come in order, so the end is tried first. After SCATTERED steps the search gives up, and the new one
 * goes to the end.
 */
struct atif_step *atif_step_at(struct atif_track *t, uint64_t at)
{
	struct atif_step **place = t->latest && t->latest->at < at ? t->last : &t->first, *s = *place;

	for (size_t looked = 0; s && s->at < at; looked++) {
		place = looked < SCATTERED ? &s->next : t->last;
		s = *place;
	}
	if (!s || s->at != at) {
		s = step_insert(t, place);
		s->at = at;
	}
	return s;
}

void atif_member(struct buf *members, struct str name)
{
	if (members->n > 0 && members->p[members->n - 1] != '{')
		buf_add_byte(members, ',');
	buf_add_byte(members, '"');
	buf_add_str(members, name);
	buf_add_str(members, STR("\":"));
}

void atif_list_add(struct atif_step *s, struct atif_list *l, struct str json, struct str call)
{
	struct atif_item *item = arena_new(&s->arena, struct atif_item);

	item->json = arena_copy(&s->arena, json);
	if (call.p)
		item->call = arena_copy(&s->arena, call);
	*l->last = item;
	l->last = &item->next;
	l->count++;
}

/* Ids may repeat in a run: the oldest open call of that id is the one that is answered. */
struct atif_step *atif_answer(struct atif_track *t, struct str call)
{
	for (struct atif_step *s = t->first; s; s = s->next) {
		for (struct atif_item *c = s->open ? s->calls.first : NULL; c; c = c->next) {
			if (!c->call.p || !str_eq(c->call, call))
				continue;
			c->call = str_of(NULL, 0);
			s->open--;
			return s;
		}
	}
	return NULL;
}

/* ---- writing ---- */

/* An element that stayed where it was in its list: {"#2":...}. */
struct odd {
	uint64_t place;
	struct str json;
};

static int odd_cmp(const void *a, const void *b)
{
	const struct odd *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/* The elements of `rest` by place; false when it is something else than elements of a list. */
static bool read_odds(struct arena *a, struct val rest, struct odd **odds, size_t *count)
{
	struct val_iter it = val_begin(rest);
	struct val key, v;

	*count = 0;
	if (!val_is(rest, JSON_OBJECT))
		return val_is_none(rest) || val_is(rest, JSON_ARRAY);
	*odds = arena_array(a, struct odd, val_count(rest) + 1);
	while (val_next_member(&it, &key, &v)) {
		struct str name = val_raw(key);
		struct odd *o = &(*odds)[*count];

		if (name.n < 2 || name.p[0] != '#' || !num_parse_u64(str_of(name.p + 1, name.n - 1), &o->place))
			return false;
		o->json = val_source(v);
		(*count)++;
	}
	qsort(*odds, *count, sizeof(**odds), odd_cmp);
	return true;
}

/* The items, with those of the rest in their old places. */
static void put_list(struct buf *out, struct arena *a, const struct atif_list *l, struct val rest)
{
	const struct atif_item *item = l->first;
	struct odd *odds = NULL;
	size_t count, at = 0;

	if (!read_odds(a, rest, &odds, &count))
		count = 0;
	buf_add_byte(out, '[');
	for (uint64_t i = 0; item || at < count; i++) {
		bool odd = at < count && (!item || odds[at].place <= i);

		if (i > 0)
			buf_add_byte(out, ',');
		buf_add_str(out, odd ? odds[at].json : item->json);
		if (odd)
			at++;
		else
			item = item->next;
	}
	buf_add_byte(out, ']');
}

/* The results, with the members that the observation had beside them. Without any result it is what it was. */
static void put_observation(struct buf *m, struct atif_step *s, struct json_parser *p)
{
	struct val rest = writing_parse(p, s->observation), key, v;
	struct val_iter it = val_begin(rest);

	if (s->results.count == 0) {
		atif_put_json(m, STR("observation"), s->observation);
		return;
	}
	atif_member(m, STR("observation"));
	buf_add_byte(m, '{');
	while (val_is(rest, JSON_OBJECT) && val_next_member(&it, &key, &v)) {
		if (val_text_is(key, STR("results")))
			continue;
		if (m->p[m->n - 1] != '{')
			buf_add_byte(m, ',');
		json_write_quoted(m, val_text(key, &s->arena));
		buf_add_byte(m, ':');
		buf_add_str(m, val_source(v));
	}
	atif_member(m, STR("results"));
	put_list(m, &s->arena, &s->results, val_is(rest, JSON_OBJECT) ? val_get(rest, STR("results")) : VAL_NONE);
	buf_add_byte(m, '}');
}

/* Members of the step, then calls and results. A step that was kept whole is put as it is. */
static void atif_steps_put_step(struct atif_track *t, struct atif_step *s, struct json_parser *p)
{
	struct buf *m = &s->members;

	if (t->count++ > 0)
		buf_add_byte(t->out, ',');
	if (s->whole) {
		buf_add_str(t->out, buf_str(m));
		return;
	}
	buf_add_byte(t->out, '{');
	if (s->numbered) {
		buf_printf(t->out, "\"step_id\":%llu%s", (unsigned long long)t->count, m->n ? "," : "");
		atif_put_metrics(m, &s->usage, &s->money);
	}
	if (s->calls.count > 0) {
		atif_member(m, STR("tool_calls"));
		put_list(m, &s->arena, &s->calls, writing_parse(p, s->calls_rest));
	} else {
		atif_put_json(m, STR("tool_calls"), s->calls_rest);
	}
	put_observation(m, s, p);
	buf_add_str(t->out, buf_str(m));
	buf_add_byte(t->out, '}');
}

/* A track without a list of steps (`bare`) only forgets the step. */
static void flush_first(struct atif_track *t, struct json_parser *p)
{
	struct atif_step *s = t->first;

	assert(s && t->waiting > 0);
	if (!t->bare)
		atif_steps_put_step(t, s, p);
	if (t->answer == s)
		t->answer = NULL;
	t->first = s->next;
	if (!t->first) {
		t->last = &t->first;
		t->latest = NULL;
	}
	t->waiting--;
	step_free(s);
}

void atif_flush(struct atif_track *t, struct json_parser *p, bool now)
{
	while (t->first && (now || (t->first->next && (t->first->open == 0 || t->waiting > WAITING))))
		flush_first(t, p);
}

void atif_flush_before(struct atif_track *t, struct json_parser *p, uint64_t at)
{
	while (t->first && t->first->at < at)
		flush_first(t, p);
}

/* ---- figures ---- */

/* `less` is what ATIF does not count in; never below 0. Null is written as null, absent not at all. */
static void put_figure(struct buf *out, struct str name, struct figure f, uint64_t less)
{
	if (f.state == FIGURE_ABSENT)
		return;
	atif_member(out, name);
	if (f.state == FIGURE_NULL)
		buf_add_str(out, STR("null"));
	else
		buf_printf(out, "%llu", (unsigned long long)(f.n > less ? f.n - less : 0));
}

void atif_put_amount(struct buf *out, struct str name, struct amount a)
{
	char text[NUM_DOUBLE_MAX];

	if (!amount_is_known(a))
		return;
	atif_member(out, name);
	buf_add(out, text, num_format_double(text, a.n));
}

void atif_money_add(struct atif_money *m, const struct event *cost, struct arena *a)
{
	money_add(&m->sum, cost);
	if (amount_is_known(cost->usd) && cost->price_table.p)
		m->price_table = arena_copy(a, cost->price_table);
}

/* The sum, if this is who says it; absent otherwise. */
static struct amount money_by(const struct atif_money *m, enum figure_source who)
{
	struct amount usd = money_total(&m->sum);

	return amount_is_known(usd) && usd.source == who ? usd : (struct amount){ .state = FIGURE_ABSENT };
}

/* Begins an object that is a member; gives where, for end_object. */
static size_t begin_object(struct buf *out, struct str name)
{
	size_t begin = out->n;

	atif_member(out, name);
	buf_add_byte(out, '{');
	return begin;
}

/* The end of an object that began there. One with nothing in it goes again. */
static void end_object(struct buf *out, size_t begin)
{
	assert(out->n > begin);
	if (out->p[out->n - 1] == '{')
		out->n = begin;
	else
		buf_add_byte(out, '}');
}

/* Which tokens are a guess: ["output_tokens"]. */
static void put_guesses(struct buf *out, const struct usage *u)
{
	struct figure all[ATIF_FIGURES] = { u->input, u->output, u->cache_read, u->cache_write, u->cache_write_1h,
					    u->reasoning };
	size_t k = 0;

	for (size_t i = 0; i < ATIF_FIGURES; i++) {
		if (!figure_is_known(all[i]) || all[i].source != FIGURE_ESTIMATED)
			continue;
		if (k == 0)
			atif_member(out, STR("estimated"));
		buf_add_byte(out, k++ ? ',' : '[');
		json_write_quoted(out, atif_figures[i]);
	}
	if (k > 0)
		buf_add_byte(out, ']');
}

/* What ATIF has no word for, as a member of `extra`. The track is given with totals. */
static void atif_steps_put_ours(struct buf *out, const struct usage *u, const struct atif_money *m,
				const struct atif_track *t)
{
	size_t begin = begin_object(out, STR("trackway"));

	atif_put_amount(out, STR("estimated_cost_usd"), money_by(m, FIGURE_ESTIMATED));
	if (amount_is_known(money_by(m, FIGURE_ESTIMATED)))
		atif_put_text(out, STR("price_table"), m->price_table);
	put_guesses(out, u);
	if (t && t->is_whole) {
		atif_put_text(out, STR("scope"), STR("run"));
		atif_put_text(out, STR("model"), t->model);
		put_figure(out, STR("reasoning_tokens"), u->reasoning, 0);
	} else if (t && !t->branch.p && t->next) { /* it counts those of its sub-agents too */
		atif_put_text(out, STR("scope"), STR("steps"));
	}
	end_object(out, begin);
}

/* What was written to the cache is taken off the prompt, where ATIF does not count it. */
void atif_put_metrics(struct buf *members, const struct usage *u, const struct atif_money *money)
{
	uint64_t written = figure_is_known(u->cache_write) ? u->cache_write.n : 0;
	size_t begin, inner;

	if (!usage_is_known(u) && !amount_is_known(money_total(&money->sum)))
		return;
	atif_member(members, STR("metrics"));
	buf_add_byte(members, '{');
	put_figure(members, STR("prompt_tokens"), u->input, written);
	put_figure(members, STR("completion_tokens"), u->output, 0);
	put_figure(members, STR("cached_tokens"), u->cache_read, 0);
	atif_put_amount(members, STR("cost_usd"), money_by(money, FIGURE_API));
	begin = begin_object(members, STR("extra"));
	put_figure(members, STR("cache_creation_input_tokens"), u->cache_write, 0);
	inner = begin_object(members, STR("cache_creation"));
	if (figure_is_known(u->cache_write_1h))
		put_figure(members, STR("ephemeral_1h_input_tokens"), u->cache_write_1h, 0);
	end_object(members, inner);
	put_figure(members, STR("reasoning_tokens"), u->reasoning, 0);
	atif_steps_put_ours(members, u, money, NULL);
	end_object(members, begin);
	buf_add_byte(members, '}');
}

/* Always written, since total_steps is always known. */
void atif_put_totals(struct buf *members, const struct atif_track *t)
{
	const struct usage *u = &t->usage;
	uint64_t written = figure_is_known(u->cache_write) ? u->cache_write.n : 0;
	size_t begin;

	atif_member(members, STR("final_metrics"));
	buf_add_byte(members, '{');
	put_figure(members, STR("total_prompt_tokens"), u->input, written);
	put_figure(members, STR("total_completion_tokens"), u->output, 0);
	put_figure(members, STR("total_cached_tokens"), u->cache_read, 0);
	atif_put_amount(members, STR("total_cost_usd"), money_by(&t->money, FIGURE_API));
	put_figure(members, STR("total_steps"), FIGURE(t->count), 0);
	begin = begin_object(members, STR("extra"));
	if (figure_is_known(u->cache_write))
		put_figure(members, STR("total_cache_creation_input_tokens"), u->cache_write, 0);
	atif_steps_put_ours(members, u, &t->money, t);
	end_object(members, begin);
	buf_add_byte(members, '}');
}
