/* Reviews as files: written and signed by those who have no right to the ledger, and sealed by those who have. */
#ifndef CMD_LEDGER_REVIEW_FILE_H
#define CMD_LEDGER_REVIEW_FILE_H

#include "cmd/ledger/amend.h"
#include "trial/review.h"

/* Makes a key for signing reviews in the directory of keys; its public key goes to standard output. False with *err. */
bool review_file_make_key(struct arena *a, const struct frame *f, struct str name, struct err *err);

/*
 * The trial of an entry and its proof, which must hold: with a vkey under that; without (p NULL) in itself, and a note
 * says what was not checked. ERR_DATA when it does not, or the entry is not that of a trial. Texts lie in the arena.
 */
bool review_file_prove(struct arena *a, const struct frame *f, struct str proof, struct str entry, struct str vkey,
		       struct amend_target *out, struct err *err);

/* The trial that a word means in a ledger that is only read. Fails as ledger_row_find_trial does. */
bool review_file_find(struct arena *a, const struct frame *f, const struct ledger_choice *c, struct str word,
		      struct amend_target *out, struct err *err);

/* Writes the review, which gets an id and a time if it has none. False with *err (ERR_IO). */
bool review_file_write(struct arena *a, const struct frame *f, struct str path, const struct amend_target *trial,
		       struct review *r, struct err *err);

/* Seals the review of a file, publishes it and prints the answer. False with *err as review_seal_file. */
bool review_file_seal(struct ledger_amend *x, struct str path, struct opt_maybe json, struct err *err);

#endif
