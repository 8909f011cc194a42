/* Bounds: what the figures of a stage of a load test must reach. cmd/bench/load_args.h reads them from text. */
#ifndef BENCH_LOAD_LIMIT_H
#define BENCH_LOAD_LIMIT_H

#include "base/arena.h"
#include "base/err.h"
#include "bench/load/stats.h"
#include "bench/report/summary_cells.h"

enum load_figure {
	LOAD_FIGURE_PERCENTILE,
	LOAD_FIGURE_MEAN,
	LOAD_FIGURE_MAX,
	LOAD_FIGURE_ERROR_RATE,
	LOAD_FIGURE_GOODPUT,
	LOAD_FIGURE_GOODPUT_RATE,
	LOAD_FIGURE_REQUEST_RATE,
	LOAD_FIGURE_OUTPUT_RATE,
};

struct load_bound {
	struct str text;        /* "p99_ttft<=1s" */
	struct str name, value; /* "p99_ttft" and "1s" of it, for sentences */
	enum load_figure figure;
	enum load_metric metric; /* of the first three */
	double p;
	bool least;  /* >= or > */
	bool strict; /* < or > */
	double limit; /* milliseconds, a share of 1, or per second */
};

/*
 * Whether a stage meets it; what there is no data for is not met. With `confident` the bad end of the interval
 * decides, and a figure without one is not met. A sentence is added to `said`: "p99_ttft 0.82 s, wanted <=1s".
 */
bool load_bound_meets(const struct load_bound *b, struct load_stage *g, bool confident, struct buf *said);

/* Milliseconds for people: "0.41 ms", "83 ms", "12.4 s"; "-" for NaN. */
struct cell load_ms(double ms);

#endif
