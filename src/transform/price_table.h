/* The rows of a price table and their text form: lines of fields parted by tabs, '#' begins a comment. */
#ifndef TRANSFORM_PRICE_TABLE_H
#define TRANSFORM_PRICE_TABLE_H

#include "base/arena.h"
#include "base/err.h"

enum price_kind { PRICE_INPUT, PRICE_OUTPUT, PRICE_CACHE_READ, PRICE_CACHE_5M, PRICE_CACHE_1H, PRICE_KINDS };

#define PRICE_UNKNOWN UINT64_MAX

struct price_row {
	struct str provider, model;   /* folded, see price_name.h */
	int64_t from;                 /* days since 1970 */
	uint64_t over;                /* for requests of more input tokens than this */
	uint64_t micros[PRICE_KINDS]; /* millionths of a dollar for a million tokens, or PRICE_UNKNOWN */
	uint64_t line;
};

struct price_rows {
	struct price_row *row;
	size_t count;
};

/* prices.tsv, by tools/gen-prices. */
extern const char price_table_text[];
extern const size_t price_table_size;

/* All rows of a text, sorted by price_table_compare, no two the same. */
bool price_table_parse(struct arena *a, struct str text, struct str name, struct price_rows *out, struct err *err);

/* By model, provider, day and size of the request. */
int price_table_compare(const struct price_row *a, const struct price_row *b);

/* "sha256:..." over the rows in that order. */
struct str price_table_digest(struct arena *a, const struct price_rows *rows);

#endif
