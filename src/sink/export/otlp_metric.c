/*
 * Histograms of a run: one row for each metric says what it measures; a point for each set of attributes. Calls are
 * few kinds and many, so points are found by a key made of their attributes.
 */
#include "base/utf8.h"
#include "sink/export/otlp.h"

#define POINTS_EACH 128 /* of one metric in a message; a run with more has the metric again */
#define KEY_TEXT 1024   /* bytes of a text attribute here */

static const double token_bounds[] = { 1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304,
				       16777216, 67108864 };
static const double second_bounds[] = { 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48,
					40.96, 81.92 };
static const double ttft_bounds[] = { 0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5,
				      7.5, 10 };
static const double tpot_bounds[] = { 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5 };

_Static_assert(COUNT(ttft_bounds) <= OTLP_BOUNDS, "room for buckets");

enum measured { TOKENS_IN, TOKENS_OUT, LATENCY, FIRST_TOKEN, EACH_TOKEN };

static const struct {
	enum otlp_name name;
	const char *unit;
	const double *bounds;
	size_t bound_count;
	enum measured what[2];
	size_t count;
	bool errors; /* failed calls are points of their own */
	bool server; /* only where an engine was measured, or when it is asked for */
} metrics[] = {
	{ OTLP_METRIC_TOKENS, "{token}", token_bounds, COUNT(token_bounds), { TOKENS_IN, TOKENS_OUT }, 2, false,
	  false },
	{ OTLP_METRIC_DURATION, "s", second_bounds, COUNT(second_bounds), { LATENCY }, 1, true, false },
	{ OTLP_METRIC_FIRST_CHUNK, "s", second_bounds, COUNT(second_bounds), { FIRST_TOKEN }, 1, false, false },
	{ OTLP_METRIC_SERVER_TTFT, "s", ttft_bounds, COUNT(ttft_bounds), { FIRST_TOKEN }, 1, false, true },
	{ OTLP_METRIC_SERVER_TPOT, "s", tpot_bounds, COUNT(tpot_bounds), { EACH_TOKEN }, 1, false, true },
};

struct meter {
	const struct export_options *o;
	const struct trace *t;
	struct arena arena; /* of the metric */
	struct map places;  /* of points */
	struct otlp_point *points;
	size_t count, cap;
	struct buf key;
};

/* ---- values ---- */

/* An estimate is no measurement, unless it is asked for. */
static double tokens_of(const struct meter *m, struct figure f)
{
	return figure_is_known(f) && (f.source == FIGURE_API || m->o->include_estimated) ? (double)f.n : -1;
}

/* Negative when the call does not say. */
static double value_of(const struct meter *m, const struct trace_entry *e, enum measured what)
{
	switch (what) {
	case TOKENS_IN:
		return tokens_of(m, e->row.usage.input);
	case TOKENS_OUT:
		return tokens_of(m, e->row.usage.output);
	case LATENCY:
		return e->row.latency;
	case FIRST_TOKEN:
		return e->row.ttft;
	default:
		return e->tpot;
	}
}

static bool is_asked(const struct meter *m, const struct trace_entry *e, size_t metric)
{
	if (e->row.kind != AT_MODEL_CALL || e->row.total_only)
		return false;
	return !metrics[metric].server || e->measured || m->o->server_metrics || m->o->profile == OTLP_SEED;
}

/* ---- points ---- */

static struct str short_text(struct meter *m, struct str text)
{
	return arena_copy(&m->arena, utf8_cut(text, KEY_TEXT));
}

static void describe(struct meter *m, struct otlp_attributes *a, const struct otlp_call *c, enum measured what,
		     bool failed)
{
	enum otlp_profile p = m->o->profile;

	otlp_add_text(a, otlp_name(OTLP_NAME_OPERATION, p), c->operation);
	otlp_add_text(a, otlp_name(OTLP_NAME_PROVIDER, p), c->provider);
	if (c->model.p)
		otlp_add_text(a, otlp_name(OTLP_NAME_REQUEST_MODEL, p), short_text(m, c->model));
	if (c->address.p)
		otlp_add_text(a, otlp_name(OTLP_NAME_ADDRESS, p), short_text(m, c->address));
	if (c->port)
		otlp_add_int(a, otlp_name(OTLP_NAME_PORT, p), c->port);
	if (what == TOKENS_IN || what == TOKENS_OUT)
		otlp_add_text(a, otlp_name(OTLP_NAME_TOKEN_TYPE, p), what == TOKENS_IN ? STR("input") : STR("output"));
	if (failed)
		otlp_add_text(a, otlp_name(OTLP_NAME_ERROR, p), STR("_OTHER"));
}

/* The point of these attributes, made when it is the first call that has them. */
static struct otlp_point *point_of(struct meter *m, const struct otlp_call *c, enum measured what, bool failed)
{
	struct otlp_point *p;
	uint64_t *place;
	bool added;

	buf_clear(&m->key);
	buf_printf(&m->key, "%d %d %u ", (int)what, failed, (unsigned)c->port);
	buf_add_str(&m->key, c->operation);
	buf_add_byte(&m->key, 0);
	buf_add_str(&m->key, c->provider);
	buf_add_byte(&m->key, 0);
	buf_add_str(&m->key, utf8_cut(c->address, KEY_TEXT));
	buf_add_byte(&m->key, 0);
	buf_add_str(&m->key, utf8_cut(c->model, KEY_TEXT));
	place = map_add(&m->places, buf_str(&m->key), &added);
	if (!added)
		return &m->points[*place];
	*place = m->count;
	mem_grow(m->points, m->count, m->cap, 8);
	p = &m->points[m->count++];
	*p = (struct otlp_point){ .count = 0 };
	p->from_ns = (uint64_t)(m->t->from_ns + m->o->shift_ns);
	p->to_ns = (uint64_t)(m->t->to_ns + m->o->shift_ns);
	describe(m, &p->attributes, c, what, failed);
	return p;
}

/* Buckets hold what is above the bound before them and at most their own. */
static void count_value(struct otlp_point *p, size_t metric, double value)
{
	size_t i = 0;

	while (i < metrics[metric].bound_count && value > metrics[metric].bounds[i])
		i++;
	p->buckets[i]++;
	p->min = p->count == 0 || value < p->min ? value : p->min;
	p->max = p->count == 0 || value > p->max ? value : p->max;
	p->sum += value;
	p->count++;
}

static void measure(struct meter *m, size_t metric)
{
	arena_reset(&m->arena);
	map_init(&m->places, &m->arena);
	m->count = 0;
	for (size_t k = 0; k < metrics[metric].count; k++) {
		for (size_t i = 0; i < m->t->count; i++) {
			const struct trace_entry *e = &m->t->nodes[i];
			struct otlp_call c;
			double value;

			if (!is_asked(m, e, metric))
				continue;
			value = value_of(m, e, metrics[metric].what[k]);
			if (value < 0)
				continue;
			c = otlp_call_of(e, m->t->format);
			count_value(point_of(m, &c, metrics[metric].what[k], metrics[metric].errors && c.failed),
				    metric, value);
		}
	}
}

bool otlp_make_metrics(const struct export_options *o, const struct trace *t,
		       bool (*each)(void *context, const struct otlp_metric *m, const struct otlp_point *points,
				    size_t count),
		       void *context)
{
	struct meter m = { .o = o, .t = t };
	bool good = true;

	arena_init(&m.arena);
	buf_init(&m.key);
	for (size_t i = 0; good && i < COUNT(metrics); i++) {
		struct otlp_metric metric = { otlp_name(metrics[i].name, o->profile), str_from(metrics[i].unit),
					      metrics[i].bounds, metrics[i].bound_count };

		if (metric.name.n == 0)
			continue;
		measure(&m, i);
		for (size_t at = 0; good && at < m.count; at += POINTS_EACH)
			good = each(context, &metric, m.points + at,
				    m.count - at < POINTS_EACH ? m.count - at : POINTS_EACH);
	}
	mem_free(m.points);
	buf_free(&m.key);
	arena_free(&m.arena);
	return good;
}
