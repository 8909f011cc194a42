/* Every metric is a row of one table: name, type, help, and what writes its samples. */
#include "watch/text.h"

#include <math.h>

#include "base/num.h"

struct page {
	struct buf *out;
	const struct figures *figures;
	const struct tail *tail;
	const char *name; /* of the metric at hand */
};

static void text_add_value(struct buf *out, double v)
{
	char digits[NUM_DOUBLE_MAX];

	if (isfinite(v))
		buf_add(out, digits, num_format_double(digits, v));
	else
		buf_add_str(out, isnan(v) ? STR("NaN") : v < 0 ? STR("-Inf") : STR("+Inf"));
	buf_add_byte(out, '\n');
}

/* A sample; `tail` follows the name, a suffix or labels. Label values are words of ours: nothing to escape. */
static void text_add_sample(struct page *p, const char *tail, double v)
{
	buf_printf(p->out, "%s%s ", p->name, tail);
	text_add_value(p->out, v);
}

static void text_add_label(struct page *p, const char *name, struct str word, double v)
{
	buf_printf(p->out, "%s{%s=\"%.*s\"} ", p->name, name, STR_ARG(word));
	text_add_value(p->out, v);
}

static void text_add_events(struct page *p)
{
	text_add_sample(p, "", (double)p->figures->events);
}

static void text_add_model_calls(struct page *p)
{
	text_add_sample(p, "", (double)p->figures->model_calls);
}

static void text_add_tool_calls(struct page *p)
{
	text_add_sample(p, "", (double)p->figures->tool_calls);
}

static void text_add_nodes(struct page *p)
{
	for (size_t i = 0; i < AT_KINDS; i++)
		text_add_label(p, "kind", agent_trace_kinds[i], (double)p->figures->nodes[i]);
}

static void text_add_ttft(struct page *p)
{
	text_add_sample(p, "{quantile=\"0.5\"}", p->figures->ttft_p50);
	text_add_sample(p, "{quantile=\"0.99\"}", p->figures->ttft_p99);
	text_add_sample(p, "_sum", p->figures->ttft_sum);
	text_add_sample(p, "_count", (double)p->figures->ttft_count);
}

static void text_add_stall(struct page *p)
{
	text_add_sample(p, "", p->figures->stall_ratio);
}

static void text_add_files(struct page *p)
{
	text_add_label(p, "state", STR("followed"), (double)p->tail->followed);
	text_add_label(p, "state", STR("refused"), (double)p->tail->refused);
	text_add_label(p, "state", STR("left_out"), (double)p->tail->left_out);
}

static void text_add_skipped(struct page *p)
{
	for (size_t i = 0; i < LINES_SKIPS; i++)
		text_add_label(p, "reason", str_from(lines_skips[i]), (double)p->tail->lines.skipped[i]);
}

static const struct {
	const char *name, *type, *help;
	void (*add)(struct page *p);
} metrics[] = {
	{ "trackway_events", "gauge", "Nodes and summaries that ended within the last 300 seconds.", text_add_events },
	{ "trackway_model_calls", "gauge", "Model calls that ended within the last 300 seconds.",
	  text_add_model_calls },
	{ "trackway_tool_calls", "gauge", "Tool calls that ended within the last 300 seconds.", text_add_tool_calls },
	{ "trackway_nodes", "gauge", "Nodes that ended within the last 300 seconds, by kind.", text_add_nodes },
	{ "trackway_ttft_seconds", "summary",
	  "Time to the first token. Quantiles: model calls of the last 300 seconds. Sum and count: since the start.",
	  text_add_ttft },
	{ "trackway_tool_stall_ratio", "gauge",
	  "Tool stall time divided by run time, in the last 300 seconds. NaN when no stall is known.",
	  text_add_stall },
	{ "trackway_watch_files", "gauge", "Files of the last look: traces, unreadable ones, those beyond a limit.",
	  text_add_files },
	{ "trackway_watch_lines_skipped_total", "counter", "Lines of traces that were read and do not count.",
	  text_add_skipped },
};

void text_add(struct buf *out, const struct figures *f, const struct tail *t)
{
	struct page p = { .out = out, .figures = f, .tail = t };

	for (size_t i = 0; i < COUNT(metrics); i++) {
		p.name = metrics[i].name;
		buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", p.name, metrics[i].help, p.name, metrics[i].type);
		metrics[i].add(&p);
	}
}
