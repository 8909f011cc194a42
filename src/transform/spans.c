/*
 * A sorted list to which intervals near its end are added in place, and an unsorted one of those that come late, which
 * is merged in when it has grown to half of the other: so adding costs little on average, whatever the order is.
 */
#include "transform/spans.h"

#include <assert.h>
#include <stdlib.h>

#define SPANS_NEAR 64   /* from the end: what falls in here is put in at once */
#define SPANS_LATE 1024 /* at least so many wait before they are sorted in */

void spans_init(struct spans *s)
{
	buf_init(&s->list);
	buf_init(&s->late);
	s->joined = false;
}

void spans_free(struct spans *s)
{
	buf_free(&s->list);
	buf_free(&s->late);
}

size_t spans_count(const struct spans *s)
{
	assert(s->late.n == 0);
	return s->list.n / sizeof(struct span);
}

static size_t list_count(const struct spans *s)
{
	return s->list.n / sizeof(struct span);
}

/* A buffer's memory comes from the heap and is aligned for anything. */
static struct span *all_of(const struct spans *s)
{
	return (struct span *)(void *)s->list.p;
}

const struct span *spans_at(const struct spans *s, size_t i)
{
	return all_of(s) + i;
}

int64_t spans_sum(const struct spans *s)
{
	int64_t sum = 0;

	for (size_t i = 0; i < spans_count(s); i++)
		sum += spans_at(s, i)->covered;
	return sum;
}

/* The first that ends at `at` or later; mostly the last, so it is looked for from the end. */
static size_t find_first(const struct spans *s, int64_t at)
{
	size_t low = 0, high = list_count(s), step = 1;

	while (high > low && step <= high - low && all_of(s)[high - step].to >= at) {
		high -= step;
		step *= 2;
	}
	low = high > step ? high - step : 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all_of(s)[middle].to < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Half of the gaps go, the smallest. */
static void join(struct spans *s)
{
	struct span *list = all_of(s);
	size_t n = list_count(s), kept = 0;
	struct buf gaps;
	int64_t limit;

	buf_init(&gaps);
	for (size_t i = 1; i < n; i++) {
		int64_t gap = list[i].from - list[i - 1].to;

		buf_add(&gaps, &gap, sizeof(gap));
	}
	qsort(gaps.p, n - 1, sizeof(int64_t), compare);
	memcpy(&limit, gaps.p + (n / 2) * sizeof(limit), sizeof(limit));
	buf_free(&gaps);
	for (size_t i = 1; i < n; i++) {
		if (list[i].from - list[kept].to <= limit) {
			list[kept].to = list[i].to;
			list[kept].covered += list[i].covered;
		} else {
			list[++kept] = list[i];
		}
	}
	s->list.n = (kept + 1) * sizeof(*list);
	s->joined = true;
}

static int64_t min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* How much of one that is not covered throughout an interval adds: gaps may lie anywhere in it. */
static int64_t added(const struct span *old, int64_t from, int64_t to)
{
	int64_t inside = min(to, old->to) - max(from, old->from), length = old->to - old->from;
	double share = length ? (double)(length - old->covered) / (double)length : 0;

	return (int64_t)((double)inside * share);
}

/* Puts one into the list, where `first` is the first span that ends at its begin or later. */
static void put_in(struct spans *s, size_t first, int64_t from, int64_t to)
{
	size_t n = list_count(s), last = first;
	struct span new = { from, to, to - from };
	struct span *list = all_of(s);

	for (; last < n && list[last].from <= to; last++) {
		int64_t inside = min(to, list[last].to) - max(from, list[last].from);

		new.covered += list[last].covered - inside + added(&list[last], from, to);
		new.from = min(new.from, list[last].from);
		new.to = max(new.to, list[last].to);
	}
	if (last == first) {
		buf_reserve(&s->list, sizeof(new));
		list = all_of(s);
		memmove(list + first + 1, list + first, (n - first) * sizeof(*list));
		s->list.n += sizeof(new);
	} else {
		memmove(list + first + 1, list + last, (n - last) * sizeof(*list));
		s->list.n -= (last - first - 1) * sizeof(new);
	}
	list[first] = new;
	assert(first == 0 || list[first - 1].to < new.from); /* pieces do not touch */
	if (list_count(s) >= SPANS_MAX)
		join(s);
}

/* For sorting and merging; append needs begins that do not go back. */
static int by_from(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

/* 1 for a piece without gaps, and for one without length. */
static double share_covered(const struct span *s)
{
	return s->to > s->from ? (double)s->covered / (double)(s->to - s->from) : 1;
}

/* Adds one that begins no earlier than all that are there. */
static void append(struct buf *list, const struct span *new)
{
	struct span *last = list->n ? (struct span *)(void *)(list->p + list->n) - 1 : NULL;
	int64_t inside;

	if (!last || new->from > last->to) {
		buf_add(list, new, sizeof(*new));
		return;
	}
	inside = min(new->to, last->to) - new->from;
	last->covered += new->covered - (int64_t)((double)inside * share_covered(last) * share_covered(new));
	last->to = max(last->to, new->to);
	last->covered = min(last->covered, last->to - last->from);
}

void spans_settle(struct spans *s)
{
	struct span *late = (struct span *)(void *)s->late.p, *list = all_of(s);
	size_t late_n = s->late.n / sizeof(*late), n = list_count(s), i = 0, j = 0;
	struct buf merged;

	if (late_n == 0)
		return;
	qsort(late, late_n, sizeof(*late), by_from);
	buf_init(&merged);
	while (i < n || j < late_n) {
		bool old = j == late_n || (i < n && by_from(&list[i], &late[j]) <= 0);

		append(&merged, old ? &list[i++] : &late[j++]);
	}
	buf_free(&s->list);
	s->list = merged;
	buf_clear(&s->late);
	while (list_count(s) >= SPANS_MAX)
		join(s);
}

void spans_add(struct spans *s, int64_t from, int64_t to)
{
	size_t first = find_first(s, from), n = list_count(s);
	struct span new = { from, to, to - from };

	if (to < from)
		return;
	if (n - first <= SPANS_NEAR) {
		put_in(s, first, from, to);
		return;
	}
	buf_add(&s->late, &new, sizeof(new));
	if (s->late.n / sizeof(new) >= SPANS_LATE + n / 2)
		spans_settle(s);
}
