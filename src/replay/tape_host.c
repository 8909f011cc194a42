/* Asks the player, and lets the alarms rest when nobody is served. */
#include "replay/tape_host.h"

#include <assert.h>

#include "base/clock.h"

#define LINGER_MS 10000

bool tape_host_ask(struct tape_host *h, struct arena *a, const struct match_question *q, const struct tape_line **line,
		   struct str *answer, struct str *why)
{
	struct match_result result = { .tier = MATCH_MISS };

	if (!h->o.ops->ask(h->o.context, a, q, &result, why))
		return false;
	assert(result.entry && result.entry->own);
	*line = result.entry->own;
	*answer = (*line)->http.answer.bytes;
	if (h->o.ops->translate && answer->n)
		*answer = h->o.ops->translate(h->o.context, a, q, result.entry, *answer);
	return true;
}

void tape_host_note(struct tape_host *h, const struct match_question *q, const char *sentence)
{
	struct divergence d = { .class = DIVERGENCE_PROTOCOL, .seq = -1, .lane = q->lane,
				.sentence = str_from(sentence) };

	if (h->o.ops->note)
		h->o.ops->note(h->o.context, &d);
}

uint64_t tape_host_begun(const struct tape_host *h, const struct request *q)
{
	uint64_t came = h->o.pace->speed > 0 ? request_came_ns(q) : 0;

	return came ? came : clock_mono_ns();
}

uint64_t tape_host_patience(const struct tape_host *h)
{
	return clock_mono_ns() + (uint64_t)(h->o.linger_ms ? h->o.linger_ms : LINGER_MS) * 1000000;
}

void tape_host_enter(struct tape_host *h)
{
	h->count++;
}

void tape_host_leave(struct tape_host *h)
{
	assert(h->count > 0);
	h->count--;
	if (h->count == 0)
		alarms_rest(h->alarms);
}
