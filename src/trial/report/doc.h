/*
 * Reports as documents: sheets in the order in which people read them, for the forms of sink/sheet.h. Everything that
 * is in one comes from the tally and from the settings, which stand in the document too: the same ledger and settings
 * give the same bytes.
 */
#ifndef TRIAL_REPORT_DOC_H
#define TRIAL_REPORT_DOC_H

#include "sink/sheet.h"
#include "trial/report/board.h"
#include "trial/report/versus.h"

#define DOC_SHEETS 10

struct doc {
	const char *schema; /* "report-leaderboard" */
	const char *title;
	struct sheet sheets[DOC_SHEETS];
	size_t count;
	size_t answer; /* the sheet that CSV has */
	const char *const *notes; /* sentences below, ended by NULL */
};

struct doc_source {
	struct tally *tally; /* filtered */
	struct judging judging;
	struct tally_filter filter;
	struct board_how how;
	struct str since; /* the filter's, as given; p NULL */
	enum trial_standing about; /* of behaviour and reviews: STANDING_COUNTED, or STANDING_PARTIAL if asked for */
};

/* Filters the tally and judges it. *s gets all of it; the filter's texts are borrowed. */
void doc_source_init(struct doc_source *s, struct tally *t, const struct tally_filter *f, const struct board_how *how);

/* Each gives a document that lives in the tally's arena. `board` is BOARD_BY_MODEL. */
struct doc doc_leaderboard(const struct doc_source *s, const struct board *board);
struct doc doc_summary(const struct doc_source *s);
struct doc doc_cost(const struct doc_source *s, const struct board *board);
struct doc doc_compare(const struct doc_source *s, const struct versus *v);

/* For documents made elsewhere: adds a sheet, with its rows; then what every report says of its trials. */
void doc_add(struct doc *d, struct sheet s);
void doc_add_basis(struct doc *d, const struct doc_source *s);

#endif
