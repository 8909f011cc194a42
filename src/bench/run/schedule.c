/* What is sent when: see schedule.h for the rules. */
#include "bench/run/schedule.h"

#include <assert.h>

#define NS_PER_MS UINT64_C(1000000)

/* A row that was begun and is not over. */
struct place {
	uint64_t row;
	bool waits; /* to be tried again; else it is under way */
	unsigned attempts;
	unsigned open; /* in the lane, when it was sent last */
	uint64_t due, first_sent, last_sent, failed_at, again_at;
	uint64_t waited;
};

enum lane_state { LANE_SEEKS, LANE_BEGINS, LANE_RUNS, LANE_OVER };

struct lane {
	enum lane_state state;
	size_t target;           /* the next one to look at, or the one that runs */
	uint64_t next_row, end_row;
	bool lost;               /* the target that runs */
	uint64_t heard_at;       /* when somebody there last answered anything */
	struct limiter limiter;
	struct place *places;
	unsigned count, open;
	uint64_t *free_since;    /* a ring: since when each free place is, the oldest first */
	unsigned free_first, free_count;
};

struct schedule {
	struct schedule_options o;
	struct lane *lanes;
	size_t turn; /* the lane that is looked at first: each has its turn */
	uint64_t *done; /* a bit for each row */
	struct stats_random random;
	bool held, stopped;
};

static bool is_done(const struct schedule *s, uint64_t row)
{
	return s->done[row / 64] >> (row % 64) & 1;
}

static uint64_t rows_of_target(const struct schedule *s)
{
	return s->o.prompts * s->o.repeat;
}

static struct lane *lane_of(const struct schedule *s, uint64_t row)
{
	assert(row < schedule_count(s));
	return &s->lanes[s->o.lanes[row / rows_of_target(s)]];
}

static struct place *find_place(const struct lane *l, uint64_t row)
{
	for (unsigned i = 0; i < l->count; i++)
		if (l->places[i].row == row)
			return &l->places[i];
	return NULL;
}

/* ---- places that are free, and since when ---- */

/* Brings the ring in line with the limit: new places are free since now, and of a limit that fell the newest go. */
static void schedule_settle(struct lane *l, uint64_t now)
{
	unsigned limit = limiter_limit(&l->limiter), most = limiter_most(&l->limiter);
	unsigned vacant = limit > l->count ? limit - l->count : 0;

	for (; l->free_count < vacant; l->free_count++)
		l->free_since[(l->free_first + l->free_count) % most] = now;
	l->free_count = vacant;
	assert(l->free_count <= most); /* else the ring would bite its tail */
}

static uint64_t oldest_free(const struct lane *l)
{
	return l->free_since[l->free_first];
}

static void take_free(struct lane *l)
{
	assert(l->free_count > 0);
	l->free_first = (l->free_first + 1) % limiter_most(&l->limiter);
	l->free_count--;
}

static void remove_place(struct lane *l, struct place *p, uint64_t now)
{
	*p = l->places[--l->count];
	schedule_settle(l, now);
}

/* ---- the steps of a lane ---- */

static struct schedule_step step_of(enum schedule_what what, const struct lane *l, const struct place *p)
{
	return (struct schedule_step){
		.what = what,
		.target = l->target,
		.row = p->row,
		.attempts = p->attempts,
		.due = p->due,
		.first_sent = p->first_sent,
		.waited = p->waited,
	};
}

/* The next row that was never sent; false when there is none. */
static bool find_unsent(const struct schedule *s, struct lane *l)
{
	while (l->next_row < l->end_row && is_done(s, l->next_row))
		l->next_row++;
	return l->next_row < l->end_row;
}

/* The lane's next target that has rows to ask; one whose rows are all done is passed over without a word. */
static bool step_seek(struct schedule *s, struct lane *l, size_t number, struct schedule_step *out)
{
	for (; l->target < s->o.target_count && !s->stopped; l->target++) {
		if (s->o.lanes[l->target] != number)
			continue;
		l->next_row = l->target * rows_of_target(s);
		l->end_row = l->next_row + rows_of_target(s);
		if (!find_unsent(s, l))
			continue;
		l->state = LANE_BEGINS;
		l->lost = false;
		l->heard_at = 0;
		*out = (struct schedule_step){ .what = SCHEDULE_BEGIN, .target = l->target };
		return true;
	}
	l->state = LANE_OVER;
	return false;
}

/* Rows that wait have no deadline. out->until becomes the earliest of the others. */
static bool step_expire(const struct schedule *s, const struct lane *l, uint64_t now, struct schedule_step *out)
{
	for (unsigned i = 0; s->o.timeout_ms && i < l->count; i++) {
		const struct place *p = &l->places[i];
		uint64_t deadline = p->last_sent + s->o.timeout_ms * NS_PER_MS;

		if (p->waits)
			continue;
		if (deadline <= now) {
			*out = step_of(SCHEDULE_EXPIRE, l, p);
			return true;
		}
		if (deadline < out->until)
			out->until = deadline;
	}
	return false;
}

/*
 * Of a lost target: first the rows that wait to be tried again, then those never sent. Those under way may be answered.
 */
static bool step_skip(struct schedule *s, struct lane *l, uint64_t now, struct schedule_step *out)
{
	struct place unsent = { .due = now };

	for (unsigned i = 0; i < l->count; i++) {
		if (!l->places[i].waits)
			continue;
		*out = step_of(SCHEDULE_SKIP, l, &l->places[i]);
		schedule_mark_done(s, out->row);
		remove_place(l, &l->places[i], now);
		return true;
	}
	if (!find_unsent(s, l))
		return false;
	unsent.row = l->next_row++;
	schedule_mark_done(s, unsent.row);
	*out = step_of(SCHEDULE_SKIP, l, &unsent);
	return true;
}

/* The row that has waited longest for its next try, when one may be sent. */
static const struct place *find_ready(const struct lane *l, uint64_t now, uint64_t *until)
{
	const struct place *best = NULL;

	for (unsigned i = 0; i < l->count; i++) {
		const struct place *p = &l->places[i];

		if (!p->waits)
			continue;
		if (p->again_at > now) {
			*until = p->again_at < *until ? p->again_at : *until;
			continue;
		}
		if (!best || p->again_at < best->again_at || (p->again_at == best->again_at && p->row < best->row))
			best = p;
	}
	return best;
}

/* A row that is to be tried again has a place already; a new one needs a free place, and is due since that is free. */
static bool step_send(const struct schedule *s, struct lane *l, uint64_t now, struct schedule_step *out)
{
	uint64_t paused = limiter_paused_until(&l->limiter);
	const struct place *ready;

	if (s->held || l->open >= limiter_limit(&l->limiter))
		return false;
	if (paused > now) {
		out->until = paused < out->until ? paused : out->until;
		return false;
	}
	ready = find_ready(l, now, &out->until);
	if (ready) {
		*out = step_of(SCHEDULE_SEND, l, ready);
		return true;
	}
	if (l->count >= limiter_limit(&l->limiter) || !find_unsent(s, l))
		return false;
	*out = step_of(SCHEDULE_SEND, l, &(struct place){ .row = l->next_row, .due = oldest_free(l) });
	return true;
}

/* A stopped schedule waits only for what is under way. */
static bool step_end(const struct schedule *s, struct lane *l, struct schedule_step *out)
{
	if (s->stopped ? l->open > 0 : l->count > 0 || find_unsent(s, l))
		return false;
	*out = (struct schedule_step){ .what = SCHEDULE_END, .target = l->target };
	l->count = 0; /* of a run that was stopped: rows that wait are for another day */
	l->target++;
	l->state = LANE_SEEKS;
	return true;
}

/* False when there is nothing to do before out->until. */
static bool step_lane(struct schedule *s, size_t number, uint64_t now, struct schedule_step *out)
{
	struct lane *l = &s->lanes[number];

	if (l->state == LANE_SEEKS)
		return step_seek(s, l, number, out);
	if (l->state != LANE_RUNS)
		return false;
	if (step_expire(s, l, now, out))
		return true;
	if (!s->stopped && (l->lost ? step_skip(s, l, now, out) : step_send(s, l, now, out)))
		return true;
	return step_end(s, l, out);
}

struct schedule_step schedule_next(struct schedule *s, uint64_t now)
{
	struct schedule_step step = { .what = SCHEDULE_WAIT, .until = SCHEDULE_NEVER };
	bool over = true;

	for (size_t i = 0; i < s->o.lane_count; i++) {
		size_t number = (s->turn + i) % s->o.lane_count;

		if (step_lane(s, number, now, &step)) {
			s->turn = number + 1;
			return step;
		}
		over = over && s->lanes[number].state == LANE_OVER;
	}
	if (over)
		step.what = SCHEDULE_OVER;
	return step;
}

/* ---- what the schedule is told ---- */

struct schedule *schedule_new(struct arena *a, const struct schedule_options *o)
{
	struct schedule *s = arena_new(a, struct schedule);

	s->o = *o;
	s->lanes = arena_array(a, struct lane, o->lane_count);
	s->done = arena_array(a, uint64_t, schedule_count(s) / 64 + 1);
	stats_random_init(&s->random, o->seed);
	for (size_t i = 0; i < o->lane_count; i++) {
		struct lane *l = &s->lanes[i];

		limiter_init(&l->limiter, &o->limits[i]);
		l->places = arena_array(a, struct place, limiter_most(&l->limiter));
		l->free_since = arena_array(a, uint64_t, limiter_most(&l->limiter));
	}
	return s;
}

uint64_t schedule_count(const struct schedule *s)
{
	return s->o.target_count * rows_of_target(s);
}

void schedule_mark_done(struct schedule *s, uint64_t row)
{
	s->done[row / 64] |= UINT64_C(1) << (row % 64);
}

void schedule_row(const struct schedule *s, uint64_t row, size_t *target, uint64_t *repetition, uint64_t *prompt)
{
	*target = (size_t)(row / rows_of_target(s));
	*repetition = row % rows_of_target(s) / s->o.prompts;
	*prompt = row % s->o.prompts;
}

void schedule_begun(struct schedule *s, size_t target, uint64_t now)
{
	struct lane *l = &s->lanes[s->o.lanes[target]];

	assert(l->state == LANE_BEGINS && l->target == target);
	l->state = LANE_RUNS;
	l->free_first = l->free_count = 0;
	schedule_settle(l, now);
}

void schedule_sent(struct schedule *s, uint64_t row, uint64_t now)
{
	struct lane *l = lane_of(s, row);
	struct place *p = find_place(l, row);

	if (!p) {
		assert(l->free_count > 0 && row == l->next_row);
		p = &l->places[l->count++];
		*p = (struct place){ .row = row, .due = oldest_free(l), .first_sent = now };
		take_free(l);
		l->next_row++;
	}
	if (p->waits)
		p->waited += now - p->failed_at;
	p->waits = false;
	p->attempts++;
	p->last_sent = now;
	p->open = ++l->open;
}

static enum limiter_outcome load_of(enum schedule_outcome outcome)
{
	switch (outcome) {
	case SCHEDULE_ANSWERED:
	case SCHEDULE_IMPOSSIBLE:
		return LIMITER_ANSWERED;
	case SCHEDULE_BUSY:
		return LIMITER_REFUSED;
	default:
		return LIMITER_LOST;
	}
}

/* Whether it is tried again, and when; or whether the whole target is given up. */
static void decide(struct schedule *s, struct lane *l, struct place *p, enum schedule_outcome outcome,
		   int64_t retry_after_ms, uint64_t now, struct schedule_fate *fate)
{
	int64_t delay;

	fate->lost = outcome == SCHEDULE_IMPOSSIBLE && !l->lost;
	if (l->lost || (outcome != SCHEDULE_BUSY && outcome != SCHEDULE_UNREACHED))
		return;
	delay = backoff_delay_ms(&s->random, p->attempts, s->o.retry_delay_ms, retry_after_ms);
	if (delay < 0) {
		fate->lost = fate->asks_too_much = true;
	} else if (p->attempts > s->o.retries) {
		fate->lost = outcome == SCHEDULE_UNREACHED && l->heard_at <= p->first_sent;
	} else {
		fate->again = true;
		fate->delay_ms = (uint64_t)delay;
		fate->at = p->again_at = now + fate->delay_ms * NS_PER_MS;
	}
}

struct schedule_fate schedule_answered(struct schedule *s, uint64_t row, enum schedule_outcome outcome,
				       int64_t retry_after_ms, uint64_t now)
{
	struct lane *l = lane_of(s, row);
	struct place *p = find_place(l, row);
	struct schedule_fate fate = { .again = false };

	assert(p && !p->waits);
	l->open--;
	limiter_answered(&l->limiter, load_of(outcome), p->last_sent, p->open, now);
	if (outcome == SCHEDULE_BUSY && retry_after_ms > 0 && retry_after_ms <= BACKOFF_LONGEST_MS)
		limiter_pause(&l->limiter, now + (uint64_t)retry_after_ms * NS_PER_MS);
	if (outcome != SCHEDULE_UNREACHED)
		l->heard_at = now;
	fate.attempts = p->attempts;
	fate.due = p->due;
	fate.first_sent = p->first_sent;
	fate.last_sent = p->last_sent;
	fate.waited = p->waited;
	decide(s, l, p, outcome, retry_after_ms, now, &fate);
	l->lost = l->lost || fate.lost;
	if (fate.again) {
		p->waits = true;
		p->failed_at = now;
		schedule_settle(l, now);
	} else {
		schedule_mark_done(s, row);
		remove_place(l, p, now);
	}
	return fate;
}

void schedule_hold(struct schedule *s, bool held)
{
	s->held = held;
}

void schedule_stop(struct schedule *s)
{
	s->stopped = true;
}

void schedule_load(const struct schedule *s, uint64_t *open, uint64_t *waiting)
{
	*open = *waiting = 0;
	for (size_t i = 0; i < s->o.lane_count; i++) {
		*open += s->lanes[i].open;
		*waiting += s->lanes[i].count - s->lanes[i].open;
	}
}

unsigned schedule_limit(const struct schedule *s, size_t lane, uint64_t *paused_until)
{
	*paused_until = limiter_paused_until(&s->lanes[lane].limiter);
	return limiter_limit(&s->lanes[lane].limiter);
}
