/*
 * A certificate authority for one run. Its key is made when it is opened, stays in memory and dies with it; nothing
 * here writes a file. It can vouch for the hosts it was opened with and for no others: that is part of its own
 * certificate (name constraints), so that clients hold it to that too.
 */
#ifndef NET_TLS_AUTHORITY_H
#define NET_TLS_AUTHORITY_H

#include <openssl/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#define AUTHORITY_DAYS 30     /* how long the authority is good: a run that takes longer is intercepted no more */
#define AUTHORITY_LEAF_DAYS 2 /* and a host's certificate, which is made anew when half of that is over */

struct authority;

/*
 * Makes key and certificate. Hosts are names or addresses, without brackets and port. NULL and *err: ERR_USAGE for a
 * host that is neither, ERR_IO where OpenSSL refuses. Lives until authority_close; the hosts are copied.
 */
struct authority *authority_open(const struct str *hosts, size_t count, struct err *err);
void authority_close(struct authority *a); /* NULL is right, too */

/* Its certificate as PEM, without the key. */
void authority_add_pem(const struct authority *a, struct buf *out);

/*
 * The certificate of a host, by its own name or address, made at the first call. All share one key (authority_key).
 * NULL when the authority was not opened for this host, or OpenSSL refuses. It lives until the next call for the host:
 * whoever keeps it longer takes a reference.
 */
X509 *authority_leaf(struct authority *a, struct str host);
EVP_PKEY *authority_key(const struct authority *a);

#endif
