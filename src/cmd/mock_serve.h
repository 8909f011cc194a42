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
	struct str script_name;
	struct guard guard;               /* who may ask */
	bool quiet;
};

/* Prints the base URL and serves. Gives EXIT_INTERRUPTED or EXIT_TERMINATED, or EXIT_FAIL with *err. */
int mock_serve(struct arena *a, const struct mock_service *m, struct err *err);

#endif
