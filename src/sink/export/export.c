/* The table of formats, and handing over what they write. */
#include "sink/export/export.h"

#include "sink/export/otlp.h"
#include "sink/export/private.h"

#define EXPORT_FULL ((size_t)256 << 10)

const struct export_format export_formats[] = {
	{ "otlp-json", "OpenTelemetry spans, as JSON", ".otlp.json", otlp_write_traces_json },
	{ "otlp-proto", "OpenTelemetry spans, as protobuf", ".otlp.pb", otlp_write_traces_proto },
	{ "otlp-metrics-json", "OpenTelemetry metrics, as JSON", ".otlp-metrics.json", otlp_write_metrics_json },
	{ "otlp-metrics-proto", "OpenTelemetry metrics, as protobuf", ".otlp-metrics.pb", otlp_write_metrics_proto },
	{ "dot", "a graph for Graphviz", ".dot", export_dot },
	{ .name = NULL },
};

const struct export_format *export_find(struct str name)
{
	for (const struct export_format *f = export_formats; f->name; f++)
		if (str_eq(name, str_from(f->name)))
			return f;
	return NULL;
}

bool export_flush(struct export *x, struct err *err)
{
	bool good = x->out.n == 0 || x->put(x->context, buf_str(&x->out), err);

	buf_clear(&x->out);
	return good;
}

bool export_drain(struct export *x, struct err *err)
{
	return x->out.n < EXPORT_FULL || export_flush(x, err);
}
