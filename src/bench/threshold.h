/*
 * What a run must reach, as the user says it: --fail-under 'p95_latency<=30s'. A name (doc/bench.md lists them), an
 * order (<=, <, >=, >), a number with its unit (ms, s, %, usd, tok/s; none: as the name has it). A threshold that has
 * no data to be held against is not met.
 */
#ifndef BENCH_THRESHOLD_H
#define BENCH_THRESHOLD_H

#include "base/err.h"
#include "bench/summary.h"

struct threshold;

/* ERR_USAGE with the names there are, or the nearest. In the arena. */
const struct threshold *threshold_parse(struct arena *a, struct str text, struct err *err);

/*
 * Whether the group meets it; with `confident` the pessimistic end of the interval decides, and a figure without an
 * interval does not pass. A sentence for people is added to `said` either way: "p95_latency 12.4 s <= 30 s".
 */
bool threshold_meets(const struct threshold *t, const struct summary_group *g, bool confident, struct buf *said);

#endif
