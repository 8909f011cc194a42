#include "model/history.h"

#include <assert.h>

#define TALKS 16 /* conversations kept; a bit for each in a mask */
_Static_assert(TALKS <= 32, "a mask has 32 bits");

struct talk {
	uint64_t *digests;
	size_t count, cap;
	bool answered;
	uint64_t used; /* when it was last told; 0: free */
};

struct history {
	struct talk talks[TALKS];
	struct talk now;      /* the request at hand */
	uint32_t same;        /* talks that the request has followed so far, word by word */
	uint32_t answering;   /* talks that it has followed to their end, and is telling the answer of */
	uint32_t followed;    /* talks that it has followed to their end when its first new message came */
	bool open, parted;    /* a request is at hand; it has something new */
	uint64_t clock;
	int answer_to;        /* the talk of the latest request, -1 when there is none */
};

struct history *history_open(void)
{
	struct history *h = mem_alloc(sizeof(*h));

	*h = (struct history){ .answer_to = -1 };
	return h;
}

void history_close(struct history *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < TALKS; i++)
		mem_free(h->talks[i].digests);
	mem_free(h->now.digests);
	mem_free(h);
}

void history_reset(struct history *h)
{
	for (size_t i = 0; i < TALKS; i++) {
		h->talks[i].count = 0;
		h->talks[i].answered = false;
		h->talks[i].used = 0;
	}
	h->now.count = 0;
	h->open = false;
	h->answer_to = -1;
}

bool history_is_empty(const struct history *h)
{
	for (size_t i = 0; i < TALKS; i++)
		if (h->talks[i].used)
			return false;
	return true;
}

static void add_digest(struct talk *t, uint64_t digest)
{
	mem_grow(t->digests, t->count, t->cap, 32);
	t->digests[t->count++] = digest;
}

void history_begin(struct history *h)
{
	if (h->open)
		history_end(h);
	h->now.count = 0;
	h->same = h->answering = h->followed = 0;
	for (size_t i = 0; i < TALKS; i++)
		if (h->talks[i].used)
			h->same |= 1u << i;
	h->open = true;
	h->parted = false;
}

/* Which of the talks are told to their end at this place. */
static uint32_t ended_at(const struct history *h, uint32_t talks, size_t place)
{
	uint32_t ended = 0;

	for (size_t i = 0; i < TALKS; i++)
		if (talks >> i & 1 && h->talks[i].count == place)
			ended |= 1u << i;
	return ended;
}

enum history_repeated history_next(struct history *h, uint64_t digest, bool said)
{
	size_t place;
	uint32_t same = 0, answering = 0;

	if (!h->open)
		history_begin(h);
	place = h->now.count;
	add_digest(&h->now, digest);
	if (h->parted)
		return HISTORY_NEW;
	for (size_t i = 0; i < TALKS; i++) {
		const struct talk *t = &h->talks[i];

		if (h->same >> i & 1 && place < t->count && t->digests[place] == digest)
			same |= 1u << i;
		if (said && t->answered && (h->answering >> i & 1 || (h->same >> i & 1 && place == t->count)))
			answering |= 1u << i;
	}
	if (!same && !answering) {
		h->followed = h->answering | ended_at(h, h->same, place);
		h->parted = true;
		return HISTORY_NEW;
	}
	h->same = same;
	h->answering = answering;
	return same ? HISTORY_KNOWN : HISTORY_ANSWER;
}

bool history_is_continued(const struct history *h)
{
	return h->parted && h->followed != 0;
}

/* The talk that the request goes on with, or the place of a new one: a free one, or that of the oldest. */
static struct talk *find_place(struct history *h)
{
	struct talk *oldest = &h->talks[0];

	if (!h->parted)
		h->followed = h->answering | ended_at(h, h->same, h->now.count);
	for (size_t i = 0; i < TALKS; i++) {
		if (h->followed >> i & 1)
			return &h->talks[i];
		if (h->talks[i].used < oldest->used)
			oldest = &h->talks[i];
	}
	return oldest;
}

void history_end(struct history *h)
{
	struct talk *t, old;

	if (!h->open || h->now.count == 0) {
		h->open = false;
		return;
	}
	t = find_place(h);
	assert(t >= h->talks && t < h->talks + TALKS);
	old = *t;
	*t = h->now;
	t->used = ++h->clock;
	t->answered = false;
	h->now = old;
	h->now.count = 0;
	h->open = false;
	h->answer_to = (int)(t - h->talks);
}

void history_answer(struct history *h)
{
	history_end(h);
	if (h->answer_to >= 0)
		h->talks[h->answer_to].answered = true;
}

uint64_t history_digest(struct str canonical)
{
	return str_hash(canonical);
}
