/*
 * What every importer of trials does: looks a trial up before anything is made of it, seals what is new in batches,
 * counts, and publishes at the end. Where records come from and what they are made of is the importers' own.
 */
#ifndef TRIAL_IMPORT_H
#define TRIAL_IMPORT_H

#include "json/json.h"
#include "json/write.h"
#include "trial/seal.h"

struct import;

struct import_tally {
	uint64_t imported, duplicates, refused;
};

enum import_outcome { IMPORT_NEW, IMPORT_DUPLICATE, IMPORT_REFUSED };

/* What became of one record. Text lives during the call. */
struct import_item {
	enum import_outcome outcome;
	struct str name; /* where it came from: "sample hosted-7" */
	struct str experiment, trial_id; /* p NULL when they are not known */
	enum ledger_part part;
	uint64_t index;  /* IMPORT_NEW, but in a dry run */
	struct str why;  /* IMPORT_REFUSED: a sentence, perhaps with the code of a rule before it */
};

struct import_options {
	struct ledger *ledger;
	bool dry_run; /* nothing is written; the answers are those that there would be */
	/* Told of each record once it is decided; false stops. May be NULL. */
	bool (*each)(void *context, const struct import_item *item, struct err *err);
	void *context;
};

/* An import into the ledger of the options, which must outlive it. Never fails; to be ended, and closed. */
struct import *import_open(const struct import_options *o);
void import_close(struct import *im); /* what was not ended is not there, or not all of it */

/* A trial that somebody wants to import. */
struct import_question {
	enum ledger_part part;
	struct str name, experiment, trial_id;
	struct str from;     /* what the id was made of */
	struct str artifact; /* one that is sealed with each such trial; p NULL for none */
	struct str bytes;    /* of that artifact */
};

/*
 * Whether the ledger has it, or it was asked for before. If so it is counted as a duplicate, and *known is set. Two
 * sources that come to the same id are not one: the second is refused, and known too; likewise one whose artifact is
 * not the JSON that was sealed, however it is spelled. If its record is there but not its artifact (we were stopped
 * between the two), it is not known, and *record is what was sealed, to be added again with the artifacts; otherwise
 * its p is NULL. It lives until the next question. False with *err when the log cannot be read, or `each` stops it.
 */
bool import_ask(struct import *im, const struct import_question *q, bool *known, struct str *record, struct err *err);

/* Seals a record with its artifacts, perhaps later: `each` is told. Everything is copied. False with *err: stop. */
bool import_add(struct import *im, struct str name, struct str record, const struct seal_artifact *artifacts,
		size_t count, struct err *err);
/* Counts a record that cannot be imported, and tells `each` why. The ids may have p NULL. False with *err: stop. */
bool import_refuse(struct import *im, struct str name, struct str experiment, struct str trial_id, struct str why,
		   struct err *err);

/*
 * Seals what is left, publishes (not in a dry run), and tells the counts. False with *err, and *out untouched: what
 * was sealed stays, and importing again finds it. import_so_far gives the counts at any time.
 */
bool import_end(struct import *im, struct import_tally *out, struct err *err);
struct import_tally import_so_far(const struct import *im);

/* ---- values of foreign files ---- */

/*
 * A string's or a number's text, in the arena or in the source of the value; p is NULL for anything else, and for
 * text that is blank.
 */
struct str import_text(struct arena *a, struct val v);

/* The value, indented with the rest; numbers keep their text. One that is nested too deep is written as it stands. */
void import_write(struct json_writer *w, struct val v);
void import_write_member(struct json_writer *w, const char *name, struct val v); /* null for VAL_NONE */

/*
 * Bytes outside [A-Za-z0-9_.-], runs of them, become '-', which is taken away at both ends; "unknown" for nothing. In
 * the arena, or static. Two texts may come to the same slug.
 */
struct str import_slug(struct arena *a, struct str text);

#endif
