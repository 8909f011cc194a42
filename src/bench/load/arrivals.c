/*
 * Works out each due time when it is asked for, so a test of any length needs no list. Constant times are products, not
 * sums, so that rounding does not add up.
 */
#include "bench/load/arrivals.h"

#include <math.h>

#define SECOND 1e9

const char *arrivals_kind_name(enum arrivals_kind kind)
{
	static const char *const names[ARRIVALS_KINDS] = { "poisson", "constant", "recorded" };

	return names[kind];
}

void arrivals_init(struct arrivals *a, const struct arrivals_options *options)
{
	*a = (struct arrivals){ .options = *options };
	stats_random_init(&a->random, options->seed);
}

/* Exponential, by inversion. 53 bits and never 0, whose logarithm is not finite. */
static double draw_gap(struct stats_random *r, double rate)
{
	double u = (double)((stats_random_next(r) >> 11) + 1) * 0x1p-53;

	return -log(u) / rate;
}

/* Since the stage began. Of a constant rate not a sum of gaps, whose rounding would add up. */
static double arrivals_offset_of(struct arrivals *a, double rate)
{
	if (a->options.kind == ARRIVALS_CONSTANT)
		return (double)a->in_stage / rate * SECOND;
	a->gaps += draw_gap(&a->random, rate);
	return a->gaps * SECOND;
}

/* Notes when the stage began and how long it was; the next begins at its end. */
static void end_stage(struct arrivals *a, uint64_t length)
{
	a->begins[a->stage] = a->stage_ns;
	a->lengths[a->stage] = length;
	a->stage_ns += length;
	a->stage++;
	a->in_stage = 0;
	a->gaps = 0;
}

/*
 * Draws the next gap even when the stage is over by its number: without a time, that gap is where the next stage
 * begins.
 */
static bool next_by_rate(struct arrivals *a, struct arrival *out)
{
	const struct arrivals_options *o = &a->options;

	while (a->stage < o->rate_count && a->stage < ARRIVALS_STAGES) {
		double at = arrivals_offset_of(a, o->rates[a->stage]);
		uint64_t left = ARRIVALS_LONGEST_NS - a->stage_ns;
		uint64_t length = o->duration_ns < left ? o->duration_ns : left;

		if (at >= (double)length) {
			end_stage(a, length);
		} else if (a->in_stage >= o->requests) {
			end_stage(a, (uint64_t)at);
		} else {
			a->in_stage++;
			*out = (struct arrival){
				.number = a->number++,
				.due_ns = a->stage_ns + (uint64_t)at,
				.stage = a->stage,
			};
			return true;
		}
	}
	return false;
}

static uint64_t recorded_due(const struct arrivals_options *o, size_t i)
{
	double at = (double)o->recorded->items[i].due_ns / o->speed;

	return at < (double)ARRIVALS_LONGEST_NS ? (uint64_t)at : ARRIVALS_LONGEST_NS;
}

/* The next request of a recording, faster or slower than it was; one stage only. */
static bool next_recorded(struct arrivals *a, struct arrival *out)
{
	const struct arrivals_options *o = &a->options;
	const struct recorded_item *item;
	const uint32_t *sizes = o->recorded->block_sizes;
	uint64_t due;

	if (a->stage > 0)
		return false;
	if (a->number < o->recorded->count && a->number < o->requests) {
		item = &o->recorded->items[a->number];
		due = recorded_due(o, a->number);
		if (due < o->duration_ns && due < ARRIVALS_LONGEST_NS) {
			*out = (struct arrival){
				.number = a->number++,
				.due_ns = due,
				.input_tokens = item->input_tokens,
				.output_tokens = item->output_tokens,
				.blocks = item->block_count ? o->recorded->blocks + item->block_at : NULL,
				.block_count = item->block_count,
				.block_sizes = sizes ? sizes + item->block_at : NULL,
			};
			return true;
		}
	}
	end_stage(a, a->number ? recorded_due(o, a->number - 1) : 0);
	return false;
}

bool arrivals_next(struct arrivals *a, struct arrival *out)
{
	return a->options.kind == ARRIVALS_RECORDED ? next_recorded(a, out) : next_by_rate(a, out);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of a constant rate in a time: 0, 1/rate, 2/rate, ... as long as it is before the end. */
static uint64_t constant_count(double rate, uint64_t duration_ns)
{
	uint64_t n = (uint64_t)(rate * ((double)duration_ns / SECOND));

	while (n > 0 && (double)(n - 1) / rate * SECOND >= (double)duration_ns)
		n--;
	while ((double)n / rate * SECOND < (double)duration_ns)
		n++;
	return n;
}

uint64_t arrivals_count(const struct arrivals_options *o)
{
	struct arrivals a;
	struct arrival next;
	uint64_t sum = 0;

	if (o->kind == ARRIVALS_RECORDED) {
		arrivals_init(&a, o);
		while (arrivals_next(&a, &next))
			sum++;
		return sum;
	}
	if (o->kind == ARRIVALS_POISSON && o->duration_ns != ARRIVALS_NO_END)
		return ARRIVALS_NO_END;
	for (size_t i = 0; i < o->rate_count; i++) {
		uint64_t n = constant_count(o->rates[i], least(o->duration_ns, ARRIVALS_LONGEST_NS));

		sum += least(o->requests, n);
	}
	return sum;
}

uint64_t arrivals_length_ns(const struct arrivals_options *o)
{
	double sum = 0;

	if (o->kind == ARRIVALS_RECORDED) {
		uint64_t n = least(o->requests, o->recorded->count);

		return n ? least(recorded_due(o, n - 1), o->duration_ns) : 0;
	}
	for (size_t i = 0; i < o->rate_count; i++) {
		double by_number = (double)o->requests / o->rates[i] * SECOND;
		double by_time = (double)o->duration_ns;

		sum += by_number < by_time ? by_number : by_time;
	}
	return sum < (double)ARRIVALS_LONGEST_NS ? (uint64_t)sum : ARRIVALS_LONGEST_NS;
}
