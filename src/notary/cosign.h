/*
 * The other side of a witness: asks one for its cosignature of a log's published checkpoint, so that it can be added.
 * How the question travels is a table of one function: over HTTP, or to a witness in this very process, which then
 * refuses by the same rules.
 *
 * The witness tells which size it has (409), so nothing has to be remembered here. Only lines of the key that was
 * expected are taken, and only when they hold.
 */
#ifndef NOTARY_COSIGN_H
#define NOTARY_COSIGN_H

#include "ledger/log.h"
#include "notary/witness.h"

struct cosign_way {
	/* False with *err when there was no answer at all. The answer's texts lie in the arena. */
	bool (*ask)(void *own, struct arena *a, struct str body, struct witness_answer *out, struct err *err);
	void *own;
};

enum cosign_outcome {
	COSIGN_DONE,
	COSIGN_ROLLBACK, /* it has seen more entries than the checkpoint has */
	COSIGN_FORK,     /* it has seen another history */
	COSIGN_REFUSED,  /* another reason: `why` */
};

struct cosign_result {
	enum cosign_outcome outcome;
	uint64_t size;      /* of the checkpoint */
	uint64_t seen;      /* what the witness had before, as far as it said */
	uint64_t time;      /* COSIGN_DONE: what the cosignature says, in seconds since 1970 */
	struct str text;    /* what is signed */
	struct str line;    /* COSIGN_DONE: with its line end */
	struct str why;     /* a sentence; p NULL with COSIGN_DONE */
};

/*
 * Asks the witness and checks its line; the log is only read. A refusal, or a line that does not hold, is a result, not
 * an error. False with *err when the checkpoint or the tiles cannot be read or trusted, or `way` got no answer. A
 * witness that moves on meanwhile is asked at most four times. Texts of *out lie in the arena or are static.
 */
bool cosign_ask(struct arena *a, struct log *l, const struct key *witness, const struct cosign_way *way,
		struct cosign_result *out, struct err *err);

/*
 * Lines that came in another way (a file): finds the one of the key, and checks it against the published checkpoint. A
 * line that is absent or does not hold is COSIGN_REFUSED with `why`. False with *err only when the checkpoint cannot be
 * read or trusted. Texts lie in the arena.
 */
bool cosign_take(struct arena *a, struct log *l, const struct key *witness, struct str lines,
		 struct cosign_result *out, struct err *err);

/* Adds the line of a result that is COSIGN_DONE to the log's checkpoint, if that still has this text. */
bool cosign_add(struct log *l, const struct cosign_result *r, struct err *err);

/* A way to a witness in this process, which must outlive it. Trouble of that witness (status 500) is ERR_IO. */
struct cosign_way cosign_way_here(struct witness *w);

#endif
