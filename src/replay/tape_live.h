/*
 * A request that the tape does not answer, and that may be asked of its service: it goes there with the client's own
 * headers, and what comes back is given as it comes. Only requests of HTTP; no WebSocket is opened elsewhere.
 */
#ifndef REPLAY_TAPE_LIVE_H
#define REPLAY_TAPE_LIVE_H

#include "replay/tape_host.h"

/* Takes the request over (q->own) and answers it. Way and body are copied as far as they are needed later. */
void tape_live_begin(struct tape_host *host, struct request *q, const struct tape_way *way, struct str body);

#endif
