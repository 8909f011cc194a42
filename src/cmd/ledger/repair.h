/* What follows from the log of a ledger, made anew: the index, the tables of ids, the names that people read. */
#ifndef CMD_LEDGER_REPAIR_H
#define CMD_LEDGER_REPAIR_H

#include "cmd/ledger/args.h"

struct repair_counts {
	uint64_t entries; /* in the index */
	uint64_t links;   /* names that were made */
};

/*
 * Rebuilds the table of ids, the index and the names of one ledger; *out counts what was made. False with *err. The
 * log itself is only read.
 */
bool ledger_repair(struct arena *a, const struct frame *f, const struct ledger_choice *c, struct repair_counts *out,
		   struct err *err);

#endif
