/*
 * Is a ledger whole? Everything that can be known without trusting it: the signature, every tile and bundle against the
 * root, every entry against its rules and those it refers to, every object against its digest, the names beside them;
 * with the signer's head, that nothing was taken back; with an older checkpoint, that nothing was rewritten; with a
 * policy, that witnesses saw it. What is wrong is a finding with a code of ours (LG001 and on), naming the file or the
 * row; only what keeps us from looking is an error.
 *
 * A directory is looked at as it lies there, without the engine: a damaged one may refuse to be opened, and is the very
 * one to be checked. So give `where` for a directory, and `ledger` for a database. No lock is taken; what is written
 * meanwhile does no harm.
 */
#ifndef LEDGER_CHECK_CHECK_H
#define LEDGER_CHECK_CHECK_H

#include "base/finding.h"
#include "ledger/ledger.h"
#include "ledger/policy.h"

extern const struct rule ledger_rules[]; /* ended by a NULL code */

struct ledger_check {
	struct ledger *ledger;       /* open; NULL: the directory `where` */
	struct str where;
	struct arena *arena;         /* for what the reports say; NULL: the ledger's */
	const struct io *io;         /* NULL: io_system */
	struct str vkey;             /* of the main log of a directory; p NULL: found in `keys` or beside the log */
	struct str keys;             /* the directory of keys; p NULL: that of keys_home, when there is one */
	const struct signer *signer; /* of the main log; NULL: looked for in `keys`, else done without */
	struct str against;          /* an older signed checkpoint of either log; p NULL: none */
	const struct policy *policy; /* NULL: none */
	const struct key *reviewers; /* whose signatures on reviews are known; may be NULL */
	size_t reviewer_count;
	bool objects;                /* read and hash every object, and what stands under the names for people */
	bool local;                  /* also what its writer has: WAL, ids, leftovers, all names, the signer's head */
	struct findings *findings;
	void (*tick)(void *context, uint64_t done, uint64_t of); /* may be NULL */
	void *context;
};

struct log_report {
	bool there; /* else nothing else is filled in */
	struct str origin, where;
	uint64_t size;
	struct digest root;
	uint64_t kinds[ENTRY_KINDS];   /* entries of each kind that could be read */
	uint64_t objects, erased;      /* objects hashed; those that are gone rightly */
	uint64_t bytes;                /* hashed in all */
	uint64_t unpublished;          /* committed, not yet published (local) */
	uint64_t unchecked;            /* of these, in frames that only the private key could prove */
	uint64_t unproven;             /* in frames that are not the owner's, or may not be: none of these */
	bool signed_well, key_is_trusted;
	uint64_t anchored;             /* entries below the older checkpoint that was held against it; 0 without */
	uint64_t signed_reviews;       /* reviews whose reviewer's signature holds (objects) */
	uint64_t known_signers;        /* of these, with a key that was given */
	size_t witnesses;              /* cosignatures of the policy that hold */
	uint64_t cosigned_at;          /* the earliest time they say, or 0 */
};

/*
 * Fills `out` for both logs; texts lie in the arena of the check. What is wrong with the ledger goes to its findings,
 * and is no failure. False with *err only when it could not look: there is no ledger (ERR_DATA), the vkey given is
 * none (ERR_USAGE), a file or the server cannot be read, or we are asked to stop (ERR_IO). The reports are half
 * filled then.
 */
bool ledger_check_run(struct ledger_check *c, struct log_report out[LEDGER_PARTS], struct err *err);

#endif
