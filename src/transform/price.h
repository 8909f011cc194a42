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

/*
 * What one request cost, in dollars: by the newest row that is not younger than `at_ns` (since 1970), or the newest of
 * all when there is no time. False, and *usd untouched, when that is not known: no row, a price missing for tokens that
 * there are, input or output not known, parts larger than their whole, or a provider on the user's own machine.
 */
bool price_usage(const struct prices *p, struct str provider, struct str model, int64_t at_ns, bool has_time,
		 const struct usage *u, double *usd);

/*
 * Gives a COST event its dollars, or null when this table has no price for it, and the table's digest, which lasts
 * as long as prices_hash says. One that has a figure already (the vendor's, also null) or says nothing of tokens is
 * left as it is. Prices for long requests need the size of a single one: an event about a whole turn or run is
 * priced as short ones.
 */
void price_event(const struct prices *p, struct event *cost);

#endif
