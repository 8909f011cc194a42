/*
 * What both engines do alike: the list of calls under way, answers that are known before anything was asked, and the
 * times of pieces. A call is told of such an answer from a timer, since `done` is never called from inside ask.
 */
#include <assert.h>

#include "provider/provider_row.h"

void provider_shared_init(struct provider_shared *s, uv_loop_t *loop)
{
	s->loop = loop;
	s->first = NULL;
	answer_parser_init(&s->parser);
	uv_timer_init(loop, &s->soon);
	s->soon.data = s;
}

void provider_shared_end(struct provider_shared *s)
{
	while (s->first)
		s->first->engine->cancel(s->first, NULL);
	uv_close((uv_handle_t *)&s->soon, NULL);
}

void provider_call_begin(struct provider_call *c, struct provider_client *client, const struct provider_question *q,
			 void (*done)(void *own, const struct provider_answer *answer), void *own)
{
	struct provider_shared *s = client->shared;

	*c = (struct provider_call){
		.engine = client->engine,
		.client = client,
		.done = done,
		.own = own,
		.next = s->first,
		.arrivals = c->arrivals,
		.arrival_cap = c->arrival_cap,
		.keep_arrivals = q->arrivals,
		.a = { .status = PROVIDER_OK, .retry_after_ms = -1, .message = STR(""), .text = STR("") },
	};
	if (s->first)
		s->first->prev = c;
	s->first = c;
}

void provider_call_unlink(struct provider_call *c)
{
	struct provider_shared *s = c->client->shared;

	assert(!c->over && (c->prev || s->first == c)); /* under way, and so in the list */
	c->over = true;
	if (c->prev)
		c->prev->next = c->next;
	else
		s->first = c->next;
	if (c->next)
		c->next->prev = c->prev;
}

void provider_call_keep_arrival(struct provider_call *c, uint64_t ns)
{
	mem_grow(c->arrivals, c->a.arrival_count, c->arrival_cap, 64);
	c->arrivals[c->a.arrival_count++] = ns;
}

/* Begins again after each that was told: its `done` may have changed the list in any way. */
static void engine_finish_known(uv_timer_t *t)
{
	struct provider_shared *s = t->data;

	for (struct provider_call *c = s->first; c;) {
		struct provider_call *next = c->next;
		bool known = c->known;

		if (known)
			c->engine->finish(c);
		c = known ? s->first : next; /* the one who was told may have asked, or cancelled */
	}
}

void provider_call_finish_soon(struct provider_call *c)
{
	struct provider_shared *s = c->client->shared;

	c->known = true;
	uv_timer_start(&s->soon, engine_finish_known, 0, 0);
}
