/*
 * What a run must reach, as the user says it: --fail-under 'p95_latency<=30s'. A name (doc/bench.md lists them), an
 * order (<=, <, >=, >), a number with its unit (ms, s, %, usd, tok/s; none: as the name has it).
 */
#ifndef CMD_BENCH_THRESHOLD_ARGS_H
#define CMD_BENCH_THRESHOLD_ARGS_H

#include "bench/compare/threshold.h"

/*
 * Reads a threshold of at most 200 bytes; it lives in the arena. NULL and ERR_USAGE with what is right instead: the
 * names there are, or the nearest; the units of the figure; or the form of a threshold.
 */
const struct threshold *threshold_args_read(struct arena *a, struct str text, struct err *err);

#endif
