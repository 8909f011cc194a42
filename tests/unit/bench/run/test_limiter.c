#include "bench/run/limiter.h"

#include "harness/test.h"
#include "transform/stats.h"

#define SECOND UINT64_C(1000000000)
#define MOST 256

/* A service that is asked by a closed loop: as many questions as the limiter allows are always open. */
struct service {
	unsigned allowed;      /* more at once are refused; 0: any number */
	unsigned workers;      /* that work at once, the others wait in a queue; 0: any number */
	double rate, burst;    /* a bucket of tokens: so many a second; 0: none */
	double seconds, spread; /* of an answer: its mean, and how far it varies, as a share */
	int64_t retry_after_ms; /* of a refusal; -1: nothing is said */
};

struct open_question {
	uint64_t sent, ends;
	unsigned open;
	bool refused;
};

struct run {
	const struct service *service;
	struct limiter limiter;
	struct stats_random random;
	struct open_question open[MOST];
	unsigned count;
	uint64_t now, free_at[MOST]; /* when each worker is */
	uint64_t refilled;
	double tokens;
	uint64_t answered, refused;
	double limit_sum, limit_n; /* over answers, since they were last cleared */
	unsigned high;
};

static double chance(struct run *r)
{
	return (double)(stats_random_next(&r->random) >> 11) * 0x1p-53;
}

static bool is_refused(struct run *r)
{
	const struct service *s = r->service;
	unsigned served = 0;

	for (unsigned i = 0; i < r->count; i++)
		served += !r->open[i].refused;
	if (s->allowed && served >= s->allowed)
		return true;
	if (s->rate <= 0)
		return false;
	r->tokens += (double)(r->now - r->refilled) / 1e9 * s->rate;
	r->tokens = r->tokens > s->burst ? s->burst : r->tokens;
	r->refilled = r->now;
	if (r->tokens < 1)
		return true;
	r->tokens--;
	return false;
}

static void send_one(struct run *r)
{
	const struct service *s = r->service;
	struct open_question q = { .sent = r->now, .open = r->count + 1 };
	double seconds = s->seconds * (1 + s->spread * (2 * chance(r) - 1));

	CHECK(r->count < MOST);
	q.refused = is_refused(r);
	if (q.refused) {
		q.ends = r->now + SECOND / 50;
	} else if (s->workers) {
		unsigned first = 0;

		for (unsigned i = 1; i < s->workers; i++)
			first = r->free_at[i] < r->free_at[first] ? i : first;
		q.ends = (r->free_at[first] > r->now ? r->free_at[first] : r->now) + (uint64_t)(seconds * 1e9);
		r->free_at[first] = q.ends;
	} else {
		q.ends = r->now + (uint64_t)(seconds * 1e9);
	}
	r->open[r->count++] = q;
}

static void end_one(struct run *r)
{
	unsigned first = 0;
	struct open_question q;

	for (unsigned i = 1; i < r->count; i++)
		first = r->open[i].ends < r->open[first].ends ? i : first;
	q = r->open[first];
	r->open[first] = r->open[--r->count];
	r->now = q.ends > r->now ? q.ends : r->now;
	limiter_answered(&r->limiter, q.refused ? LIMITER_REFUSED : LIMITER_ANSWERED, q.sent, q.open, r->now);
	if (q.refused && r->service->retry_after_ms > 0)
		limiter_pause(&r->limiter, r->now + (uint64_t)r->service->retry_after_ms * 1000000);
	r->answered += !q.refused;
	r->refused += q.refused;
	r->limit_sum += limiter_limit(&r->limiter);
	r->limit_n++;
	r->high = limiter_limit(&r->limiter) > r->high ? limiter_limit(&r->limiter) : r->high;
}

static void begin(struct run *r, const struct service *s, const struct limiter_options *o, uint64_t seed)
{
	*r = (struct run){ .service = s, .now = SECOND, .refilled = SECOND, .tokens = s->burst };
	limiter_init(&r->limiter, o);
	stats_random_init(&r->random, seed);
}

/* Until so many more were answered. Gives the mean of the limit meanwhile. */
static double go_on(struct run *r, uint64_t answers)
{
	uint64_t until = r->answered + answers;

	r->limit_sum = r->limit_n = 0;
	r->high = 0;
	while (r->answered < until) {
		uint64_t paused = limiter_paused_until(&r->limiter);

		CHECK(limiter_limit(&r->limiter) >= 1);
		if (paused > r->now && r->count == 0)
			r->now = paused;
		while (r->count < limiter_limit(&r->limiter) && paused <= r->now) {
			send_one(r);
			if (r->service->retry_after_ms < 0 && r->open[r->count - 1].refused)
				break; /* who is refused waits before the next try: one at a time here */
		}
		end_one(r);
	}
	return r->limit_sum / r->limit_n;
}

TEST(a_fixed_number_is_just_that)
{
	static const struct service s = { .allowed = 2, .seconds = 1, .retry_after_ms = 100 };
	struct run r;

	begin(&r, &s, &(struct limiter_options){ .fixed = 7 }, 1);
	CHECK(go_on(&r, 300) == 7);
	CHECK(limiter_paused_until(&r.limiter) > 0);
	CHECK_INT(limiter_most(&r.limiter), 7);
}

TEST(it_begins_low_and_stays_between_one_and_the_cap)
{
	static const struct service s = { .seconds = 1, .spread = 0.5, .retry_after_ms = -1 };
	struct run r;

	begin(&r, &s, &(struct limiter_options){ .start = 0 }, 1);
	CHECK_INT(limiter_limit(&r.limiter), LIMITER_START);
	/* a service that never tires gets as much as there may be, soon */
	go_on(&r, 400);
	CHECK_INT(limiter_limit(&r.limiter), LIMITER_CAP);
	begin(&r, &s, &(struct limiter_options){ .start = LIMITER_START_LOCAL, .cap = 8 }, 1);
	CHECK_INT(limiter_limit(&r.limiter), LIMITER_START_LOCAL);
	go_on(&r, 2000);
	CHECK(r.high <= 8);
	begin(&r, &s, &(struct limiter_options){ .start = 9, .cap = 3 }, 1);
	CHECK_INT(limiter_limit(&r.limiter), 3);
}

TEST(it_finds_the_number_that_a_service_allows_at_the_cost_of_few_refusals)
{
	static const unsigned allowed[] = { 1, 2, 3, 5, 8, 10, 20, 40 };

	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		struct service s = { .allowed = allowed[i], .seconds = 2, .spread = 0.5, .retry_after_ms = -1 };
		double mean;
		struct run r;

		test_case("%u at once", allowed[i]);
		begin(&r, &s, &(struct limiter_options){ .start = 0 }, 5);
		go_on(&r, 500);
		mean = go_on(&r, 5000);
		CHECK(mean >= 0.6 * allowed[i]);
		CHECK(mean <= 1.3 * allowed[i] + 0.5);
		test_case("%u at once: %llu refusals", allowed[i], (unsigned long long)r.refused);
		CHECK(r.refused <= 5500 / 50);
	}
}

TEST(a_queue_is_not_filled)
{
	static const unsigned workers[] = { 1, 2, 4, 8, 16 };

	for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]); i++)
		for (uint64_t seed = 1; seed <= 20; seed++) {
			struct service s = { .workers = workers[i], .seconds = 2, .spread = 0.7, .retry_after_ms = -1 };
			double mean;
			struct run r;

			begin(&r, &s, &(struct limiter_options){ .start = LIMITER_START_LOCAL }, seed);
			go_on(&r, 500);
			mean = go_on(&r, 5000);
			test_case("%u workers, seed %llu: %.1f", workers[i], (unsigned long long)seed, mean);
			CHECK(mean >= 0.6 * workers[i]);
			CHECK(mean <= 1.6 * workers[i] + 1);
		}
}

TEST(a_bucket_of_tokens_is_emptied_at_its_rate)
{
	static const struct {
		double rate;
		int64_t retry_after_ms;
	} cases[] = { { 1, 1000 }, { 2, -1 }, { 5, 1000 }, { 20, -1 }, { 20, 500 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct service s = { .rate = cases[i].rate, .burst = 10, .seconds = 1, .spread = 0.5,
				     .retry_after_ms = cases[i].retry_after_ms };
		uint64_t before, refused;
		double rate;
		struct run r;

		begin(&r, &s, &(struct limiter_options){ .start = 0 }, 9);
		go_on(&r, 500);
		before = r.now;
		refused = r.refused;
		go_on(&r, 2000);
		rate = 2000 / ((double)(r.now - before) / 1e9);
		test_case("%.0f a second, %lld ms: %.2f a second, %llu refused", cases[i].rate,
			  (long long)cases[i].retry_after_ms, rate, (unsigned long long)(r.refused - refused));
		CHECK(rate >= 0.6 * cases[i].rate);
		CHECK(rate <= 1.05 * cases[i].rate);
		CHECK(r.refused - refused <= 2000);
	}
}

TEST(what_was_sent_before_a_halving_does_not_halve_again)
{
	struct limiter l;

	limiter_init(&l, &(struct limiter_options){ .start = 32 });
	for (unsigned i = 1; i <= 32; i++)
		limiter_answered(&l, LIMITER_REFUSED, SECOND + i, i, 2 * SECOND + i);
	CHECK_INT(limiter_limit(&l), 16);
	limiter_answered(&l, LIMITER_REFUSED, 3 * SECOND, 16, 4 * SECOND);
	CHECK_INT(limiter_limit(&l), 8);
	for (unsigned i = 5; i < 20; i++)
		limiter_answered(&l, LIMITER_REFUSED, i * SECOND, 1, i * SECOND + 1);
	CHECK_INT(limiter_limit(&l), 1);
}

TEST(what_tells_nothing_of_load_changes_nothing)
{
	struct limiter l;

	limiter_init(&l, &(struct limiter_options){ .start = 4 });
	for (unsigned i = 1; i < 1000; i++)
		limiter_answered(&l, LIMITER_LOST, i * SECOND, 4, i * SECOND + 1);
	CHECK_INT(limiter_limit(&l), 4);
	/* nor do answers of a house that was never full: more places would help nobody */
	for (unsigned i = 1000; i < 2000; i++)
		limiter_answered(&l, LIMITER_ANSWERED, i * SECOND, 3, i * SECOND + 1);
	CHECK_INT(limiter_limit(&l), 4);
}

TEST(a_pause_is_never_made_shorter)
{
	struct limiter l;

	limiter_init(&l, &(struct limiter_options){ .fixed = 1 });
	CHECK_INT(limiter_paused_until(&l), 0);
	limiter_pause(&l, 100);
	limiter_pause(&l, 50);
	CHECK_INT(limiter_paused_until(&l), 100);
	limiter_pause(&l, 200);
	CHECK_INT(limiter_paused_until(&l), 200);
}
