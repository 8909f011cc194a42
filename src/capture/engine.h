/*
 * An inference engine's own metrics, read while a run goes on: a scrape of its Prometheus page every so often, from
 * which the pressure on its KV cache is taken. vLLM and SGLang are known. Whether a span of a trace was "measured" is
 * answered by the scrapes that really succeeded, and by nothing else.
 *
 * Everything happens on the loop's thread, except that engine_measured and engine_summarize may be asked from any.
 */
#ifndef CAPTURE_ENGINE_H
#define CAPTURE_ENGINE_H

#include <uv.h>

#include "base/clock.h"
#include "net/url.h"

struct engine;

/* What the scrapes came to, for the run's record and for a warning. */
struct engine_summary {
	const char *kind;      /* "vllm", "sglang"; NULL: no scrape succeeded */
	uint64_t good, failed; /* scrapes; one that is under way is neither */
	double last, highest;  /* share of the KV cache in use, 0 to 1; meaningful with `good` */
	double running, waiting; /* requests, at the last good scrape; negative: the engine does not say */
	char why[300];         /* of the last failure; empty when there was none */
};

/*
 * Begins to scrape at once and then every period_ms (0 means 1000). An address without a path means its /metrics.
 * Copies the address. Never NULL: an engine that cannot be reached shows in the summary. The clock must outlive the
 * engine, and is the one that times given to engine_measured come from.
 */
struct engine *engine_open(uv_loop_t *loop, const struct url *url, unsigned period_ms, const struct clock_line *clock);

/* No more scrapes; one under way is dropped and not counted. */
void engine_stop(struct engine *e);

/* Frees the engine, after engine_stop and when the loop has run dry. */
void engine_close(struct engine *e);

/*
 * Whether a scrape that gave the KV cache's pressure falls between these times, or less than a period from them. Of the
 * latest 64 stretches of good scrapes; what lies before them counts as not measured.
 */
bool engine_measured(const struct engine *e, int64_t from_ns, int64_t to_ns);

/* The counts of scrapes so far and the latest figures. */
void engine_summarize(const struct engine *e, struct engine_summary *out);

#endif
