/* Where a server is to listen, as --listen has it, and who may ask it. */
#ifndef CMD_LISTEN_H
#define CMD_LISTEN_H

#include "base/arena.h"
#include "base/err.h"
#include "cmd/frame/command.h"
#include "net/guard.h"

/*
 * "127.0.0.1:8080", "[::1]:8080", ":8080" or "8080" (this machine only), "localhost:0" (any free port). *host is
 * NUL-terminated and lives in the arena. Any other name of a host, or a port above 65535, fails with ERR_USAGE; *host
 * and *port are untouched then.
 */
bool listen_parse(struct arena *a, struct str text, struct str *host, uint16_t *port, struct err *err);

/*
 * Fills *out with the values of --allow-host and --allow-origin, each checked. False with an error that names the
 * option. *out points into both lists.
 */
bool listen_guard(struct opt_list hosts, struct opt_list origins, struct guard *out, struct err *err);

/* "http://127.0.0.1:8080", in the arena; an IPv6 address gets its brackets. */
struct str listen_url(struct arena *a, struct str host, uint16_t port);

#endif
