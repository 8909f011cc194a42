/*
 * The hosts that a forward proxy was asked for, and in whose place it stands for some of them. Part of the proxy; the
 * hosts stay until it is freed, and there are at most GATE_HOSTS of them.
 */
#ifndef NET_PROXY_GATE_H
#define NET_PROXY_GATE_H

#include "base/arena.h"
#include "net/proxy.h"

enum { GATE_HOSTS = 1024 };

struct gate_host;

struct proxy_gate {
	struct arena arena;
	struct authority *authority; /* NULL: no place is taken */
	struct gate_host *first;
	size_t count;
};

/* A gate without hosts; gate_free gives its list back, and leaves the authority to its owner. */
void gate_init(struct proxy_gate *g, struct authority *authority);
void gate_free(struct proxy_gate *g);

/* Reads CONNECT's "host:port" as an https address, in the arena. False when it is none. */
bool gate_read_authority(struct arena *a, struct str text, struct url *out);

/* The entry of a host and port, made at the first call; NULL when there are too many. */
struct gate_host *gate_find(struct proxy_gate *g, const struct url *url);
const struct url *gate_url(const struct gate_host *h);
const struct proxy_host *gate_hosts(const struct proxy_gate *g);

/*
 * Whether a client is to find us in the host's place. Where a client refused us and none ever took us, the next one
 * passes (unless `entry` says always): an agent that tries again then gets through.
 */
bool gate_enters(const struct gate_host *h, enum proxy_entry entry);

/* What TLS with clients of this host is done with. Lives as long as the gate. */
struct tls_context *gate_context(struct gate_host *h);

void gate_count_passed(struct gate_host *h); /* NULL: one too many to be counted */
void gate_count_handshake(struct gate_host *h, const struct tls *t); /* as server_ops.shaken tells it */

#endif
