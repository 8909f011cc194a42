/*
 * What the requests of a load test come to, stage by stage. Everything is counted from when a request was due, whether
 * it could be sent then or not: a client that waits with the next request until the last is answered would leave out
 * just those waits that a slow server causes (coordinated omission). Times from the sending stand beside them.
 *
 * Requests that failed, timed out or were never sent are counted and have no latency; as an answer within the limits
 * they count as none. Nothing here looks at a clock: times are those of the outcomes.
 */
#ifndef BENCH_LOAD_STATS_H
#define BENCH_LOAD_STATS_H

#include "base/arena.h"
#include "transform/quantile.h"
#include "transform/stats.h"

#define LOAD_LEVEL 0.95
#define LOAD_KEPT ((size_t)1 << 20) /* values kept for percentiles; beyond it a sample of that size, and ~ is shown */
#define LOAD_FAILURES 32            /* different ones that are told apart */
#define LOAD_SLOS 8

enum load_metric {
	LOAD_TTFT,      /* due to first token */
	LOAD_TTFT_SENT, /* sent to first token */
	LOAD_TPOT,      /* (end - first token) / (output tokens - 1) */
	LOAD_ITL,       /* between the pieces of an answer; of one outcome the longest */
	LOAD_E2E,       /* due to end */
	LOAD_E2E_SENT,
	/* The same to the last token, as AIPerf has them: what a service sends behind it (usage, the end) is not in. */
	LOAD_TPOT_LAST,     /* (last token - first token) / (output tokens - 1) */
	LOAD_E2E_LAST,      /* due to last token */
	LOAD_E2E_LAST_SENT, /* sent to last token: AIPerf's request latency */
	LOAD_LATE,      /* due to sent: ours */
	LOAD_LOOP,      /* bytes that had come and waited for us: ours */
	LOAD_METRICS,
};
const char *load_metric_name(enum load_metric m); /* "ttft" */

enum load_end { LOAD_OK, LOAD_LIMITED, LOAD_ERROR, LOAD_TIMEOUT, LOAD_NOT_SENT, LOAD_GIVEN_UP, LOAD_ENDS };
const char *load_end_name(enum load_end e); /* "ok", "rate_limited", "error", "timeout", "not_sent", "given_up" */

/* Times of one clock, in nanoseconds; 0 when it did not happen. */
struct load_outcome {
	uint64_t number;
	size_t stage;
	enum load_end end;
	uint64_t due_ns, sent_ns, byte_ns, token_ns, ended_ns;
	const char *failure; /* NULL when it is ok */
	int http_status;
	bool streamed;       /* without it there is no first token */
	bool empty;          /* nothing was said */
	uint64_t input_tokens, output_tokens;
	bool output_known;   /* said by the service; otherwise the number of pieces */
	uint64_t events, late_ns;
	const uint64_t *arrivals; /* of the pieces */
	size_t arrival_count;
};

/*
 * A metric of one request in *ms. False when the request has none, and *ms is then not to be used: one that is not ok
 * has only LOAD_LATE, and only a streamed one has times of tokens.
 */
bool load_outcome_get(const struct load_outcome *o, enum load_metric m, double *ms);

struct load_slo {
	struct str text;
	enum load_metric metric;
	bool below; /* < rather than <= */
	double ms;
};

struct load_spread {
	struct quantile values;
	uint64_t n;
	double sum, least, most;
};

struct load_percentile {
	double value;             /* NaN for none */
	struct interval interval; /* order statistics; NaN where n is too small */
	bool estimated;           /* from a sample */
};

/*
 * The p-quantile (above 0, below 1) of a spread, with its interval; all NaN without values. Sorts what is kept, so the
 * spread is not const.
 */
struct load_percentile load_spread_get(struct load_spread *s, double p);

struct load_failure {
	char name[48];
	uint64_t count;
};

struct load_stage {
	double rate; /* wanted, per second; NaN of a recording */
	uint64_t begin_ns, length_ns; /* since the start; when it is over */
	uint64_t due, sent, ends[LOAD_ENDS], empty, good;
	uint64_t input_tokens, output_tokens, estimated; /* answers whose tokens the service did not say */
	uint64_t events;
	uint64_t last_ns; /* end of the last answer, since the start */
	struct load_spread spreads[LOAD_METRICS];
};

struct load_stats {
	uint64_t start_ns; /* of the clock of the outcomes */
	const struct load_slo *slos;
	size_t slo_count;
	struct load_stage *stages; /* and, when there are several, all together behind them */
	size_t count;
	struct load_failure failures[LOAD_FAILURES]; /* the last one is "other" when they are too many */
	size_t failure_count;
};

/* Begins with nothing counted; `start_ns` is when the test began. Stages live in the arena, values until the free. */
void load_stats_init(struct load_stats *s, struct arena *a, uint64_t start_ns, size_t stages);

/* Gives the values back; counts can still be read. */
void load_stats_free(struct load_stats *s);

/* Counts a request that is over, in its stage and in all of them together. */
void load_stats_add(struct load_stats *s, const struct load_outcome *o);

/* Tells when a stage began, how long requests were due in it, and the rate that was wanted. */
void load_stats_span(struct load_stats *s, size_t stage, double rate, uint64_t begin_ns, uint64_t length_ns);

/* All stages together; the stage itself when there is only one. */
struct load_stage *load_stats_all(struct load_stats *s);

/*
 * The seconds of a stage, and a count per second: from when the stage began to the later of its end and its last
 * answer. NaN when that is no time.
 */
double load_stage_seconds(const struct load_stage *g);
double load_stage_rate(const struct load_stage *g, uint64_t count);

/* Sent per second of the time in which requests were due: to hold against the rate that was wanted. */
double load_stage_sent_rate(const struct load_stage *g);

/* Requests that count: all that were due but those given up. */
uint64_t load_stage_counted(const struct load_stage *g);

/*
 * Why the figures may be the client's rather than the server's, a constant; NULL when they are not. `busy` is our CPU
 * time / wall time; 0 leaves it out of account.
 */
const char *load_stats_bottleneck(struct load_stats *s, double busy);

#endif
