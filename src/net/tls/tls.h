/*
 * TLS for one connection, by OpenSSL, without a socket: sealed bytes from the other side go in and opened ones come
 * out; plain bytes go in and sealed ones come out. The owner reads and sends them, so that one read serves many
 * records and one send takes all that was sealed. Both roles work alike.
 *
 *	tls_client or tls_server       the client's first bytes are in `out`: send them
 *	tls_open, for each read        until TLS_MORE; then send what is in `out`, for answers may be among it
 *	tls_seal                       after TLS_READY; then send what is in `out`
 *	tls_close, tls_free            at the end
 *
 * `out` is one buffer for all connections of a thread: whatever a call added to it is sent (or queued) and cleared
 * before another connection's turn. It is `text` of a struct outgoing (wire.h), for example. The bytes that are read,
 * and the room for opened ones, are shared in the same way, so a connection at rest costs 13 to 16 KiB.
 *
 * TLS 1.2 and 1.3, and ALPN "http/1.1". Renegotiation is refused; the connection goes on.
 */
#ifndef NET_TLS_TLS_H
#define NET_TLS_TLS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "net/wire.h"

struct ssl_st;         /* OpenSSL's SSL, */
struct ssl_session_st; /* and SSL_SESSION */

struct tls;
struct tls_context; /* what all connections of one role share: one for a pool or a server. It outlives them */

/* Room in which all that one read of a wire can hold is opened in one piece. */
enum { TLS_ROOM = WIRE_BUFFER + (17 << 10) };

/*
 * For clients. Trusts what SSL_CERT_FILE and SSL_CERT_DIR name, or else the system's authorities; they are read here,
 * once. NULL and *err when they cannot be read.
 */
struct tls_context *tls_context_client(struct err *err);

/*
 * For servers. When a client asks for `name` (p NULL: it named none), `choose` gives the connection a certificate with
 * SSL_use_certificate, SSL_use_PrivateKey and the like. When it gives false the handshake is refused. Not NULL.
 */
struct tls_context *tls_context_server(bool (*choose)(void *own, struct ssl_st *ssl, struct str name), void *own);
void tls_context_close(struct tls_context *x); /* NULL is allowed */

/*
 * The newest session with one service, which shortens the next handshake with it: an empty one at first. It belongs to
 * the owner, who may give it to all connections to that service, and who forgets it at the end. It outlives them.
 */
struct tls_session {
	struct ssl_session_st *newest; /* NULL: none */
};

/* Gives the session back; the next handshake is a whole one. */
void tls_session_forget(struct tls_session *s);

/*
 * A connection to `host`, a name or an address. The certificate must be for it: among its alternative names, the
 * subject's is not looked at. Puts the first bytes of the handshake into `out`. `kept` may be NULL. Never NULL.
 */
struct tls *tls_client(struct tls_context *x, struct str host, struct tls_session *kept, struct buf *out);

/* A connection from a client, of which nothing was read yet. Never NULL. */
struct tls *tls_server(struct tls_context *x, struct buf *out);

/* NULL is allowed. */
void tls_free(struct tls *t);

enum tls_next {
	TLS_MORE,   /* all bytes are taken */
	TLS_READY,  /* once: the handshake is over, and tls_seal may be used. Call again */
	TLS_OPENED, /* *plain is a piece of what was sent; call again */
	TLS_CLOSED, /* the other side said that it sends no more: what came is whole. Bytes behind it are dropped */
	TLS_FAILED, /* tls_why. An alert for the other side may be in `out` */
};

/*
 * Takes bytes from the front of *sealed. *plain points into `room`, of `size` bytes, and is empty but for TLS_OPENED.
 * After TLS_CLOSED and TLS_FAILED every further call gives the same.
 */
enum tls_next tls_open(struct tls *t, struct str *sealed, char *room, size_t size, struct str *plain);

/* Adds the bytes to `out`, sealed: head and body at once are cheaper than one by one. False: failed, see tls_why. */
bool tls_seal(struct tls *t, struct str plain);

/* Tells the other side that no more is sent, unless there was a failure; it may go on sending. */
void tls_close(struct tls *t);

bool tls_is_ready(const struct tls *t);   /* the handshake is over */
bool tls_is_resumed(const struct tls *t); /* and it was a short one */

/* After TLS_FAILED: why, in plain words and without the host, and what may help. Lives as long as t. */
const char *tls_why(const struct tls *t);

enum tls_fault {
	TLS_FAULT_OTHER,
	TLS_FAULT_DISTRUST, /* the other side said that it does not trust our certificate */
	TLS_FAULT_PROTOCOL, /* it does not speak HTTP/1.1: HTTP/2 only, perhaps */
};

/* After TLS_FAILED: of which kind it is, for those who count. */
enum tls_fault tls_fault(const struct tls *t);

#endif
