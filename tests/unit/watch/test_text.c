#include "watch/text.h"

#include <math.h>

#include "capture/prometheus.h"
#include "unit/watch/watch_kit.h"

static struct str page_of(const struct figures *f, const struct tail *t, struct buf *out)
{
	buf_init(out);
	text_add(out, f, t);
	return buf_str(out);
}

TEST(counts_are_0_and_unknown_figures_are_nan)
{
	struct figures f = { .ttft_p50 = NAN, .ttft_p99 = NAN, .stall_ratio = NAN };
	struct tail t = { .passes = 1 };
	struct buf out;
	struct str page = page_of(&f, &t, &out);

	CHECK(str_has(page, STR("# HELP trackway_events Nodes and summaries that ended within the last 300 seconds.\n"
				"# TYPE trackway_events gauge\ntrackway_events 0\n")));
	CHECK(str_has(page, STR("\ntrackway_nodes{kind=\"system\"} 0\n")));
	CHECK(str_has(page, STR("# TYPE trackway_ttft_seconds summary\ntrackway_ttft_seconds{quantile=\"0.5\"} NaN\n"
				"trackway_ttft_seconds{quantile=\"0.99\"} NaN\n")));
	CHECK(str_has(page, STR("\ntrackway_tool_stall_ratio NaN\n")));
	buf_free(&out);
}

TEST(every_kind_of_node_has_a_sample)
{
	struct figures f = { .events = 21 };
	struct tail t = { .passes = 1 };
	struct buf out, want;
	struct str page;

	buf_init(&want);
	for (unsigned i = 0; i < AT_KINDS; i++) {
		f.nodes[i] = i + 1;
		buf_printf(&want, "trackway_nodes{kind=\"%s\"} %u\n", agent_trace_kinds[i].p, i + 1);
	}
	page = page_of(&f, &t, &out);
	CHECK(str_has(page, buf_str(&want)));
	buf_free(&want);
	buf_free(&out);
}

struct seen {
	unsigned samples;
	double stall, sum;
};

static void see_sample(void *context, const struct prometheus_sample *s)
{
	struct seen *seen = context;

	seen->samples++;
	if (str_eq(s->name, STR("trackway_tool_stall_ratio")))
		seen->stall = s->value;
	if (str_eq(s->name, STR("trackway_ttft_seconds_sum")))
		seen->sum = s->value;
}

TEST(our_own_reader_of_the_format_reads_the_page)
{
	struct figures f = { .events = 1, .stall_ratio = 1e-7, .ttft_sum = 1e21, .ttft_p50 = INFINITY };
	struct seen seen = { .samples = 0 };
	struct tail t = { .passes = 1 };
	struct prometheus p;
	struct buf out;

	prometheus_init(&p, see_sample, &seen);
	prometheus_push(&p, page_of(&f, &t, &out));
	prometheus_end(&p);
	CHECK_INT(p.bad, 0);
	CHECK_INT(seen.samples, 3 + AT_KINDS + 4 + 1 + 3 + LINES_SKIPS);
	CHECK(seen.stall == 1e-7 && seen.sum == 1e21);
	prometheus_free(&p);
	buf_free(&out);
}
