/*
 * What a key has signed last, kept beside it (<keys>/<id>.head) and away from the log: a log that was taken back, or
 * replaced by another of the same name, cannot take this along. Both engines ask here before they sign.
 */
#ifndef LEDGER_DIR_SIGNER_HEAD_H
#define LEDGER_DIR_SIGNER_HEAD_H

#include "ledger/io.h"
#include "ledger/log.h"

struct signer_head {
	bool found; /* false: this key has not signed anything yet, as far as this machine knows */
	uint64_t size;
	struct digest root;
};

/*
 * Reads the head of a key; out->found tells whether there is one. A file that is not a checkpoint of this origin,
 * signed by this key, is an error: without it nobody could tell what was signed. Without a directory of keys (p NULL
 * or empty) there is none. ERR_DATA also when others can write to that directory.
 */
bool signer_head_read(const struct io *io, struct str keys, const struct key *k, struct str origin,
		      struct signer_head *out, struct err *err);

/*
 * Replaces the head by this note, if it still is `old`, against which the note was checked; durable when it returns.
 * To be done before the note is published. ERR_DATA when somebody else has signed in between: copies of a log have a
 * lock each, and one key. Without a directory of keys nothing is written, and it gives true.
 */
bool signer_head_write(const struct io *io, struct str keys, const struct key *k, const struct signer_head *old,
		       struct str note, struct err *err);

/*
 * May a log of `size` entries, whose root was `root` when it had h->size of them, be signed? E_ROLLBACK when it is
 * shorter than what was signed (then `root` is not looked at), E_FORK when it has another root there. `where` is for
 * the message.
 */
bool signer_head_check(const struct signer_head *h, uint64_t size, const struct digest *root, struct str where,
		       struct err *err);

#endif
