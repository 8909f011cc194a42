/* Axes of plots: values to percent of a track's width. */
#ifndef SINK_AXIS_H
#define SINK_AXIS_H

#include <stdbool.h>
#include <stddef.h>

struct axis {
	double low, high;
	bool log;         /* low is above 0 then */
	double ticks[12]; /* from low to high, `count` of them */
	size_t count;
};

struct axis axis_share(const double *ticks, size_t count); /* 0 to 1, with these ticks */

/* Round ends and at most eight ticks around these values; logarithmic when they are above zero and far apart. */
struct axis axis_values(double low, double high);
double axis_at(const struct axis *x, double v); /* 0 to 100, whatever v is */

#endif
