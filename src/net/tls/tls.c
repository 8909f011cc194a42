#include "net/tls/private.h"

#include <arpa/inet.h>
#include <assert.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "base/arena.h"
#include "net/tls/trust.h"

struct tls_context {
	SSL_CTX *ssl;
	BIO_METHOD *bio;
	bool (*choose)(void *own, SSL *ssl, struct str name); /* servers */
	void *own;
};

/* http/1.1, as ALPN writes it */
static const unsigned char protocols[] = { 8, 'h', 't', 't', 'p', '/', '1', '.', '1' };

/* ---- OpenSSL's reads and writes: our buffers ---- */

static int take_sealed(BIO *bio, char *p, int size)
{
	struct tls *t = BIO_get_data(bio);
	size_t n = size < 0 ? 0 : (size_t)size;

	BIO_clear_retry_flags(bio);
	if (t->in.n < n)
		n = t->in.n;
	if (n == 0) {
		BIO_set_retry_read(bio);
		return -1;
	}
	memcpy(p, t->in.p, n);
	t->in = str_skip(t->in, n);
	return (int)n;
}

static int give_sealed(BIO *bio, const char *p, int size)
{
	struct tls *t = BIO_get_data(bio);

	BIO_clear_retry_flags(bio);
	if (size > 0)
		buf_add(t->out, p, (size_t)size);
	return size;
}

static long control(BIO *bio, int command, long number, void *pointer)
{
	(void)bio;
	(void)number;
	(void)pointer;
	return command == BIO_CTRL_FLUSH;
}

static BIO_METHOD *bio_method(void)
{
	BIO_METHOD *m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "shared buffers");

	BIO_meth_set_read(m, take_sealed);
	BIO_meth_set_write(m, give_sealed);
	BIO_meth_set_ctrl(m, control);
	return m;
}

/* ---- contexts ---- */

static struct tls_context *context_open(const SSL_METHOD *method)
{
	struct tls_context *x = mem_alloc(sizeof(*x));

	*x = (struct tls_context){ .ssl = SSL_CTX_new(method), .bio = bio_method() };
	SSL_CTX_set_min_proto_version(x->ssl, TLS1_2_VERSION);
	SSL_CTX_set_mode(x->ssl, SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_options(x->ssl, SSL_OP_NO_RENEGOTIATION);
	return x;
}

void tls_context_close(struct tls_context *x)
{
	if (!x)
		return;
	SSL_CTX_free(x->ssl);
	BIO_meth_free(x->bio);
	mem_free(x);
}

/* OpenSSL gives us the session when this says 1. */
static int keep_session(SSL *ssl, SSL_SESSION *session)
{
	struct tls *t = SSL_get_app_data(ssl);

	if (!t->kept)
		return 0;
	SSL_SESSION_free(t->kept->newest);
	t->kept->newest = session;
	return 1;
}

void tls_session_forget(struct tls_session *s)
{
	SSL_SESSION_free(s->newest);
	s->newest = NULL;
}

struct tls_context *tls_context_client(struct err *err)
{
	struct tls_context *x = context_open(TLS_client_method());

	if (!tls_trust_load(SSL_CTX_get_cert_store(x->ssl), err)) {
		tls_context_close(x);
		return NULL;
	}
	SSL_CTX_set_verify(x->ssl, SSL_VERIFY_PEER, tls_verify);
	SSL_CTX_set_alpn_protos(x->ssl, protocols, sizeof(protocols));
	SSL_CTX_set_session_cache_mode(x->ssl, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
	SSL_CTX_sess_set_new_cb(x->ssl, keep_session);
	return x;
}

static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *n, const unsigned char *offered,
			   unsigned int offered_n, void *own)
{
	unsigned char *chosen;

	(void)ssl;
	(void)own;
	if (SSL_select_next_proto(&chosen, n, protocols, sizeof(protocols), offered, offered_n) !=
	    OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	*out = chosen;
	return SSL_TLSEXT_ERR_OK;
}

static int choose_certificate(SSL *ssl, void *own)
{
	struct tls_context *x = own;

	return x->choose(x->own, ssl, str_from(SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name)));
}

struct tls_context *tls_context_server(bool (*choose)(void *own, SSL *ssl, struct str name), void *own)
{
	static const unsigned char name[] = "trackway";
	struct tls_context *x = context_open(TLS_server_method());

	x->choose = choose;
	x->own = own;
	SSL_CTX_set_cert_cb(x->ssl, choose_certificate, x);
	SSL_CTX_set_alpn_select_cb(x->ssl, choose_protocol, NULL);
	SSL_CTX_set_session_id_context(x->ssl, name, sizeof(name) - 1);
	return x;
}

/* ---- connections ---- */

static struct tls *tls_new(struct tls_context *x, struct buf *out)
{
	struct tls *t = mem_alloc(sizeof(*t));
	BIO *bio = BIO_new(x->bio);

	*t = (struct tls){ .ssl = SSL_new(x->ssl), .out = out };
	BIO_set_data(bio, t);
	BIO_set_init(bio, 1);
	SSL_set_bio(t->ssl, bio, bio);
	SSL_set_app_data(t->ssl, t);
	return t;
}

/* An address must be in the certificate as one, and is not named to the server. */
static void expect_host(struct tls *t, struct str host)
{
	X509_VERIFY_PARAM *p = SSL_get0_param(t->ssl);
	char name[256];
	unsigned char address[16];

	if (host.n && host.p[host.n - 1] == '.')
		host.n--;
	if (host.n >= sizeof(name)) {
		t->failed = true;
		tls_blame(t, "the name of the host is too long for a certificate");
		return;
	}
	memcpy(name, host.p, host.n);
	name[host.n] = '\0';
	if (inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1) {
		X509_VERIFY_PARAM_set1_ip_asc(p, name);
		return;
	}
	SSL_set_tlsext_host_name(t->ssl, name);
	X509_VERIFY_PARAM_set_hostflags(p, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
	X509_VERIFY_PARAM_set1_host(p, name, host.n);
}

/* Before a call of OpenSSL: errors of others would be taken for its own. To look costs less than to clear. */
static void forget_errors(void)
{
	if (ERR_peek_error())
		ERR_clear_error();
}

/* What became of a call of OpenSSL that did not go well. */
static enum tls_next outcome(struct tls *t, int result)
{
	switch (SSL_get_error(t->ssl, result)) {
	case SSL_ERROR_WANT_READ:
	case SSL_ERROR_WANT_WRITE:
		return TLS_MORE;
	case SSL_ERROR_ZERO_RETURN:
		t->closed = true;
		return TLS_CLOSED;
	default:
		t->failed = true;
		tls_blame_queue(t);
		return TLS_FAILED;
	}
}

static enum tls_next shake_hands(struct tls *t)
{
	int result;

	forget_errors();
	result = SSL_do_handshake(t->ssl);
	if (result != 1)
		return outcome(t, result);
	t->ready = true;
	return TLS_READY;
}

struct tls *tls_client(struct tls_context *x, struct str host, struct tls_session *kept, struct buf *out)
{
	struct tls *t = tls_new(x, out);

	t->kept = kept;
	SSL_set_connect_state(t->ssl);
	expect_host(t, host);
	if (kept && kept->newest)
		SSL_set_session(t->ssl, kept->newest);
	if (!t->failed)
		shake_hands(t);
	return t;
}

struct tls *tls_server(struct tls_context *x, struct buf *out)
{
	struct tls *t = tls_new(x, out);

	SSL_set_accept_state(t->ssl);
	return t;
}

/* A connection that was cut is no reason against its session, which is why it counts as shut down here. */
void tls_free(struct tls *t)
{
	if (!t)
		return;
	SSL_set_shutdown(t->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
	SSL_free(t->ssl);
	mem_free(t->why);
	mem_free(t);
}

/*
 * All records at hand, one behind the other into the room. OpenSSL is not asked once more when nothing is left: that
 * would be a call for each read that cannot give anything.
 */
static enum tls_next open_records(struct tls *t, char *room, size_t size, struct str *plain)
{
	enum tls_next next = TLS_OPENED;
	size_t n = 0, got;

	forget_errors();
	while (n < size) {
		int result = SSL_read_ex(t->ssl, room + n, size - n, &got);

		if (result != 1) {
			next = outcome(t, result);
			break;
		}
		n += got;
		if (t->in.n == 0 && SSL_pending(t->ssl) == 0)
			break;
	}
	if (n == 0)
		return next;
	*plain = str_of(room, n);
	return TLS_OPENED;
}

/*
 * OpenSSL keeps 16 KiB for writing after a session ticket came, until the next write, which may be far off. Not in the
 * middle of a record: versions before 3.0.14 then free what they still need.
 */
static void free_idle_buffers(struct tls *t)
{
	if (strcmp(SSL_rstate_string(t->ssl), "RH") == 0)
		SSL_free_buffers(t->ssl);
}

enum tls_next tls_open(struct tls *t, struct str *sealed, char *room, size_t size, struct str *plain)
{
	enum tls_next next = TLS_MORE;

	*plain = (struct str){ NULL, 0 };
	if (t->failed || t->closed)
		return t->failed ? TLS_FAILED : TLS_CLOSED;
	if (sealed->n || SSL_pending(t->ssl)) {
		t->in = *sealed;
		next = t->ready ? open_records(t, room, size, plain) : shake_hands(t);
		*sealed = t->in;
		t->in = (struct str){ NULL, 0 };
	}
	if (next == TLS_MORE && t->ready)
		free_idle_buffers(t);
	return next;
}

bool tls_seal(struct tls *t, struct str plain)
{
	size_t wrote;
	int result;

	assert(t->ready);
	if (t->failed)
		return false;
	if (plain.n == 0)
		return true;
	forget_errors();
	result = SSL_write_ex(t->ssl, plain.p, plain.n, &wrote);
	if (result == 1)
		return true;
	outcome(t, result);
	t->failed = true;
	return false;
}

void tls_close(struct tls *t)
{
	if (!t->ready || t->failed)
		return;
	forget_errors();
	SSL_shutdown(t->ssl);
}

bool tls_is_ready(const struct tls *t)
{
	return t->ready;
}

bool tls_is_resumed(const struct tls *t)
{
	return t->ready && SSL_session_reused(t->ssl);
}

enum tls_fault tls_fault(const struct tls *t)
{
	return t->fault;
}

const char *tls_why(const struct tls *t)
{
	return t->why ? t->why : "TLS failed";
}
