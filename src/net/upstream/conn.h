/*
 * Inside the upstream: the pool, a connection of ours, and the call on it. A connection is set up in steps
 * (upstream/setup.c), from the look-up of a name to the handshake of TLS, and is the same for all calls from then on:
 * up to two engines of TLS lie between the wire and the messages, one for an https proxy and one for the service.
 */
#ifndef NET_UPSTREAM_CONN_H
#define NET_UPSTREAM_CONN_H

#include "base/arena.h"
#include "net/tls/tls.h"
#include "net/upstream/env.h"
#include "net/upstream/lookup.h"
#include "net/upstream/upstream.h"
#include "net/wire.h"

enum upconn_phase {
	UPCONN_SETUP,  /* no connection yet */
	UPCONN_CALL,   /* a call is on it */
	UPCONN_TUNNEL, /* after 101 */
	UPCONN_KEPT,   /* waits for the next call */
	UPCONN_GONE,   /* no call, no connection; waits for the loop to let go */
};

/* Of the setup, in their order; a connection that does not need one leaves it out. */
enum upconn_step { STEP_NAME, STEP_DIAL, STEP_PROXY_TLS, STEP_CONNECT, STEP_TLS, STEP_DONE };

/*
 * Handshakes under way with one host. They cost the time of a processor, so many at once make streams that are ready
 * wait, and too few make those wait that are far away: one more is let in after each that was quick, one less else.
 */
struct uphands {
	unsigned most, running;
	uint64_t fastest_ns;
	struct upconn *first, *last; /* those who wait, by wait_next */
};

/* A service, and the connections to it that wait for work, newest first. */
struct uphost {
	struct uphost *next;
	struct str name; /* terminated */
	uint16_t port;
	bool tls;
	const struct upproxy *proxy; /* NULL: none */
	bool tunnel;                 /* through CONNECT of the proxy */
	struct upconn *kept;
	size_t count;
	struct tls_session session, proxy_session;
	struct uphands hands;
};

enum { UPCONN_LAYERS = 2, UPSTREAM_WHY = 600 };

struct upstreams {
	uv_loop_t *loop;
	struct upstream_options o;
	uv_timer_t sweep, soon; /* soon: failures that must wait until begin has returned */
	uv_timer_t far;         /* handshakes wait for others that wait for an answer (upstream/setup.c) */
	bool closed, sweeping;
	bool proxied; /* the environment names a proxy for something */
	struct arena arena; /* of hosts and proxies, which are few and stay */
	struct uphost *hosts;
	struct upproxy *proxies;
	struct lookups *lookups;
	struct upconn *first; /* all */
	struct upconn *dead;  /* by kept_next; freed at the next sweep, since a walk over all may be under way */
	struct tls_context *tls; /* NULL: nobody needed it */
	struct outgoing out;
	struct buf inner;            /* sealed for the service, to be sealed for a proxy too */
	char *room[UPCONN_LAYERS];   /* TLS_ROOM each; NULL: not needed yet */
	char buffer[WIRE_BUFFER];
};

/* What is seen of it outside. */
struct upstream_call {
	const struct upstream_ops *ops;
	void *own;
};

struct upconn {
	struct upstream_call call; /* first */
	struct wire wire;
	struct tls *tls[UPCONN_LAYERS]; /* from the wire inwards */
	unsigned layers;                /* of them in use */
	struct http_reader *reader;
	enum upconn_phase phase;
	/* the answer */
	bool headed, paused;
	bool reused;     /* the connection had a call before, */
	bool touched;    /* and has sent something for this one */
	uint64_t calls;  /* begun on it so far: tells one call from the next */
	uint64_t before; /* bytes sent for earlier calls */
	struct upstreams *pool;
	struct uphost *host;
	struct upconn *prev, *next;           /* of all */
	struct upconn *kept_prev, *kept_next; /* of the host's */
	/* the request */
	struct buf request; /* as it is sent; stays until it cannot be needed again */
	size_t flushed;     /* of it, what went to the wire */
	bool forgot;        /* bytes sent are no longer in `request` */
	enum http_framing framing;
	uint64_t left;      /* of a body with a length */
	bool upgrade, finished, held, slow;
	bool raw;           /* no request: a tunnel (see upstream_request) */
	struct { char text[8]; size_t n; } method; /* for the reader; longer ones are not HEAD */
	/* setting up */
	enum upconn_step step;
	bool anew;          /* when the wire is closed */
	bool waits;         /* for its turn to shake hands, */
	bool shakes;        /* or does so, since */
	uint64_t shakes_ns;
	struct upconn *wait_next;
	struct lookup lookup;
	struct dial *dial;  /* NULL: none under way */
	uint64_t deadline;  /* loop time */
	char *why;          /* a failure that waits for `soon`; NULL: none */
	enum upstream_failure failure;
};

/*
 * upstream/setup.c. begin ends in upconn_connected, or in a failure that the call is told from the loop, never from
 * within. end gives up what is under way. ready: the engine of TLS at the inner end has shaken hands.
 */
void upconn_setup(struct upconn *c);
void upconn_setup_anew(struct upconn *c); /* closes what there is first */
void upconn_setup_end(struct upconn *c);  /* nobody waits for it */
void upconn_setup_sweep(struct upconn *c, uint64_t now);
void upconn_setup_ready(struct upconn *c);
void upconn_setup_take(struct upconn *c, struct str bytes); /* the proxy's answer to CONNECT */
/* The connection broke before it was one. `why` NULL: it was closed. */
void upconn_setup_broke(struct upconn *c, const char *why);

/* upstream/answer.c. connected: the call begins on a fresh connection; what was written meanwhile goes out. */
extern const struct wire_ops upconn_wire_ops;
void upconn_connected(struct upconn *c);

/*
 * upstream/conn.c. After keep, drop and fail the call is over, and its pointer must not be used: with drop nobody is
 * told. fail tells the call from within; fail_soon copies `why` and tells it from the loop.
 */
struct upconn *upconn_new(struct upstreams *u, struct uphost *host);
void upconn_put(struct upconn *c, struct str bytes); /* to the service, sealed where it has to be */
void upconn_push(struct upconn *c); /* what engines of TLS have to say by themselves */
bool upconn_send(struct upconn *c); /* what is there of the request; false: the other side is slow */
void upconn_end_half(struct upconn *c); /* of a raw tunnel, when all that was written has gone */
void upconn_tell_sent(struct upconn *c); /* when the request is complete and the kernel has all of it */
void upconn_keep(struct upconn *c); /* for the next call */
void upconn_unkeep(struct upconn *c); /* for this one */
void upconn_drop(struct upconn *c); /* without a word to the call */
void upconn_fail(struct upconn *c, enum upstream_failure f, const char *why);
void upconn_fail_soon(struct upconn *c, enum upstream_failure f, const char *why);
void upconn_close(struct upconn *c, void (*closed)(struct wire *w)); /* the wire and what lies on it */
void upconn_let_go(struct upconn *c); /* frees it when nothing holds it any more */
void upconns_bury(struct upstreams *u); /* frees those that were let go of */

static inline struct upconn *upconn_of_wire(struct wire *w)
{
	return (struct upconn *)((uintptr_t)w - offsetof(struct upconn, wire));
}

#endif
