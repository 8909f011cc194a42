/* Holds the start of a run back until the event behind it: a run has times from its first event on, or none. */
#include "flow/run_times.h"

#include "base/clock.h"

#define STEP_NS 1000000 /* between events of which nothing is known */
#define LONGEST_MS 1e12

void run_times_init(struct run_times *t, int64_t start_ns, struct str own)
{
	*t = (struct run_times){ .start_ns = start_ns, .own = own };
	arena_init(&t->arena);
}

void run_times_free(struct run_times *t)
{
	arena_free(&t->arena);
}

/* How long an event took, as far as it says. */
static int64_t run_times_length(const struct event *e)
{
	struct amount ms = e->kind == EVENT_STEP ? e->latency_ms : e->duration_ms;

	if ((e->kind != EVENT_STEP && e->kind != EVENT_RESULT) || !amount_is_known(ms) || !(ms.n < LONGEST_MS))
		return STEP_NS;
	return ms.n * 1e6 > STEP_NS ? (int64_t)(ms.n * 1e6) : STEP_NS;
}

static bool run_times_give(struct run_times *t, const struct event *e,
			   bool (*put)(void *context, const struct event *e, struct err *err), void *context,
			   struct err *err)
{
	struct event timed = *e;
	int64_t length;

	if (!t->laid_out)
		return put(context, e, err);
	length = e->kind == EVENT_RUN_START ? 0 : run_times_length(e);
	if (t->clock < INT64_MAX - length)
		t->clock += length;
	timed.ts = (struct moment){ .ns = t->clock, .source = MOMENT_LAID_OUT };
	timed.ts.text = str_of(t->text, stamp_format_ns(t->text, t->clock, 9));
	return put(context, &timed, err);
}

bool run_times_add(struct run_times *t, const struct event *e,
		   bool (*put)(void *context, const struct event *e, struct err *err), void *context, struct err *err)
{
	struct event *start = t->held;

	if (e->kind == EVENT_RUN_START) {
		arena_reset(&t->arena);
		t->held = event_copy(&t->arena, e);
		return true;
	}
	if (start) {
		bool none = start->ts.ns <= 0 && e->ts.ns <= 0 && !(t->own.n && event_find_extra(start, t->own).p);

		t->held = NULL;
		t->laid_out = none && t->start_ns > 0;
		t->skipping = none && !t->laid_out;
		t->refused += t->skipping;
		t->clock = t->start_ns;
		if (!t->skipping && !run_times_give(t, start, put, context, err))
			return false;
	}
	return t->skipping || run_times_give(t, e, put, context, err);
}
