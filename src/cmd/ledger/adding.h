/* What `ledger add` does with each argument: records and reviews out of files, runs out of directories. */
#ifndef CMD_LEDGER_ADDING_H
#define CMD_LEDGER_ADDING_H

#include "cmd/ledger/add.h"
#include "cmd/ledger/add_kind.h"
#include "cmd/ledger/add_run.h"
#include "cmd/ledger/args.h"
#include "trial/seal_files.h"

struct adding {
	/* Set before adding_open: */
	struct arena *arena;
	struct ledger ledger; /* open for writing */
	struct str files_from; /* where the files stand that records name; p NULL: beside each record */
	bool require_files, with_content;
	const struct seal_run *run; /* hashes that go with the one record; or NULL */
	struct ledger_add output;
	/* The rest is its own. */
	struct sealer *sealer;
	struct json_parser *detector, *parser;
	struct arena scratch; /* of one record */
	struct buf name, missing;
	enum add_kind kind;   /* of the file at hand */
	bool from_stdin;
	uint64_t published_ns, records;
};

void adding_open(struct adding *x);
void adding_close(struct adding *x); /* what was not committed is not there */

/*
 * Seals all that the arguments mean, in their order, and publishes it, about once a second while it lasts. What is not
 * taken is told and counted. False with *err when the ledger fails; what was sealed before stays.
 */
bool adding_run(struct adding *x, struct args args, struct err *err);

#endif
