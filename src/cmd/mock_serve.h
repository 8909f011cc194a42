/* 'trackway mock' from its start to the signal that ends it. */
#ifndef CMD_MOCK_SERVE_H
#define CMD_MOCK_SERVE_H

#include "cmd/frame/command.h"
#include "net/guard.h"
#include "provider/mock_script.h"

struct mock_service {
	struct str listen;                /* as --listen has it */
	struct str log;                   /* a file, "-", or p NULL for none */
	const struct mock_script *script; /* NULL: echoes */
	struct str script_name; /* for the message at the start */
	struct guard guard;               /* who may ask */
	bool quiet; /* -q: no message at the start */
};

/*
 * Prints the base URL as the first line of standard output and serves until SIGINT or SIGTERM. Gives EXIT_INTERRUPTED
 * or EXIT_TERMINATED then. EXIT_FAIL with *err when `listen` is no address (ERR_USAGE), the log cannot be opened or
 * written, or the server cannot listen. Everything is closed when it returns.
 */
int mock_serve(struct arena *a, const struct mock_service *m, struct err *err);

#endif
