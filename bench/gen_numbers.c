/*
 * Measurements: every line is mostly numbers, of 1 to 17 significant digits, with signs, fractions and
 * exponents, as in training metrics, sensor series and coordinates. The numbers of one series are of one
 * kind, as they are in life; a different kind for every number would make any parser guess wrong.
 */
#include "gen.h"

static void digits(struct gen *g, unsigned count)
{
	uint64_t v = gen_random(g);

	for (unsigned i = 0; i < count; i++, v /= 10)
		*g->at++ = (char)('0' + v % 10);
}

/* A fraction does not end in 0: its writers print the shortest text. */
static void fraction(struct gen *g, unsigned count)
{
	*g->at++ = '.';
	digits(g, count - 1);
	*g->at++ = (char)('1' + gen_below(g, 9));
}

static void sign(struct gen *g, unsigned percent)
{
	if (gen_chance(g, percent))
		*g->at++ = '-';
}

static void small(struct gen *g)
{
	gen_uint(g, gen_magnitude(g, 1, 3));
}

static void large(struct gen *g)
{
	sign(g, 10);
	gen_uint(g, gen_magnitude(g, 5, 10));
}

/* 12.5, -0.07: a reading rounded by whoever logged it. */
static void rounded(struct gen *g)
{
	sign(g, 30);
	gen_uint(g, gen_chance(g, 30) ? 0 : gen_magnitude(g, 1, 4));
	fraction(g, 1 + (unsigned)gen_below(g, 3));
}

/* -73.985131: a coordinate. */
static void placed(struct gen *g)
{
	sign(g, 50);
	gen_uint(g, gen_magnitude(g, 2, 3));
	fraction(g, 6 - gen_chance(g, 10));
}

/* 0.48104347500282689: what a program prints for a double it computed, 14 to 17 digits. */
static void computed(struct gen *g)
{
	unsigned before = (unsigned)gen_below(g, 3);

	sign(g, 30);
	gen_uint(g, before ? gen_magnitude(g, before, before) : 0);
	fraction(g, (gen_chance(g, 80) ? 16 : 14) + gen_chance(g, 50) - before);
}

/* 3.0517578125e-05 */
static void scientific(struct gen *g)
{
	sign(g, 20);
	*g->at++ = (char)('1' + gen_below(g, 9));
	if (gen_chance(g, 95))
		fraction(g, gen_chance(g, 50) ? 1 + (unsigned)gen_below(g, 5) : 15);
	gen_raw(g, gen_chance(g, 90) ? "e-" : "e+");
	gen_uint(g, gen_chance(g, 95) ? 5 + gen_below(g, 25) : gen_below(g, 290));
}

static void series(struct gen *g, const char *name, void (*add)(struct gen *g), uint64_t count)
{
	gen_key(g, name);
	gen_open(g, '[');
	for (uint64_t i = 0; i < count; i++) {
		gen_element(g);
		add(g);
	}
	gen_close(g, ']');
}

static void metrics(struct gen *g)
{
	static const struct {
		const char *name;
		void (*add)(struct gen *g);
	} table[] = {
		{ "loss", computed },          { "grad_norm", computed },     { "learning_rate", scientific },
		{ "accuracy", rounded },       { "tokens_per_second", large }, { "latency_p50", rounded },
		{ "latency_p99", rounded },    { "kv_cache_usage", computed }, { "gpu_util", small },
		{ "power_watts", rounded },
	};

	gen_key(g, "metrics");
	gen_open(g, '{');
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		gen_key(g, table[i].name);
		table[i].add(g);
	}
	gen_close(g, '}');
}

static void points(struct gen *g)
{
	gen_key(g, "points");
	gen_open(g, '[');
	for (uint64_t i = 4 + gen_below(g, 12); i > 0; i--) {
		gen_element(g);
		gen_open(g, '[');
		for (int axis = 0; axis < 3; axis++) {
			gen_element(g);
			placed(g);
		}
		gen_close(g, ']');
	}
	gen_close(g, ']');
}

void gen_numbers(struct gen *g)
{
	static void (*const kinds[])(struct gen *g) = { small, large, rounded, placed, computed, scientific };

	g->clock_us += 1 + gen_below(g, 2000000);
	gen_open(g, '{');
	gen_key(g, "step");
	gen_uint(g, g->lines);
	gen_key(g, "t");
	gen_decimal(g, g->clock_us, 6);
	for (unsigned i = 0; i < 3; i++) {
		static const char *const names[] = { "counts", "values", "samples" };
		uint64_t count = 8 + gen_below(g, 24);

		series(g, names[i], i == 0 ? small : GEN_PICK(g, kinds), count);
	}
	metrics(g);
	points(g);
	gen_close(g, '}');
}
