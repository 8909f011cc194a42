/*
 * Models that had no price, each named once, with how many calls of them: for whoever shows a cost, so that a sum of
 * some calls is not taken for the whole.
 */
#ifndef TRANSFORM_PRICE_GAPS_H
#define TRANSFORM_PRICE_GAPS_H

#include "base/arena.h"
#include "base/buf.h"
#include "transform/price.h"

struct price_gap_name {
	struct str model; /* as it may be shown */
	struct str tier;  /* of PRICE_NO_TIER only */
	enum price_gap gap;
	uint64_t calls;
};

struct price_gaps {
	struct arena arena;
	struct price_gap_name *names;
	size_t count, cap;
	uint64_t calls;  /* of all models */
	uint64_t others; /* of these, calls of models beyond those that are kept */
};

/* None yet. price_gaps_free gives back what the names took. */
void price_gaps_init(struct price_gaps *g);
void price_gaps_free(struct price_gaps *g);

/*
 * A call of the model had no price, and why. Nothing for PRICE_FOUND, and for PRICE_NO_COUNT, which is not a matter of
 * prices. The texts are copied; of more than 32 models the further ones are only counted.
 */
void price_gaps_add(struct price_gaps *g, struct str model, struct str tier, enum price_gap gap);

/* All of another list. */
void price_gaps_join(struct price_gaps *g, const struct price_gaps *more);

/* Adds "no price for a (3 calls), b at tier flex (1 call)"; nothing when there are none. */
void price_gaps_say(const struct price_gaps *g, struct buf *out);

/* Adds " at tier flex", " on your own machine" and so on, or nothing when the model simply has no row. */
void price_gap_say(struct buf *out, enum price_gap gap, struct str tier);

#endif
