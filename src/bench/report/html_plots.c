/*
 * Plots are rows: a name, a track that is an SVG as wide as there is room, and the figure in words. Places in a track
 * are percentages, so that nothing is scaled, text least of all, and a page of 360 pixels has plots as good as a wide
 * one. Lines that all tracks of a plot have are written once and used by each.
 */
#include "bench/report/html_private.h"

#include <math.h>

#include "base/num.h"
#include "bench/report/summary_cells.h"
#include "transform/quantile.h"

enum {
	TRACK = 30,       /* pixels high */
	TRACK_TALL = 52,
	POINTS_MAX = 60,  /* of a target: more are shown as a histogram */
	POINTS_ALL = 1200,
	BINS = 48,
	FIELD = 300,      /* height of the plot of cost against quality, with its axis */
	FIELD_TOP = 16,
	FIELD_BOTTOM = 262,
};

/* The best targets by pass rate, since r->groups is in that order. */
static size_t report_html_plots_shown(const struct report *r)
{
	return r->count < REPORT_PLOT_MAX ? r->count : REPORT_PLOT_MAX;
}

/* ---- rows ---- */

/* Leaves the <title> of the track open: each plot adds to it what the row shows, for those who cannot see it. */
static void begin_row(struct report *r, size_t i, int height)
{
	const char *name = report_name(r, r->groups[i]);

	report_printf(r, "<div class='row'><div class='name'><span class='no'>%zu</span> <bdi>%s</bdi></div>\n"
		      "<svg class='track' role='img' width='100%%' height='%d'><title>%s", i + 1, name, height, name);
}

/* x in percent of the track, y in pixels. */
static void add_line(struct report *r, const char *class, double x1, double x2, double y1, double y2)
{
	report_printf(r, "<line class='%s' x1='%.2f%%' x2='%.2f%%' y1='%g' y2='%g'/>", class, x1, x2, y1, y2);
}

static void add_upright(struct report *r, const char *class, double at, double top, double bottom)
{
	add_line(r, class, at, at, top, bottom);
}

static void add_dot(struct report *r, const char *class, double at, double y, double radius)
{
	report_printf(r, "<circle class='%s' cx='%.2f%%' cy='%g' r='%g'/>", class, at, y, radius);
}

/* Dot and whisker with its caps. */
static void add_whisker(struct report *r, const char *class, const struct axis *x, const struct rate *rate, double y)
{
	double low = axis_at(x, rate->interval.low), high = axis_at(x, rate->interval.high);

	if (!rate->n)
		return;
	if (isfinite(rate->interval.low) && isfinite(rate->interval.high)) {
		report_printf(r, "<g class='whisker %s'>", class);
		add_line(r, "reach", low, high, y, y);
		add_upright(r, "cap", low, y - 4, y + 4);
		add_upright(r, "cap", high, y - 4, y + 4);
		report_add(r, "</g>");
	}
	report_printf(r, "<circle class='%s' cx='%.2f%%' cy='%g' r='%s'/>", class,
		   axis_at(x, (double)rate->k / (double)rate->n), y, class[0] == 'd' ? "5" : "3.5");
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

/* The last row: ticks, and the lines that the others use. `label` writes one tick. */
static void add_axis(struct report *r, const struct axis *x, const char *grid, const char *what,
		     void (*label)(struct buf *out, double v))
{
	double last = 0;

	report_add(r, "<div class='row axis' aria-hidden='true'><div class='name'></div>\n"
		      "<svg class='track' width='100%' height='36'><defs>");
	report_printf(r, "<g id='grid-%s' class='grid'>", grid);
	for (size_t i = 0; i < x->count; i++)
		report_printf(r, "<line x1='%.2f%%' x2='%.2f%%' y1='0' y2='100%%'/>", axis_at(x, x->ticks[i]),
			   axis_at(x, x->ticks[i]));
	report_add(r, "</g></defs>");
	for (size_t i = 0; i < x->count; i++) {
		double at = axis_at(x, x->ticks[i]);

		add_upright(r, "tick", at, 0, 4);
		if (i && at - last < 9) /* no room for its words on a narrow screen */
			continue;
		last = at;
		report_printf(r, "<text x='%.2f%%' y='16' text-anchor='%s'>", at,
			   at < 3 ? "start" : at > 97 ? "end" : "middle");
		label(r->out, x->ticks[i]);
		report_add(r, "</text>");
	}
	report_printf(r, "<text class='what' x='50%%' y='32' text-anchor='middle'>%s%s</text></svg>\n"
		   "<div class='value'></div></div>\n", what, x->log ? ", logarithmic" : "");
}

/* A tick in the largest unit that it is a whole number of. */
static void label_ms(struct buf *out, double v)
{
	static const struct {
		double ms;
		const char *name;
	} units[] = { { 3.6e6, "h" }, { 6e4, "min" }, { 1e3, "s" }, { 1, "ms" } };
	size_t i = 0;

	/* round figures must stay round: 10000 s are no hours */
	while (i < 3 && (v < units[i].ms || fmod(v, units[i].ms) != 0))
		i++;
	buf_printf(out, "%g\xE2\x80\xAF%s", v / units[i].ms, units[i].name);
}

/* Without the noughts behind that a sum of money has. */
static void label_usd(struct buf *out, double v)
{
	char text[NUM_DOUBLE_MAX];
	size_t n = num_format_double(text, v);

	buf_add_byte(out, '$');
	if (v != 0 && v < 1e-6)
		buf_printf(out, "%.0e", v);
	else
		buf_add(out, text, n);
}

static void label_share(struct buf *out, double v)
{
	buf_printf(out, "%.0f\xE2\x80\xAF%%", 100 * v);
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
		begin_row(r, i, TRACK);
		report_add(r, ": pass rate ");
		add_rates(r, &x, "<use href='#grid-pass'/>", &r->groups[i]->pass, &r->groups[i]->pass_of_all);
		add_figure(r, &r->groups[i]->pass);
		report_add(r, "</div></div>\n");
	}
	add_axis(r, &x, "pass", "objective pass rate", label_share);
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

	begin_row(r, i, TRACK);
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
	add_axis(r, &x, "tiers", "tool use success rate", label_share);
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
		add_dot(r, "point", axis_at(x, v.p[i]), 5 + round(20 * y), 3);
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

	add_line(r, "range", axis_at(x, v.p[0]), axis_at(x, v.p[v.n - 1]), 40, 40);
	report_printf(r, "<rect class='box' x='%.2f%%' y='34' width='%.2f%%' height='12' rx='2'/>", q1,
		   q3 - q1);
	add_upright(r, "median", axis_at(x, s->p50), 32, 48);
	if (isfinite(s->p95))
		add_upright(r, "p95", axis_at(x, s->p95), 33, 47);
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
	add_axis(r, &x, "time", "latency", label_ms);
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

/* Pixels from the top of the field; `share` is from 0 to 1, 1 at the top. */
static double field_y(double share)
{
	return FIELD_BOTTOM - (FIELD_BOTTOM - FIELD_TOP) * share;
}

/* Names of rates stand at the left end and points may not: the field begins further in. */
static double field_x(const struct axis *x, double v)
{
	return 12 + 0.82 * axis_at(x, v);
}

/* Percent on lines across the field, dollars below it; where ticks are close, every second label is left out. */
static void add_field_axes(struct report *r, const struct axis *x)
{
	for (int i = 0; i <= 4; i++) {
		double y = field_y(0.25 * i);

		add_line(r, "grid", 0, 100, y, y);
		report_printf(r, "<text x='0' y='%g'>%d\xE2\x80\xAF%%</text>", y - 3, 25 * i);
	}
	for (size_t i = 0; i < x->count; i++) {
		double at = field_x(x, x->ticks[i]);

		add_upright(r, "tick", at, FIELD_BOTTOM, FIELD_BOTTOM + 4);
		if (i && at - field_x(x, x->ticks[i - 1]) < 12 && i % 2)
			continue;
		report_printf(r, "<text x='%.2f%%' y='%d' text-anchor='middle'>", at, FIELD_BOTTOM + 17);
		label_usd(r->out, x->ticks[i]);
		report_add(r, "</text>");
	}
	report_printf(r, "<text class='what' x='50%%' y='%d' text-anchor='middle'>cost of a call%s</text>",
		   FIELD - 3, x->log ? ", logarithmic" : "");
}

/* A target as a dot with its number and the interval of its rate. Cost has no interval. */
static void add_place(struct report *r, size_t i, const struct axis *x)
{
	const struct summary_group *g = r->groups[i];
	double at = field_x(x, cost_of(g)), y = field_y((double)g->pass.k / (double)g->pass.n);

	report_printf(r, "<g class='whisker dot'><title>%s: %s a call, pass rate ", report_name(r, g),
		      html_usd(cost_of(g)).text);
	say_rate(r, &g->pass);
	report_add(r, "</title>");
	if (isfinite(g->pass.interval.low) && isfinite(g->pass.interval.high))
		add_upright(r, "reach", at, field_y(g->pass.interval.low), field_y(g->pass.interval.high));
	add_dot(r, "dot", at, y, 5);
	report_printf(r, "<text class='mark' x='%.2f%%' y='%g' dx='8'>%zu</text></g>\n", at, y + 4, i + 1);
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
		   FIELD, known);
	add_field_axes(r, &x);
	for (size_t i = 0; i < report_html_plots_shown(r); i++)
		if (has_cost(r->groups[i]))
			add_place(r, i, &x);
	report_add(r, "</svg>\n");
	report_add_more(r, r->count, known, "targets");
	report_add(r, "</figure></section>\n");
}
