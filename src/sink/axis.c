/* Axes of the plots: round ends, ticks that people would choose, and where on a track a value is. */
#include "sink/axis.h"

#include <assert.h>
#include <math.h>

#include "base/str.h"

#define FAR_APART 20 /* times the smallest: then a linear axis would show the largest only */

struct axis axis_share(const double *ticks, size_t count)
{
	struct axis x = { .low = 0, .high = 1 };

	for (; x.count < count && x.count < COUNT(x.ticks); x.count++)
		x.ticks[x.count] = ticks[x.count];
	return x;
}

/* 1, 2 or 5 times a power of ten, at least v. */
static double round_up(double v)
{
	double power = pow(10, floor(log10(v)));

	for (size_t i = 0; i < 3; i++) {
		static const double steps[] = { 1, 2, 5 };

		if (steps[i] * power >= v * (1 - 1e-9))
			return steps[i] * power;
	}
	return 10 * power;
}

/* 1, 2 or 5 times a power of ten, at most v. Like round_up it needs v > 0. */
static double round_down(double v)
{
	double power = pow(10, floor(log10(v)));

	return v >= 5 * power ? 5 * power : v >= 2 * power ? 2 * power : power;
}

/* Leaves out what lies outside of the axis, and all after the eighth, for which there is no room. */
static void tick(struct axis *x, double v)
{
	if (v >= x->low * (1 - 1e-9) && v <= x->high * (1 + 1e-9) && x->count < 8)
		x->ticks[x->count++] = v;
}

/*
 * Ticks at powers of ten; over about two decades or less at 2 and 5 times them too, over more than six decades only at
 * so many of them that about six are left.
 */
static void make_log(struct axis *x, double low, double high)
{
	double decades, from;
	int step;

	x->log = true;
	x->low = round_down(low);
	x->high = round_up(high);
	decades = log10(x->high / x->low);
	from = floor(log10(x->low) + 1e-9);
	step = decades > 6.5 ? (int)ceil(decades / 6) : 1;
	for (int i = 0; i <= 40 && from + i <= log10(x->high) + 1e-9; i += step) {
		double power = pow(10, from + i);

		tick(x, power);
		if (decades < 2.1) {
			tick(x, 2 * power);
			tick(x, 5 * power);
		}
	}
}

/* Begins at 0, so that lengths may be compared, and has five steps or so. */
static void make_linear(struct axis *x, double high)
{
	double step = round_up(high / 5), parts = nearbyint(1 / step);

	x->high = step * ceil(high / step - 1e-9);
	for (int i = 0; i <= 7; i++)
		tick(x, step < 1 ? i / parts : step * i); /* 3 / 10 has fewer digits than 3 * 0.1 */
}

struct axis axis_values(double low, double high)
{
	struct axis x = { .low = 0, .high = 1 };

	/* beyond these, powers of ten overflow or vanish */
	if (!(high > 1e-12) || !(high < 1e18))
		high = high > 1 ? 1e18 : 1;
	if (low > 1e-12 && high / low > FAR_APART)
		make_log(&x, low, high);
	else
		make_linear(&x, high);
	return x;
}

double axis_at(const struct axis *x, double v)
{
	double share;

	if (!(v > x->low)) /* NaN too */
		return 0;
	if (v >= x->high)
		return 100;
	assert(!x->log || x->low > 0);
	share = x->log ? log(v / x->low) / log(x->high / x->low) : (v - x->low) / (x->high - x->low);
	return share < 0 ? 0 : share > 1 ? 100 : 100 * share;
}
