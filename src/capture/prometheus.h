/*
 * The Prometheus text format, version 0.0.4, as servers give it on /metrics: bytes in, samples out.
 *
 *	# TYPE vllm:kv_cache_usage_perc gauge
 *	vllm:kv_cache_usage_perc{engine="0",model_name="a \"b\""} 0.25 1762000000000
 *
 * A line is a sample, a comment (HELP and TYPE are comments here) or blank. Bytes come in any pieces; a line that
 * stands whole in a piece is used where it stands. Lines that are not understood are counted and passed over, and so
 * are those beyond the limit, of which nothing is kept: who scrapes somebody's engine takes what there is.
 */
#ifndef CAPTURE_PROMETHEUS_H
#define CAPTURE_PROMETHEUS_H

#include "base/arena.h"
#include "base/buf.h"

#define PROMETHEUS_LINE_MAX ((size_t)64 << 10)
#define PROMETHEUS_LABELS_MAX 64

struct prometheus_label {
	struct str name, value; /* the value without its escapes */
};

struct prometheus_sample {
	struct str name;
	const struct prometheus_label *labels;
	size_t count;
	double value; /* may be NaN or infinite */
	bool has_time;
	int64_t time_ms;
};

enum prometheus_line { PROMETHEUS_SAMPLE, PROMETHEUS_NOTHING, PROMETHEUS_BAD };

/*
 * One line, without its end. PROMETHEUS_SAMPLE: *out is filled in, and points into the line and the arena. NOTHING for
 * a comment or a blank line, BAD for what is not understood; *out is then not to be used.
 */
enum prometheus_line prometheus_parse(struct arena *a, struct str line, struct prometheus_sample *out);

struct prometheus {
	uint64_t samples, bad; /* so far */
	/* the rest is prometheus.c's */
	void (*take)(void *context, const struct prometheus_sample *s);
	void *context;
	struct arena arena; /* of a line */
	struct buf line;
	bool skipping;
};

/* `take` is called for each sample, which lasts as long as the call. */
void prometheus_init(struct prometheus *p, void (*take)(void *context, const struct prometheus_sample *s),
		     void *context);
void prometheus_free(struct prometheus *p);

/* The next bytes of the page, in any pieces. What is wrong in them is counted (p->bad), never an error. */
void prometheus_push(struct prometheus *p, struct str bytes);

/* No more bytes: a last line without its end is not used, since it may be cut inside a number. */
void prometheus_end(struct prometheus *p);

#endif
