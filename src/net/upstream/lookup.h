/*
 * Names of hosts and their addresses, asked of the system in threads, so that the loop goes on. Who asks for a name
 * that is being looked up waits with the others, and what was found is kept for some seconds: a thousand calls to one
 * service cost one look-up.
 */
#ifndef NET_UPSTREAM_LOOKUP_H
#define NET_UPSTREAM_LOOKUP_H

#include "base/str.h"
#include "net/upstream/dial.h"

struct lookups;

/* Somebody who waits. Part of the owner's own struct, and all zeros while nothing is awaited. */
struct lookup {
	void (*found)(struct lookup *l, const union dial_address *to, size_t count, const char *why);
	struct lookup_name *name; /* NULL: nothing is awaited */
	struct lookup *prev, *next;
};

/* Never NULL. After lookups_close nobody is told any more; when the loop has run dry: lookups_free. */
struct lookups *lookups_open(uv_loop_t *loop);
void lookups_close(struct lookups *s);
void lookups_free(struct lookups *s);

/*
 * Asks for the addresses of a name: IPv6 and IPv4 by turns, without a port. `found` is called with them, or with a
 * count of 0 and the reason: perhaps from within (an address, or what is still known), else from the loop. What it is
 * given lasts for that call.
 */
void lookup_begin(struct lookups *s, struct str name, struct lookup *l,
		  void (*found)(struct lookup *l, const union dial_address *to, size_t count, const char *why));

/* Waits no more. Does nothing when nothing is awaited. */
void lookup_end(struct lookup *l);

/* Nobody answered at the addresses of this name: they are not used for others. */
void lookup_forget(struct lookups *s, struct str name);

#endif
