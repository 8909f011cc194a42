/* `trackway replay RUN --serve ADDR`: the tape's answers for clients that somebody else starts. */
#ifndef CMD_REPLAY_SERVE_H
#define CMD_REPLAY_SERVE_H

#include "replay/replaying.h"

/*
 * Serves until SIGINT or SIGTERM, and judges what was asked until then. The address is the first line of standard
 * output, or of standard error where `json` leaves that to the document. False and *err as replaying_run, and with
 * ERR_USAGE when `listen` is no address.
 */
bool replay_serve(struct arena *a, struct str listen, bool json, const struct replaying_options *o,
		  struct replaying_outcome *out, struct err *err);

#endif
