#include "bench/report/outputs.h"

#include "base/clock.h"
#include "base/file.h"
#include "bench/report/html_page.h"
#include "bench/report/outputs_mark.h"
#include "bench/run/bench_trace.h"

/* One of the files: its name, and who writes it. */
struct output {
	const char *name;
	void (*write)(struct buf *out, const struct summary *s, const struct config *c, int64_t now);
};

static void write_json(struct buf *out, const struct summary *s, const struct config *c, int64_t now)
{
	(void)c;
	summary_write_json(out, s, now);
}

static void write_md(struct buf *out, const struct summary *s, const struct config *c, int64_t now)
{
	(void)c;
	(void)now;
	summary_write_md(out, s);
	outputs_mark_add(out, s->method);
}

static void write_html(struct buf *out, const struct summary *s, const struct config *c, int64_t now)
{
	report_write_html(out, s, c, now);
	outputs_mark_add(out, s->method);
}

static void write_tools_md(struct buf *out, const struct summary *s, const struct config *c, int64_t now)
{
	(void)c;
	(void)now;
	summary_write_tools_md(out, s);
}

static void write_tools_csv(struct buf *out, const struct summary *s, const struct config *c, int64_t now)
{
	(void)c;
	(void)now;
	summary_write_tools_csv(out, s);
}

/* summary.json comes last: whoever sees it sees the others, too. */
static const struct output outputs[] = {
	{ .name = "summary.md", .write = write_md },
	{ .name = "tool_use_summary.md", .write = write_tools_md },
	{ .name = "tool_use_summary.csv", .write = write_tools_csv },
	{ .name = "report.html", .write = write_html },
	{ .name = "summary.json", .write = write_json },
};

bool outputs_write(struct arena *a, struct str dir, const struct config *c, enum rate_method m, bool interrupted,
		   struct summary *out, struct err *err)
{
	int64_t now = (int64_t)clock_wall_ns();
	struct buf text;
	bool done;

	if (!summary_make(out, a, dir, m, err) || !bench_trace_write(dir, c, interrupted, err))
		return false;
	buf_init(&text);
	done = true;
	for (size_t i = 0; done && i < COUNT(outputs); i++) {
		buf_clear(&text);
		outputs[i].write(&text, out, c, now);
		done = file_replace(ARENA_JOIN(a, dir, STR("/"), str_from(outputs[i].name)), buf_str(&text), 0666, err);
	}
	buf_free(&text);
	return done;
}
