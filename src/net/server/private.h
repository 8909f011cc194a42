/* Inside the server: a connection and the request on it. */
#ifndef NET_SERVER_PRIVATE_H
#define NET_SERVER_PRIVATE_H

#include "net/server/server.h"
#include "net/wire.h"

enum conn_phase {
	CONN_HEAD,   /* waits for a head */
	CONN_BODY,   /* a request is coming */
	CONN_ANSWER, /* the request is complete, its answer is not */
	CONN_TUNNEL, /* after 101 */
	CONN_DRAIN,  /* answered before the request was complete; what is left of that is thrown away */
	CONN_LINGER, /* the last answer is out; all is thrown away until the client has read it */
};

struct conn {
	struct wire wire; /* first: a wire is its connection */
	struct tls *tls;  /* NULL: bytes are plain */
	void *through;    /* after request_enter; else NULL */
	struct tls_context *entered; /* and with o.tls: until its first byte came; then NULL */
	struct server *server;
	struct request q; /* there while `asked` */
	struct http_reader *reader;
	struct conn *prev, *next;
	struct buf ahead; /* read, but behind a request that is still being answered */
	size_t ahead_at;
	size_t behind;    /* bytes known to stand behind the request that is being read or answered */
	enum conn_phase phase;
	bool asked;       /* the handler knows of a request and has not been told that it is gone */
	bool busy;        /* in conn_run: whoever finishes a request need not go on to the next one */
	bool begun;       /* bytes of a head came */
	bool paused;      /* by the handler */
	bool held;        /* request_hold */
	bool headed;      /* the answer's head is out, or in the batch */
	bool bodyless;    /* the answer has no body, whatever its head says */
	bool finished;    /* the answer is complete */
	bool slow;        /* the handler waits for drain */
	bool cut;         /* the answer will not be completed: closed when what is queued has gone */
	bool close_after; /* no more requests after this answer */
	bool half;        /* of a tunnel, only our half is open */
	bool shaken;      /* how the handshake went is told */
	enum http_framing framing; /* of the answer */
	uint64_t left;    /* of an answer with a length */
	uint64_t since;   /* loop time: the phase's begin, for the phases that have a limit */
	size_t thrown;    /* bytes thrown away */
};

struct server {
	uv_loop_t *loop;
	struct server_options o;
	uv_poll_t listener;
	int fd; /* -1: listens no more */
	uint16_t port;
	uint64_t strangers; /* requests that the guard refused */
	bool stopping, full; /* full: no descriptor was left for a connection; tried again at the next sweep */
	uv_timer_t sweep;
	bool sweeping;
	uv_timer_t hurry;      /* looks again, soon, whether clients that send no more are still there */
	unsigned hurried;      /* how often it did */
	unsigned open_handles; /* listener, sweep, hurry */
	struct conn *first; /* all connections */
	size_t count;
	struct conn *spare; /* closed ones, by next */
	size_t spares;
	struct outgoing out; /* one batch for all: it belongs to `out_of` */
	struct conn *out_of;
	struct outgoing sealed; /* what TLS has to send, while one connection has its turn */
	struct buf gathered;    /* what is to be sealed, in one piece */
	char *room;             /* TLS_ROOM bytes for what was opened; NULL: nobody needed it */
	char buffer[WIRE_BUFFER];
};

/*
 * server/conn.c. accept takes the socket and adds a connection to the server; above the limit the client is told 503.
 * run goes on with what was read ahead. close may be called again, and tells the handler that its request is gone; the
 * memory stays until the loop has let go, so lists may be walked meanwhile. sweep applies the limits of time.
 */
void conn_accept(struct server *s, int fd);
void conn_run(struct conn *c); /* goes on with what was read ahead */
void conn_close(struct conn *c);
void conn_cut(struct conn *c); /* the same, after what is queued has gone */
void conn_sweep(struct conn *c, uint64_t now);
void conn_check_peer(struct conn *c); /* closes it when the client is gone */

/* server.c: a client sends no more, and it is not sure yet whether it is gone. */
void server_hurry(struct server *s);

/* server/conn.c: the memory alone, for a connection that no loop and no list knows any more. */
void conn_free(struct conn *c);

/* server/conn.c: plain bytes of this connection, read or opened. */
void conn_take(struct conn *c, struct str bytes);
void conn_ended(struct conn *c); /* the client sends no more */

/*
 * server/tls.c. begin: what comes is TLS. read: bytes came. send: the batch, sealed where it has to be. part: says that
 * no more is sent. lost: the connection ends, and a handshake under way with it.
 */
void conn_tls_begin(struct conn *c, struct str sealed);
void conn_tls_read(struct conn *c, struct str sealed);
void conn_send(struct conn *c);
void conn_tls_part(struct conn *c);
void conn_tls_lost(struct conn *c);

/* server/conn.c: the last answer is out; the connection closes when the client has read it. */
void conn_linger(struct conn *c);

/*
 * Answers by itself, with the status and `why` (plain text without quotes) as a JSON error, and closes when the client
 * has read that. When the answer's head is out already it can only close.
 */
void conn_refuse(struct conn *c, int status, const char *why);

/*
 * server/answer.c. reset: before each request. sent: from the wire; lets a waiting handler go on, and the connection to
 * its next request.
 */
void answer_reset(struct conn *c);
void answer_sent(struct conn *c); /* the queue became shorter */
void answer_text(struct conn *c, struct str text); /* bytes beside any answer: 100 Continue */
bool answer_is_going(const struct conn *c); /* not all of it has left us, or never will */

/*
 * server.c: a connection has left the list. Listens again where descriptors had run out; ends the timers after a stop.
 */
void server_conn_closed(struct server *s);

#endif
