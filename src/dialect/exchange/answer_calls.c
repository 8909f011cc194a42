/*
 * Calls are compared by digests of id and name, from the latest back, since pieces mostly go on with the call that
 * came last.
 */
#include "dialect/exchange/answer_calls.h"

#include <assert.h>

static uint64_t answer_calls_digest_of(struct str text)
{
	return text.n ? str_hash(text) | 1 : 0;
}

static uint64_t digest_id(struct str id)
{
	return answer_calls_digest_of(str_of(id.p, id.n < ANSWER_ID ? id.n : ANSWER_ID));
}

/* What is known of the call that an event tells of. */
static struct answer_call mark_of(const struct event *e)
{
	return (struct answer_call){
		.index = e->index,
		.branch = e->branch.p ? str_hash(e->branch) : 0,
		.id = digest_id(e->call),
		.tool = answer_calls_digest_of(e->tool),
	};
}

/* By ids where both have one; else only a piece goes on with the latest call at its index. */
static size_t answer_calls_find_call(const struct answer_calls *c, const struct event *e,
				     const struct answer_call *m)
{
	bool piece = (e->flags & EVENT_PIECE) && e->index >= 0 && !e->args.p;

	for (size_t i = c->count; i-- > 0;) {
		const struct answer_call *k = &c->marks[i];
		bool other = k->tool && m->tool && k->tool != m->tool;

		if (m->id && k->id) {
			if (m->id == k->id && !other)
				return i;
		} else if (piece && k->index == m->index && k->branch == m->branch) {
			return other ? ANSWER_CALL_NONE : i; /* the latest at this index is the one that goes on */
		}
	}
	return ANSWER_CALL_NONE;
}

/* A piece with neither id nor name, and no call to go on with, tells of none. */
size_t answer_calls_add(struct answer_calls *c, struct arena *a, const struct event *e, unsigned *news)
{
	struct answer_call m = mark_of(e);
	size_t at = answer_calls_find_call(c, e, &m);

	*news = 0;
	if (at == ANSWER_CALL_NONE) {
		if (!m.id && !m.tool)
			return ANSWER_CALL_NONE;
		if (c->count == ANSWER_CALLS) {
			*news = ANSWER_CALL_FULL;
			return ANSWER_CALL_NONE;
		}
		assert(c->count < ANSWER_CALLS);
		arena_grow(a, c->marks, c->count, c->cap, 8);
		at = c->count++;
		c->marks[at] = (struct answer_call){ .index = m.index, .branch = m.branch };
		*news = ANSWER_CALL_NEW;
	}
	if (!c->marks[at].id && m.id) {
		c->marks[at].id = m.id;
		*news |= ANSWER_CALL_ID;
	}
	if (!c->marks[at].tool && m.tool) {
		c->marks[at].tool = m.tool;
		*news |= ANSWER_CALL_NAME;
	}
	return at;
}

void answer_calls_answer(struct answer_calls *c, struct str id)
{
	uint64_t digest = digest_id(id);

	for (size_t i = 0; i < c->count && digest; i++)
		if (c->marks[i].id == digest)
			c->marks[i].answered = true;
}
