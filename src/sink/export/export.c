/* The table of formats, and handing over what they write. */
#include "sink/export/export.h"

#include "sink/export/crate_entity.h"
#include "sink/export/otlp.h"
#include "sink/export/private.h"

#define EXPORT_FULL ((size_t)256 << 10)

const struct export_format export_formats[] = {
	{ "otlp-json", "OpenTelemetry spans, as JSON", ".otlp.json", NULL, otlp_write_traces_json },
	{ "otlp-proto", "OpenTelemetry spans, as protobuf", ".otlp.pb", NULL, otlp_write_traces_proto },
	{ "otlp-metrics-json", "OpenTelemetry metrics, as JSON", ".otlp-metrics.json", NULL, otlp_write_metrics_json },
	{ "otlp-metrics-proto", "OpenTelemetry metrics, as protobuf", ".otlp-metrics.pb", NULL,
	  otlp_write_metrics_proto },
	{ "chrome", "a timeline for Perfetto and chrome://tracing", ".chrome.json", NULL, export_chrome },
	{ "speedscope", "lanes and cost by model, for speedscope", ".speedscope.json", NULL, export_speedscope },
	{ "dot", "a graph for Graphviz", ".dot", NULL, export_dot },
	{ "mermaid", "a small graph for Markdown", ".mmd", NULL, export_mermaid },
	{ "html", "a page with tables and a waterfall", ".html", NULL, export_html },
	{ "csv", "a row for each node, for spreadsheets", ".csv", NULL, export_csv },
	{ "mooncake", "times and lengths of model calls, for load tests", ".mooncake.jsonl", NULL, export_mooncake },
	{ "ro-crate", "metadata for an archive; a directory has the trace too", ".crate.json", CRATE_METADATA,
	  export_crate_of_runs },
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
