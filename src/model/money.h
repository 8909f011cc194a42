/*
 * What the COSTs of a run come to, for every writer that states a total: so the totals of one run agree in all formats.
 *
 * A sum is told only when it is the whole: where some tokens have no price it is null. A price that the service states
 * for the whole run is its total, whatever was worked out for its steps beside it: nothing is counted twice.
 */
#ifndef MODEL_MONEY_H
#define MODEL_MONEY_H

#include "model/event.h"

struct money {
	double stated;                  /* of whole runs, by the service */
	double sum;                     /* of everything else */
	bool has_stated, has_sum;
	bool estimated;                 /* some of the sum was worked out by somebody */
	bool missing;                   /* some tokens have no price */
};

/* Two amounts together: one that is not known adds nothing, and a sum that is partly estimated is estimated. */
struct amount amount_plus(struct amount a, struct amount b);

/* Adds a COST. Other events, and those that say neither dollars nor tokens, change nothing. All zero at first. */
void money_add(struct money *m, const struct event *cost);

/* The total: known, null when something of it is not, absent when there was nothing that costs. */
struct amount money_total(const struct money *m);

#endif
