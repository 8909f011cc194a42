/* The members have the names of the metrics, without their prefix. */
#include "cmd/watch_output.h"

#include "base/clock.h"
#include "cmd/frame/field.h"
#include "cmd/inputs.h"
#include "cmd/report/report.h"

const char *const watch_fields[] = {
	"at",	 "window_seconds", "events", "model_calls", "tool_calls", "nodes", "ttft_seconds", "tool_stall_ratio",
	"files", "lines_skipped",  NULL,
};

static void watch_put_counts(struct json_writer *w, const struct figures *f, struct opt_maybe selected)
{
	char text[36];
	size_t n = stamp_format_us(text, f->at_us, 3);

	field_put_text(w, selected, "at", str_of(text, n));
	field_put_u64(w, selected, "window_seconds", WINDOW_SECONDS);
	field_put_u64(w, selected, "events", f->events);
	field_put_u64(w, selected, "model_calls", f->model_calls);
	field_put_u64(w, selected, "tool_calls", f->tool_calls);
	if (!report_begin_field(w, selected, "nodes"))
		return;
	json_write_begin_object(w);
	for (size_t i = 0; i < AT_KINDS; i++)
		json_put_u64(w, agent_trace_kinds[i].p, f->nodes[i]);
	json_write_end_object(w);
}

static void watch_put_times(struct json_writer *w, const struct figures *f, struct opt_maybe selected)
{
	if (report_begin_field(w, selected, "ttft_seconds")) {
		json_write_begin_object(w);
		json_put_u64(w, "count", f->ttfts);
		json_put_double(w, "p50", f->ttft_p50);
		json_put_double(w, "p99", f->ttft_p99);
		json_write_end_object(w);
	}
	field_put_double(w, selected, "tool_stall_ratio", f->stall_ratio);
}

static void watch_put_files(struct json_writer *w, const struct tail *t, struct opt_maybe selected)
{
	if (report_begin_field(w, selected, "files")) {
		json_write_begin_object(w);
		json_put_u64(w, "followed", t->followed);
		json_put_u64(w, "refused", t->refused);
		json_put_u64(w, "left_out", t->left_out);
		json_write_end_object(w);
	}
	if (report_begin_field(w, selected, "lines_skipped")) {
		json_write_begin_object(w);
		for (size_t i = 0; i < LINES_SKIPS; i++)
			json_put_u64(w, lines_skips[i], t->lines.skipped[i]);
		json_write_end_object(w);
	}
}

void watch_output_add_json(struct buf *out, const struct figures *f, const struct tail *t, struct opt_maybe selected)
{
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, "watch");
	watch_put_counts(&w, f, selected);
	watch_put_times(&w, f, selected);
	watch_put_files(&w, t, selected);
	field_end_document(&w);
}

/* True the first time that the reason is there. */
static bool watch_is_due(bool *warned, bool reason)
{
	bool due = reason && !*warned;

	*warned = *warned || reason;
	return due;
}

void watch_output_warn(const struct frame *f, const struct tail *t, struct watch_warned *w)
{
	if (watch_is_due(&w->failure, t->failure.kind != ERR_NONE))
		inputs_warn(f, "%s", t->failure.text);
	if (watch_is_due(&w->left_out, t->left_out > 0))
		inputs_warn(f, "%zu files or directories are left out: more than %d files were written in the last "
			       "%d seconds, or too many directories are side by side; watch a smaller directory",
			    t->left_out, TAIL_FILES, 2 * WINDOW_SECONDS);
	if (watch_is_due(&w->full, t->lines.skipped[SKIP_FULL] > 0))
		inputs_warn(f, "more than %zu events in %d seconds: the others do not count; watch a smaller directory",
			    WINDOW_EVENTS, WINDOW_SECONDS);
}
