/*
 * The table of calls.h knows each id by its key; the texts of open calls lie in one buffer that is packed when it is
 * mostly of closed ones.
 */
#include "dialect/otutl/pairs.h"

#include <assert.h>

#define SLACK ((size_t)64 << 10) /* text of closed calls that is not worth clearing away */

void otutl_pairs_init(struct otutl_pairs *p)
{
	*p = (struct otutl_pairs){ .open = NULL };
	otutl_calls_init(&p->ids);
}

void otutl_pairs_free(struct otutl_pairs *p)
{
	otutl_calls_free(&p->ids);
	buf_free(&p->text);
	mem_free(p->open);
}

void otutl_pairs_clear(struct otutl_pairs *p)
{
	otutl_calls_clear(&p->ids);
	buf_clear(&p->text);
	p->count = p->live = 0;
}

bool otutl_pairs_open(struct otutl_pairs *p, struct str id)
{
	struct otutl_key key = otutl_key_of(id);
	struct otutl_id *slot = otutl_calls_add(&p->ids, key);

	if (slot->state != OTUTL_ID_ONLY)
		return false;
	mem_grow(p->open, p->count, p->cap, 16);
	slot->state = OTUTL_OPEN + (uint32_t)p->count;
	p->open[p->count++] = (struct otutl_waiting){ key, p->text.n, id.n };
	p->live += id.n;
	buf_add_str(&p->text, id);
	return true;
}

enum otutl_pair otutl_pairs_find(const struct otutl_pairs *p, struct str id)
{
	const struct otutl_id *slot = otutl_calls_find(&p->ids, otutl_key_of(id));

	if (!slot || slot->state == OTUTL_ID_ONLY)
		return OTUTL_PAIR_NONE;
	return slot->state >= OTUTL_OPEN ? OTUTL_PAIR_OPEN : OTUTL_PAIR_CLOSED;
}

/* Keeps the text of open calls only, when most of it is of others. */
static void tidy(struct otutl_pairs *p)
{
	struct buf kept = { 0 };

	if (p->count == 0)
		buf_clear(&p->text);
	if (p->text.n < SLACK || p->text.n / 4 < p->live)
		return;
	for (size_t i = 0; i < p->count; i++) {
		size_t at = kept.n;

		buf_add_str(&kept, otutl_pairs_get(p, i));
		p->open[i].at = at;
	}
	buf_free(&p->text);
	p->text = kept;
}

void otutl_pairs_close(struct otutl_pairs *p, struct str id)
{
	struct otutl_id *slot = otutl_calls_find(&p->ids, otutl_key_of(id));
	size_t i;

	assert(slot && slot->state >= OTUTL_OPEN);
	i = slot->state - OTUTL_OPEN;
	slot->state = OTUTL_CLOSED;
	p->live -= p->open[i].n;
	p->open[i] = p->open[--p->count];
	if (i < p->count)
		otutl_calls_find(&p->ids, p->open[i].key)->state = OTUTL_OPEN + (uint32_t)i;
	tidy(p);
}

struct str otutl_pairs_get(const struct otutl_pairs *p, size_t i)
{
	assert(i < p->count);
	return str_of(p->text.p + p->open[i].at, p->open[i].n);
}
