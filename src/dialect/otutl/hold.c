/* A binary heap of copies, by seq and then by arrival. */
#include "dialect/otutl/hold.h"

#include <assert.h>

#include "base/utf8.h"

#define LINE_KEPT 1024 /* a line up to this length is kept, to be shown with a finding */

static struct otutl_held *heap(const struct otutl_hold *h)
{
	return (struct otutl_held *)(void *)h->heap.p;
}

size_t otutl_hold_count(const struct otutl_hold *h)
{
	return h->heap.n / sizeof(struct otutl_held);
}

void otutl_hold_init(struct otutl_hold *h)
{
	*h = (struct otutl_hold){ .arrivals = 0 };
}

void otutl_hold_free(struct otutl_hold *h)
{
	for (size_t i = 0; i < otutl_hold_count(h); i++)
		otutl_held_free(&heap(h)[i]);
	buf_free(&h->heap);
}

static bool comes_before(const struct otutl_held *a, const struct otutl_held *b)
{
	return a->record.seq != b->record.seq ? a->record.seq < b->record.seq : a->order < b->order;
}

static void swap(struct otutl_held *a, struct otutl_held *b)
{
	struct otutl_held t = *a;

	*a = *b;
	*b = t;
}

static size_t footprint(const struct otutl_held *held)
{
	return sizeof(*held) + held->bytes.cap;
}

/* The line will be gone: what would have been counted in it is counted now. */
static void count_columns(struct otutl_record *r)
{
	for (int place = OTUTL_AT_RECORD + 1; place < OTUTL_PLACES; place++)
		if (r->at[place])
			r->column[place] = (uint32_t)utf8_count(str_of(r->text.p, r->at[place])) + 1;
}

void otutl_hold_add(struct otutl_hold *h, struct otutl_view v)
{
	struct otutl_held held = { .record = *v.record, .order = h->arrivals++ };
	size_t i = otutl_hold_count(h);

	buf_add(&held.bytes, v.holes, v.record->hole_count * sizeof(*v.holes));
	buf_add_str(&held.bytes, v.canon);
	buf_add_str(&held.bytes, v.proj);
	buf_add_str(&held.bytes, v.record->call_id);
	count_columns(&held.record);
	if (v.record->text.n <= LINE_KEPT)
		buf_add_str(&held.bytes, v.record->text);
	else
		held.record.text = STR("");
	if (held.bytes.n) {
		held.record.text.p = held.bytes.p + held.bytes.n - held.record.text.n;
		held.record.call_id.p = held.record.text.p - held.record.call_id.n;
	}
	h->bytes += footprint(&held);
	buf_add(&h->heap, &held, sizeof(held));
	for (; i > 0 && comes_before(&heap(h)[i], &heap(h)[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&heap(h)[i], &heap(h)[(i - 1) / 2]);
}

const struct otutl_record *otutl_hold_first(const struct otutl_hold *h)
{
	return h->heap.n ? &heap(h)[0].record : NULL;
}

struct otutl_held otutl_hold_take(struct otutl_hold *h)
{
	size_t count = otutl_hold_count(h) - 1, i = 0, child;
	struct otutl_held first;

	assert(h->heap.n > 0);
	first = heap(h)[0];
	heap(h)[0] = heap(h)[count];
	h->heap.n -= sizeof(struct otutl_held);
	h->bytes -= footprint(&first);
	while ((child = 2 * i + 1) < count) {
		if (child + 1 < count && comes_before(&heap(h)[child + 1], &heap(h)[child]))
			child++;
		if (!comes_before(&heap(h)[child], &heap(h)[i]))
			break;
		swap(&heap(h)[child], &heap(h)[i]);
		i = child;
	}
	return first;
}

struct otutl_view otutl_held_view(const struct otutl_held *held)
{
	const struct otutl_record *r = &held->record;
	size_t at = r->hole_count * sizeof(struct otutl_hole);
	const char *p = held->bytes.p;

	if (!p)
		return (struct otutl_view){ .record = r };
	return (struct otutl_view){
		.record = r,
		.holes = (const struct otutl_hole *)(const void *)p,
		.canon = str_of(p + at, r->canon_n),
		.proj = str_of(p + at + r->canon_n, r->proj_n),
	};
}

void otutl_held_free(struct otutl_held *held)
{
	buf_free(&held->bytes);
}
