/*
 * What a run would send, before it does: how many questions, how many tokens they are (estimated at four bytes for
 * one), the most they can cost, and how small a difference between two targets so many answers could show at all.
 */
#ifndef BENCH_RUN_PLAN_H
#define BENCH_RUN_PLAN_H

#include "bench/run/config.h"
#include "transform/price.h"

#define PLAN_BYTES_PER_TOKEN 4
#define PLAN_POWER 0.8

struct plan_target {
	struct str name;         /* PROVIDER:MODEL@THINKING */
	uint64_t questions;
	uint64_t input_tokens;   /* estimated */
	uint64_t output_most;    /* tokens; 0: nothing limits them */
	bool has_price;
	double usd_most;         /* NaN without a price or a limit of the output; retries are not in it */
};

struct plan {
	uint64_t prompts, judged, repeat, questions; /* judged: prompts with a verdict */
	uint64_t tools;                              /* prompts that expect tools */
	struct plan_target *targets;
	size_t count;
	double usd_most;         /* of all; NaN when of one it is not known */
	/*
	 * The smallest difference of two pass rates that these prompts show with 80 % power at 95 %: Miller 2024,
	 * section 5, where answers of two models to one prompt go together with a correlation of 0.5, both pass half
	 * of the prompts (the worst case), and half of the variance is between repetitions. NaN without judged prompts.
	 */
	double detectable;
	double half_width;       /* of a 95 % Wilson interval at one half, the widest */
};

/*
 * Works out what a run would send and cost; sends nothing and cannot fail. Names and targets are in the arena. `prices`
 * may be NULL: then no cost is known. Every prompt of `s` has a validator.
 */
void plan_make(struct plan *p, struct arena *a, const struct config *c, const struct suite *s,
	       const struct prices *prices);

/* Tokens of a text, as estimated here. */
uint64_t plan_tokens(struct str text);

/*
 * The most that one question can cost, in dollars: its estimated tokens and all of max_tokens. NaN when that is not
 * known: without a limit of the output, or without a price for the model.
 */
double plan_ceiling(const struct prices *prices, const struct target *t, const struct config *c, struct str prompt);

#endif
