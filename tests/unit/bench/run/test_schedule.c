#include "bench/run/schedule.h"

#include "base/buf.h"
#include "harness/test.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define MOST 256

/* ---- a world with a clock of its own ---- */

struct reply {
	enum schedule_outcome outcome;
	uint64_t ms; /* how long it takes */
	int64_t retry_after_ms;
};

struct sent {
	uint64_t row, at, ends;
	struct reply reply;
	bool open;
};

struct world {
	struct arena arena;
	struct schedule *schedule;
	struct schedule_options options;
	/* what the service says to an attempt (from 1) at a row, at a time */
	struct reply (*service)(struct world *w, uint64_t row, unsigned attempt, uint64_t now);
	void *own;
	uint64_t now;
	struct sent open[MOST];
	size_t open_count, high; /* under way, and the most that ever were */
	unsigned *attempts;      /* of each row */
	unsigned *ended;         /* how often each row came to an end: once, when all is well */
	uint64_t *due, *first, *waited;
	enum schedule_outcome *outcomes;
	bool *skipped, *expired;
	struct buf log;          /* "B0 S0 S1 A0 ..." */
	uint64_t sends, lost, begins, ends;
	uint64_t stop_after;     /* sends; 0: never */
};

#define NONE UINT64_MAX /* where 0 stands for what is usual */

static const uint32_t one_lane[8];
static const struct limiter_options one_at_a_time[8] = {
	{ .fixed = 1 }, { .fixed = 1 }, { .fixed = 1 }, { .fixed = 1 }, { .fixed = 1 }, { .fixed = 1 }, { .fixed = 1 },
	{ .fixed = 1 },
};
static const struct limiter_options four_at_a_time[1] = { { .fixed = 4 } };

static uint64_t usual(uint64_t given, uint64_t otherwise)
{
	return given == NONE ? 0 : given ? given : otherwise;
}

static void world_init(struct world *w, const struct schedule_options *o)
{
	uint64_t rows;

	arena_init(&w->arena);
	buf_init(&w->log);
	w->options = (struct schedule_options){
		.lanes = o->lanes ? o->lanes : one_lane,
		.target_count = usual(o->target_count, 1),
		.lane_count = usual(o->lane_count, 1),
		.prompts = usual(o->prompts, 10),
		.repeat = usual(o->repeat, 1),
		.limits = o->limits ? o->limits : one_at_a_time,
		.retries = 5,
		.retry_delay_ms = usual(o->retry_delay_ms, 1000),
		.timeout_ms = usual(o->timeout_ms, 120000),
		.seed = usual(o->seed, 1),
	};
	w->schedule = schedule_new(&w->arena, &w->options);
	w->now = 1000 * SECOND;
	rows = schedule_count(w->schedule) + 1;
	w->attempts = arena_array(&w->arena, unsigned, rows);
	w->ended = arena_array(&w->arena, unsigned, rows);
	w->due = arena_array(&w->arena, uint64_t, rows);
	w->first = arena_array(&w->arena, uint64_t, rows);
	w->waited = arena_array(&w->arena, uint64_t, rows);
	w->outcomes = arena_array(&w->arena, enum schedule_outcome, rows);
	w->skipped = arena_array(&w->arena, bool, rows);
	w->expired = arena_array(&w->arena, bool, rows);
}

static void world_free(struct world *w)
{
	buf_free(&w->log);
	arena_free(&w->arena);
}

static void world_send(struct world *w, const struct schedule_step *step)
{
	struct sent *s = &w->open[w->open_count++];

	CHECK(w->open_count < MOST);
	CHECK_INT(step->attempts, w->attempts[step->row]);
	CHECK(step->due <= w->now);
	w->attempts[step->row]++;
	w->sends++;
	*s = (struct sent){ .row = step->row, .at = w->now,
			    .reply = w->service(w, step->row, w->attempts[step->row], w->now) };
	s->ends = w->now + s->reply.ms * MS;
	schedule_sent(w->schedule, step->row, w->now);
	w->high = w->open_count > w->high ? w->open_count : w->high;
	buf_printf(&w->log, "S%llu ", (unsigned long long)step->row);
}

static void world_answer(struct world *w, size_t i, enum schedule_outcome outcome, int64_t retry_after_ms)
{
	uint64_t row = w->open[i].row;
	struct schedule_fate fate = schedule_answered(w->schedule, row, outcome, retry_after_ms, w->now);

	CHECK_INT(fate.attempts, w->attempts[row]);
	CHECK(fate.first_sent <= fate.last_sent);
	CHECK_INT(fate.last_sent, w->open[i].at);
	CHECK(!fate.again || fate.at == w->now + fate.delay_ms * MS);
	w->open[i] = w->open[--w->open_count];
	w->lost += fate.lost;
	buf_printf(&w->log, "%c%llu%s ", fate.again ? 'R' : 'A', (unsigned long long)row, fate.lost ? "!" : "");
	if (fate.again)
		return;
	w->ended[row]++;
	w->outcomes[row] = outcome;
	w->due[row] = fate.due;
	w->first[row] = fate.first_sent;
	w->waited[row] = fate.waited;
}

static void world_expire(struct world *w, uint64_t row)
{
	size_t i = 0;

	while (i < w->open_count && w->open[i].row != row)
		i++;
	CHECK(i < w->open_count);
	CHECK(w->now >= w->open[i].at + w->options.timeout_ms * MS);
	w->expired[row] = true;
	world_answer(w, i, SCHEDULE_BROKEN, -1);
}

/* To the next moment at which something happens. */
static void world_advance(struct world *w, uint64_t until)
{
	size_t first = MOST;

	for (size_t i = 0; i < w->open_count; i++)
		if (first == MOST || w->open[i].ends < w->open[first].ends)
			first = i;
	if (first < MOST && w->open[first].ends <= until) {
		w->now = w->open[first].ends > w->now ? w->open[first].ends : w->now;
		world_answer(w, first, w->open[first].reply.outcome, w->open[first].reply.retry_after_ms);
		return;
	}
	CHECK(until != SCHEDULE_NEVER); /* or it would hang */
	CHECK(until > w->now);
	w->now = until;
}

/* One step; false when all is over. */
static bool world_step(struct world *w)
{
	struct schedule_step step = schedule_next(w->schedule, w->now);

	switch (step.what) {
	case SCHEDULE_BEGIN:
		w->begins++;
		buf_printf(&w->log, "B%zu ", step.target);
		schedule_begun(w->schedule, step.target, w->now);
		return true;
	case SCHEDULE_SEND:
		world_send(w, &step);
		return true;
	case SCHEDULE_EXPIRE:
		world_expire(w, step.row);
		return true;
	case SCHEDULE_SKIP:
		CHECK_INT(step.attempts, w->attempts[step.row]);
		w->ended[step.row]++;
		w->skipped[step.row] = true;
		buf_printf(&w->log, "K%llu ", (unsigned long long)step.row);
		return true;
	case SCHEDULE_END:
		w->ends++;
		buf_printf(&w->log, "E%zu ", step.target);
		return true;
	case SCHEDULE_WAIT:
		world_advance(w, step.until);
		return true;
	case SCHEDULE_OVER:
		return false;
	}
	return false;
}

static void world_run(struct world *w)
{
	for (uint64_t steps = 0; world_step(w); steps++) {
		CHECK(steps < 10000000);
		if (w->stop_after && w->sends == w->stop_after) {
			schedule_stop(w->schedule);
			w->stop_after = 0;
		}
	}
	CHECK_INT(w->open_count, 0);
}

static void check_all_ended_once(const struct world *w)
{
	for (uint64_t row = 0; row < schedule_count(w->schedule); row++) {
		test_case("row %llu", (unsigned long long)row);
		CHECK_INT(w->ended[row], 1);
	}
}

static struct reply good(struct world *w, uint64_t row, unsigned attempt, uint64_t now)
{
	(void)w, (void)row, (void)attempt, (void)now;
	return (struct reply){ SCHEDULE_ANSWERED, 1000, -1 };
}

/* ---- order ---- */

TEST(rows_go_out_target_by_target_repetition_by_repetition_prompt_by_prompt)
{
	struct world w = { .service = good };
	uint64_t repetition, prompt;
	size_t target;

	world_init(&w, &(struct schedule_options){ .target_count = 2, .prompts = 2, .repeat = 2 });
	world_run(&w);
	CHECK_STR(buf_str(&w.log), STR("B0 S0 A0 S1 A1 S2 A2 S3 A3 E0 B1 S4 A4 S5 A5 S6 A6 S7 A7 E1 "));
	schedule_row(w.schedule, 5, &target, &repetition, &prompt);
	CHECK_INT(target, 1);
	CHECK_INT(repetition, 0);
	CHECK_INT(prompt, 1);
	schedule_row(w.schedule, 6, &target, &repetition, &prompt);
	CHECK_INT(repetition, 1);
	CHECK_INT(prompt, 0);
	world_free(&w);
}

TEST(targets_of_one_lane_come_one_after_the_other_and_those_of_others_side_by_side)
{
	static const uint32_t lanes[] = { 0, 1, 0 };
	struct world w = { .service = good };

	world_init(&w, &(struct schedule_options){ .lanes = lanes, .target_count = 3, .lane_count = 2, .prompts = 2 });
	world_run(&w);
	CHECK_STR(buf_str(&w.log), STR("B0 B1 S0 S2 A0 S1 A2 S3 A1 E0 B2 S4 A3 E1 A4 S5 A5 E2 "));
	CHECK_INT(w.now, 1000 * SECOND + 4 * SECOND);
	CHECK_INT(w.high, 2);
	world_free(&w);
}

TEST(rows_that_were_done_before_are_not_sent_and_a_target_without_any_left_does_not_begin)
{
	struct world w = { .service = good };

	world_init(&w, &(struct schedule_options){ .target_count = 3, .prompts = 3 });
	for (uint64_t row = 0; row < 3; row++)
		schedule_mark_done(w.schedule, row);
	schedule_mark_done(w.schedule, 4);
	for (uint64_t row = 6; row < 9; row++)
		schedule_mark_done(w.schedule, row);
	world_run(&w);
	CHECK_STR(buf_str(&w.log), STR("B1 S3 A3 S5 A5 E1 "));
	world_free(&w);
}

TEST(nothing_to_do_is_over_at_once)
{
	struct world w = { .service = good };

	world_init(&w, &(struct schedule_options){ .prompts = NONE });
	CHECK_INT(schedule_count(w.schedule), 0);
	world_run(&w);
	CHECK_INT(w.log.n, 0);
	world_free(&w);
}

TEST(no_row_is_sent_before_its_target_has_begun)
{
	struct world w = { .service = good };

	world_init(&w, &(struct schedule_options){ .seed = 1 });
	CHECK_INT(schedule_next(w.schedule, w.now).what, SCHEDULE_BEGIN);
	CHECK_INT(schedule_next(w.schedule, w.now).what, SCHEDULE_WAIT);
	CHECK(schedule_next(w.schedule, w.now).until == SCHEDULE_NEVER);
	w.now += 60 * SECOND;
	schedule_begun(w.schedule, 0, w.now);
	CHECK_INT(schedule_next(w.schedule, w.now).what, SCHEDULE_SEND);
	/* and is due from then on, not from before it warmed up */
	CHECK_INT(schedule_next(w.schedule, w.now + SECOND).due, w.now);
	world_free(&w);
}

/* ---- when a row is due ---- */

static struct reply of_one_second_but_limited_at_first(struct world *w, uint64_t row, unsigned attempt, uint64_t now)
{
	(void)w, (void)now;
	if (row == 1 && attempt == 1)
		return (struct reply){ SCHEDULE_BUSY, 100, 30000 };
	return (struct reply){ SCHEDULE_ANSWERED, row == 0 ? 5000 : 1000, -1 };
}

TEST(a_row_is_due_when_its_place_becomes_free_though_the_service_makes_it_wait)
{
	static const struct limiter_options two[] = { { .fixed = 2 } };
	struct world w = { .service = of_one_second_but_limited_at_first };
	uint64_t start;

	world_init(&w, &(struct schedule_options){ .prompts = 4, .limits = two });
	start = w.now;
	world_run(&w);
	check_all_ended_once(&w);
	/* both at the beginning; the second is refused after 100 ms, and all pause for 30 s */
	CHECK_INT(w.due[0], start);
	CHECK_INT(w.due[1], start);
	CHECK_INT(w.first[1], start);
	CHECK_INT(w.attempts[1], 2);
	CHECK(w.waited[1] >= 30 * SECOND && w.waited[1] <= 31 * SECOND);
	/* the place of the first is free after 5 s: the third is due then, and sent after the pause */
	CHECK_INT(w.due[2], start + 5 * SECOND);
	CHECK_INT(w.first[2], start + 30 * SECOND + 100 * MS);
	CHECK(w.due[3] >= start + 31 * SECOND);
	world_free(&w);
}

/* ---- tries ---- */

static struct reply limited_at_first(struct world *w, uint64_t row, unsigned attempt, uint64_t now)
{
	(void)w, (void)now;
	if (row == 3 && attempt == 1)
		return (struct reply){ SCHEDULE_BUSY, 10, 20000 };
	return (struct reply){ SCHEDULE_ANSWERED, 1000, -1 };
}

TEST(a_429_with_retry_after_pauses_all_of_its_provider_and_nobody_else)
{
	static const uint32_t lanes[] = { 0, 1 };
	static const struct limiter_options limits[] = { { .fixed = 4 }, { .fixed = 1 } };
	struct world w = { .service = limited_at_first };
	uint64_t start, paused_until;

	world_init(&w, &(struct schedule_options){ .lanes = lanes, .target_count = 2, .lane_count = 2,
						   .limits = limits });
	start = w.now;
	world_run(&w);
	check_all_ended_once(&w);
	for (uint64_t row = 4; row < 10; row++)
		CHECK(w.first[row] >= start + 20 * SECOND + 10 * MS);
	for (uint64_t row = 10; row < 20; row++)
		CHECK_INT(w.first[row], start + (row - 10) * SECOND);
	CHECK_INT(schedule_limit(w.schedule, 0, &paused_until), 4);
	CHECK_INT(paused_until, start + 20 * SECOND + 10 * MS);
	CHECK_INT(schedule_limit(w.schedule, 1, &paused_until), 1);
	CHECK_INT(paused_until, 0);
	world_free(&w);
}

static struct reply always_busy(struct world *w, uint64_t row, unsigned attempt, uint64_t now)
{
	(void)w, (void)attempt, (void)now;
	return (struct reply){ row == 2 ? SCHEDULE_BUSY : SCHEDULE_ANSWERED, 10, -1 };
}

TEST(a_row_that_is_refused_again_and_again_ends_after_six_tries_and_the_others_go_on)
{
	struct world w = { .service = always_busy };

	world_init(&w, &(struct schedule_options){ .prompts = 5 });
	world_run(&w);
	check_all_ended_once(&w);
	CHECK_INT(w.attempts[2], 6);
	CHECK_INT(w.outcomes[2], SCHEDULE_BUSY);
	/* 1, 2, 4, 8 and 16 s, each at least half */
	CHECK(w.waited[2] >= 15500 * MS && w.waited[2] <= 31000 * MS);
	CHECK_STR(buf_str(&w.log), STR("B0 S0 A0 S1 A1 S2 R2 S2 R2 S2 R2 S2 R2 S2 R2 S2 A2 S3 A3 S4 A4 E0 "));
	CHECK_INT(w.lost, 0);
	world_free(&w);
}

TEST(a_row_that_is_tried_again_goes_before_one_that_was_never_sent)
{
	static const struct limiter_options two[] = { { .fixed = 2 } };
	struct world w = { .service = good };
	struct schedule_step step;

	world_init(&w, &(struct schedule_options){ .limits = two });
	for (int i = 0; i < 3; i++)
		world_step(&w);
	CHECK_STR(buf_str(&w.log), STR("B0 S0 S1 "));
	schedule_answered(w.schedule, 0, SCHEDULE_ANSWERED, -1, w.now);
	CHECK(schedule_answered(w.schedule, 1, SCHEDULE_BUSY, -1, w.now).again);
	/* until its time has come, its place is kept and the other one is used */
	step = schedule_next(w.schedule, w.now);
	CHECK_INT(step.what, SCHEDULE_SEND);
	CHECK_INT(step.row, 2);
	step = schedule_next(w.schedule, w.now + 10 * SECOND);
	CHECK_INT(step.what, SCHEDULE_SEND);
	CHECK_INT(step.row, 1);
	CHECK_INT(step.attempts, 1);
	world_free(&w);
}

static struct reply asks_for_an_hour(struct world *w, uint64_t row, unsigned attempt, uint64_t now)
{
	(void)w, (void)attempt, (void)now;
	return row == 2 ? (struct reply){ SCHEDULE_BUSY, 10, 3600000 } : (struct reply){ SCHEDULE_ANSWERED, 10, -1 };
}

TEST(nobody_waits_for_an_hour_and_the_rest_of_the_target_is_not_sent)
{
	struct world w = { .service = asks_for_an_hour };

	world_init(&w, &(struct schedule_options){ .prompts = 5, .target_count = 2 });
	world_run(&w);
	CHECK_STR(buf_str(&w.log), STR("B0 S0 A0 S1 A1 S2 A2! K3 K4 E0 B1 S5 A5 S6 A6 S7 A7 S8 A8 S9 A9 E1 "));
	CHECK(w.now < 1001 * SECOND);
	world_free(&w);
}

/* ---- silence ---- */

static struct reply stalls(struct world *w, uint64_t row, unsigned attempt, uint64_t now)
{
	(void)w, (void)attempt, (void)now;
	return (struct reply){ SCHEDULE_ANSWERED, row % 3 == 1 ? 86400000 : 1000, -1 };
}

TEST(what_takes_too_long_is_given_up_once_and_not_tried_again)
{
	struct world w = { .service = stalls };

	world_init(&w, &(struct schedule_options){ .limits = four_at_a_time, .timeout_ms = 5000 });
	world_run(&w);
	check_all_ended_once(&w);
	for (uint64_t row = 0; row < 10; row++) {
		CHECK_INT(w.attempts[row], 1);
		CHECK_INT(w.expired[row], row % 3 == 1);
		CHECK_INT(w.outcomes[row], row % 3 == 1 ? SCHEDULE_BROKEN : SCHEDULE_ANSWERED);
	}
	CHECK(w.now <= 1012 * SECOND);
	world_free(&w);
}

TEST(without_a_limit_of_time_a_long_answer_is_waited_for)
{
	struct world w = { .service = stalls };

	world_init(&w, &(struct schedule_options){ .timeout_ms = NONE, .prompts = 3 });
	world_run(&w);
	check_all_ended_once(&w);
	CHECK_INT(w.expired[1], false);
	CHECK(w.now >= 86400 * SECOND);
	world_free(&w);
}

/* ---- those who are not there ---- */

static struct reply nobody(struct world *w, uint64_t row, unsigned attempt, uint64_t now)
{
	(void)w, (void)row, (void)attempt, (void)now;
	return (struct reply){ SCHEDULE_UNREACHED, 1, -1 };
}

TEST(a_server_that_is_down_is_tried_six_times_and_then_all_is_skipped)
{
	struct world w = { .service = nobody };

	world_init(&w, &(struct schedule_options){ .prompts = 4 });
	world_run(&w);
	check_all_ended_once(&w);
	CHECK_STR(buf_str(&w.log), STR("B0 S0 R0 S0 R0 S0 R0 S0 R0 S0 R0 S0 A0! K1 K2 K3 E0 "));
	world_free(&w);
}

TEST(rows_that_wait_when_their_server_is_given_up_are_skipped_with_what_they_had)
{
	struct world w = { .service = nobody };

	world_init(&w, &(struct schedule_options){ .limits = four_at_a_time });
	world_run(&w);
	check_all_ended_once(&w);
	CHECK_INT(w.lost, 1);
	for (uint64_t row = 0; row < 4; row++)
		CHECK(w.attempts[row] >= 5 && w.attempts[row] <= 6);
	for (uint64_t row = 4; row < 10; row++) {
		CHECK_INT(w.attempts[row], 0);
		CHECK(w.skipped[row]);
	}
	world_free(&w);
}

static struct reply dies_after_a_minute(struct world *w, uint64_t row, unsigned attempt, uint64_t now)
{
	(void)w, (void)attempt, (void)row;
	return now < 1060 * SECOND ? (struct reply){ SCHEDULE_ANSWERED, 3000, -1 } : (struct reply){ SCHEDULE_UNREACHED, 5, -1 };
}

TEST(a_provider_that_dies_in_the_middle_is_tried_as_it_should_be_and_loses_no_row)
{
	struct world w = { .service = dies_after_a_minute };
	uint64_t answered = 0, skipped = 0;

	world_init(&w, &(struct schedule_options){ .prompts = 200, .limits = four_at_a_time, .target_count = 2 });
	world_run(&w);
	check_all_ended_once(&w);
	for (uint64_t row = 0; row < 400; row++) {
		answered += w.outcomes[row] == SCHEDULE_ANSWERED && !w.skipped[row];
		skipped += w.skipped[row];
	}
	CHECK_INT(answered, 80);
	CHECK_INT(w.lost, 2); /* each target finds out for itself: it may have come back */
	CHECK(skipped >= 310);
	CHECK_INT(w.begins, 2);
	CHECK_INT(w.ends, 2);
	world_free(&w);
}

static struct reply one_cannot_connect(struct world *w, uint64_t row, unsigned attempt, uint64_t now)
{
	(void)w, (void)attempt, (void)now;
	return row == 1 ? (struct reply){ SCHEDULE_UNREACHED, 5, -1 } : (struct reply){ SCHEDULE_ANSWERED, 1000, -1 };
}

TEST(a_server_that_answers_others_meanwhile_is_not_down)
{
	struct world w = { .service = one_cannot_connect };

	world_init(&w, &(struct schedule_options){ .prompts = 100, .limits = four_at_a_time });
	world_run(&w);
	check_all_ended_once(&w);
	CHECK_INT(w.lost, 0);
	CHECK_INT(w.attempts[1], 6);
	CHECK_INT(w.outcomes[1], SCHEDULE_UNREACHED);
	CHECK_INT(w.outcomes[99], SCHEDULE_ANSWERED);
	world_free(&w);
}

static struct reply no_such_model(struct world *w, uint64_t row, unsigned attempt, uint64_t now)
{
	(void)w, (void)attempt, (void)now;
	return row < 10 ? (struct reply){ SCHEDULE_IMPOSSIBLE, 100 + row, -1 } : (struct reply){ SCHEDULE_ANSWERED, 10, -1 };
}

TEST(a_target_that_cannot_be_asked_is_asked_once_and_the_next_one_has_its_turn)
{
	struct world w = { .service = no_such_model };

	world_init(&w, &(struct schedule_options){ .target_count = 2, .prompts = 10, .limits = four_at_a_time });
	world_run(&w);
	check_all_ended_once(&w);
	CHECK_INT(w.lost, 1);
	CHECK_INT(w.sends, 4 + 10);
	world_free(&w);
}

/* ---- all kinds of trouble at once ---- */

static struct reply trouble(struct world *w, uint64_t row, unsigned attempt, uint64_t now)
{
	struct stats_random *r = w->own;
	uint64_t dice = stats_random_below(r, 100);

	(void)row, (void)attempt;
	if (now / SECOND % 60 < 5) /* a burst of 503 every minute */
		return (struct reply){ SCHEDULE_BUSY, 5, -1 };
	if (dice < 10)
		return (struct reply){ SCHEDULE_BUSY, 20, (int64_t)stats_random_below(r, 4000) };
	if (dice < 15)
		return (struct reply){ SCHEDULE_UNREACHED, 3000, -1 };
	if (dice < 20)
		return (struct reply){ SCHEDULE_BROKEN, stats_random_below(r, 5000), -1 };
	if (dice < 23)
		return (struct reply){ SCHEDULE_ANSWERED, 10000000, -1 }; /* stalls */
	return (struct reply){ SCHEDULE_ANSWERED, 100 + stats_random_below(r, 4000), -1 };
}

TEST(whatever_happens_every_row_ends_exactly_once)
{
	static const uint32_t lanes[] = { 0, 1, 0, 2, 1 };
	static const struct limiter_options limits[] = { { .fixed = 0 }, { .fixed = 3 }, { .start = 2, .cap = 16 } };

	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct stats_random r;
		struct world w = { .service = trouble, .own = &r };

		stats_random_init(&r, seed);
		world_init(&w, &(struct schedule_options){ .lanes = lanes, .target_count = 5, .lane_count = 3,
							   .prompts = 31, .repeat = 3, .limits = limits, .seed = seed,
							   .timeout_ms = 20000 });
		world_run(&w);
		check_all_ended_once(&w);
		CHECK_INT(w.begins, 5);
		CHECK_INT(w.ends, 5);
		for (uint64_t row = 0; row < schedule_count(w.schedule); row++)
			CHECK(w.attempts[row] <= 6 && (w.attempts[row] > 0 || w.skipped[row]));
		world_free(&w);
	}
}

TEST(the_same_seed_and_the_same_answers_give_the_same_run)
{
	struct str first = STR("");

	for (int i = 0; i < 2; i++) {
		struct stats_random r;
		struct world w = { .service = trouble, .own = &r };

		stats_random_init(&r, 4);
		world_init(&w, &(struct schedule_options){ .prompts = 50, .limits = four_at_a_time });
		world_run(&w);
		if (i == 0)
			first = str_of(memcpy(test_alloc(w.log.n), w.log.p, w.log.n), w.log.n);
		else
			CHECK_STR(buf_str(&w.log), first);
		world_free(&w);
	}
}

/* ---- stopping, holding ---- */

TEST(a_run_that_is_stopped_finishes_what_is_under_way_and_goes_on_later_without_loss)
{
	for (uint64_t stop = 1; stop <= 60; stop += 7) {
		struct stats_random r;
		struct world first = { .service = trouble, .own = &r, .stop_after = stop };
		struct world second = { .service = trouble, .own = &r };

		stats_random_init(&r, stop);
		world_init(&first, &(struct schedule_options){ .prompts = 60, .limits = four_at_a_time });
		world_run(&first);
		CHECK(first.sends == stop);
		world_init(&second, &(struct schedule_options){ .prompts = 60, .limits = four_at_a_time });
		for (uint64_t row = 0; row < 60; row++)
			if (first.ended[row])
				schedule_mark_done(second.schedule, row);
		world_run(&second);
		for (uint64_t row = 0; row < 60; row++)
			CHECK_INT(first.ended[row] + second.ended[row], 1);
		world_free(&first);
		world_free(&second);
	}
}

TEST(while_it_is_held_nothing_is_sent_but_time_goes_on)
{
	struct world w = { .service = good };
	struct schedule_step step;
	uint64_t open, waiting;

	world_init(&w, &(struct schedule_options){ .limits = four_at_a_time, .timeout_ms = 5000 });
	for (int i = 0; i < 3; i++)
		world_step(&w);
	CHECK_STR(buf_str(&w.log), STR("B0 S0 S1 "));
	schedule_hold(w.schedule, true);
	step = schedule_next(w.schedule, w.now);
	CHECK_INT(step.what, SCHEDULE_WAIT);
	CHECK_INT(step.until, w.now + 5 * SECOND);
	CHECK_INT(schedule_next(w.schedule, w.now + 5 * SECOND).what, SCHEDULE_EXPIRE);
	schedule_load(w.schedule, &open, &waiting);
	CHECK_INT(open, 2);
	CHECK_INT(waiting, 0);
	schedule_hold(w.schedule, false);
	world_run(&w);
	check_all_ended_once(&w);
	world_free(&w);
}

/* ---- with a limit that is found by trying ---- */

/* A service that refuses what is too much: so many at once, or so many a second. */
struct strict {
	unsigned allowed;
	double rate, burst, tokens;
	uint64_t refilled;
	int64_t retry_after_ms;
	uint64_t refused;
	struct stats_random random;
};

static struct reply ask_strict(struct world *w, uint64_t row, unsigned attempt, uint64_t now)
{
	struct strict *s = w->own;
	unsigned served = 0;

	(void)row, (void)attempt;
	for (size_t i = 0; i + 1 < w->open_count; i++) /* the last is the one that asks */
		served += w->open[i].reply.outcome == SCHEDULE_ANSWERED;
	s->tokens += (double)(now - s->refilled) / 1e9 * s->rate;
	s->tokens = s->tokens > s->burst ? s->burst : s->tokens;
	s->refilled = now;
	if ((s->allowed && served >= s->allowed) || (s->rate > 0 && s->tokens < 1)) {
		s->refused++;
		return (struct reply){ SCHEDULE_BUSY, 20, s->retry_after_ms };
	}
	s->tokens--;
	return (struct reply){ SCHEDULE_ANSWERED, 500 + stats_random_below(&s->random, 3000), -1 };
}

TEST(a_strict_service_is_kept_busy_and_few_rows_are_given_up)
{
	static const struct {
		unsigned allowed;
		double rate;
		int64_t retry_after_ms;
		double best; /* answers a second that it could give: of 2 s each, or at its rate */
	} cases[] = {
		{ 1, 0, -1, 0.5 },  { 3, 0, -1, 1.5 },    { 10, 0, -1, 5 },   { 30, 0, -1, 15 },
		{ 3, 0, 1000, 1.5 }, { 10, 0, 2000, 5 },  { 0, 1, 1000, 1 },  { 0, 5, 1000, 5 },
		{ 0, 5, -1, 5 },     { 0, 0.5, 2000, 0.5 }, { 0, 0.5, -1, 0.5 },
	};
	static const struct limiter_options automatic[] = { { .fixed = 0 } };

	for (size_t n = 0; n < 5 * sizeof(cases) / sizeof(cases[0]); n++) {
		size_t i = n / 5;
		struct strict strict = { .allowed = cases[i].allowed, .rate = cases[i].rate, .burst = 5, .tokens = 5,
					 .refilled = 1000 * SECOND, .retry_after_ms = cases[i].retry_after_ms };
		struct world w = { .service = ask_strict, .own = &strict };
		uint64_t given_up = 0;
		double speed;

		stats_random_init(&strict.random, n);
		world_init(&w, &(struct schedule_options){ .prompts = 2000, .limits = automatic });
		world_run(&w);
		check_all_ended_once(&w);
		for (uint64_t row = 0; row < 2000; row++)
			given_up += w.outcomes[row] == SCHEDULE_BUSY;
		speed = 2000 / ((double)(w.now - 1000 * SECOND) / 1e9);
		test_case("%u at once, %.1f a second, Retry-After %lld: %.2f a second of %.1f, %llu refusals, %llu given up",
			  cases[i].allowed, cases[i].rate, (long long)cases[i].retry_after_ms, speed, cases[i].best,
			  (unsigned long long)strict.refused, (unsigned long long)given_up);
		CHECK(speed >= 0.5 * cases[i].best);
		CHECK(strict.refused <= 200);
		CHECK_INT(given_up, 0);
		world_free(&w);
	}
}
