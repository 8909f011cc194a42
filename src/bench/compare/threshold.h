/*
 * What a run must reach: a figure of a group, an order and a limit. cmd/bench/threshold_args.h reads them from text. A
 * threshold that has no data to be held against is not met.
 */
#ifndef BENCH_COMPARE_THRESHOLD_H
#define BENCH_COMPARE_THRESHOLD_H

#include "base/err.h"
#include "bench/report/summary.h"

enum threshold_kind { THRESHOLD_TIME, THRESHOLD_RATE, THRESHOLD_MONEY, THRESHOLD_SPEED, THRESHOLD_COUNT };
enum threshold_order { THRESHOLD_AT_MOST, THRESHOLD_AT_LEAST, THRESHOLD_BELOW, THRESHOLD_ABOVE };
#define THRESHOLD_ORDERS (THRESHOLD_ABOVE + 1)

/* A figure of a group. NaN: there is no data, or no interval. */
struct threshold_measure {
	double value;
	struct interval interval;
};

struct threshold_figure {
	const char *name;
	enum threshold_kind kind;
	struct threshold_measure (*get)(const struct threshold_figure *f, const struct summary_group *g);
	size_t at;      /* of the member that it is about; 0 where `get` knows */
	int percentile; /* of a time: 50, 95 or 99; 0 is the mean */
};

struct threshold_unit {
	const char *text;
	enum threshold_kind kind;
	double scale; /* times it is what the figure is kept in: milliseconds, shares of 1 */
};

struct threshold {
	const struct threshold_figure *what;
	const struct threshold_unit *unit;
	enum threshold_order order;
	double limit;      /* as the figure is kept */
	struct str number; /* as it was written */
};

/* Every figure that can be asked for; ended by a NULL name. */
extern const struct threshold_figure threshold_figures[];

/* "<=", ">=", "<" or ">"; a constant. */
const char *threshold_order_text(enum threshold_order order);

/* A number of the unit as the figure is kept: 90 of "%" is 0.9, exactly as 9 / 10 is. */
double threshold_scale(const struct threshold_unit *u, double value);

/*
 * Whether the group meets it; with `confident` the pessimistic end of the interval decides, and a figure without an
 * interval does not pass. A sentence for people is added to `said` either way: "p95_latency 12.4 s <= 30 s".
 */
bool threshold_meets(const struct threshold *t, const struct summary_group *g, bool confident, struct buf *said);

#endif
