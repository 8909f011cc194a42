/*
 * What OTLP knows, as structs, and its two encodings. otlp_span.c and otlp_metric.c make them from runs; an encoding
 * writes them as JSON or as protobuf, so that both say the same. Field numbers and spellings are those of
 * opentelemetry-proto 1.11.
 */
#ifndef SINK_EXPORT_OTLP_H
#define SINK_EXPORT_OTLP_H

#include "sink/export/export.h"

enum otlp_type { OTLP_TEXT, OTLP_INT, OTLP_DOUBLE, OTLP_BOOL, OTLP_TEXTS };

struct otlp_attribute {
	struct str key;
	enum otlp_type type;
	struct str text;
	int64_t n;
	double d;
	bool b;
	const struct str *texts;
	size_t count;
};

struct otlp_attributes {
	struct otlp_attribute list[EXPORT_ATTRIBUTES];
	uint32_t count, dropped;
};

struct otlp_ids {
	uint8_t trace[16], span[8];
};

#define OTLP_LINKS 1000 /* of a span, at most: the rest is counted */
#define OTLP_LIST 256   /* texts of a list, at most */
#define OTLP_TEXT_MAX ((size_t)16 << 10)

enum otlp_kind { OTLP_INTERNAL = 1, OTLP_CLIENT = 3 };

struct otlp_span {
	struct otlp_ids ids;
	uint8_t parent[8];
	bool has_parent;
	struct str name;
	enum otlp_kind kind;
	uint64_t from_ns, to_ns;
	struct otlp_attributes attributes;
	struct otlp_ids links[OTLP_LINKS]; /* all of them causal parents */
	struct str link_key;               /* the attribute that says so */
	uint32_t link_count, dropped_links;
	bool has_status, failed;
};

#define OTLP_BOUNDS 16 /* of a histogram, at most */

struct otlp_metric {
	struct str name, unit;
	const double *bounds;
	size_t bound_count;
};

struct otlp_point {
	struct otlp_attributes attributes;
	uint64_t from_ns, to_ns, count, buckets[OTLP_BOUNDS + 1];
	double sum, min, max;
};

/* An attribute; nothing for an empty key, an absent text or one too many, which is counted. */
void otlp_add_text(struct otlp_attributes *a, struct str key, struct str text);
void otlp_add_texts(struct otlp_attributes *a, struct str key, const struct str *texts, size_t count);
void otlp_add_int(struct otlp_attributes *a, struct str key, int64_t n);
void otlp_add_double(struct otlp_attributes *a, struct str key, double d); /* finite */
void otlp_add_bool(struct otlp_attributes *a, struct str key, bool b);

enum otlp_signal { OTLP_TRACES, OTLP_METRICS };

/* What stands around the spans or metrics of a request. */
struct otlp_envelope {
	enum otlp_signal signal;
	struct otlp_attributes resource;
	struct str scope, version, schema_url;
};

struct otlp_encoding {
	/* Adds one more to a list of spans. */
	void (*span)(struct buf *list, const struct otlp_span *s);
	/* Adds one more to a list of metrics: a histogram with these points. */
	void (*metric)(struct buf *list, const struct otlp_metric *m, const struct otlp_point *points, size_t count);
	/* Adds a whole request with this list. */
	void (*request)(struct buf *out, const struct otlp_envelope *e, struct str list);
};

/* The two there are. */
extern const struct otlp_encoding otlp_json, otlp_proto;

/* ---- runs ---- */

#define OTLP_ROOT STR("__root__") /* the name of the root among the nodes */

struct sha256;

/* The ids of a trace and a node of it, or of its root. */
struct otlp_ids otlp_ids_of(struct sha256 *hash, struct str trace, struct str node);

/* Where a call went and what it is called: the attributes that spans and metrics share. Texts point into the node. */
struct otlp_call {
	struct str operation, provider, model, address;
	uint16_t port;
	bool failed;
};

/* `format` is that of the run's source. */
struct otlp_call otlp_call_of(const struct trace_entry *e, const char *format);

/* Makes one span after the other of a run: the root first. They last for the call; false of `each` ends it. */
bool otlp_make_spans(const struct export_options *o, const struct trace *t,
		     bool (*each)(void *context, const struct otlp_span *s), void *context);

/* Makes the metrics of a run, one after the other; those without a point are left out. */
bool otlp_make_metrics(const struct export_options *o, const struct trace *t,
		       bool (*each)(void *context, const struct otlp_metric *m, const struct otlp_point *points,
				    size_t count),
		       void *context);

/* ---- the formats: rows of export_formats ---- */

/* Each hands over one whole request at a time, below the limit of the options. */
bool otlp_write_traces_json(struct export *x, const struct trace_list *runs, struct err *err);
bool otlp_write_traces_proto(struct export *x, const struct trace_list *runs, struct err *err);
bool otlp_write_metrics_json(struct export *x, const struct trace_list *runs, struct err *err);
bool otlp_write_metrics_proto(struct export *x, const struct trace_list *runs, struct err *err);

#endif
