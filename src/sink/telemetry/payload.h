/*
 * The telemetry payload that an operator could send: aggregates of runs, each number in a bucket, each word from a
 * table. Nothing here sends anything, and nothing of it comes from a text of the runs.
 *
 * A payload is filled node by node, in memory that grows with the runs of one input only.
 */
#ifndef SINK_TELEMETRY_PAYLOAD_H
#define SINK_TELEMETRY_PAYLOAD_H

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "dialect/agent_trace/trace_entry.h"
#include "transform/quantile.h"

#define PAYLOAD_VALUES 100000 /* times to the first token that are kept; beyond that a sample of as many */
#define PAYLOAD_VERSION 12    /* "9999.9999", and a NUL */

struct payload_run;

/* A word that all runs share so far. */
struct payload_word {
	struct str word; /* p NULL: no run says one */
	bool differs;    /* runs say different ones */
};

struct payload {
	uint64_t nodes, counts[AT_KINDS];
	struct quantile ttft; /* seconds */
	double stall, total;  /* seconds: of tools that say how long they waited; of all runs */
	uint64_t stalls;      /* such tool calls */
	struct payload_word rig, engine;
	/* told by the operator: no trace has them */
	const char *gpus; /* a bucket; NULL: not known */
	char engine_version[PAYLOAD_VERSION]; /* major.minor; "": not known */
	/* of the input at hand */
	struct arena arena;
	struct map runs; /* from a trace id to its place + 1 */
	struct payload_run *list;
	size_t count, cap;
};

/* An empty payload, and its end. */
void payload_init(struct payload *p);
void payload_free(struct payload *p);

/* A node or a summary; nothing of it is kept but sums. */
void payload_add(struct payload *p, const struct trace_entry *e);

/* An input is over: its runs are closed, and the same ids in the next input are other runs. */
void payload_end_input(struct payload *p);

/*
 * Adds the document to `out`, on one line. What is not known is null. False and *err when there was no node, or when
 * something in it is on the blocklist, which is a fault of ours: nothing was added then.
 */
bool payload_write(struct payload *p, struct buf *out, struct err *err);

/* ---- buckets ---- */

/* The least of 0.001, 0.002, 0.005, 0.01 ... 500, 1000 that is not below it; 1000 above. NAN when it is negative. */
double payload_bucket_seconds(double seconds);

/* The next of the steps of 0.05 from 0 to 1; NAN when it is no number. */
double payload_bucket_share(double share);

/* 0, or the least of 1, 2, 5, 10, 20 ... 1000000000 that is not below it; the last above. */
uint64_t payload_bucket_count(uint64_t count);

/* "8" for one to eight, "16", "32", "64+" for more than 32; NULL for 0. */
const char *payload_bucket_gpus(uint64_t count);

/* "0.10" of "0.10.2", "v0.10", "0.10.1rc2"; false when it begins otherwise. Each part has at most four digits. */
bool payload_cut_version(struct str text, char out[PAYLOAD_VERSION]);

/*
 * Whether the beginning of a file says that it must not leave the machine: "local_only": true in its first line, or in
 * the document that it is.
 */
bool payload_is_local_only(struct str bytes);

#endif
