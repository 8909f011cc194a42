/* A cassette and the ledger: its digest is sealed as an artifact of its run, and is held against it afterwards. */
#ifndef CMD_REPLAY_PIN_H
#define CMD_REPLAY_PIN_H

#include "cmd/ledger/args.h"

struct replay_pin {
	bool is_pinned;       /* the ledger has a pin of this run */
	bool is_same;         /* and it names this digest */
	bool is_new;          /* replay_pin_seal made it */
	struct str ledger;    /* where it is, without a password */
	uint64_t index, run_index;
	struct digest run_leaf;
};

/*
 * Seals the digest of the cassette of the run in this directory, unless it is sealed already. False with *err: the run
 * is not in the ledger, or its cassette is not the one that was sealed with it (ERR_DATA), or the ledger cannot be
 * written.
 */
bool replay_pin_seal(struct arena *a, const struct frame *f, const struct ledger_choice *where, struct str dir,
		     struct replay_pin *out, struct err *err);

/* What the ledger says of this run's cassette with this digest (hex). False with *err: it cannot be read. */
bool replay_pin_find(struct arena *a, const struct frame *f, const struct ledger_choice *where, struct str run_id,
		     struct str sha256, struct replay_pin *out, struct err *err);

/* Says it, behind a verdict. */
void replay_pin_say(const struct replay_pin *pin, struct str sha256);

#endif
