/*
 * What users write about a load test. An SLO is for each request and says what a good answer is:
 *
 *	ttft<=500ms  tpot<=50ms  itl<=200ms (the longest pause)  e2e<=10s
 *
 * A bound is for the figures of a stage and decides the exit status:
 *
 *	p99_ttft<=1s  mean_tpot<40ms  error_rate<=1%  goodput>=95%  request_rate>=7.5  output_tokens_rate>=1000
 *
 * with p50, p90, p95, p99, mean or max of ttft, ttft_sent, tpot, itl, e2e, e2e_sent or late.
 */
#ifndef CMD_BENCH_LOAD_ARGS_H
#define CMD_BENCH_LOAD_ARGS_H

#include "bench/load/arrivals.h"
#include "bench/load/limit.h"

/*
 * Read a limit of at most 100 bytes. False with ERR_USAGE, which names the option and what is right; *out is then half
 * filled. *out points into the text, which must outlive it.
 */
bool load_args_slo(struct load_slo *out, struct str text, struct err *err);
bool load_args_bound(struct load_bound *out, struct str text, struct err *err);

/*
 * "8" or "1,2,4.5": requests per second, one for each stage, *count of them. ERR_USAGE for one that is no rate, a comma
 * at the end, or more than ARRIVALS_STAGES.
 */
bool load_args_rates(struct str text, double out[ARRIVALS_STAGES], size_t *count, struct err *err);

/*
 * "30", "30s", "500ms", "2m", "1h" in nanoseconds; without a unit they are seconds; at most a month. ERR_USAGE, which
 * names `option`; *ns is untouched then.
 */
bool load_args_time(struct str text, const char *option, uint64_t *ns, struct err *err);

#endif
