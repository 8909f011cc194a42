/* agent-trace.jsonl of a run: every row of results.jsonl that was sent is a model_call node. It has no content. */
#ifndef BENCH_BENCH_TRACE_H
#define BENCH_BENCH_TRACE_H

#include "base/err.h"
#include "bench/config.h"

/* Writes `path`/agent-trace.jsonl, whole or not at all. `interrupted`: the run did not come to its end. */
bool bench_trace_write(struct str path, const struct config *c, bool interrupted, struct err *err);

#endif
