/*
 * Makes each page in memory and replaces its file at once, so a reader never sees half of one. A run that is stopped
 * between two of them has old and new files side by side until outputs are written again.
 */
#include "bench/report/outputs.h"

#include "base/clock.h"
#include "base/file.h"
#include "bench/report/html_page.h"
#include "bench/report/outputs_mark.h"
#include "bench/run/bench_trace.h"

/* summary.json comes last: whoever sees it sees the others, too. */
enum output { OUTPUT_MD, OUTPUT_TOOLS_MD, OUTPUT_TOOLS_CSV, OUTPUT_HTML, OUTPUT_JSON, OUTPUTS };

static const char *const output_names[OUTPUTS] = { "summary.md", "tool_use_summary.md", "tool_use_summary.csv",
						   "report.html", "summary.json" };

/* The two pages that check_pages.c makes again, and only they, end with the mark of this version. */
static void output_add(struct buf *out, enum output which, const struct summary *s, const struct config *c, int64_t now)
{
	if (which == OUTPUT_MD)
		summary_write_md(out, s);
	else if (which == OUTPUT_TOOLS_MD)
		summary_write_tools_md(out, s);
	else if (which == OUTPUT_TOOLS_CSV)
		summary_write_tools_csv(out, s);
	else if (which == OUTPUT_HTML)
		report_write_html(out, s, c, now);
	else
		summary_write_json(out, s, now);
	if (which == OUTPUT_MD || which == OUTPUT_HTML)
		outputs_mark_add(out, s->method);
}

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
	for (int i = 0; done && i < OUTPUTS; i++) {
		buf_clear(&text);
		output_add(&text, (enum output)i, out, c, now);
		done = file_replace(ARENA_JOIN(a, dir, STR("/"), str_from(output_names[i])), buf_str(&text), 0666, err);
	}
	buf_free(&text);
	return done;
}
