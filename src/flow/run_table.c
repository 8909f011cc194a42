/* Runs of directories and of logs in one list. */
#include "flow/run_table.h"

#include <math.h>
#include <stdlib.h>

#include "base/stop.h"

void run_table_init(struct run_table *t, struct arena *a)
{
	*t = (struct run_table){ .arena = a };
	map_init(&t->dirs, a);
	map_init(&t->ids, a);
}

struct run_facts *run_table_add(struct run_table *t)
{
	arena_grow(t->arena, t->list, t->count, t->cap, 64);
	run_facts_init(&t->list[t->count]);
	return &t->list[t->count++];
}

bool run_table_enter(void *table, struct str path)
{
	struct run_table *t = table;
	struct str dir = arena_copy(t->arena, path);
	bool added;
	uint64_t *is_run = map_add(&t->dirs, dir, &added);

	if (!added)
		return !*is_run;
	*is_run = run_facts_is_run(dir);
	if (!*is_run)
		return true;
	arena_grow(t->arena, t->waiting, t->wait_count, t->wait_cap, 64);
	t->waiting[t->wait_count++] = dir;
	return false;
}

void run_table_read(struct run_table *t)
{
	struct run_facts_reader *r = run_facts_open(t->arena);

	for (size_t i = 0; i < t->wait_count && !stop_signal(); i++)
		run_facts_read(r, t->waiting[i], run_table_add(t));
	t->wait_count = 0;
	run_facts_close(r);
}

/* ---- logs ---- */

size_t run_table_add_row(struct run_table *t, const struct trace_row *r)
{
	struct str id = r->trace.p ? r->trace : STR("");
	bool added;
	uint64_t *place = map_add(&t->ids, id, &added);

	if (added) {
		run_table_add(t);
		*place = t->count;
	}
	run_facts_add(&t->list[*place - 1], t->arena, r);
	return *place - 1;
}

void run_table_end_log(struct run_table *t, struct str path, const char *format)
{
	struct str name = t->log_from < t->count ? arena_copy(t->arena, path) : path;

	for (size_t i = t->log_from; i < t->count; i++) {
		t->list[i].path = name;
		t->list[i].kind = format;
		run_facts_finish(&t->list[i]);
	}
	t->log_from = t->count;
	map_init(&t->ids, t->arena);
}

/* ---- which of them ---- */

static bool run_table_has_tag(const struct run_facts *f, struct str wanted)
{
	struct str value, key = str_cut(wanted, '=', &value);

	for (size_t i = 0; i < f->tag_count; i++)
		if (str_eq(f->tags[i].key, key) && (key.n == wanted.n || str_eq(f->tags[i].value, value)))
			return true;
	return false;
}

static bool run_table_has_model(const struct run_facts *f, struct str wanted)
{
	for (size_t i = 0; i < f->models.count; i++)
		if (str_has_nocase(f->models.list[i], wanted))
			return true;
	return false;
}

bool run_table_fits(const struct run_facts *f, const struct run_table_filter *filter)
{
	for (size_t i = 0; i < filter->tag_count; i++)
		if (!run_table_has_tag(f, filter->tags[i]))
			return false;
	return (!filter->kind || str_eq(str_from(filter->kind), str_from(f->kind))) &&
	       (!filter->model.p || run_table_has_model(f, filter->model)) &&
	       (!filter->agent.p || str_has_nocase(f->agent, filter->agent) ||
		str_has_nocase(f->program, filter->agent)) &&
	       (!filter->verdict.p || str_eq(filter->verdict, str_from(f->verdict))) &&
	       (!filter->has_since || (f->has_time && f->from_us >= filter->since_us));
}

void run_table_narrow(struct run_table *t, const struct run_table_filter *filter)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++)
		if (run_table_fits(&t->list[i], filter))
			t->list[kept++] = t->list[i];
	t->count = kept;
}

/* ---- in which order ---- */

/* NaN for what is not known. */
static double run_table_key(const struct run_facts *f, enum run_table_order by)
{
	switch (by) {
	case RUN_TABLE_TOKENS:
		return figure_is_known(f->input) || figure_is_known(f->output) ?
			       (double)f->input.n + (double)f->output.n : NAN;
	case RUN_TABLE_COST:
		return amount_is_known(f->usd) ? f->usd.n : NAN;
	case RUN_TABLE_DURATION:
		return f->seconds;
	case RUN_TABLE_WHEN:
		break;
	}
	return f->has_time ? (double)f->from_us : NAN;
}

struct run_table_rank {
	double key;
	size_t place; /* equal ones stay as they are: as they were listed or found */
	bool reverse;
};

static int run_table_compare(const void *a, const void *b)
{
	const struct run_table_rank *x = a, *y = b;
	double first = x->reverse ? y->key : x->key, second = x->reverse ? x->key : y->key;

	if (isnan(x->key) || isnan(y->key))
		return isnan(x->key) && isnan(y->key) ? (x->place > y->place) - (x->place < y->place) :
			isnan(x->key)                 ? 1 : -1;
	if (first != second)
		return first < second ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

void run_table_sort(struct run_table *t, enum run_table_order by, bool reverse)
{
	struct run_table_rank *ranks = arena_array(t->arena, struct run_table_rank, t->count + 1);
	struct run_facts *sorted = arena_array(t->arena, struct run_facts, t->count + 1);

	for (size_t i = 0; i < t->count; i++)
		ranks[i] = (struct run_table_rank){ run_table_key(&t->list[i], by), i, reverse };
	qsort(ranks, t->count, sizeof(*ranks), run_table_compare);
	for (size_t i = 0; i < t->count; i++)
		sorted[i] = t->list[ranks[i].place];
	t->list = sorted;
	t->cap = t->count;
}
