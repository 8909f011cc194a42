/* Which authorities are trusted to say who somebody is. */
#ifndef NET_TLS_TRUST_H
#define NET_TLS_TRUST_H

#include <openssl/x509_vfy.h>

#include "base/err.h"

/*
 * Adds to the store what SSL_CERT_FILE and SSL_CERT_DIR name: only that, when either is set. Else the system's: a
 * directory from which OpenSSL reads what it needs when it needs it, or a file, which is read whole. False and *err
 * when what is named cannot be read.
 */
bool tls_trust_load(X509_STORE *store, struct err *err);

#endif
