/* Pieces of plots as markup. Lines that all tracks of a plot have are written once and used by each. */
#include "sink/plot.h"

#include <math.h>

#include "base/num.h"

static void plot_add(struct buf *out, const char *markup)
{
	buf_add_str(out, str_from(markup));
}

/* Leaves the <title> of the track open: each plot adds to it what the row shows, for those who cannot see it. */
void plot_begin_row(struct buf *out, size_t number, const char *name, int height)
{
	buf_printf(out, "<div class='row'><div class='name'><span class='no'>%zu</span> <bdi>%s</bdi></div>\n"
		   "<svg class='track' role='img' width='100%%' height='%d'><title>%s", number, name, height, name);
}

/* x in percent of the track, y in pixels. */
void plot_add_line(struct buf *out, const char *class, double x1, double x2, double y1, double y2)
{
	buf_printf(out, "<line class='%s' x1='%.2f%%' x2='%.2f%%' y1='%g' y2='%g'/>", class, x1, x2, y1, y2);
}

void plot_add_upright(struct buf *out, const char *class, double at, double top, double bottom)
{
	plot_add_line(out, class, at, at, top, bottom);
}

void plot_add_dot(struct buf *out, const char *class, double at, double y, double radius)
{
	buf_printf(out, "<circle class='%s' cx='%.2f%%' cy='%g' r='%g'/>", class, at, y, radius);
}

/* Dot and whisker with its caps. */
void plot_add_whisker(struct buf *out, const char *class, const struct axis *x, double value, struct interval i,
		      double y)
{
	double low = axis_at(x, i.low), high = axis_at(x, i.high);

	if (isfinite(i.low) && isfinite(i.high)) {
		buf_printf(out, "<g class='whisker %s'>", class);
		plot_add_line(out, "reach", low, high, y, y);
		plot_add_upright(out, "cap", low, y - 4, y + 4);
		plot_add_upright(out, "cap", high, y - 4, y + 4);
		plot_add(out, "</g>");
	}
	buf_printf(out, "<circle class='%s' cx='%.2f%%' cy='%g' r='%s'/>", class, axis_at(x, value), y,
		   class[0] == 'd' ? "5" : "3.5");
}

/* The last row: ticks, and the lines that the others use. `label` writes one tick. */
void plot_add_axis(struct buf *out, const struct axis *x, const char *grid, const char *what,
		     void (*label)(struct buf *out, double v))
{
	double last = 0;

	plot_add(out, "<div class='row axis' aria-hidden='true'><div class='name'></div>\n"
		      "<svg class='track' width='100%' height='36'><defs>");
	buf_printf(out, "<g id='grid-%s' class='grid'>", grid);
	for (size_t i = 0; i < x->count; i++)
		buf_printf(out, "<line x1='%.2f%%' x2='%.2f%%' y1='0' y2='100%%'/>", axis_at(x, x->ticks[i]),
			   axis_at(x, x->ticks[i]));
	plot_add(out, "</g></defs>");
	for (size_t i = 0; i < x->count; i++) {
		double at = axis_at(x, x->ticks[i]);

		plot_add_upright(out, "tick", at, 0, 4);
		if (i && at - last < 9) /* no room for its words on a narrow screen */
			continue;
		last = at;
		buf_printf(out, "<text x='%.2f%%' y='16' text-anchor='%s'>", at,
			   at < 3 ? "start" : at > 97 ? "end" : "middle");
		label(out, x->ticks[i]);
		plot_add(out, "</text>");
	}
	buf_printf(out, "<text class='what' x='50%%' y='32' text-anchor='middle'>%s%s</text></svg>\n"
		   "<div class='value'></div></div>\n", what, x->log ? ", logarithmic" : "");
}

/* A tick in the largest unit that it is a whole number of. */
void plot_label_ms(struct buf *out, double v)
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
void plot_label_usd(struct buf *out, double v)
{
	char text[NUM_DOUBLE_MAX];
	size_t n = num_format_double(text, v);

	buf_add_byte(out, '$');
	if (v != 0 && v < 1e-6)
		buf_printf(out, "%.0e", v);
	else
		buf_add(out, text, n);
}

void plot_label_share(struct buf *out, double v)
{
	buf_printf(out, "%.0f\xE2\x80\xAF%%", 100 * v);
}

/* ---- a field: one figure against a share ---- */

/* Pixels from the top of the field; `share` is from 0 to 1, 1 at the top. */
double plot_field_y(double share)
{
	return PLOT_FIELD_BOTTOM - (PLOT_FIELD_BOTTOM - PLOT_FIELD_TOP) * share;
}

/* Names of rates stand at the left end and points may not: the field begins further in. */
double plot_field_x(const struct axis *x, double v)
{
	return 12 + 0.82 * axis_at(x, v);
}

/* Shares on lines across the field, figures below it; where ticks are close, every second label is left out. */
void plot_add_field_axes(struct buf *out, const struct axis *x, const char *what,
			 void (*label)(struct buf *out, double v), void (*label_share)(struct buf *out, double v))
{
	for (int i = 0; i <= 4; i++) {
		double y = plot_field_y(0.25 * i);

		plot_add_line(out, "grid", 0, 100, y, y);
		buf_printf(out, "<text x='0' y='%g'>", y - 3);
		label_share(out, 0.25 * i);
		plot_add(out, "</text>");
	}
	for (size_t i = 0; i < x->count; i++) {
		double at = plot_field_x(x, x->ticks[i]);

		plot_add_upright(out, "tick", at, PLOT_FIELD_BOTTOM, PLOT_FIELD_BOTTOM + 4);
		if (i && at - plot_field_x(x, x->ticks[i - 1]) < 12 && i % 2)
			continue;
		buf_printf(out, "<text x='%.2f%%' y='%d' text-anchor='middle'>", at, PLOT_FIELD_BOTTOM + 17);
		label(out, x->ticks[i]);
		plot_add(out, "</text>");
	}
	buf_printf(out, "<text class='what' x='50%%' y='%d' text-anchor='middle'>%s%s</text>",
		   PLOT_FIELD - 3, what, x->log ? ", logarithmic" : "");
}

void plot_add_place(struct buf *out, size_t number, double at, double share, struct interval i)
{
	double y = plot_field_y(share);

	if (isfinite(i.low) && isfinite(i.high))
		plot_add_upright(out, "reach", at, plot_field_y(i.low), plot_field_y(i.high));
	plot_add_dot(out, "dot", at, y, 5);
	buf_printf(out, "<text class='mark' x='%.2f%%' y='%g' dx='8'>%zu</text></g>\n", at, y + 4, number);
}
