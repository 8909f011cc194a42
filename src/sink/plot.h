/*
 * Plots are rows: a name, a track that is an SVG as wide as there is room, and the figure in words. Places in a track
 * are percentages, so that nothing is scaled, text least of all, and a page of 360 pixels has plots as good as a wide
 * one. A field is a plot of a figure against a share, over the whole width.
 */
#ifndef SINK_PLOT_H
#define SINK_PLOT_H

#include "base/buf.h"
#include "sink/axis.h"
#include "transform/stats.h"

enum {
	PLOT_TRACK = 30,  /* pixels high */
	PLOT_FIELD = 300, /* height of a field, with its axis */
	PLOT_FIELD_TOP = 16,
	PLOT_FIELD_BOTTOM = 262,
};

/* A row's name, which is markup, and its track up to the text of its <title>, which is left open. */
void plot_begin_row(struct buf *out, size_t number, const char *name, int height);

/* x in percent of the track, y in pixels. */
void plot_add_line(struct buf *out, const char *class, double x1, double x2, double y1, double y2);
void plot_add_upright(struct buf *out, const char *class, double at, double top, double bottom);
void plot_add_dot(struct buf *out, const char *class, double at, double y, double radius);

/* A value and its interval; without one, the dot alone. A class that begins with d is the larger one. */
void plot_add_whisker(struct buf *out, const char *class, const struct axis *x, double value, struct interval i,
		      double y);

/* The last row: ticks, and the lines that the others use as #grid-<grid>. `label` writes one tick. */
void plot_add_axis(struct buf *out, const struct axis *x, const char *grid, const char *what,
		   void (*label)(struct buf *out, double v));
void plot_label_ms(struct buf *out, double v);
void plot_label_usd(struct buf *out, double v);
void plot_label_share(struct buf *out, double v);

double plot_field_y(double share);                     /* pixels from the top; 1 is at the top */
double plot_field_x(const struct axis *x, double v);   /* percent of the width */
void plot_add_field_axes(struct buf *out, const struct axis *x, const char *what,
			 void (*label)(struct buf *out, double v), void (*label_share)(struct buf *out, double v));

/* A dot with its number and the interval of its share; closes the <g> that the caller opened for its title. */
void plot_add_place(struct buf *out, size_t number, double at, double share, struct interval i);

#endif
