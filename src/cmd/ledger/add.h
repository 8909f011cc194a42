/*
 * What became of each record that was to be sealed: on standard output a line for each that is in the ledger, and no
 * sooner than it is durably there; on standard error why others are not; or JSON.
 */
#ifndef CMD_LEDGER_ADD_H
#define CMD_LEDGER_ADD_H

#include "cmd/frame/command.h"
#include "cmd/ledger/intake.h"
#include "cmd/screen/progress.h"
#include "json/write.h"
#include "trial/review.h"
#include "trial/seal.h"

extern const char *const ledger_add_fields[]; /* of --json; ended by NULL */

struct ledger_add {
	const struct frame *frame;
	struct str where; /* the ledger, for the summary */
	struct opt_maybe json;
	bool jsonl, all;
	/* The rest is its own. */
	struct progress progress;
	struct json_writer writer;
	struct buf out;
	struct {
		struct str path;
		uint64_t line, origin, withheld;
		struct buf missing; /* files that it names and that are not sealed, a line for each */
	} given[SEAL_BATCH]; /* what was given and not answered yet, in a ring */
	size_t first, waiting; /* in the ring: the oldest, and how many */
	uint64_t added, same, partial, refused, conflicts, failed; /* partial ones are among added and same */
	uint64_t withheld; /* files of runs of which only the digest is sealed */
};

/* Begins the output; the members up to `all` must be set, the rest zero. ledger_add_end frees it. */
void ledger_add_init(struct ledger_add *o);

/*
 * Notes a record or run that goes to the sealer next; the path must live until it is answered. At most SEAL_BATCH may
 * wait. `missing` has a line for each file that it names and that stays unsealed; of a run, only the digests of
 * `withheld` files are sealed.
 */
void ledger_add_expect(struct ledger_add *o, const struct intake_record *r, struct str missing,
		       uint64_t withheld);

/*
 * For seal_options.each; the context is a struct ledger_add. Tells the outcome of the record that has waited longest:
 * its line once it is sealed, or why it is not. Always true.
 */
bool ledger_add_result(void *context, const struct seal_result *r, struct err *err);

/* Tells of a review that was sealed, or was there, as ledger_add_result does. Nothing may be waiting. */
void ledger_add_review(struct ledger_add *o, struct str path, const struct review_sealed *r);

/* Tells of what is not taken at all, with its code and why; it counts as refused, or in conflict. Likewise. */
void ledger_add_refuse(struct ledger_add *o, struct str path, const char *code, const struct err *why);

/* Writes what is known so far to standard output and flushes it. Does nothing for --json, which is one document. */
void ledger_add_flush(struct ledger_add *o);

/* Tells of a file that could not be read, on standard error; the exit status becomes 3. */
void ledger_add_failure(struct ledger_add *o, struct str path, const struct err *why);

/*
 * Writes the rest of the document and, if it is `done` or something was sealed, a summary on standard error (not with
 * -q). Frees everything. EXIT_CANNOT when a file could not be read, else EXIT_NO when a record was refused or in
 * conflict, else EXIT_YES.
 */
int ledger_add_end(struct ledger_add *o, bool done);

#endif
