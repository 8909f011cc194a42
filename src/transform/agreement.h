/*
 * How far people who judge the same things agree, beyond what chance would give: Cohen's kappa of two, Krippendorff's
 * alpha of any number, with judgments missing here and there. Judgments are categories without an order, numbered from
 * 0. 1 is full agreement, 0 what chance gives; neither is defined where everybody always says the same. Pure, as
 * stats.h is.
 */
#ifndef TRANSFORM_AGREEMENT_H
#define TRANSFORM_AGREEMENT_H

#include "transform/stats.h"

#define AGREEMENT_CATEGORIES 8

/* What was said of one thing: how many judges chose each category. Below two judgments it says nothing. */
struct agreement_unit {
	uint32_t counts[AGREEMENT_CATEGORIES];
};

/* Two judgments of one thing. */
struct agreement_pair {
	uint8_t a, b; /* below AGREEMENT_CATEGORIES */
};

/* NaN without pairs, or when chance alone would agree always. */
double agreement_kappa(const struct agreement_pair *pairs, size_t n);

/* Nominal alpha (Krippendorff 2011). NaN when no unit has two judgments, or only one category was ever chosen. */
double agreement_alpha(const struct agreement_unit *units, size_t n);

/*
 * Percentile bootstraps over the things judged, 95 %. Resamples in which the figure is not defined are left out; when
 * these are more than one in twenty there is no interval, and neither is there one of no width. `scratch` has room for
 * `tries`.
 */
struct interval agreement_kappa_interval(const struct agreement_pair *pairs, size_t n, size_t tries,
					 struct stats_random *r, double *scratch);
struct interval agreement_alpha_interval(const struct agreement_unit *units, size_t n, size_t tries,
					 struct stats_random *r, double *scratch);

#endif
