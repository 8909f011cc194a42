/* The rows of a price table and their text form: lines of fields parted by tabs, '#' begins a comment. */
#ifndef TRANSFORM_PRICE_TABLE_H
#define TRANSFORM_PRICE_TABLE_H

#include "base/arena.h"
#include "base/err.h"

enum price_kind { PRICE_INPUT, PRICE_OUTPUT, PRICE_CACHE_READ, PRICE_CACHE_5M, PRICE_CACHE_1H, PRICE_KINDS };

#define PRICE_UNKNOWN UINT64_MAX /* not the same as 0, which is free */

struct price_row {
	struct str provider, model;   /* folded, see price_name.h */
	struct str tier;              /* "batch", "flex", ...; empty: the ordinary price */
	int64_t from;                 /* days since 1970 */
	uint64_t over;                /* for requests of more input tokens than this */
	uint64_t micros[PRICE_KINDS]; /* millionths of a dollar for a million tokens, or PRICE_UNKNOWN */
	uint64_t line;                /* from 1, of the text that it was read from; for messages */
};

struct price_rows {
	struct price_row *row;
	size_t count;
};

/* prices.tsv, by tools/gen-prices. */
extern const char price_table_text[];
extern const size_t price_table_size;

/*
 * All rows of a text, sorted by price_table_compare, no two the same; they and their names live in the arena. False
 * with ERR_DATA, and "name:line:column" where there is one, when a row cannot be read, two say the same, or a byte
 * order mark stands inside; *out is then not to be used. A text without rows is a table of none.
 */
bool price_table_parse(struct arena *a, struct str text, struct str name, struct price_rows *out, struct err *err);

/*
 * By model, provider, tier, day and size of the request; negative, 0 or positive as for qsort. Prices and lines do not
 * count.
 */
int price_table_compare(const struct price_row *a, const struct price_row *b);

/*
 * "sha256:..." over the rows in that order, in the arena. Comments, sources and how the text was laid out do not count.
 */
struct str price_table_digest(struct arena *a, const struct price_rows *rows);

#endif
