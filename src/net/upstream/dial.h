/*
 * A TCP connection to the first of several addresses that answers (RFC 8305). They are tried in their order; the next
 * one begins when one has failed, or when none has answered for a quarter of a second, and those under way go on. So an
 * address on which nobody answers costs little time.
 */
#ifndef NET_UPSTREAM_DIAL_H
#define NET_UPSTREAM_DIAL_H

#include <netinet/in.h>
#include <uv.h>

union dial_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

enum { DIAL_MOST = 8, DIAL_NEXT_MS = 250 };

struct dial;

/*
 * Begins with the first address; a copy of them is made, of DIAL_MOST at most. `done` is called once, from the loop:
 * with a connected, non-blocking socket, which is then the owner's, or with -1 and the errno that tells most. How long
 * it may take is the owner's affair. After `done` the dial is gone. Never NULL.
 */
struct dial *dial_open(uv_loop_t *loop, const union dial_address *to, size_t count, uint16_t port,
		       void (*done)(void *own, int fd, int error), void *own);

/* Gives it up: `done` is not called. */
void dial_close(struct dial *d);

#endif
