/* What review, supersede and erase share: a trial found by its name, and the line that acknowledges the new entry. */
#ifndef CMD_LEDGER_AMEND_H
#define CMD_LEDGER_AMEND_H

#include "cmd/ledger/args.h"
#include "cmd/ledger/rows.h"
#include "trial/amend.h"

struct ledger_amend {
	struct arena *arena;
	const struct frame *frame;
	struct ledger ledger;
	struct index *index; /* of what was there when it was opened */
};

/*
 * Opens the chosen ledger for writing, publishes what a crash left unpublished, and opens the index. False with *err
 * when there is no ledger or no private key (ERR_DATA), or it cannot be read or written; nothing is left open then.
 */
bool ledger_amend_open(struct ledger_amend *x, struct arena *a, const struct frame *f, const struct ledger_choice *c,
		       struct err *err);
/* Closes both. Only after a ledger_amend_open that gave true. */
void ledger_amend_close(struct ledger_amend *x);

/*
 * Finds the trial that a word means (ledger_row_find_trial); *row and *out describe it. False with ERR_DATA when there
 * is none or it is no trial. Text lives in the arena.
 */
bool ledger_amend_find(struct ledger_amend *x, struct str word, struct index_row *row, struct amend_target *out,
		       struct err *err);

/* The same, and it may be a run or benchmark. */
bool ledger_amend_find_any(struct ledger_amend *x, struct str word, struct index_row *row, struct amend_target *out,
			   struct err *err);

/*
 * "INDEX LEAF ID" on standard output, or JSON with a few members more; `said` (may have p NULL) goes to standard error,
 * not with -q.
 */
struct ledger_amend_answer {
	const char *schema; /* the middle of "trackway.NAME/1" */
	struct opt_maybe json; /* not given: the line */
	enum ledger_part part;
	struct amend_result result;
	struct str id; /* of the new entry, or of the trial */
	struct str said;
};
extern const char *const ledger_amend_fields[]; /* of --json; ended by NULL */
/* Prints the answer in the form that its `json` asks for. A failed write is noticed at the end of the process. */
void ledger_amend_print(const struct ledger_amend *x, const struct ledger_amend_answer *answer);

/*
 * The exit status after an error. EXIT_NO, with the message on standard error, when the ledger says otherwise already
 * (E_CONFLICT); else EXIT_FAIL, and main prints it.
 */
int ledger_amend_fail(const struct frame *f, const struct err *err);

#endif
