/*
 * From a name to a connection: the name is looked up, and its addresses are tried in turn until one answers. Each gets
 * its share of the time that is left, so that an address on which nobody answers does not eat up all of it.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "net/upstream_plain.h"

static void try_next(struct plain *p, int error);

static void upstream_dial_wire_gone(struct wire *w)
{
	struct plain *p = plain_of_wire(w);

	if (p->phase != PLAIN_DIAL)
		plain_let_go(p);
	else if (p->again == AGAIN_ANEW)
		plain_dial(p);
	else
		try_next(p, p->error);
}

static unsigned addresses_left(const struct plain *p)
{
	unsigned n = 0;

	for (const struct addrinfo *a = p->address; a; a = a->ai_next)
		n++;
	return n;
}

static void give_up(struct plain *p, int error)
{
	if (error == ETIMEDOUT)
		plain_fail_soon(p, UPSTREAM_LATE, "no answer to connecting");
	else
		plain_fail_soon(p, UPSTREAM_REFUSED, strerror(error));
}

/* The next address that can be tried; `error` is what became of the last one. */
static void try_next(struct plain *p, int error)
{
	struct plain_state *s = p->state;
	uint64_t now = uv_now(s->loop), end = p->since + s->o->connect_ms;

	p->again = AGAIN_NOT;
	while (p->address) {
		struct addrinfo *a = p->address;

		if (now >= end) {
			error = ETIMEDOUT;
			break;
		}
		p->deadline = now + (end - now) / addresses_left(p);
		p->address = a->ai_next;
		error = wire_connect(&p->wire, s->loop, a->ai_addr, s->buffer, &plain_wire_ops);
		if (error == 0)
			return;
	}
	give_up(p, error);
}

/* The next address is tried when the loop has let go of this wire, which is used again for it. */
static void try_again(struct plain *p, int error)
{
	p->again = AGAIN_NEXT;
	p->error = error;
	wire_close(&p->wire, upstream_dial_wire_gone);
}

/* May come after the call has been given up (PLAIN_GONE): then only the memory is let go. */
static void looked_up(uv_getaddrinfo_t *lookup, int status, struct addrinfo *found)
{
	struct plain *p = lookup->data;

	p->looking = false;
	if (p->phase != PLAIN_DIAL) {
		uv_freeaddrinfo(found);
		plain_let_go(p);
		return;
	}
	if (status != 0) {
		plain_fail(p, UPSTREAM_REFUSED, status == UV_ECANCELED ? "looking up the name was given up"
								       : uv_strerror(status));
		return;
	}
	p->found = p->address = found;
	try_next(p, EADDRNOTAVAIL);
}

/* An address needs no looking up. */
static bool is_literal(struct plain *p)
{
	struct sockaddr *to = (struct sockaddr *)&p->literal;
	int error;

	if (uv_ip4_addr(p->host->name, p->host->port, (struct sockaddr_in *)&p->literal) != 0 &&
	    uv_ip6_addr(p->host->name, p->host->port, (struct sockaddr_in6 *)&p->literal) != 0)
		return false;
	p->deadline = p->since + p->state->o->connect_ms;
	error = wire_connect(&p->wire, p->state->loop, to, p->state->buffer, &plain_wire_ops);
	if (error)
		give_up(p, error);
	return true;
}

void plain_dial(struct plain *p)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	char port[8];
	size_t at = sizeof(port) - 1;
	unsigned n = p->host->port;
	int error;

	p->phase = PLAIN_DIAL;
	p->again = AGAIN_NOT;
	p->since = uv_now(p->state->loop);
	if (is_literal(p))
		return;
	port[at] = '\0';
	do
		port[--at] = (char)('0' + n % 10);
	while (n /= 10);
	p->lookup.data = p;
	p->deadline = p->since + p->state->o->connect_ms;
	error = uv_getaddrinfo(p->state->loop, &p->lookup, looked_up, p->host->name, port + at, &hints);
	p->looking = error == 0;
	if (error)
		plain_fail_soon(p, UPSTREAM_REFUSED, uv_strerror(error));
}

void plain_dial_anew(struct plain *p)
{
	p->phase = PLAIN_DIAL;
	p->again = AGAIN_ANEW;
	p->deadline = UINT64_MAX;
	wire_close(&p->wire, upstream_dial_wire_gone);
}

void plain_dial_end(struct plain *p)
{
	if (p->looking)
		uv_cancel((uv_req_t *)&p->lookup);
	if (p->found)
		uv_freeaddrinfo(p->found);
	p->found = p->address = NULL;
	p->again = AGAIN_NOT;
}

void plain_dial_sweep(struct plain *p, uint64_t now)
{
	if (now < p->deadline || p->again || p->why[0])
		return;
	if (p->looking)
		plain_fail(p, UPSTREAM_LATE, "looking up the name took too long");
	else if (p->wire.fd >= 0)
		try_again(p, ETIMEDOUT);
}

/* The wire's own word on it. */
void plain_dialled(struct plain *p, int error)
{
	if (error) {
		try_again(p, error);
		return;
	}
	plain_dial_end(p);
	plain_connected(p);
}
