/* A trial in a ledger, for commands that go on from it: its record, and the files that were sealed with it. */
#ifndef CMD_TRIAL_SEALED_H
#define CMD_TRIAL_SEALED_H

#include "cmd/ledger/args.h"

/* The record of the trial that a name means (see index_find_trial), in the arena. False and *err. */
bool trial_sealed_record(struct arena *a, struct ledger *l, const struct frame *f, struct str name,
			 struct index_row *row, struct str *record, struct err *err);

/* Writes every file that was sealed with the trial below the directory. False and *err when one is not there. */
bool trial_sealed_files(struct arena *a, struct ledger *l, const struct frame *f, const struct index_row *row,
			struct str dir, struct err *err);

#endif
