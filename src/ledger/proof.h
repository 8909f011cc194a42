/* The offline proof of an entry (c2sp.org/tlog-proof): its place, the hashes beside its way up, a checkpoint. */
#ifndef LEDGER_PROOF_H
#define LEDGER_PROOF_H

#include "ledger/note.h"
#include "ledger/tree.h"

struct proof {
	struct str extra; /* decoded by nobody: base64 as it stands; p is NULL without one */
	uint64_t index; /* of the entry */
	struct tree_proof path; /* from the leaf up */
	struct str checkpoint; /* the note, verbatim */
};

/*
 * Reads a proof, strictly; its texts point into `text`. False with a static sentence in *why. Nothing is checked yet.
 */
bool proof_parse(struct str text, struct proof *out, const char **why);
/* Adds the text that proof_parse reads. */
void proof_add_text(struct buf *out, const struct proof *p);

/*
 * Whether the note is a checkpoint that `log` signed and that is of the log the key is named after. *out (may be NULL)
 * points into it. False with a static sentence in *why, and *out untouched.
 */
bool checkpoint_check(struct str note, const struct key *log, struct checkpoint *out, const char **why);

/*
 * Whether the entry is in the log that `log` signs. False with a static sentence in *why: the note, its signature,
 * the index, or the path. *out (may be NULL) gets the checkpoint, which points into p; untouched when false. `s` is
 * for work.
 */
bool proof_check(struct sha256 *s, const struct proof *p, struct str entry, const struct key *log,
		 struct checkpoint *out, const char **why);

/*
 * The same for those who have no key: whether the entry is in the tree of the proof's own checkpoint. No signature is
 * checked, so anybody may have made all of it. False with a static sentence in *why: the note, the index, or the path.
 */
bool proof_check_unsigned(struct sha256 *s, const struct proof *p, struct str entry, const char **why);

#endif
