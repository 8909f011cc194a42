/* The plots of report.html, of the pieces of sink/plot.h: rates, tiers, times, and cost against quality. */
#include "bench/report/html_private.h"

#include <math.h>

#include "bench/report/summary_cells.h"
#include "transform/quantile.h"

enum {
	TRACK_TALL = 52,
	POINTS_MAX = 60,  /* of a target: more are shown as a histogram */
	POINTS_ALL = 1200,
	BINS = 48,
};

/* The best targets by pass rate, since r->groups is in that order. */
static size_t report_html_plots_shown(const struct report *r)
{
	return r->count < REPORT_PLOT_MAX ? r->count : REPORT_PLOT_MAX;
}

/* ---- rows ---- */

/* See plot_begin_row. */
static void begin_row(struct report *r, size_t i, int height)
{
	plot_begin_row(r->out, i + 1, report_name(r, r->groups[i]), height);
}

static void add_whisker(struct report *r, const char *class, const struct axis *x, const struct rate *rate, double y)
{
	if (rate->n)
		plot_add_whisker(r->out, class, x, (double)rate->k / (double)rate->n, rate->interval, y);
}

/* "83.3 %, 95 % interval 71.2–91.0 %, 15 of 18" */
static void say_rate(struct report *r, const struct rate *rate)
{
	if (!rate->n) {
		report_add(r, "nothing to judge");
		return;
	}
	report_add(r, html_rate(*rate).text);
	if (isfinite(rate->interval.low) && isfinite(rate->interval.high))
		report_printf(r, ", 95\xE2\x80\xAF%% interval %s\xE2\x80\xAF%% to %s\xE2\x80\xAF%%",
			      cell_share(rate->interval.low).text, cell_share(rate->interval.high).text);
	report_printf(r, ", %s of %s", html_count(rate->k).text, html_count(rate->n).text);
}

/* Two rates in one track, the second with failed calls as failures, over what `behind` draws; the value is next. */
static void add_rates(struct report *r, const struct axis *x, const char *behind, const struct rate *rate,
		      const struct rate *of_all)
{
	say_rate(r, rate);
	report_add(r, "</title><desc>With failed calls as failures: ");
	say_rate(r, of_all);
	report_printf(r, ".</desc>%s", behind);
	add_whisker(r, "dot", x, rate, 10);
	add_whisker(r, "all", x, of_all, 22);
	report_add(r, "</svg>\n<div class='value'>");
}

/* The value of a row: the figure, and smaller its interval. */
static void add_figure(struct report *r, const struct rate *rate)
{
	report_printf(r, "<b>%s</b>", html_rate(*rate).text);
	if (rate->n)
		report_printf(r, " <small>%s, n "
			"%s</small>", html_interval(rate->interval).text, html_count(rate->n).text);
}

/* Closes what each part of a plot opened, and says how many targets it leaves out. */
static void end_plot(struct report *r)
{
	report_add(r, "</div>\n");
	report_add_more(r, r->count, report_html_plots_shown(r), "targets");
	report_add(r, "</figure>\n");
}

/* ---- pass rates ---- */

/* Whether a plot has anything to show; asks all targets, not only those that would be drawn. */
static bool some(const struct report *r, bool (*has)(const struct summary_group *g))
{
	for (size_t i = 0; i < r->count; i++)
		if (has(r->groups[i]))
			return true;
	return false;
}

static bool has_pass(const struct summary_group *g)
{
	return g->pass.n || g->pass_of_all.n;
}

void report_write_rates(struct report *r)
{
	static const double ticks[] = { 0, 0.25, 0.5, 0.75, 1 };
	struct axis x = axis_share(ticks, 5);

	report_add(r, "<section aria-labelledby='h-pass'><h2 id='h-pass'>Objective pass rate</h2>\n");
	if (!some(r, has_pass)) {
		report_add(r, "<p class='none'>No answer was judged: the prompts have no validator, or no call "
			      "succeeded.</p></section>\n");
		return;
	}
	report_add(r, "<figure class='plot' id='plot-pass'><figcaption>Answers that pass their validator, with the "
		      "95 % interval. <span class='key'><svg width='26' height='12' aria-hidden='true'><line "
		      "class='reach' x1='1' x2='25' y1='6' y2='6'/><circle class='dot' cx='13' cy='6' r='5'/></svg> "
		      "failed calls left out</span> <span class='key'><svg width='26' height='12' "
		      "aria-hidden='true'><line class='reach all' x1='1' x2='25' y1='6' y2='6'/><circle class='all' "
		      "cx='13' cy='6' r='3.5'/></svg> failed calls count as failures</span></figcaption>\n<div "
		      "class='rows'>\n");
	for (size_t i = 0; i < report_html_plots_shown(r); i++) {
		begin_row(r, i, PLOT_TRACK);
		report_add(r, ": pass rate ");
		add_rates(r, &x, "<use href='#grid-pass'/>", &r->groups[i]->pass, &r->groups[i]->pass_of_all);
		add_figure(r, &r->groups[i]->pass);
		report_add(r, "</div></div>\n");
	}
	plot_add_axis(r->out, &x, "pass", "objective pass rate", plot_label_share);
	end_plot(r);
	report_add(r, "</section>\n");
}

/* ---- tiers ---- */

static bool has_tools(const struct summary_group *g)
{
	return g->tools.n || g->tools_of_all.n;
}

/* One target in the bands of the tiers; a tier whose interval reaches into another is marked. */
static void report_html_plots_add_tier(struct report *r, size_t i, const struct axis *x)
{
	const struct summary_group *g = r->groups[i];

	begin_row(r, i, PLOT_TRACK);
	if (g->tier)
		report_printf(r, ": tier %d%s, ", g->tier, g->tier_unsure ? ", n too small to separate tiers" : "");
	else
		report_add(r, ": no tier, ");
	add_rates(r, x, "<use href='#bands'/><use href='#grid-tiers'/>", &g->tools, &g->tools_of_all);
	if (g->tier)
		report_printf(r, "<b>Tier %d</b> \xC2\xB7 ", g->tier);
	add_figure(r, &g->tools);
	if (g->tier && g->tier_unsure)
		report_add(r, " <small class='unsure'>n too small to separate tiers</small>");
	report_add(r, "</div></div>\n");
}

void report_write_tiers(struct report *r)
{
	static const double ticks[] = { 0, 0.5, 0.8, 1 };
	struct axis x = axis_share(ticks, 4);

	report_add(r, "<section aria-labelledby='h-tiers'><h2 id='h-tiers'>Tool use</h2>\n");
	if (!some(r, has_tools)) {
		report_add(r, "<p class='none'>No prompt of this run expects a tool to be called, so there are no "
			      "tiers.</p></section>\n");
		return;
	}
	report_add(r, "<figure class='plot' id='plot-tiers'><figcaption>Answers that call an expected tool. Tier 1 "
		      "begins at 80 %, tier 2 at 50 %. Filled: failed calls left out; hollow: they count as "
		      "failures.</figcaption>\n<svg width='0' height='0' class='defs' aria-hidden='true'><defs>"
		      "<g id='bands'><rect class='band t3' x='0' y='0' width='50%' height='100%'/>"
		      "<rect class='band t2' x='50%' y='0' width='30%' height='100%'/>"
		      "<rect class='band t1' x='80%' y='0' width='20%' height='100%'/></g></defs></svg>\n<div "
		      "class='rows'>\n<div class='row heads' aria-hidden='true'><div class='name'></div><svg "
		      "class='track' width='100%' height='20'><use href='#bands'/><text x='25%' y='14' "
		      "text-anchor='middle'>Tier 3</text><text x='65%' y='14' text-anchor='middle'>Tier 2</text>"
		      "<text x='90%' y='14' text-anchor='middle'>Tier 1</text></svg><div class='value'></div></div>\n");
	for (size_t i = 0; i < report_html_plots_shown(r); i++)
		report_html_plots_add_tier(r, i, &x);
	plot_add_axis(r->out, &x, "tiers", "tool use success rate", plot_label_share);
	end_plot(r);
	report_add(r, "</section>\n");
}

/* ---- latency ---- */

struct values {
	const double *p;
	size_t n;
};

/* The part that can be shown: what is no number would be at an end. */
static struct values values_of(const struct spread *s)
{
	struct values v = { .p = s->sorted, .n = s->sorted ? (size_t)s->n : 0 };

	while (v.n && !isfinite(v.p[v.n - 1]))
		v.n--;
	for (; v.n && !isfinite(v.p[0]); v.n--)
		v.p++;
	return v;
}

/* Each call a point. Heights mean nothing: they keep points with nearly the same time apart. */
static void add_points(struct report *r, const struct axis *x, struct values v)
{
	double y = 0;

	/* the golden ratio spreads neighbours evenly and always in the same way */
	for (size_t i = 0; i < v.n; i++) {
		y = fmod(y + 0.6180339887, 1);
		plot_add_dot(r->out, "point", axis_at(x, v.p[i]), 5 + round(20 * y), 3);
	}
}

/* Counts are relative to the fullest bin of this target, so heights of two targets do not compare. */
static void add_histogram(struct report *r, const struct axis *x, struct values v)
{
	size_t bins[BINS] = { 0 }, most = 1, in;

	for (size_t i = 0; i < v.n; i++) {
		in = (size_t)(axis_at(x, v.p[i]) / 100 * BINS);
		in = in < BINS ? in : BINS - 1;
		if (++bins[in] > most)
			most = bins[in];
	}
	report_printf(r, "<svg width='100%%' height='28' viewBox='0 0 %d 100' preserveAspectRatio='none'>"
		   "<path class='hill' d='M0 100", BINS);
	for (size_t i = 0; i < BINS; i++)
		report_printf(r, "V%.0fh1", 100 - 96 * (double)bins[i] / (double)most);
	report_add(r, "V100z'/></svg>");
}

/* Smallest to largest as a line, the middle half as a box. `v` must have a value. */
static void add_box(struct report *r, const struct axis *x, struct values v, const struct spread *s)
{
	double q1 = axis_at(x, quantile_of_sorted(v.p, v.n, 0.25)), q3 = axis_at(x, quantile_of_sorted(v.p, v.n, 0.75));

	plot_add_line(r->out, "range", axis_at(x, v.p[0]), axis_at(x, v.p[v.n - 1]), 40, 40);
	report_printf(r, "<rect class='box' x='%.2f%%' y='34' width='%.2f%%' height='12' rx='2'/>", q1,
		   q3 - q1);
	plot_add_upright(r->out, "median", axis_at(x, s->p50), 32, 48);
	if (isfinite(s->p95))
		plot_add_upright(r->out, "p95", axis_at(x, s->p95), 33, 47);
}

/* `points`: few enough calls in the whole plot to draw each; this target may still have too many. */
static void add_distribution(struct report *r, size_t i, const struct axis *x, const struct spread *s, bool points)
{
	struct values v = values_of(s);

	begin_row(r, i, TRACK_TALL);
	if (v.n)
		report_printf(r, ": median %s, 95th percentile %s, from %s to %s, n %s", html_ms(s->p50).text,
			      html_ms(s->p95).text, html_ms(v.p[0]).text, html_ms(v.p[v.n - 1]).text,
			      html_count(v.n).text);
	else
		report_add(r, ": no times");
	report_add(r, "</title><use href='#grid-time'/>");
	if (v.n && points && v.n <= POINTS_MAX)
		add_points(r, x, v);
	else if (v.n)
		add_histogram(r, x, v);
	if (v.n)
		add_box(r, x, v, s);
	report_printf(r, "</svg>\n<div class='value'><small>p50</small> <b>%s</b> <small>p95 %s</small></div></div>\n",
		      html_ms(s->n ? s->p50 : NAN).text, html_ms(s->n ? s->p95 : NAN).text);
}

/* One axis for all targets shown. *points is the number of times on it; 0 means that there is no plot. */
static struct axis axis_of_latency(const struct report *r, size_t *points)
{
	double low = INFINITY, high = 0;

	*points = 0;
	for (size_t i = 0; i < report_html_plots_shown(r); i++) {
		struct values v = values_of(&r->groups[i]->latency);

		if (!v.n)
			continue;
		*points += v.n;
		low = v.p[0] < low ? v.p[0] : low;
		high = v.p[v.n - 1] > high ? v.p[v.n - 1] : high;
	}
	/* a call that took no time that the clock could see is no reason to go without the better axis */
	return axis_values(low < 1 ? 1 : low, high);
}

void report_write_latency(struct report *r)
{
	size_t points;
	struct axis x = axis_of_latency(r, &points);

	report_add(r, "<section aria-labelledby='h-latency'><h2 id='h-latency'>Latency</h2>\n");
	if (!points) {
		report_add(r, "<p class='none'>No call succeeded, so there are no times.</p></section>\n");
		return;
	}
	report_add(r, "<figure class='plot' id='plot-latency'><figcaption>From sending the question to the end of the "
		      "answer, successful calls only. Above: each call, or how many there were; below: ");
	report_add(r, "<span class='key'><svg width='26' height='14' aria-hidden='true'><rect class='box' x='2' "
		      "y='1' width='22' height='12' rx='2'/></svg> the middle half</span> "
		      "<span class='key'><svg width='10' height='14' aria-hidden='true'><line class='median' x1='5' "
		      "x2='5' y1='0' y2='14'/></svg> median</span> "
		      "<span class='key'><svg width='10' height='14' aria-hidden='true'><line class='p95' x1='5' "
		      "x2='5' y1='0' y2='14'/></svg> 95th percentile</span></figcaption>\n<div class='rows'>\n");
	for (size_t i = 0; i < report_html_plots_shown(r); i++)
		add_distribution(r, i, &x, &r->groups[i]->latency, points <= POINTS_ALL);
	plot_add_axis(r->out, &x, "time", "latency", plot_label_ms);
	end_plot(r);
	report_add(r, "</section>\n");
}

/* ---- cost against quality ---- */

/* A target with a cost and a pass rate: it needs both to have a place in the field. */
static bool has_cost(const struct summary_group *g)
{
	return isfinite(g->usd) && g->usd >= 0 && g->usd_rows && g->pass.n;
}

static double cost_of(const struct summary_group *g)
{
	return g->usd / (double)g->usd_rows;
}

/* A target as a dot with its number and the interval of its rate. Cost has no interval. */
static void add_place(struct report *r, size_t i, const struct axis *x)
{
	const struct summary_group *g = r->groups[i];

	report_printf(r, "<g class='whisker dot'><title>%s: %s a call, pass rate ", report_name(r, g),
		      html_usd(cost_of(g)).text);
	say_rate(r, &g->pass);
	report_add(r, "</title>");
	plot_add_place(r->out, i + 1, plot_field_x(x, cost_of(g)), (double)g->pass.k / (double)g->pass.n,
		       g->pass.interval);
}

void report_write_cost(struct report *r)
{
	double low = INFINITY, high = 0;
	size_t known = 0;
	struct axis x;

	for (size_t i = 0; i < report_html_plots_shown(r); i++) {
		if (!has_cost(r->groups[i]))
			continue;
		known++;
		low = fmin(low, cost_of(r->groups[i]));
		high = fmax(high, cost_of(r->groups[i]));
	}
	report_add(r, "<section aria-labelledby='h-cost'><h2 id='h-cost'>Cost against quality</h2>\n");
	if (!known) {
		report_add(r, "<p class='none'>What the calls cost is not known: neither did the services say so, "
			      "nor are these "
			      "models in the table of prices. (Models on your own machine have no "
			      "price.)</p></section>\n");
		return;
	}
	x = axis_values(low, high);
	report_printf(r, "<figure class='plot' id='plot-cost'><figcaption>Mean cost of a call, and the pass rate with "
		      "its 95 %% interval; up and to the left is better. Numbers are those of the table.</figcaption>\n"
		   "<svg class='field' role='img' width='100%%' height='%d'><title>Cost of a call against pass "
		   "rate</title><desc>%zu targets whose cost and pass rate are known; the table has the same "
		   "figures.</desc>",
		   PLOT_FIELD, known);
	plot_add_field_axes(r->out, &x, "cost of a call", plot_label_usd, plot_label_share);
	for (size_t i = 0; i < report_html_plots_shown(r); i++)
		if (has_cost(r->groups[i]))
			add_place(r, i, &x);
	report_add(r, "</svg>\n");
	report_add_more(r, r->count, known, "targets");
	report_add(r, "</figure></section>\n");
}
