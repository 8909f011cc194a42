/* A client that asks a forward proxy for a host, and speaks TLS with whoever is there. */
#ifndef UNIT_NET_TLS_CLIENT_H
#define UNIT_NET_TLS_CLIENT_H

#include <fcntl.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "net/tls/authority.h"
#include "unit/net/sockets.h"

/* A client with a socket of its own, over which OpenSSL speaks; nothing of it blocks. */
struct client {
	int fd;
	SSL_CTX *ctx;
	SSL *ssl;
};

static inline void client_connect(uv_loop_t *loop, uint16_t port, struct client *c, const char *to)
{
	struct buf b = { 0 };

	*c = (struct client){ .fd = dial(port) };
	say(c->fd, str_from(to));
	hear_until(loop, c->fd, &b, STR("\r\n\r\n"));
	CHECK_STR(buf_str(&b), STR("HTTP/1.1 200 Connection established\r\n\r\n"));
	buf_free(&b);
}

static inline void client_trust(struct client *c, const struct authority *a)
{
	struct buf pem;
	BIO *text;
	X509 *cert;

	buf_init(&pem);
	authority_add_pem(a, &pem);
	text = BIO_new_mem_buf(pem.p, (int)pem.n);
	cert = PEM_read_bio_X509(text, NULL, NULL, NULL);
	X509_STORE_add_cert(SSL_CTX_get_cert_store(c->ctx), cert);
	X509_free(cert);
	BIO_free(text);
	buf_free(&pem);
}

static inline void client_begin(struct client *c, struct str host, const struct authority *trusted, int version)
{
	c->ctx = SSL_CTX_new(TLS_client_method());
	SSL_CTX_set_verify(c->ctx, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_max_proto_version(c->ctx, version);
	if (trusted)
		client_trust(c, trusted);
	c->ssl = SSL_new(c->ctx);
	SSL_set_tlsext_host_name(c->ssl, (void *)(uintptr_t)host.p); /* it is only read */
	SSL_set1_host(c->ssl, host.p);
	SSL_set_fd(c->ssl, c->fd);
	CHECK(fcntl(c->fd, F_SETFL, O_NONBLOCK) == 0);
}

static inline int client_shake(uv_loop_t *loop, struct client *c)
{
	int r = 0, e = SSL_ERROR_WANT_READ;

	TURN_UNTIL(loop, (r = SSL_connect(c->ssl), e = r == 1 ? 0 : SSL_get_error(c->ssl, r),
			      e != SSL_ERROR_WANT_READ && e != SSL_ERROR_WANT_WRITE));
	return r;
}

static inline struct str client_ask(uv_loop_t *loop, struct client *c, const char *text, char *out, size_t room)
{
	size_t n = 0;

	CHECK(SSL_write(c->ssl, text, (int)strlen(text)) == (int)strlen(text));
	TURN_UNTIL(loop, SSL_read_ex(c->ssl, out, room, &n) == 1);
	return str_of(out, n);
}

static inline void client_close(struct client *c)
{
	SSL_free(c->ssl);
	SSL_CTX_free(c->ctx);
	close(c->fd);
}

#endif
