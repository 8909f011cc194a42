/*
 * The rows of a waterfall: the longest nodes of a run, and how far each is indented. A tool stands below the model
 * call that asked for it, and the model call that carries its result stands where that one stood: a run is a list of
 * model calls with their tools, not a staircase. Only what runs inside a tool, the calls of a sub-agent, is further in.
 */
#include <stdlib.h>

#include "flow/profile_fold.h"

#define LEVEL_MAX 12
#define WAY_MAX 64 /* parents that are followed because they began later */

static struct profile_row *rows_of(struct profile_fold *f)
{
	return (struct profile_row *)(void *)f->rows.p;
}

static size_t row_count(const struct profile_fold *f)
{
	return f->rows.n / sizeof(struct profile_row);
}

/* Whether `a` is to go before `b`. */
static bool is_less(const struct profile_row *a, const struct profile_row *b)
{
	int64_t x = a->to_us - a->from_us, y = b->to_us - b->from_us;

	return x != y ? x < y : a->number > b->number;
}

static void swap(struct profile_row *a, struct profile_row *b)
{
	struct profile_row old = *a;

	*a = *b;
	*b = old;
}

static void sift_down(struct profile_row *rows, size_t n)
{
	size_t at = 0, least;

	while ((least = 2 * at + 1) < n) {
		if (least + 1 < n && is_less(&rows[least + 1], &rows[least]))
			least++;
		if (!is_less(&rows[least], &rows[at]))
			return;
		swap(&rows[least], &rows[at]);
		at = least;
	}
}

static void sift_up(struct profile_row *rows, size_t at)
{
	while (at > 0 && is_less(&rows[at], &rows[(at - 1) / 2])) {
		swap(&rows[at], &rows[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

void profile_rows_add(struct profile_fold *f, const struct profile_row *row)
{
	if (f->row_limit == SIZE_MAX) {
		buf_add(&f->rows, row, sizeof(*row));
	} else if (row_count(f) < f->row_limit) {
		buf_add(&f->rows, row, sizeof(*row));
		sift_up(rows_of(f), row_count(f) - 1);
	} else if (f->row_limit && is_less(&rows_of(f)[0], row)) {
		rows_of(f)[0] = *row;
		sift_down(rows_of(f), row_count(f));
	}
}

/* Of those that begin at the same time: what is asked stands first, and a branch before its calls. */
static int rank_of(const struct profile_row *r)
{
	return r->kind == AT_USER_INPUT ? 0 : r->kind == AT_BRANCH || r->kind == AT_RETRY ? 1 : 2;
}

static int compare(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;

	if (x->from_us != y->from_us)
		return x->from_us < y->from_us ? -1 : 1;
	if (rank_of(x) != rank_of(y))
		return rank_of(x) - rank_of(y);
	return x->number < y->number ? -1 : x->number > y->number;
}

/* While the levels are found: where a row's parent is, and the level of the model call that a row goes back to. */
struct standing {
	size_t parent; /* SIZE_MAX: not among the rows */
	unsigned base;
	bool done;
};

/* `base` is the level of the model call that the row goes back to; the parent, NULL for none, has its level already. */
static void set_level(struct profile_row *row, struct standing *own, const struct profile_row *parent, unsigned base)
{
	switch (row->kind) {
	case AT_MODEL_CALL:
		if (parent && parent->kind == AT_TOOL_CALL && row->from_us < parent->to_us)
			base = parent->level + 1;
		row->level = base;
		break;
	case AT_TOOL_CALL:
		row->level = !parent ? 0 : base + (parent->kind == AT_BRANCH ? 2 : 1);
		break;
	case AT_BRANCH:
	case AT_RETRY:
		row->level = parent ? base + 1 : 0;
		break;
	case AT_USER_INPUT:
	case AT_SYSTEM:
	case AT_KINDS:
		row->level = base;
		break;
	}
	row->level = row->level < LEVEL_MAX ? row->level : LEVEL_MAX;
	own->base = base < LEVEL_MAX ? base : LEVEL_MAX;
	own->done = true;
}

/* A parent may begin later than what it led to, by a few microseconds or by mistake: it comes first all the same. */
static void find_level(struct profile_row *rows, struct standing *places, size_t at)
{
	size_t way[WAY_MAX], depth = 0;

	while (at != SIZE_MAX && !places[at].done && depth < WAY_MAX) {
		way[depth++] = at;
		places[at].done = true; /* against circles */
		at = places[at].parent;
	}
	while (depth > 0) {
		size_t i = way[--depth], parent = places[i].parent;

		set_level(&rows[i], &places[i], parent == SIZE_MAX ? NULL : &rows[parent],
			  parent == SIZE_MAX ? 0 : places[parent].base);
	}
}

/* Calls of one fan-out between the same two moments: the time stands at the first of them. */
static bool is_same(const struct profile_row *above, const struct profile_row *row)
{
	return above->kind == row->kind && above->length == TRACE_LENGTH_AT_MOST && row->length == above->length &&
	       above->from_us == row->from_us && above->to_us == row->to_us && row->to_us > row->from_us;
}

void profile_rows_finish(struct profile_fold *f)
{
	struct profile_row *rows = rows_of(f);
	size_t n = row_count(f);
	struct standing *places = arena_array(f->out->arena, struct standing, n + 1);
	struct map ids;

	if (n)
		qsort(rows, n, sizeof(*rows), compare);
	map_init(&ids, f->out->arena);
	for (size_t i = 0; i < n; i++)
		*map_add(&ids, str_of(&rows[i].id, sizeof(rows[i].id)), &(bool){ false }) = i;
	for (size_t i = 0; i < n; i++) {
		uint64_t *at = map_find(&ids, str_of(&rows[i].parent, sizeof(rows[i].parent)));

		places[i].parent = at && rows[i].has_parent ? *at : SIZE_MAX;
	}
	for (size_t i = 0; i < n; i++)
		find_level(rows, places, i);
	for (size_t i = 1; i < n; i++)
		rows[i].same = is_same(&rows[i - 1], &rows[i]);
	f->out->rows = arena_array(f->out->arena, struct profile_row, n + 1);
	if (n)
		memcpy(f->out->rows, rows, n * sizeof(*rows));
	f->out->row_count = n;
}
