/*
 * What tokens cost. The table is data with dates: a row says what a model costs from a day on, in US dollars for a
 * million tokens. The built-in one (prices.tsv) holds public list prices; a file of the user's may replace what it
 * says about a model. Whatever is computed here is an estimate and carries the digest of the table it came from.
 *
 * What is not known is not guessed: a model without a row, a time before its first row, a kind of tokens without
 * a price, figures that contradict each other all give null, which is never the same as 0. doc/prices.md
 * says it for users.
 *
 * Prices are integers inside (millionths of a dollar), so that sums are exact and equal on every machine.
 */
#ifndef TRANSFORM_PRICE_H
#define TRANSFORM_PRICE_H

#include "base/arena.h"
#include "base/err.h"
#include "model/event.h"

struct prices;

/* The built-in table. Lives as long as the arena. */
struct prices *prices_new(struct arena *a);

/*
 * Lays a text of the same form over the table: a model of a provider that it names is priced by its rows alone. False
 * with ERR_DATA, and the table as it was, when the text is no table; *err then names the file by `name`, the line and
 * the column. Nothing of `text` is kept.
 */
bool prices_override(struct prices *p, struct str text, struct str name, struct err *err);

/* "sha256:" and the digest of all rows as they are now. Lasts until the next override. */
struct str prices_hash(const struct prices *p);

/* Why there is no price, in the order in which it is looked for. */
enum price_gap {
	PRICE_FOUND,
	PRICE_NO_COUNT, /* input or output is not known, or parts are larger than their whole */
	PRICE_LOCAL,    /* the provider runs on the user's own machine */
	PRICE_NO_MODEL, /* no row, or rows of several providers and none of this one */
	PRICE_NO_DAY,   /* the request is older than the first row */
	PRICE_NO_TIER,  /* rows, but none for the tier on that day */
	PRICE_NO_KIND,  /* a kind of tokens that there are has no price; or the sum is too large */
};

/* One request, or several of which only the sum is known. */
struct price_ask {
	struct str provider, model;
	struct str tier;    /* as struct event has it: nothing for the ordinary price */
	int64_t at_ns;      /* since 1970; where there is no time, the newest rows count */
	bool has_time;
	bool is_sum;        /* of several requests: prices for long ones do not apply */
	const struct usage *usage;
};

/*
 * What it cost, in dollars, by the newest row that is not younger than the request. Anything but PRICE_FOUND: that is
 * not known, and *usd is untouched.
 */
enum price_gap price_usage(const struct prices *p, const struct price_ask *ask, double *usd);

/*
 * Gives a COST event its dollars, or null when this table has no price for it, and the table's digest, which lasts
 * as long as prices_hash says. One that has a figure already (the vendor's, also null) or says nothing of tokens is
 * left as it is. Prices for long requests need the size of a single one: an event about a whole turn or run is
 * priced as short ones. Says why there is no price; PRICE_FOUND where there is one, or nothing to price.
 */
enum price_gap price_event(const struct prices *p, struct event *cost);

#endif
