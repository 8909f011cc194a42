/* Inside upstream_plain: a connection of ours, and the call on it. */
#ifndef NET_UPSTREAM_PLAIN_H
#define NET_UPSTREAM_PLAIN_H

#include "net/upstream_private.h"
#include "net/wire.h"

enum plain_phase {
	PLAIN_DIAL,   /* no connection yet */
	PLAIN_CALL,   /* a call is on it */
	PLAIN_TUNNEL, /* after 101 */
	PLAIN_KEPT,   /* waits for the next call */
	PLAIN_GONE,   /* no call, no connection; waits for the loop to let go */
};

/* A host and port, and the connections to it that wait for work, newest first. */
struct plain_host {
	struct plain_host *next;
	char *name;
	uint16_t port;
	struct plain *kept;
	size_t count;
};

struct plain_state {
	uv_loop_t *loop;
	const struct upstream_options *o;
	uv_timer_t sweep, soon; /* soon: failures that must wait until begin has returned */
	bool closed;
	struct plain_host *hosts;
	struct plain *first; /* all */
	struct plain *dead;  /* by kept_next; freed at the next sweep, since a walk over all may be under way */
	bool sweeping;
	struct outgoing out;
	char buffer[WIRE_BUFFER];
};

struct plain {
	struct upstream_call call; /* first */
	struct wire wire;
	struct http_reader *reader;
	enum plain_phase phase;
	/* the answer */
	bool headed, paused;
	bool reused;     /* the connection had a call before, */
	bool touched;    /* and has sent something for this one */
	uint64_t calls;  /* begun on it so far: tells one call from the next */
	uint64_t before; /* bytes sent for earlier calls */
	struct plain_state *state;
	struct plain_host *host;
	struct plain *prev, *next;           /* of all */
	struct plain *kept_prev, *kept_next; /* of the host's */
	/* the request */
	struct buf request; /* as it is sent; stays until it cannot be needed again */
	size_t flushed;     /* of it, what went to the wire */
	bool forgot;        /* bytes sent are no longer in `request` */
	enum http_framing framing;
	uint64_t left;      /* of a body with a length */
	bool upgrade, finished, held, slow;
	struct { char text[8]; size_t n; } method; /* for the reader; longer ones are not HEAD */
	/* dialling */
	uv_getaddrinfo_t lookup;
	bool looking;
	enum { AGAIN_NOT, AGAIN_NEXT, AGAIN_ANEW } again; /* when the wire is closed: the next address, or all of it */
	int error; /* of the last address */
	struct addrinfo *found, *address;
	struct sockaddr_storage literal;
	uint64_t since, deadline; /* loop time */
	char why[120];       /* a failure that waits for `soon` */
	enum upstream_failure failure;
};

/*
 * upstream_dial.c. dial looks the name up and tries its addresses; it ends in plain_connected, or in a failure that the
 * call is told from the loop, never from within. end gives up what is under way and frees what was found.
 */
void plain_dial(struct plain *p);
void plain_dial_anew(struct plain *p); /* closes what there is first */
void plain_dial_sweep(struct plain *p, uint64_t now);
void plain_dial_end(struct plain *p); /* nobody waits for it */
void plain_dialled(struct plain *p, int error); /* an attempt is over: errno, 0 when it worked */

/* upstream_plain_answer.c. connected: the call begins on a fresh connection; what was written meanwhile goes out. */
extern const struct wire_ops plain_wire_ops;
void plain_connected(struct plain *p);

/*
 * upstream_plain.c. After keep, drop and fail the call is over, and its pointer must not be used: with drop nobody is
 * told. fail tells the call from within; fail_soon copies `why` (at most 119 bytes) and tells it from the loop.
 */
bool plain_send(struct plain *p); /* what is there of the request; false: the other side is slow */
void plain_tell_sent(struct plain *p); /* when the request is complete and the kernel has all of it */
void plain_keep(struct plain *p); /* for the next call */
void plain_drop(struct plain *p); /* without a word to the call */
void plain_fail(struct plain *p, enum upstream_failure f, const char *why);
void plain_fail_soon(struct plain *p, enum upstream_failure f, const char *why);
void plain_let_go(struct plain *p); /* frees it when nothing holds it any more */

static inline struct plain *plain_of_wire(struct wire *w)
{
	return (struct plain *)((uintptr_t)w - offsetof(struct plain, wire));
}

#endif
