/* How many questions may be open at one provider at a time. */
#include "bench/run/limiter.h"

#include <assert.h>

#define ROUND_LEAST 6
#define GAIN_LEAST 0.5 /* of the growth that was hoped for */
#define LOSS_MOST 0.2
#define REST_FIRST 8   /* rounds */
#define REST_MOST 64

void limiter_init(struct limiter *l, const struct limiter_options *o)
{
	unsigned start = o->start ? o->start : LIMITER_START;

	*l = (struct limiter){ .fixed = o->fixed, .cap = o->cap ? o->cap : LIMITER_CAP };
	l->rounds = 1;
	l->next_rest = REST_FIRST;
	l->limit = start < l->cap ? start : l->cap;
	if (o->fixed)
		l->limit = l->cap = o->fixed;
	assert(l->limit >= 1 && l->limit <= l->cap);
}

unsigned limiter_limit(const struct limiter *l)
{
	return l->limit;
}

unsigned limiter_most(const struct limiter *l)
{
	return l->cap;
}

uint64_t limiter_paused_until(const struct limiter *l)
{
	return l->paused_until;
}

void limiter_pause(struct limiter *l, uint64_t until)
{
	if (until > l->paused_until)
		l->paused_until = until;
}

static void set_limit(struct limiter *l, unsigned limit, uint64_t now)
{
	assert(limit >= 1 && limit <= l->cap); /* never 0: nothing would ever be sent again */
	l->limit = limit;
	l->set_at = now;
}

/* The rest is one long round, so what the limit is worth is known well when the next trial is compared with it. */
static void begin_rest(struct limiter *l)
{
	l->rounds = l->next_rest;
	l->next_rest = l->next_rest * 2 < REST_MOST ? l->next_rest * 2 : REST_MOST;
}

/*
 * Whether what is tried is better than what was before: more must pay, fewer must not cost. One more, on the way back
 * to what was refused, is too little to tell its worth from chance: there it is enough that it does not cost.
 */
static bool is_better(const struct limiter *l, double worth)
{
	double hoped = (double)l->limit / l->before - 1; /* negative for fewer */

	if (l->refused_at)
		return worth >= l->before_worth * (1 - LOSS_MOST);
	return worth >= l->before_worth * (1 + GAIN_LEAST * hoped);
}

/* What the next trial is with; the limit itself when there is nothing to try. */
static unsigned to_try(struct limiter *l)
{
	unsigned quarter = (l->limit + 3) / 4, more;

	if (l->refused_at)
		more = l->limit + 1;
	else if (!l->found)
		more = l->limit * 2;
	else if (l->down && l->limit > 1)
		return l->limit - quarter;
	else
		more = l->limit + quarter;
	return more < l->cap ? more : l->cap;
}

/* Before the number that was refused is tried again, and when the cap is reached, there is a rest first. */
static void begin_trial(struct limiter *l, double worth, uint64_t now)
{
	unsigned next = to_try(l);

	if ((l->refused_at && next >= l->refused_at && !l->rested) || next == l->limit) {
		l->rested = true;
		l->down = next == l->limit; /* there is no more to be had: fewer may do */
		l->found = true;
		begin_rest(l);
		return;
	}
	if (l->found && !l->refused_at)
		l->rounds = 2; /* a quarter is harder to tell from chance than twice as many */
	l->before = l->limit;
	l->before_worth = worth;
	set_limit(l, next, now);
}

/* Whether the next trial may begin at once: more that has paid is followed by more. */
static bool end_trial(struct limiter *l, double worth, uint64_t now)
{
	bool better = is_better(l, worth);

	if (better && l->refused_at && l->limit >= l->refused_at)
		l->refused_at = 0; /* that was long ago, it seems */
	if (better && l->limit > l->before) {
		l->before = 0;
		l->next_rest = REST_FIRST;
		return true;
	}
	if (!better)
		set_limit(l, l->before, now);
	l->before = 0;
	l->down = l->found && !l->down;
	l->found = true;
	begin_rest(l);
	return false;
}

/* Throughput by Little's law; then the trial that was on is judged, and the next one begun or not. */
static void end_round(struct limiter *l, uint64_t now)
{
	double worth = l->limit / (l->latency_sum / l->answers);

	l->answers = 0;
	l->latency_sum = 0;
	l->rounds = 1;
	if (!l->before || end_trial(l, worth, now))
		begin_trial(l, worth, now);
}

/* What was sent before the last halving tells nothing new. */
static void refused(struct limiter *l, uint64_t sent, unsigned open, uint64_t now)
{
	if (sent < l->cut_at)
		return;
	l->refused_at = open > 2 ? open : 2;
	l->cut_at = now;
	l->before = 0;
	l->rested = false;
	l->found = true;
	l->answers = 0;
	l->latency_sum = 0;
	l->rounds = 1;
	set_limit(l, l->limit > 1 ? l->limit / 2 : 1, now);
}

void limiter_answered(struct limiter *l, enum limiter_outcome outcome, uint64_t sent, unsigned open, uint64_t now)
{
	if (l->fixed || outcome == LIMITER_LOST)
		return;
	if (outcome == LIMITER_REFUSED) {
		refused(l, sent, open, now);
		return;
	}
	if (sent < l->set_at || open < l->limit)
		return;
	l->answers++;
	l->latency_sum += (double)(now > sent ? now - sent : 1) / 1e9;
	if (l->answers >= l->rounds * (l->limit > ROUND_LEAST ? l->limit : ROUND_LEAST))
		end_round(l, now);
}
