/*
 * An HTTP/1.1 server on a libuv loop: connections, limits, and one request at a time on each of them. What a request
 * is for is the handler's business: it is told of the head, of the pieces of the body, and of the end; it answers when
 * it likes, in one piece or many. Everything happens on the loop's thread.
 *
 * Back-pressure, both ways: request_write says when the client is slow (the handler waits for `drain`), and
 * request_pause stops reading the body of a request that goes on faster than it can be used.
 */
#ifndef NET_SERVER_SERVER_H
#define NET_SERVER_SERVER_H

#include <uv.h>

#include "base/err.h"
#include "net/guard.h"
#include "net/http/http.h"
#include "net/tls/tls.h"

struct server;

/* A request being served. The handler's own state hangs on `own`. */
struct request {
	const struct http_head *head; /* until `gone` */
	void *own;
	struct server *server;
	struct str reason; /* of the answer, to be set before request_respond; p NULL: the usual one */
	void *through; /* of request_enter, for what came on such a connection; else NULL */
};

struct server_ops {
	/* A request came and the guard let it in. Here `own` is set; an answer may be given from inside. */
	void (*head)(void *context, struct request *q);
	/* A piece of its body, decoded of chunks. Valid until `settle`. */
	void (*body)(struct request *q, struct str bytes);
	void (*end)(struct request *q);   /* the request is complete */
	void (*drain)(struct request *q); /* after request_write gave false: go on. May be NULL */
	/*
	 * The last call for a request, always made once: the answer was sent whole (`whole`), or the client is gone, or
	 * the request broke (bad framing, a limit, a timeout) and was answered by the server itself. It may come from
	 * inside request_finish, request_reply and request_abort (never from request_write): touch nothing of the
	 * request after these.
	 */
	void (*gone)(struct request *q, bool whole);
	/*
	 * After the calls made for bytes that came together, while the request is there; they stay valid until then.
	 * Not the place to finish an answer. May be NULL.
	 */
	void (*settle)(struct request *q);
	/*
	 * A connection after request_enter, with what was given there: the handshake is over (`t` is ready), or it
	 * failed (tls_why), or (NULL) the client broke it off. May be NULL.
	 */
	void (*shaken)(void *context, void *through, const struct tls *t);
};

struct server_options {
	struct str host;        /* an address, "127.0.0.1" when p is NULL; "::1" works too */
	uint16_t port;          /* 0: a free one */
	struct http_limits limits;
	size_t connections;     /* at once; 0 means 4096. More are answered 503 and closed */
	unsigned head_ms;       /* for a head to arrive, 0 means 30 s: clients that send a byte a minute */
	unsigned idle_ms;       /* without any byte either way inside a request, or between two; 0 means 10 minutes */
	bool stamps;            /* request_came_ns is wanted */
	struct tls_context *tls; /* NULL: plain HTTP. Else clients must speak TLS; lives longer than the server */
	bool forward;           /* a forward proxy too: CONNECT, and http addresses of other hosts, are let in */
	struct guard guard;     /* of all zero: only this machine's own names, and no web page; others get 403 */
	const struct server_ops *ops;
	void *context;
};

/*
 * Listens, and takes connections as soon as the loop runs. The options are copied, not what they point to: host, guard,
 * ops and context must live until server_close. NULL and *err when it cannot: ERR_USAGE when `host` is not an address,
 * ERR_IO with address and reason when the system refuses.
 */
struct server *server_open(uv_loop_t *loop, const struct server_options *o, struct err *err);
/* The port it listens on, also when 0 was asked for. */
uint16_t server_port(const struct server *s);

/* How many requests its guard did not let in since it was opened. The handler was not told of them. */
uint64_t server_strangers(const struct server *s);

/*
 * Takes no more connections; closes idle ones at once, others when they are done, or (`now`) all of them. May be called
 * again, with `now`, when the rest takes too long. The loop runs dry when the last connection is closed.
 */
void server_stop(struct server *s, bool now);

/* Frees the server, after server_stop and when the loop has run dry. */
void server_close(struct server *s);

/* ---- answering ---- */

/*
 * Sends the head. Headers are sent as given; framing adds Content-Length, Transfer-Encoding or Connection itself (give
 * none of these), and a client that speaks HTTP/1.0 gets no chunks. To HEAD and with 304, a framing says what the body
 * would have had. With 101, and with 200 to CONNECT, both directions carry bytes as they are from here on: `body` is
 * called again until either side closes. There is no `end`, but for CONNECT when the client sends no more; the handler
 * then finishes when it has sent all. Does nothing when a head is out already, or the connection is closed.
 */
void request_respond(struct request *q, int status, const struct http_header *headers, size_t count,
		     enum http_framing framing, uint64_t length);

/*
 * A piece of the body, sent at once; bytes beyond the length that was said are dropped. False: it is queued, but the
 * client is slow; wait for drain (or gone). True without effect before the head, after the end, and when the connection
 * is closed.
 */
bool request_write(struct request *q, struct str bytes);

/*
 * From hold to flush (or finish) what is written waits, must stay valid, and then goes out in one system call. For
 * handlers that have several pieces at once. flush gives what request_write would.
 */
void request_hold(struct request *q);
bool request_flush(struct request *q);

/* The answer is complete. One shorter than the length it said is cut, so that the client sees it. */
void request_finish(struct request *q);

/* Head, body and end in one, framed by the body's length. Does nothing when a head is out already. */
void request_reply(struct request *q, int status, const struct http_header *headers, size_t count, struct str body);

/* The answer cannot be completed: closes the connection, so that the client sees it was cut. */
void request_abort(struct request *q);

/* Stops reading the body of a request, or a tunnel, until resume: the handler cannot use it so fast. */
void request_pause(struct request *q);
void request_resume(struct request *q);

/*
 * In `head`, `body` and `end`, of a server with stamps: when the last of the bytes at hand reached this machine, by
 * clock_mono_ns, however late they were read. 0 when nobody knows, as for what stood behind an earlier request.
 */
uint64_t request_came_ns(const struct request *q);

/*
 * In `head`, to CONNECT: answers 200 and serves requests on this connection from here on, as the host that the client
 * means to talk to. They have `through`, which must live as long as the server. The client may speak TLS, and then gets
 * a certificate of `x`, or plain HTTP: its first byte tells. The CONNECT itself is `gone` soon after, whole.
 */
void request_enter(struct request *q, void *through, struct tls_context *x);

/* Bytes of answers that the kernel has not taken yet. */
size_t request_queued(const struct request *q);

#endif
