/* Open addressing over the keys themselves: they are digests already. The open calls are a list beside the table. */
#include "dialect/otutl/calls.h"

#include <assert.h>
#include <stdlib.h>

#include "base/utf8.h"

#define FIRST_CAP 64
#define KEEP_CAP 4096 /* slots that survive a clear; a larger table is given back */

static struct otutl_id *slots(const struct otutl_calls *c)
{
	return (struct otutl_id *)(void *)c->slots.p;
}

static struct otutl_open *otutl_calls_opens(const struct otutl_calls *c)
{
	return (struct otutl_open *)(void *)c->open.p;
}

static size_t open_count(const struct otutl_calls *c)
{
	return c->open.n / sizeof(struct otutl_open);
}

/* Does not free the table before; zeros are free slots. */
static void make_slots(struct otutl_calls *c, size_t cap)
{
	c->slots = (struct buf){ 0 };
	memset(buf_reserve(&c->slots, cap * sizeof(struct otutl_id)), 0, cap * sizeof(struct otutl_id));
	c->cap = cap;
	c->count = 0;
}

void otutl_calls_init(struct otutl_calls *c)
{
	make_slots(c, FIRST_CAP);
	buf_init(&c->open);
}

void otutl_calls_free(struct otutl_calls *c)
{
	buf_free(&c->open);
	buf_free(&c->slots);
}

void otutl_calls_clear(struct otutl_calls *c)
{
	buf_clear(&c->open);
	if (c->cap > KEEP_CAP) {
		buf_free(&c->slots);
		make_slots(c, FIRST_CAP);
	}
	memset(c->slots.p, 0, c->cap * sizeof(struct otutl_id));
	c->count = 0;
}

static bool is_free(const struct otutl_id *id)
{
	return (id->key.a | id->key.b) == 0;
}

/* Keys are digests: any of their bits are as good as a hash. */
static struct otutl_id *otutl_calls_find_slot(const struct otutl_calls *c, struct otutl_key key)
{
	size_t i = (size_t)key.a & (c->cap - 1);

	assert((key.a | key.b) != 0); /* that is a free slot */
	assert(c->cap > 0 && (c->cap & (c->cap - 1)) == 0 && c->count < c->cap); /* so the walk ends */
	while (!is_free(&slots(c)[i]) && (slots(c)[i].key.a != key.a || slots(c)[i].key.b != key.b))
		i = (i + 1) & (c->cap - 1);
	return &slots(c)[i];
}

/* Pointers to entries do not survive this; open calls are known by number, so they do. */
static void otutl_calls_grow(struct otutl_calls *c)
{
	struct otutl_calls old = *c;

	make_slots(c, old.cap * 2);
	for (size_t i = 0; i < old.cap; i++)
		if (!is_free(&slots(&old)[i]))
			*otutl_calls_find_slot(c, slots(&old)[i].key) = slots(&old)[i];
	c->count = old.count;
	buf_free(&old.slots);
}

struct otutl_id *otutl_calls_find(const struct otutl_calls *c, struct otutl_key key)
{
	struct otutl_id *id = otutl_calls_find_slot(c, key);

	return is_free(id) ? NULL : id;
}

struct otutl_id *otutl_calls_add(struct otutl_calls *c, struct otutl_key key)
{
	struct otutl_id *id = otutl_calls_find_slot(c, key);

	if (!is_free(id))
		return id;
	if ((c->count + 1) * 4 > c->cap * 3) {
		otutl_calls_grow(c);
		id = otutl_calls_find_slot(c, key);
	}
	id->key = key;
	c->count++;
	return id;
}

void otutl_calls_open(struct otutl_calls *c, struct otutl_id *id, const struct otutl_record *call)
{
	struct otutl_open *open;

	assert(id->state < OTUTL_OPEN);
	id->state = OTUTL_OPEN + (uint32_t)open_count(c);
	open = (struct otutl_open *)(void *)buf_reserve(&c->open, sizeof(*open));
	c->open.n += sizeof(*open);
	open->key = id->key;
	open->id_n = utf8_cut(call->call_id, OTUTL_OPEN_SHOWN).n;
	memcpy(open->id, call->call_id.p, open->id_n);
	otutl_spot_keep(&open->spot, call, OTUTL_AT_CALL_ID);
}

void otutl_calls_close(struct otutl_calls *c, struct otutl_id *id)
{
	size_t i = id->state - OTUTL_OPEN, last = open_count(c) - 1;

	assert(id->state >= OTUTL_OPEN);
	if (i != last) {
		otutl_calls_opens(c)[i] = otutl_calls_opens(c)[last];
		otutl_calls_find_slot(c, otutl_calls_opens(c)[i].key)->state = id->state;
	}
	c->open.n -= sizeof(struct otutl_open);
	id->state = OTUTL_CLOSED;
}

static int by_line(const void *a, const void *b)
{
	uint64_t x = ((const struct otutl_open *)a)->spot.at.line, y = ((const struct otutl_open *)b)->spot.at.line;

	return (x > y) - (x < y);
}

const struct otutl_open *otutl_calls_sort_open(struct otutl_calls *c, size_t *count)
{
	*count = open_count(c);
	if (*count > 1)
		qsort(otutl_calls_opens(c), *count, sizeof(struct otutl_open), by_line);
	for (size_t i = 0; i < *count; i++)
		otutl_calls_find_slot(c, otutl_calls_opens(c)[i].key)->state = OTUTL_OPEN + (uint32_t)i;
	return otutl_calls_opens(c);
}
