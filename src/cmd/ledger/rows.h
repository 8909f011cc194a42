/*
 * Entries of a ledger as rows: a table for people, JSON, lines of fields, and the one entry that a name means. Rows of
 * an index live during a call; ledger_row_copy keeps one.
 */
#ifndef CMD_LEDGER_ROWS_H
#define CMD_LEDGER_ROWS_H

#include "cmd/frame/command.h"
#include "cmd/screen/grid.h"
#include "json/write.h"
#include "ledger/index.h"

extern const char *const ledger_row_fields[]; /* of --json; ended by NULL */

/* A copy of the row whose texts live in the arena. Texts that are absent stay so. */
struct index_row ledger_row_copy(struct arena *a, const struct index_row *row);

/*
 * Writes an object with the fields that are wanted. Facts of a trial stand only in trials, those of a run only in runs
 * and benchmarks, "ref" only in what refers to them; what is not known is null.
 */
void ledger_row_write_json(struct json_writer *w, const struct index_row *row, struct opt_maybe selected);

/*
 * Adds fields parted by tabs, with a line end; ledger_row_plain_names has their names. Absent ones are empty. Text is
 * made safe, so a field never holds a tab.
 */
void ledger_row_add_plain(struct buf *out, const struct index_row *row);
extern const char ledger_row_plain_names[];

/* Three cells, or dashes: tokens in and out, cost, time. */
void ledger_row_add_figures(struct grid *g, const struct index_row *row);
/* The figure for people: "1.98k", "$0.0123", "5.60 s"; nothing is added when it is not known. */
void ledger_row_add_figure(struct buf *out, const struct index_row *row, enum index_figure which);
extern const char *const ledger_row_figure_names[INDEX_FIGURES]; /* as members of JSON */

/* "superseded, 2 reviews"; "" when there is nothing to say. */
void ledger_row_add_state(struct buf *out, const struct index_row *row);

/* Adds a cell: text from outside, made safe and cut to at most so many columns. */
void ledger_row_add_cell(struct grid *g, struct str text, size_t columns);

/*
 * The entry that a word means: a trial (its id, or experiment/id), the number of an entry of the main log,
 * diagnostic/NUMBER, or the leaf of one. ERR_DATA with what to write instead when there is none, or there are several.
 */
bool ledger_row_find(struct ledger *l, struct index *x, struct arena *a, struct str word, struct index_row *out,
		     struct err *err);

/* The same, and it must be a trial; ERR_DATA that names its kind otherwise (*out is filled in then). */
bool ledger_row_find_trial(struct ledger *l, struct index *x, struct arena *a, struct str word, struct index_row *out,
			   struct err *err);

#endif
