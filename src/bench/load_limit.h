/*
 * Limits on a load test as a user writes them. An SLO is for each request and says what a good answer is:
 *
 *	ttft<=500ms  tpot<=50ms  itl<=200ms (the longest pause)  e2e<=10s
 *
 * A bound is for the figures of a stage and decides the exit status:
 *
 *	p99_ttft<=1s  mean_tpot<40ms  error_rate<=1%  goodput>=95%  request_rate>=7.5  output_tokens_rate>=1000
 *
 * with p50, p90, p95, p99, mean or max of ttft, ttft_sent, tpot, itl, e2e, e2e_sent or late.
 */
#ifndef BENCH_LOAD_LIMIT_H
#define BENCH_LOAD_LIMIT_H

#include "base/arena.h"
#include "base/err.h"
#include "bench/load_stats.h"

/* ERR_USAGE with what is right. The text is kept. */
bool load_slo_parse(struct load_slo *out, struct str text, struct err *err);

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
	struct str text;
	enum load_figure figure;
	enum load_metric metric; /* of the first three */
	double p;
	bool least;  /* >= or > */
	bool strict; /* < or > */
	double limit; /* milliseconds, a share of 1, or per second */
};

bool load_bound_parse(struct load_bound *out, struct str text, struct err *err);

/*
 * Whether a stage meets it; what there is no data for is not met. With `confident` the bad end of the interval
 * decides, and a figure without one is not met. A sentence is added to `said`: "p99_ttft 0.82 s, wanted <=1s".
 */
bool load_bound_meets(const struct load_bound *b, struct load_stage *g, bool confident, struct buf *said);

/* Milliseconds for people: "0.41 ms", "83 ms", "12.4 s"; "-" for NaN. */
void load_add_ms(struct buf *out, double ms);

#endif
