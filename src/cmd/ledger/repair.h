/* What follows from the log of a ledger, made anew: the index, the tables of ids, the names that people read. */
#ifndef CMD_LEDGER_REPAIR_H
#define CMD_LEDGER_REPAIR_H

#include "cmd/ledger/args.h"

struct repair_counts {
	uint64_t entries; /* in the index */
	uint64_t links;   /* names that were made */
};

/*
 * Rebuilds the table of ids, the index and the names of one ledger; *out counts what was made. A database has only an
 * index. The log itself is only read; entries that are damaged get no name. False with *err; what was rebuilt so far
 * stays, and running it again is safe.
 */
bool ledger_repair(struct arena *a, const struct frame *f, const struct ledger_choice *c, struct repair_counts *out,
		   struct err *err);

#endif
