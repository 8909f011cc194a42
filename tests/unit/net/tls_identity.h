/* Certificates made on the spot: an authority, and a leaf for the names one likes. And a place to listen. */
#ifndef UNIT_NET_TLS_IDENTITY_H
#define UNIT_NET_TLS_IDENTITY_H

#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "harness/test.h"

struct identity {
	X509 *cert;
	EVP_PKEY *key;
};

static inline void add_extension(X509 *to, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX ctx;
	X509_EXTENSION *e;

	X509V3_set_ctx(&ctx, issuer, to, NULL, NULL, 0);
	e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	CHECK(e != NULL && X509_add_ext(to, e, -1) == 1);
	X509_EXTENSION_free(e);
}

/* Signed by `by`, or by itself when that is NULL; valid from and until so many seconds from now. */
static inline struct identity make_identity(const char *name, const char *names, const struct identity *by, long from,
					    long until)
{
	struct identity id = { X509_new(), EVP_EC_gen("P-256") };
	X509_NAME *subject = X509_get_subject_name(id.cert);
	X509 *issuer = by ? by->cert : id.cert;

	CHECK(id.key != NULL);
	X509_set_version(id.cert, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(id.cert), 1 + (long)(getpid() % 1000) + (by ? 1 : 0));
	X509_gmtime_adj(X509_getm_notBefore(id.cert), from);
	X509_gmtime_adj(X509_getm_notAfter(id.cert), until);
	X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
	X509_set_issuer_name(id.cert, X509_get_subject_name(issuer));
	X509_set_pubkey(id.cert, id.key);
	add_extension(id.cert, issuer, NID_basic_constraints, by ? "critical,CA:FALSE" : "critical,CA:TRUE");
	if (names)
		add_extension(id.cert, issuer, NID_subject_alt_name, names);
	CHECK(X509_sign(id.cert, by ? by->key : id.key, EVP_sha256()) > 0);
	return id;
}

static inline void free_identity(struct identity *id)
{
	X509_free(id->cert);
	EVP_PKEY_free(id->key);
}

/* Makes it what SSL_CERT_FILE names. */
static inline void trust(const struct identity *authority, const char *path)
{
	FILE *f = fopen(path, "w");

	CHECK(f != NULL && PEM_write_X509(f, authority->cert) == 1 && fclose(f) == 0);
	setenv("SSL_CERT_FILE", path, 1);
}

/* Listens on a loopback address, of either family. */
static inline int listen_loopback(bool v6, uint16_t *port)
{
	struct sockaddr_in6 a6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_in a4 = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr *a = v6 ? (struct sockaddr *)&a6 : (struct sockaddr *)&a4;
	socklen_t n = v6 ? sizeof(a6) : sizeof(a4);
	int fd = socket(a->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, a, n) != 0 || listen(fd, 50) != 0)
		return -1;
	CHECK(getsockname(fd, a, &n) == 0);
	*port = ntohs(v6 ? a6.sin6_port : a4.sin_port);
	return fd;
}

static inline void wait_ms(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

#endif
