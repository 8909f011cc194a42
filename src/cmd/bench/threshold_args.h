/*
 * What a run must reach, as the user says it: --fail-under 'p95_latency<=30s'. A name (doc/bench.md lists them), an
 * order (<=, <, >=, >), a number with its unit (ms, s, %, usd, tok/s; none: as the name has it).
 */
#ifndef CMD_BENCH_THRESHOLD_ARGS_H
#define CMD_BENCH_THRESHOLD_ARGS_H

#include "bench/compare/threshold.h"

/* In the arena. NULL and ERR_USAGE with the names there are, or the nearest. */
const struct threshold *threshold_args_read(struct arena *a, struct str text, struct err *err);

#endif
