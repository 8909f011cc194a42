/*
 * Calls to services: one request, its answer as it comes. Plain HTTP and https go over the same connections of ours,
 * which are kept and used again; TLS is OpenSSL's (tls.h), with certificates verified against the system's authorities
 * or those of SSL_CERT_FILE and SSL_CERT_DIR, and sessions resumed. Where the environment names a proxy (HTTPS_PROXY,
 * HTTP_PROXY, ALL_PROXY, NO_PROXY), calls go through it. HTTP/1.1 only; the body's bytes are left as they are.
 */
#ifndef NET_UPSTREAM_UPSTREAM_H
#define NET_UPSTREAM_UPSTREAM_H

#include <uv.h>

#include "base/err.h"
#include "net/http/http.h"
#include "net/url.h"

struct upstreams; /* a pool */
struct upstream_call;

enum upstream_failure {
	UPSTREAM_REFUSED, /* no connection: name not found, refused, certificate not good */
	UPSTREAM_CUT,     /* it broke off in the middle, or sent what is not HTTP */
	UPSTREAM_LATE,    /* no connection, or no byte of the answer, in the time it had */
};

struct upstream_ops {
	void (*head)(void *own, const struct http_head *h); /* the final one: 1xx are not given */
	void (*body)(void *own, struct str bytes);          /* decoded of chunks */
	void (*end)(void *own);                             /* complete. The call is gone */
	/* The same, badly. `why` is the reason without the host ("connection refused"); it lasts for this call. */
	void (*fail)(void *own, enum upstream_failure f, const char *why);
	void (*drain)(void *own);                           /* after upstream_write gave false */
	/*
	 * After the calls made for bytes that came together, unless the call is gone. What was given to `body` stays
	 * valid until then. May be NULL.
	 */
	void (*settle)(void *own);
	/*
	 * The request, complete, was given to the system: for those who measure. Perhaps from within upstream_finish,
	 * and again when all of it had to be sent anew. May be NULL.
	 */
	void (*sent)(void *own);
};

#define UPSTREAM_CONNECT_MS (30u * 1000)
#define UPSTREAM_IDLE_MS (10u * 60 * 1000)

struct upstream_options {
	unsigned connect_ms; /* 0 means 30 s */
	unsigned idle_ms;    /* no byte of an answer for so long; 0 means 10 minutes */
	size_t kept;         /* idle connections kept for each host; 0 means 64 */
	struct http_limits limits;
	bool stamps; /* upstream_came_ns is wanted */
};

/* What is sent. Headers as given, with Host; framing headers are added. NONE, LENGTH or CHUNKED. */
struct upstream_request {
	const struct url *url;  /* where; its path is not used */
	struct str method, target;
	const struct http_header *headers;
	size_t count;
	enum http_framing framing;
	uint64_t length;
	bool upgrade; /* Connection and Upgrade are among the headers; after 101 all bytes pass as they are */
	/*
	 * No request at all: a connection to the host and port of `url`, whatever its scheme, over which all bytes
	 * pass as they are. `head` is called with a 200 of our own when it is there; upstream_finish ends our half.
	 */
	bool tunnel;
};

/* A pool without connections, with a copy of the options. Never NULL. To end it: close, run the loop dry, free. */
struct upstreams *upstreams_open(uv_loop_t *loop, const struct upstream_options *o);

/*
 * Ends everything that is open; calls still there are failed (UPSTREAM_CUT). A call begun after that is failed too
 * (UPSTREAM_REFUSED), from the loop. When the loop has run dry: upstreams_free.
 */
void upstreams_close(struct upstreams *u);
void upstreams_free(struct upstreams *u);

/*
 * Begins a call. Copies what it needs. Never NULL, and no function of ops is called before it returns. A kept
 * connection that turns out to be closed is replaced by a new one when nothing of the request reached the other side
 * and all of it is still at hand. The head goes out with the first write, flush or finish: one of these has to follow.
 */
struct upstream_call *upstream_begin(struct upstreams *u, const struct upstream_request *r,
				     const struct upstream_ops *ops, void *own);

/*
 * In `head` and `body`, of a pool with stamps: when the last of the bytes at hand reached this machine, by
 * clock_mono_ns, however late they were read. 0 when nobody knows.
 */
uint64_t upstream_came_ns(const struct upstream_call *c);

/*
 * A piece of the request's body, copied unless held. Give no more than the length that was said. False: taken too, but
 * wait for drain.
 */
bool upstream_write(struct upstream_call *c, struct str bytes);

/*
 * From hold to flush (or finish) what is written waits, must stay valid, and then goes out in one system call together
 * with the head. flush gives what upstream_write would.
 */
void upstream_hold(struct upstream_call *c);
bool upstream_flush(struct upstream_call *c);
void upstream_finish(struct upstream_call *c); /* the request is complete */
void upstream_cancel(struct upstream_call *c); /* nobody wants the answer; no more calls of ops */
void upstream_pause(struct upstream_call *c);  /* the answer comes too fast */
void upstream_resume(struct upstream_call *c);

#endif
