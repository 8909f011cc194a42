/* 'trackway watch' from its start to the signal that ends it. */
#ifndef CMD_WATCH_SERVE_H
#define CMD_WATCH_SERVE_H

#include "cmd/frame/command.h"
#include "net/guard.h"
#include "watch/tail.h"

struct watch_service {
	struct str listen; /* as --listen has it */
	struct str dir;    /* for the message at the start */
	struct guard guard;
	struct tail *tail;
	const struct frame *frame;
};

/*
 * Prints the base URL as the first line of standard output and serves until SIGINT or SIGTERM. Gives EXIT_INTERRUPTED
 * or EXIT_TERMINATED then. EXIT_FAIL with *err when `listen` is no address (ERR_USAGE) or the server cannot listen.
 */
int watch_serve(struct arena *a, const struct watch_service *w, struct err *err);

#endif
