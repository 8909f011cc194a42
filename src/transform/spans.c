#include "transform/spans.h"

#include <stdlib.h>

void spans_init(struct spans *s)
{
	buf_init(&s->list);
	s->joined = false;
}

void spans_free(struct spans *s)
{
	buf_free(&s->list);
}

size_t spans_count(const struct spans *s)
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
	size_t low = 0, high = spans_count(s), step = 1;

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
	size_t n = spans_count(s), kept = 0;
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

void spans_add(struct spans *s, int64_t from, int64_t to)
{
	size_t n = spans_count(s), first = find_first(s, from), last = first;
	struct span new = { from, to, to - from };
	struct span *list;

	if (to < from)
		return;
	list = all_of(s);
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
	if (spans_count(s) >= SPANS_MAX)
		join(s);
}
