/*
 * A witness (c2sp.org/tlog-witness): remembers the last checkpoint of each log it knows and cosigns only what continues
 * it. Its state is one file for each log, replaced durably before the answer leaves, under a lock. The rules are here,
 * pure of HTTP; witness_server.h puts them behind a server, cosign.h asks other witnesses.
 */
#ifndef NOTARY_WITNESS_H
#define NOTARY_WITNESS_H

#include "ledger/io.h"
#include "ledger/note.h"
#include "ledger/tree.h"

#define WITNESS_BODY_MAX ((size_t)128 << 10)

#define WITNESS_MEDIA_SIZE "text/x.tlog.size" /* of 409's body: the size the witness has, and a line end */

/* The body of add-checkpoint: "old N", proof lines, an empty line, the note. Points into the text. */
struct witness_ask {
	uint64_t old; /* entries that the asker believes the witness has seen; at most 2^63 - 1 */
	struct tree_proof proof; /* from `old` to the note's size; empty from 0 */
	struct str note;
};
/* Reads a body. False with a static sentence in *why when it is not one. */
bool witness_parse(struct str body, struct witness_ask *out, const char **why);
/* Adds the body that witness_parse reads. */
void witness_add_text(struct buf *out, const struct witness_ask *ask);

struct witness_options {
	const struct io *io;   /* NULL: io_system */
	struct str dir;        /* of the state */
	const struct signer *signer; /* KEY_WITNESS */
	const struct key *logs; /* those it knows */
	size_t log_count;
	int64_t (*now_ns)(void); /* NULL: the wall clock */
};

struct witness_answer {
	int status;        /* 200, 400, 403, 404, 409, 422, 500 */
	const char *media; /* of the body */
	struct str body;   /* lines to add, the size it has (409), or a sentence; in the arena */
	struct str trouble; /* with 500: what the operator has to know, and nobody else; p NULL otherwise */
};

/*
 * A witness over the directory of its state, which is made when absent. NULL with *err when it cannot be made, or its
 * lock file cannot be opened. Options' signer and logs must outlive it. witness_close takes NULL too.
 *
 * witness_add_checkpoint always has an answer, by its status: 400 what cannot be read; 404 a log it does not know; 403
 * not signed by a key it has for it; 409 not from the size it has, or another root at that size; 422 a proof that does
 * not hold; 500 when the state cannot be locked, read, signed or written, with `trouble`; 200 and only then its line,
 * when the disk has it. It waits for the lock: two processes may share a directory.
 */
struct witness;
struct witness *witness_open(const struct witness_options *o, struct err *err);
void witness_close(struct witness *w);
void witness_add_checkpoint(struct witness *w, struct arena *a, struct str body, struct witness_answer *out);

#endif
