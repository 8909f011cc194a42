/*
 * Rows of an index as they come: a table for people, one JSON document, JSON lines, or lines of fields. All but the
 * table leave for standard output while they come, so that a million of them need no memory.
 */
#ifndef CMD_LEDGER_LISTING_H
#define CMD_LEDGER_LISTING_H

#include "cmd/ledger/args.h"
#include "cmd/ledger/rows.h"

struct listing {
	struct arena *arena;
	const struct frame *frame;
	struct opt_maybe json;
	bool jsonl, plain; /* with none of the three: a table */
	const char *schema, *array; /* of the document: "ledger-list", "trials" */
	const char *align;          /* of the table, see grid.h */
	const char *const *names;   /* of its columns */
	/* Adds its cells; the width is that of the screen. */
	void (*row)(struct grid *g, const struct index_row *row, size_t width);
	/* The rest is its own. */
	struct grid grid;
	struct json_writer writer;
	struct buf out; /* what is not written yet; the caller may add to it before listing_end */
	uint64_t shown; /* rows */
	uint64_t in_grid; /* of these, rows of the table at hand */
};

/* False with ERR_USAGE when more than one form is asked for. Fields of --json are checked elsewhere (main.c). */
bool listing_check(const struct listing *l, struct err *err);
/* Whether none of the other forms was asked for. */
bool listing_is_table(const struct listing *l);

/* Begins the output: headings of the table, or the document. listing_free frees it. */
void listing_begin(struct listing *l);
/* Adds a row; it need not outlive the call. False, which ends index_list, when standard output cannot be written. */
bool listing_take(void *listing, const struct index_row *row); /* for index_list */

/*
 * Ends the list at hand and begins another behind it: an array of this name in the document, a table with these columns
 * for people. Lines and fields just go on.
 */
void listing_next(struct listing *l, const char *array, const char *align, const char *const *names,
		  void (*row)(struct grid *g, const struct index_row *row, size_t width));

/* Closes the list: what is added to `out`, or to `writer` as members of the document, stands behind it. */
void listing_end_rows(struct listing *l);
/* Writes the rest, a table through a pager. listing_free must still follow. */
void listing_end(struct listing *l);
/* Frees what listing_begin made, also when the listing was not ended. */
void listing_free(struct listing *l);

/*
 * All of the above for a command: opens the ledger and its index for reading, lets `fill` list rows of it with
 * listing_take, and `sum` add to `out` or `writer` what stands behind them. EXIT_YES; EXIT_FAIL with *err, and then a
 * table is not shown, while rows of other forms may have left already. Closes everything.
 */
int listing_run(struct listing *l, const struct ledger_choice *c,
		bool (*fill)(void *own, struct index *x, struct err *err), void (*sum)(void *own), void *own,
		struct err *err);

#endif
