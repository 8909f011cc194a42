/*
 * A table with a row for each node and a column for everything a trace says of it, by RFC 4180. Figures that are not
 * known are empty cells. Texts are made safe by cell_csv: controls are spelled out, and a text that a spreadsheet would
 * take for a formula has a ' in front.
 */
#include <inttypes.h>
#include <math.h>

#include "base/num.h"
#include "sink/cell.h"
#include "sink/export/private.h"

enum csv_kind {
	CSV_TEXT, CSV_FIGURE, CSV_SOURCE, /* of a figure: "api" or "estimated" */
	CSV_AMOUNT, CSV_SECONDS, CSV_TRUTH, CSV_BOOL, CSV_TIME, CSV_LENGTH, CSV_KIND, CSV_PARENTS, CSV_SIBLINGS,
};

struct csv_column {
	const char *name;
	enum csv_kind kind;
	size_t at; /* in a struct trace_entry */
};

#define CSV_AT(member) offsetof(struct trace_entry, member)

/* Behind source, format and trace_id, which belong to the run. */
static const struct csv_column csv_columns[] = {
	{ "node_id", CSV_TEXT, CSV_AT(row.id) },
	{ "parent_node_ids", CSV_PARENTS, 0 },
	{ "agent_id", CSV_TEXT, CSV_AT(row.agent) },
	{ "framework", CSV_TEXT, CSV_AT(row.framework) },
	{ "kind", CSV_KIND, 0 },
	{ "timestamp_start", CSV_TIME, CSV_AT(from_ns) },
	{ "timestamp_end", CSV_TIME, CSV_AT(to_ns) },
	{ "duration_is", CSV_LENGTH, 0 },
	{ "untimed", CSV_BOOL, CSV_AT(row.untimed) },
	{ "partial", CSV_BOOL, CSV_AT(row.partial) },
	{ "inferred", CSV_BOOL, CSV_AT(row.inferred) },
	{ "failed", CSV_BOOL, CSV_AT(row.failed) },
	{ "model", CSV_TEXT, CSV_AT(row.model) },
	{ "endpoint", CSV_TEXT, CSV_AT(endpoint) },
	{ "input_tokens", CSV_FIGURE, CSV_AT(row.usage.input) },
	{ "input_tokens_source", CSV_SOURCE, CSV_AT(row.usage.input) },
	{ "output_tokens", CSV_FIGURE, CSV_AT(row.usage.output) },
	{ "output_tokens_source", CSV_SOURCE, CSV_AT(row.usage.output) },
	{ "cache_read_tokens", CSV_FIGURE, CSV_AT(row.usage.cache_read) },
	{ "cache_write_tokens", CSV_FIGURE, CSV_AT(row.usage.cache_write) },
	{ "reasoning_tokens", CSV_FIGURE, CSV_AT(row.usage.reasoning) },
	{ "estimated_cost_usd", CSV_AMOUNT, CSV_AT(row.usd) },
	{ "cost_source", CSV_TEXT, CSV_AT(cost_source) },
	{ "latency_seconds", CSV_SECONDS, CSV_AT(row.latency) },
	{ "ttfb_seconds", CSV_SECONDS, CSV_AT(ttfb) },
	{ "ttft_seconds", CSV_SECONDS, CSV_AT(row.ttft) },
	{ "ttfc_seconds", CSV_SECONDS, CSV_AT(ttfc) },
	{ "tpot_seconds", CSV_SECONDS, CSV_AT(tpot) },
	{ "stop_reason", CSV_TEXT, CSV_AT(stop_reason) },
	{ "stream", CSV_TRUTH, CSV_AT(stream) },
	{ "tool_choice", CSV_TEXT, CSV_AT(tool_choice) },
	{ "refused", CSV_BOOL, CSV_AT(refused) },
	{ "kv_measured", CSV_BOOL, CSV_AT(measured) },
	{ "total_only", CSV_BOOL, CSV_AT(row.total_only) },
	{ "request_id", CSV_TEXT, CSV_AT(request_id) },
	{ "response_id", CSV_TEXT, CSV_AT(response_id) },
	{ "hash_ids", CSV_TEXT, CSV_AT(hash_ids) },
	{ "tool", CSV_TEXT, CSV_AT(row.tool) },
	{ "call_id", CSV_TEXT, CSV_AT(call_id) },
	{ "wall_time_seconds", CSV_SECONDS, CSV_AT(row.wall) },
	{ "wall_time_source", CSV_TEXT, CSV_AT(wall_source) },
	{ "stall_seconds", CSV_SECONDS, CSV_AT(row.stall) },
	{ "result_size_bytes", CSV_FIGURE, CSV_AT(size) },
	{ "result_kind", CSV_TEXT, CSV_AT(result_kind) },
	{ "is_external", CSV_TRUTH, CSV_AT(external) },
	{ "is_io_bound", CSV_TRUTH, CSV_AT(io_bound) },
	{ "branch_kind", CSV_TEXT, CSV_AT(row.branch) },
	{ "siblings", CSV_SIBLINGS, 0 },
};

static void csv_add_double(struct buf *out, double v)
{
	char text[NUM_DOUBLE_MAX];

	buf_add(out, text, isfinite(v) && v >= 0 ? num_format_double(text, v) : 0);
}

/* Seconds since 1970 with the digits of the trace: a double has no nanoseconds. */
static void csv_add_time(struct buf *out, int64_t ns)
{
	uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	buf_printf(out, "%s%" PRIu64, ns < 0 ? "-" : "", n / 1000000000);
	if (n % 1000000000 == 0)
		return;
	buf_printf(out, ".%09" PRIu64, n % 1000000000);
	while (out->p[out->n - 1] == '0')
		out->n--;
}

static void csv_add_text(struct buf *out, struct arena *a, struct str text)
{
	buf_add_str(out, str_from(cell_csv(a, text)));
}

/* A list of ids in one cell, as JSON. */
static void csv_add_ids(struct buf *out, struct arena *a, const struct str *ids, size_t count)
{
	struct buf list;

	buf_init(&list);
	for (size_t i = 0; i < count; i++) {
		buf_add_byte(&list, i ? ',' : '[');
		json_write_quoted(&list, ids[i]);
	}
	if (count)
		buf_add_byte(&list, ']');
	csv_add_text(out, a, buf_str(&list));
	buf_free(&list);
}

static void csv_add_bool(struct buf *out, bool v)
{
	buf_add_str(out, v ? STR("true") : STR("false"));
}

static void csv_add_figure(struct buf *out, struct figure f, bool source)
{
	if (figure_is_known(f) && source)
		buf_add_str(out, f.source == FIGURE_ESTIMATED ? STR("estimated") : STR("api"));
	else if (figure_is_known(f))
		buf_printf(out, "%" PRIu64, f.n);
}

static void csv_add_value(struct buf *out, struct arena *a, const struct csv_column *c, const struct trace_entry *e)
{
	static const char *const lengths[] = { "measured", "about", "at_most" };
	const void *p = (const char *)e + c->at;

	if (c->kind == CSV_TEXT)
		csv_add_text(out, a, *(const struct str *)p);
	else if (c->kind == CSV_FIGURE || c->kind == CSV_SOURCE)
		csv_add_figure(out, *(const struct figure *)p, c->kind == CSV_SOURCE);
	else if (c->kind == CSV_AMOUNT && amount_is_known(*(const struct amount *)p))
		csv_add_double(out, ((const struct amount *)p)->n);
	else if (c->kind == CSV_SECONDS)
		csv_add_double(out, *(const double *)p);
	else if (c->kind == CSV_TRUTH && *(const uint8_t *)p != TRUTH_ABSENT)
		csv_add_bool(out, *(const uint8_t *)p == TRUTH_TRUE);
	else if (c->kind == CSV_BOOL)
		csv_add_bool(out, *(const bool *)p);
	else if (c->kind == CSV_TIME)
		csv_add_time(out, *(const int64_t *)p);
	else if (c->kind == CSV_LENGTH)
		buf_add_str(out, str_from(lengths[e->row.length]));
	else if (c->kind == CSV_KIND)
		buf_add_str(out, agent_trace_kinds[e->row.kind]);
	else if (c->kind == CSV_PARENTS)
		csv_add_ids(out, a, e->parents, e->parent_count);
	else if (c->kind == CSV_SIBLINGS)
		csv_add_ids(out, a, e->siblings, e->sibling_count);
}

bool export_csv(struct export *x, const struct trace_list *runs, struct err *err)
{
	struct arena row;
	bool good = true;

	arena_init(&row);
	buf_add_str(&x->out, STR("source,format,trace_id"));
	for (size_t i = 0; i < COUNT(csv_columns); i++)
		buf_printf(&x->out, ",%s", csv_columns[i].name);
	buf_add_str(&x->out, STR("\r\n"));
	for (size_t i = 0; i < runs->count && good; i++) {
		const struct trace *t = &runs->items[i];

		for (size_t k = 0; k < t->count && good; k++) {
			csv_add_text(&x->out, &row, t->source);
			buf_printf(&x->out, ",%s,", t->format);
			csv_add_text(&x->out, &row, t->id);
			for (size_t c = 0; c < COUNT(csv_columns); c++) {
				buf_add_byte(&x->out, ',');
				csv_add_value(&x->out, &row, &csv_columns[c], &t->nodes[k]);
			}
			buf_add_str(&x->out, STR("\r\n"));
			arena_reset(&row);
			good = export_drain(x, err);
		}
	}
	arena_free(&row);
	return good && export_flush(x, err);
}
