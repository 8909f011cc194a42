/*
 * A TLS service in the process of the test, on a socket that it holds itself: every byte on the wire is the test's to
 * keep, to cut or to repeat. Its side of TLS is OpenSSL over memory.
 */
#ifndef UNIT_NET_TLS_LINE_H
#define UNIT_NET_TLS_LINE_H

#include <openssl/ssl.h>

#include "unit/base/scratch.h"
#include "unit/net/tls_identity.h"
#include "unit/net/wish.h"

#define HOUR 3600L
#define NAMES "DNS:localhost,IP:127.0.0.1"

struct line {
	struct well well;
	char dir[64];
	struct identity authority, leaf;
	SSL_CTX *ctx;
	SSL *ssl;
	int fd;
	struct buf got; /* opened */
};

static inline void line_open(struct line *l, int version, struct upstream_options o)
{
	*l = (struct line){ .fd = -1 };
	enter_dir(l->dir);
	unsetenv("SSL_CERT_DIR");
	l->authority = make_identity("Test Authority", NULL, NULL, -HOUR, HOUR);
	l->leaf = make_identity("server", NAMES, &l->authority, -HOUR, HOUR);
	trust(&l->authority, "ca.pem");
	l->ctx = SSL_CTX_new(TLS_server_method());
	CHECK(SSL_CTX_use_certificate(l->ctx, l->leaf.cert) == 1 && SSL_CTX_use_PrivateKey(l->ctx, l->leaf.key) == 1);
	if (version) {
		SSL_CTX_set_min_proto_version(l->ctx, version);
		SSL_CTX_set_max_proto_version(l->ctx, version);
	}
	well_open(&l->well, o);
	l->well.url.tls = true;
}

static inline void line_hang_up(struct line *l)
{
	SSL_free(l->ssl);
	l->ssl = NULL;
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	buf_free(&l->got);
}

static inline void line_close(struct line *l)
{
	line_hang_up(l);
	well_close(&l->well);
	SSL_CTX_free(l->ctx);
	free_identity(&l->authority);
	free_identity(&l->leaf);
	leave_dir(l->dir);
}

/* Takes the next connection, with nothing said yet. */
static inline void line_accept(struct line *l)
{
	l->fd = answer_call(&l->well.loop, l->well.listener);
	l->ssl = SSL_new(l->ctx);
	SSL_set_bio(l->ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
	SSL_set_accept_state(l->ssl);
}

/* What the service's engine has to send. */
static inline struct str line_sealed(struct line *l)
{
	char *p;
	long n = BIO_get_mem_data(SSL_get_wbio(l->ssl), &p);
	char *copy = test_alloc((size_t)n + 1);

	if (n > 0)
		memcpy(copy, p, (size_t)n);
	CHECK(BIO_reset(SSL_get_wbio(l->ssl)) == 1);
	return str_of(copy, (size_t)n);
}

/* Sends it in pieces, with rounds of the loop between. */
static inline void line_send(struct line *l, struct str bytes, size_t step)
{
	for (size_t at = 0; at < bytes.n; at += step) {
		say(l->fd, str_of(bytes.p + at, bytes.n - at < step ? bytes.n - at : step));
		if (step < bytes.n)
			uv_run(&l->well.loop, UV_RUN_NOWAIT);
	}
}

/* Reads what there is on the wire and opens it into l->got. False: the client has closed. */
static inline bool line_read(struct line *l)
{
	struct buf b = { 0 };
	bool open = listen_to(l->fd, &b);
	char plain[20000];
	int n;

	if (b.n)
		CHECK(BIO_write(SSL_get_rbio(l->ssl), b.p, (int)b.n) == (int)b.n);
	buf_free(&b);
	while ((n = SSL_read(l->ssl, plain, sizeof(plain))) > 0)
		buf_add(&l->got, plain, (size_t)n);
	line_send(l, line_sealed(l), (size_t)1 << 20);
	return open;
}

static inline void line_hear(struct line *l, struct str until)
{
	TURN_UNTIL(&l->well.loop, (line_read(l), str_has(buf_str(&l->got), until)));
}

/* One record of this. */
static inline struct str line_seal(struct line *l, struct str plain)
{
	CHECK_INT(SSL_write(l->ssl, plain.p, (int)plain.n), plain.n);
	return line_sealed(l);
}

static inline void line_say(struct line *l, const char *text)
{
	line_send(l, line_seal(l, str_from(text)), (size_t)1 << 20);
}

/* A request of the client, on a connection that is new. */
static inline void line_ask(struct line *l, struct wish *x)
{
	wish_get(&l->well, x);
	line_accept(l);
	line_hear(l, STR("\r\n\r\n"));
}

#endif
