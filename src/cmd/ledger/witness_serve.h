/* 'trackway ledger witness' from its start to the signal that ends it. */
#ifndef CMD_LEDGER_WITNESS_SERVE_H
#define CMD_LEDGER_WITNESS_SERVE_H

#include "cmd/frame/command.h"
#include "notary/witness.h"

struct witness_service {
	struct str listen; /* as --listen has it */
	struct str state;  /* the directory */
	const struct signer *signer; /* its private key; the caller keeps it */
	const struct key *logs; /* those it may cosign */
	size_t log_count;
	const struct frame *frame;
};

/*
 * Prints the base URL and the public key, each on a line of standard output, and serves until SIGINT or SIGTERM. Gives
 * EXIT_INTERRUPTED or EXIT_TERMINATED then. EXIT_FAIL with *err when the address is none (ERR_USAGE), the memory cannot
 * be opened, or the server cannot listen. Everything is closed when it returns.
 */
int witness_serve(struct arena *a, const struct witness_service *w, struct err *err);

#endif
