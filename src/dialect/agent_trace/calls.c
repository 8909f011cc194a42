/* Holds events back until the calls of a step are known, and hands them on in their order. */
#include "dialect/agent_trace/calls.h"

#include <assert.h>

#include "base/num.h"
#include "json/text.h"
#include "model/calls.h"

#define HALF 256                      /* events; half of those that may wait */
#define BYTES_MAX ((size_t)4 << 20)   /* of them: then all go on */

struct waiting_event {
	struct event *e;
	struct buf ids; /* STEP: of its calls, joined by commas */
};

/* Events of each half live in an arena of their own, which is reset when that half has gone. */
struct trace_calls {
	struct arena arenas[2];
	unsigned older;
	struct waiting_event events[2 * HALF];
	size_t count;
	struct calls known; /* ids of the run, as the assembler will find them */
};

struct trace_calls *trace_calls_open(void)
{
	struct trace_calls *c = mem_alloc(sizeof(*c));

	memset(c, 0, sizeof(*c));
	arena_init(&c->arenas[0]);
	arena_init(&c->arenas[1]);
	calls_init(&c->known);
	return c;
}

void trace_calls_close(struct trace_calls *c)
{
	for (size_t i = 0; i < 2 * HALF; i++)
		buf_free(&c->events[i].ids);
	arena_free(&c->arenas[0]);
	arena_free(&c->arenas[1]);
	calls_free(&c->known);
	mem_free(c);
}

/* Gives one event away, a step with the list of its calls. */
static bool release_event(struct waiting_event *w, struct assemble *as, struct err *err)
{
	if (w->ids.n) {
		buf_add_byte(&w->ids, ']');
		w->e->calls = buf_str(&w->ids);
	}
	if (!assemble_add(as, w->e, err))
		return false;
	buf_clear(&w->ids);
	return true;
}

static bool release_all(struct trace_calls *c, struct assemble *as, struct err *err)
{
	for (size_t i = 0; i < c->count; i++)
		if (!release_event(&c->events[i], as, err))
			return false;
	c->count = 0;
	arena_reset(&c->arenas[0]);
	arena_reset(&c->arenas[1]);
	return true;
}

/* The older half goes to the assembler. The newer one moves to its place and keeps its arena. */
static bool release_half(struct trace_calls *c, struct assemble *as, struct err *err)
{
	for (size_t i = 0; i < HALF; i++) {
		struct waiting_event gone = c->events[i];

		if (!release_event(&c->events[i], as, err))
			return false;
		gone.ids = c->events[i].ids; /* its memory serves another */
		c->events[i] = c->events[HALF + i];
		c->events[HALF + i] = gone;
	}
	arena_reset(&c->arenas[c->older]);
	c->older = !c->older;
	c->count -= HALF;
	return true;
}

/* The id that the assembler will give a call; p NULL when it will say that it knows this one already. */
static struct str trace_call_name(struct trace_calls *c, struct arena *a, const struct event *e)
{
	uint32_t step = (uint32_t)str_hash(e->step) | 1;
	struct call_trace *t = calls_find_trace(&c->known, e->call);
	char digits[NUM_U64_MAX];
	struct str name = e->call;

	if (t && e->step.p && t->step == step)
		return str_of(NULL, 0);
	t = calls_note(&c->known, e->call);
	t->step = step;
	if (t->times < 2)
		return name;
	for (uint32_t times = t->times;; times++) {
		name = ARENA_JOIN(a, e->call, STR("#"), str_of(digits, num_format_u64(digits, times)));
		if (!calls_find_trace(&c->known, name)) {
			calls_find_trace(&c->known, e->call)->times = times;
			calls_note(&c->known, name);
			return name;
		}
	}
}

/* Adds the id to the list of the step that asked for it, if that still waits; else only the call names its step. */
static void list_call(struct trace_calls *c, const struct event *e, struct str name)
{
	for (size_t i = c->count; i-- > 0;) {
		struct waiting_event *w = &c->events[i];

		if (w->e->kind != EVENT_STEP || !str_eq(w->e->step, e->step))
			continue;
		buf_add_byte(&w->ids, w->ids.n ? ',' : '[');
		text_quote(&w->ids, name);
		return;
	}
}

bool trace_calls_add(struct trace_calls *c, const struct event *e, struct assemble *as, struct err *err)
{
	struct arena *a;

	if (e->kind == EVENT_RUN_START && !trace_calls_end(c, as, err))
		return false;
	if (c->count == 2 * HALF && !release_half(c, as, err))
		return false;
	if (c->arenas[0].used + c->arenas[1].used > BYTES_MAX && !release_all(c, as, err))
		return false;
	a = &c->arenas[c->count < HALF ? c->older : !c->older];
	if (e->kind == EVENT_CALL && e->call.n) {
		struct str name = trace_call_name(c, a, e);

		if (name.p && e->step.p)
			list_call(c, e, name);
	}
	assert(c->count < 2 * HALF);
	c->events[c->count++].e = event_copy(a, e);
	return true;
}

bool trace_calls_end(struct trace_calls *c, struct assemble *as, struct err *err)
{
	calls_reset(&c->known);
	return release_all(c, as, err);
}
