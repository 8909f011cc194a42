/*
 * A streaming reverse proxy: what a server is asked it asks an upstream, and each piece of the answer goes to the
 * client when it comes. A tap sees everything that passes; it cannot hold anything up.
 *
 * Changed on the way: Host, hop-by-hop headers, framing, and Accept-Encoding, which asks for identity, so that what
 * passes can be read. Bodies are not touched. A client that goes away ends the upstream's work; an upstream
 * that breaks off ends the client's answer in a way the client sees as broken. After 101 both directions are a tunnel.
 */
#ifndef NET_PROXY_H
#define NET_PROXY_H

#include "base/clock.h"
#include "net/server/server.h"
#include "net/tls/authority.h"
#include "net/upstream/upstream.h"

enum proxy_end {
	PROXY_WHOLE,       /* request and answer passed completely */
	/* the client went away, or its request broke, before the answer was complete; or it closed a tunnel */
	PROXY_CLIENT_LEFT,
	PROXY_CUT,         /* the upstream broke off inside its answer */
	PROXY_REFUSED,     /* the upstream could not be reached: the client got 502 (504 for a timeout) from us */
};

/* What becomes of a client that asks for a tunnel to a host. */
enum proxy_entry {
	PROXY_PASS,        /* bytes pass as they are */
	PROXY_ENTER,       /* the proxy takes the host's place, until clients say that they will not have it */
	PROXY_ENTER_ALWAYS, /* likewise, and they get nothing else */
};

/* A host that clients asked for, as forward proxies are asked. For whoever tells of it at the end. */
struct proxy_host {
	const struct proxy_host *next;
	struct url url;
	uint64_t passed;   /* tunnels and requests that were passed on unread */
	uint64_t entered;  /* handshakes that worked */
	uint64_t distrust; /* clients that do not trust our certificate */
	uint64_t foreign;  /* clients that do not speak HTTP/1.1 */
	uint64_t broken;   /* handshakes that failed otherwise, or were broken off */
};

/*
 * An endpoint of the proxy's own server: its requests are passed on to nobody, and the tap is not told of them. Answers
 * are given by the functions of server.h, at once or later, until `gone`.
 */
struct proxy_local {
	/* A request's head came, and the guard let it in. Sets *own, of the functions below, before it may answer. */
	void (*begin)(void *context, struct request *q, void **own);
	void (*body)(void *own, struct str bytes); /* perhaps still after the answer */
	void (*end)(void *own);  /* the request is complete; likewise */
	void (*gone)(void *own); /* the last one, always made once; perhaps from within the answer */
	void *context;
};

/* Where a request goes. Filled in by the route function; lives until the call ends. */
struct proxy_destination {
	const struct url *url;
	struct str target;  /* path and query to ask for */
	const void *route;  /* whatever the tap wants to know of it; NULL, for a `host`: it is passed on unread */
	const struct proxy_local *local; /* who answers instead of an upstream; url and target mean nothing then */
};

/*
 * Times are those of the proxy's clock (options.clock). After a head of 101 `request` and `answer` are told what passes
 * through the tunnel.
 */
struct proxy_tap {
	/* A request's head came. What is returned is `x` below; NULL: nobody wants to know of this one. */
	void *(*begin)(void *context, const struct http_head *h, const struct proxy_destination *to, int64_t ns);
	void (*request)(void *x, struct str bytes, int64_t ns);
	void (*request_end)(void *x, int64_t ns);
	void (*head)(void *x, const struct http_head *h, int64_t ns); /* the answer's */
	void (*answer)(void *x, struct str bytes, int64_t ns);
	void (*end)(void *x, enum proxy_end how, int64_t ns); /* the last one; always made once */
};

struct proxy_options {
	struct server_options server; /* ops and context are the proxy's own */
	struct upstream_options upstream;
	/*
	 * Fills in *to; texts may live in `a`, which lasts as long as the call. `host` is whom the client means to ask,
	 * where the proxy has taken that host's place or is a forward proxy; NULL: the proxy itself. False: answered
	 * with *status (502 unless set) and a sentence (*why), and the tap is not told. Unknown paths are passed on.
	 */
	bool (*route)(void *context, struct arena *a, const struct http_head *h, const struct url *host,
		      struct proxy_destination *to, int *status, const char **why);
	/* With server.forward: for each CONNECT. The certificates are the authority's, which lives longer. */
	enum proxy_entry (*enters)(void *context, const struct url *host);
	struct authority *authority;
	const struct proxy_tap *tap;
	/* The upstream of a request could not be reached; the reason, without the host. May be NULL. */
	void (*refused)(void *context, const struct url *url, const char *why);
	void *context; /* of route and tap */
	const struct clock_line *clock;
};

struct proxy;

/*
 * Listens, and passes on what comes. Copies the options; tap, clock and what their contexts are must live longer. NULL
 * and *err when it cannot listen: ERR_USAGE when the host is not an address, ERR_IO with address and reason when the
 * system refuses. The server's idle limit is raised above the upstream's limits. To end it: stop, run the loop dry,
 * close.
 */
struct proxy *proxy_open(uv_loop_t *loop, const struct proxy_options *o, struct err *err);

/* The port it listens on, also when 0 was asked for. */
uint16_t proxy_port(const struct proxy *p);

/* Requests that were refused for their Host or Origin (guard.h), so far. */
uint64_t proxy_strangers(const struct proxy *p);

/* Hosts that a forward proxy was asked for, in no order. They live as long as the proxy, and their counts go on. */
const struct proxy_host *proxy_hosts(const struct proxy *p);

/* Requests and answers on their way. */
size_t proxy_count(const struct proxy *p);

/*
 * No more connections; with `now` all are closed, else when they are done. The upstream's connections end with the last
 * request, so the loop runs dry by itself.
 */
void proxy_stop(struct proxy *p, bool now);

/* Frees it. Only after proxy_stop and when the loop has run dry. */
void proxy_close(struct proxy *p);

#endif
