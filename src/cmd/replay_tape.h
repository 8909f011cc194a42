/* What `trackway replay` does with a cassette without a command: --status and --pin. */
#ifndef CMD_REPLAY_TAPE_H
#define CMD_REPLAY_TAPE_H

#include "cmd/replay_pin.h"

/*
 * Prints what the cassette of a run holds and whether it can be replayed; with `json` as one document. The exit status:
 * EXIT_YES when it can, EXIT_CANNOT when not; EXIT_FAIL with *err when it cannot be read.
 */
int replay_tape_status(struct arena *a, struct str run, bool json, struct err *err);

/* Pins it and says so. EXIT_FAIL with *err as replay_pin_seal. */
int replay_tape_pin(struct arena *a, const struct frame *f, const struct ledger_choice *where, struct str run,
		    bool json, struct err *err);

#endif
