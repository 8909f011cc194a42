/*
 * What the proxy's thread tells the recorder's: a request when it is complete, an answer in pieces, and of a WebSocket
 * that can be read what passes both ways. Nothing here looks into bodies, and nothing waits: what the recorder cannot
 * take is left out, and said so.
 */
#ifndef CAPTURE_HANDOFF_H
#define CAPTURE_HANDOFF_H

#include "base/buf.h"
#include "capture/observe/observer.h"
#include "capture/route.h"
#include "flow/feed.h"

#define HANDOFF_BODY ((size_t)64 << 20) /* of a request, at most; what is larger is passed on, but not looked at */
#define HANDOFF_PIECE ((size_t)8 << 10)  /* of an answer, gathered before it is handed over */
#define HANDOFF_ROOM \
	((size_t)96 << 20) /* held in sum: what waits for the recorder, gathered requests, open answers */

/* The recorder's own notes on an exchange; only its thread looks inside. */
struct handoff_exchange {
	void *own;
};

struct recorder;

struct handoff {
	struct feed_item item;
	/*
	 * NULL: of an exchange. Else nothing but `body` and `own` means anything: called on the recorder's thread, and
	 * frees w.
	 */
	void (*job)(struct recorder *d, struct handoff *w);
	void *own;
	struct handoff_exchange *exchange;
	bool is_request, is_end;
	bool is_socket, from_client; /* bytes of a WebSocket, from the client or from the service */
	bool lost;               /* bytes are missing before these */
	struct http_head *head;  /* the request's; or the answer's, with its first piece; NULL otherwise */
	int64_t head_ns, ns;     /* when the head came; when this was complete */
	const struct route *route; /* of a request */
	struct str target;         /* likewise: what the service was asked for */
	uint64_t socket;           /* likewise: the number of the exchange that opened its WebSocket; 0: none */
	struct buf body;
	size_t counted; /* bytes of the room that a request's body has, while nobody else counts it */
	struct observer_arrival *arrivals;
	size_t arrival_count;
	enum proxy_end how;      /* with is_end */
};

/* A copy of a head and a target in one block, to be freed at once: they outlive the connection. */
struct http_head *handoff_copy_head(const struct http_head *h, struct str target, struct str *kept_target);

/* Frees a handoff with its head and body; the room that was counted for it is for the caller to give back. */
void handoff_free(struct handoff *w);

/* ---- the proxy's end ---- */

struct tap;

/*
 * `feed` gets handoffs; `room` is its own, and what the tap gathers counts there too. Never NULL; the struct lives
 * in the arena. Close it when the proxy's last exchange has ended.
 */
struct tap *tap_open(struct arena *a, struct feed *feed, struct budget *room);
void tap_close(struct tap *t);

/* The functions of a proxy's tap; their context is a struct tap. */
extern const struct proxy_tap tap_ops;

struct tap_tally {
	uint64_t exchanges; /* requests that came */
	uint64_t lost;      /* pieces left out because the recorder was behind */
	uint64_t large;     /* requests larger than HANDOFF_BODY */
	uint64_t crowded;   /* requests left out because others held all the room */
};

/* The counts so far. */
struct tap_tally tap_tally(const struct tap *t);

#endif
