/* A server's own certificate and key, read from files, for a server that clients of other machines ask. */
#ifndef NET_TLS_IDENTITY_H
#define NET_TLS_IDENTITY_H

#include "net/tls/tls.h"

struct tls_identity;

/*
 * Reads PEM: the certificate with those that vouch for it behind it, and the key, which may not need a password. Both
 * paths are NUL-terminated. NULL and *err (ERR_IO, or ERR_DATA for what is no certificate or does not fit) with the
 * name of the file.
 */
struct tls_identity *tls_identity_open(const char *cert, const char *key, struct err *err);

/* For server_options.tls; lives as long as the identity. */
struct tls_context *tls_identity_context(struct tls_identity *i);

void tls_identity_close(struct tls_identity *i); /* NULL is right, too */

#endif
