/* Inside the TLS engine: a connection, and the reasons of failures. */
#ifndef NET_TLS_PRIVATE_H
#define NET_TLS_PRIVATE_H

#include <openssl/ssl.h>

#include "net/tls/tls.h"

struct tls {
	SSL *ssl;
	struct str in;   /* sealed bytes at hand, while a call of ours lasts */
	struct buf *out;
	struct tls_session *kept; /* NULL: nobody keeps one */
	char *why;       /* of a failure; NULL: none is known */
	bool ready, closed, failed;
	enum tls_fault fault;
};

/* Says why the connection fails; the first reason stays. */
__attribute__((format(printf, 2, 3))) void tls_blame(struct tls *t, const char *format, ...);

/* The same of what OpenSSL has put into its queue of errors, which is empty then. */
void tls_blame_queue(struct tls *t);

/* OpenSSL asks for each certificate of a chain: says why one is not good, and refuses it. */
int tls_verify(int good, X509_STORE_CTX *x);

#endif
