/*
 * A line of requests.jsonl: one request of a load test and its times, without what was said.
 *
 *	{"number", "stage", "status", "failure", "http_status", "due_ms", "sent_ms", "first_byte_ms", "first_token_ms",
 *	 "last_token_ms", "end_ms", "input_tokens", "output_tokens", "output_tokens_source" ("api" or "estimated"),
 *	 "events", "late_ms", "longest_gap_ms", "request_id"}
 *
 * Times are milliseconds since the start of the test with six digits behind the point (nanoseconds); null when it did
 * not happen.
 */
#ifndef BENCH_LOAD_LINE_H
#define BENCH_LOAD_LINE_H

#include "bench/load/stats.h"

/* Adds the line of one request, with its LF. A request_id whose p is NULL is null. */
void load_line_add(struct buf *out, const struct load_outcome *o, uint64_t start_ns, struct str request_id);

#endif
