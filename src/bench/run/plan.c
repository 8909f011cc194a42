/*
 * Counts and prices what the runner would send, by the same ceiling for a question that the runner holds against the
 * budget. NaN spreads through the sums: one price that is not known makes the whole not known.
 */
#include "bench/run/plan.h"

#include <math.h>

#include "transform/stats.h"

#define CORRELATION 0.5 /* of two models on one prompt: Miller 2024 reports .3 to .7 */
#define WITHIN 0.5      /* of the variance, what repetitions average out */

uint64_t plan_tokens(struct str text)
{
	return (text.n + PLAN_BYTES_PER_TOKEN - 1) / PLAN_BYTES_PER_TOKEN;
}

static uint64_t input_tokens(const struct config *c, struct str prompt)
{
	return plan_tokens(prompt) + plan_tokens(c->system);
}

static bool price_of(const struct prices *prices, const struct target *t, uint64_t in, uint64_t out, double *usd)
{
	struct usage u = { .input = FIGURE(in), .output = FIGURE(out) };
	struct price_ask ask = {
		.provider = str_from(provider_vendor(t->provider)),
		.model = t->model,
		.usage = &u,
	};

	return prices && price_usage(prices, &ask, usd) == PRICE_FOUND;
}

double plan_ceiling(const struct prices *prices, const struct target *t, const struct config *c, struct str prompt)
{
	double usd;

	if (!c->max_tokens || !price_of(prices, t, input_tokens(c, prompt), c->max_tokens, &usd))
		return NAN;
	return usd;
}

/* has_price asks for a price of one token in and out: a model may have one without a limit of its output. */
static void plan_one(struct plan_target *out, struct arena *a, const struct config *c, const struct target *t,
		     const struct suite *s, const struct prices *prices)
{
	double usd;

	*out = (struct plan_target){
		.name = target_name(a, str_from(provider_name(t->provider)), t->model, t->thinking),
		.questions = s->count * c->repeat,
		.output_most = s->count * c->repeat * c->max_tokens,
	};
	for (size_t i = 0; i < s->count; i++) {
		double one = plan_ceiling(prices, t, c, s->prompts[i].prompt);

		out->input_tokens += c->repeat * input_tokens(c, s->prompts[i].prompt);
		out->usd_most += one * (double)c->repeat;
	}
	out->has_price = price_of(prices, t, 1, 1, &usd);
}

/* The variance of the difference that one prompt shows, between two targets that are asked it `repeat` times. */
static double variance_of(uint64_t repeat)
{
	double one = 0.25; /* of a verdict at a rate of one half */

	return 2 * one * (1 - CORRELATION) * (1 - WITHIN + WITHIN / (double)repeat);
}

void plan_make(struct plan *p, struct arena *a, const struct config *c, const struct suite *s,
	       const struct prices *prices)
{
	struct interval i;

	*p = (struct plan){ .prompts = s->count, .repeat = c->repeat, .count = c->target_count,
			    .detectable = NAN, .half_width = NAN,
			    .targets = arena_array(a, struct plan_target, c->target_count + 1) };
	for (size_t k = 0; k < s->count; k++) {
		p->judged += strcmp(validator_type(s->prompts[k].validator), "noop") != 0;
		p->tools += s->prompts[k].expects;
	}
	for (size_t k = 0; k < c->target_count; k++) {
		plan_one(&p->targets[k], a, c, &c->targets[k], s, prices);
		p->questions += p->targets[k].questions;
		p->usd_most += p->targets[k].usd_most;
	}
	if (!p->judged)
		return;
	p->detectable = stats_detectable(p->judged, variance_of(c->repeat), 0.95, PLAN_POWER);
	i = stats_wilson(p->judged / 2, p->judged, 0.95);
	p->half_width = (i.high - i.low) / 2;
}
