/*
 * agent-trace.jsonl of a run: every call that was sent is a model_call node, each try of a row that was tried again
 * among them, with a retry node between a failed one and the next. What results.jsonl does not tell of tries comes
 * from events.jsonl. It has no content.
 */
#ifndef BENCH_RUN_BENCH_TRACE_H
#define BENCH_RUN_BENCH_TRACE_H

#include "base/err.h"
#include "bench/run/config.h"

/*
 * Writes `path`/agent-trace.jsonl, whole or not at all. `interrupted`: the run did not come to its end. False and *err
 * when the results cannot be read or the file cannot be written. Without events.jsonl only the last try of each row is
 * a call.
 */
bool bench_trace_write(struct str path, const struct config *c, bool interrupted, struct err *err);

/*
 * How many calls it has when it is written so. False and *err when the results cannot be read; *calls is then not to be
 * used.
 */
bool bench_trace_count(struct str path, const struct config *c, uint64_t *calls, struct err *err);

#endif
