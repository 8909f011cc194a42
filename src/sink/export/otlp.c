/* Spans and metrics gathered to requests that are never larger than a receiver takes. */
#include "sink/export/otlp.h"

struct batch {
	struct export *x;
	const struct otlp_encoding *encoding;
	struct otlp_envelope envelope;
	struct buf list, one; /* what the request holds so far; one that did not fit into it */
	size_t limit, around; /* bytes: of the request; of what stands around its list */
	struct err *err;
};

static void batch_init(struct batch *b, struct export *x, enum otlp_signal signal, const struct otlp_encoding *encoding)
{
	const struct export_options *o = x->options;
	struct str service = o->service.p ? o->service : STR("agent-trace");
	struct otlp_attributes *resource = &b->envelope.resource;

	memset(b, 0, sizeof(*b));
	b->x = x;
	b->encoding = encoding;
	b->envelope.signal = signal;
	b->envelope.scope = STR("trackway");
	b->envelope.version = str_from(o->version);
	b->envelope.schema_url = otlp_schema_urls[o->profile];
	otlp_add_text(resource, otlp_name(OTLP_NAME_SERVICE, o->profile), service);
	otlp_add_text(resource, otlp_name(OTLP_NAME_SDK, o->profile), STR("trackway"));
	otlp_add_text(resource, otlp_name(OTLP_NAME_LANGUAGE, o->profile), STR("c"));
	otlp_add_text(resource, otlp_name(OTLP_NAME_PROJECT, o->profile), service);
	for (size_t i = 0; i + 1 < o->resource_count; i += 2)
		otlp_add_text(resource, o->resource[i], o->resource[i + 1]);
	buf_init(&b->list);
	buf_init(&b->one);
	encoding->request(&b->one, &b->envelope, STR(""));
	b->around = b->one.n + 32; /* lengths of lengths */
	b->limit = o->batch_limit ? o->batch_limit : EXPORT_BATCH;
}

static void batch_free(struct batch *b)
{
	buf_free(&b->list);
	buf_free(&b->one);
}

/* The request goes out whole: who sends it needs one at a time. */
static bool send_batch(struct batch *b)
{
	if (b->list.n == 0)
		return true;
	b->encoding->request(&b->x->out, &b->envelope, buf_str(&b->list));
	buf_clear(&b->list);
	return export_flush(b->x, b->err);
}

/* What was added behind `before` makes the request too large: it becomes the first of the next one. */
static bool fit_batch(struct batch *b, size_t before)
{
	struct str last = str_skip(buf_str(&b->list), before);

	if (before == 0 || b->list.n + b->around <= b->limit)
		return true;
	buf_clear(&b->one);
	buf_add_str(&b->one, str_starts(last, STR(",")) ? str_skip(last, 1) : last); /* JSON puts it between two */
	b->list.n = before;
	if (!send_batch(b))
		return false;
	buf_add_str(&b->list, buf_str(&b->one));
	return true;
}

static bool add_span(void *context, const struct otlp_span *s)
{
	struct batch *b = context;
	size_t before = b->list.n;

	b->encoding->span(&b->list, s);
	return fit_batch(b, before);
}

static bool add_metric(void *context, const struct otlp_metric *m, const struct otlp_point *points, size_t count)
{
	struct batch *b = context;
	size_t before = b->list.n;

	b->encoding->metric(&b->list, m, points, count);
	return fit_batch(b, before);
}

static bool write_traces(struct export *x, const struct trace_list *runs, const struct otlp_encoding *encoding,
			 struct err *err)
{
	struct batch b;
	bool good = true;

	batch_init(&b, x, OTLP_TRACES, encoding);
	b.err = err;
	for (size_t i = 0; good && i < runs->count; i++)
		good = otlp_make_spans(x->options, &runs->items[i], add_span, &b);
	good = good && send_batch(&b);
	batch_free(&b);
	return good;
}

/* The points of a run speak of its own time: no two runs share a request. */
static bool write_metrics(struct export *x, const struct trace_list *runs, const struct otlp_encoding *encoding,
			  struct err *err)
{
	struct batch b;
	bool good = true;

	batch_init(&b, x, OTLP_METRICS, encoding);
	b.err = err;
	for (size_t i = 0; good && i < runs->count; i++)
		good = otlp_make_metrics(x->options, &runs->items[i], add_metric, &b) && send_batch(&b);
	batch_free(&b);
	return good;
}

bool otlp_write_traces_json(struct export *x, const struct trace_list *runs, struct err *err)
{
	return write_traces(x, runs, &otlp_json, err);
}

bool otlp_write_traces_proto(struct export *x, const struct trace_list *runs, struct err *err)
{
	return write_traces(x, runs, &otlp_proto, err);
}

bool otlp_write_metrics_json(struct export *x, const struct trace_list *runs, struct err *err)
{
	return write_metrics(x, runs, &otlp_json, err);
}

bool otlp_write_metrics_proto(struct export *x, const struct trace_list *runs, struct err *err)
{
	return write_metrics(x, runs, &otlp_proto, err);
}
