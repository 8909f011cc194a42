/* A proof of one entry, checked without its ledger. */
#ifndef CMD_LEDGER_PROOF_H
#define CMD_LEDGER_PROOF_H

#include "cmd/frame/command.h"
#include "ledger/entry.h"
#include "ledger/policy.h"
#include "ledger/proof.h"

struct ledger_proof {
	struct arena *arena;
	struct str proof_file, entry_file, record_file; /* record_file: p NULL without one */
	struct str vkey;             /* p NULL: the policy's logs */
	const struct policy *policy; /* NULL: no witnesses are asked for */
	/* What was found out. */
	struct str problem; /* p NULL: it holds */
	struct checkpoint head; /* of the proof; means nothing when there is a problem */
	struct key key; /* that signed it */
	uint64_t index;
	struct digest leaf, record_digest; /* record_digest: of record_file, if there is one */
	struct entry entry;
	bool has_entry; /* the leaf could be read as one of ours */
	size_t witnesses; /* of the policy that cosigned */
};

/*
 * Checks the proof; the first members must be set, with a vkey or a policy. True when it could be checked: what does
 * not hold is told in `problem`, which has p NULL when all holds. False with *err when a file cannot be read or the key
 * is none. Texts live in the arena.
 */
bool ledger_proof_check(struct ledger_proof *p, struct err *err);

/* Adds PROVEN and what the proof shows, or NOT PROVEN and the problem. After a ledger_proof_check that gave true. */
void ledger_proof_add_text(struct buf *out, const struct ledger_proof *p);
/* The document trackway.ledger-verify/1 of a proof, with the members that are selected. */
void ledger_proof_add_json(struct buf *out, const struct ledger_proof *p, struct opt_maybe selected);

#endif
