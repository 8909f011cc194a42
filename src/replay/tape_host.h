/* What requests and sockets of a tape server share. Private to them. */
#ifndef REPLAY_TAPE_HOST_H
#define REPLAY_TAPE_HOST_H

#include "dialect/exchange/answer_stream.h"
#include "net/server/server.h"
#include "net/upstream/upstream.h"
#include "replay/alarm.h"
#include "replay/tape_server.h"

#define TAPE_BODY_MOST ((uint64_t)64 << 20) /* bytes of a request or a message */

struct tape_host {
	struct tape_server_options o;
	uv_loop_t *loop;
	struct alarms *alarms;
	struct upstreams *services; /* NULL: none is asked */
	struct answer_parser messages; /* of sockets */
	size_t count;                  /* requests and sockets that are not over */
};

/* What `own` of every request begins with: who is told of it. */
struct tape_visitor {
	const struct server_ops *ops;
};

/* Asks, and on a hit gives the answer as it is to be given, in the arena or on the tape. False: a miss, and *why. */
bool tape_host_ask(struct tape_host *h, struct arena *a, const struct match_question *q, const struct tape_line **line,
		   struct str *answer, struct str *why);

/* A client, or the recording, broke a protocol. Sentence and lane last for the call. */
void tape_host_note(struct tape_host *h, const struct match_question *q, const char *sentence);

/* When the request was complete, as near as is known. */
uint64_t tape_host_begun(const struct tape_host *h, const struct request *q);

/* When a client has had its time to leave. */
uint64_t tape_host_patience(const struct tape_host *h);

/* One of them began, and is over. */
void tape_host_enter(struct tape_host *h);
void tape_host_leave(struct tape_host *h);

#endif
