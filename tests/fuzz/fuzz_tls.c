/*
 * The engine of TLS and a peer that sends anything: before, in the middle of and after the handshake, made up or as a
 * change to what a true peer would have sent. Nothing that nobody sealed is ever opened, the handshake is over only
 * with the true peer, and the answers to made-up bytes are the same whole and cut.
 * The first byte chooses the role, the moment and whether bytes are changed or put in front; the second
 * the cuts.
 */
#include "fuzz/fuzz.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "net/tls/tls.h"

enum { SERVER = 1, LATE = 2, CHANGES = 4 };

static X509 *cert;
static EVP_PKEY *key;
static struct tls_context *clients, *servers;
static uint8_t how; /* of the input at hand */

static bool choose(void *own, SSL *ssl, struct str name)
{
	(void)own;
	(void)name;
	return SSL_use_certificate(ssl, cert) == 1 && SSL_use_PrivateKey(ssl, key) == 1;
}

/* A certificate for localhost that signs itself, and is trusted through a file that is only in memory. */
static void prepare(void)
{
	int fd = memfd_create("authority", 0);
	FILE *f = fdopen(fd, "w");
	X509_EXTENSION *names;
	struct err err;
	char path[64];

	key = EVP_EC_gen("P-256");
	cert = X509_new();
	X509_set_version(cert, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
	X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
	X509_gmtime_adj(X509_getm_notAfter(cert), 30 * 86400);
	X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_ASC, (const unsigned char *)"x", -1, -1, 0);
	X509_set_issuer_name(cert, X509_get_subject_name(cert));
	X509_set_pubkey(cert, key);
	names = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, "DNS:localhost");
	X509_add_ext(cert, names, -1);
	X509_EXTENSION_free(names);
	FUZZ_CHECK(X509_sign(cert, key, EVP_sha256()) > 0);
	FUZZ_CHECK(f && PEM_write_X509(f, cert) == 1 && fflush(f) == 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	setenv("SSL_CERT_FILE", path, 1);
	unsetenv("SSL_CERT_DIR");
	clients = tls_context_client(&err);
	servers = tls_context_server(choose, NULL);
	FUZZ_CHECK(clients != NULL);
	fclose(f);
}

struct side {
	struct tls *tls;
	struct buf out, got;
	enum tls_next last;
};

static void take(struct side *s, struct str bytes)
{
	static char room[TLS_ROOM];
	struct str plain;

	do {
		s->last = tls_open(s->tls, &bytes, room, sizeof(room), &plain);
		FUZZ_CHECK(s->last != TLS_OPENED || plain.n > 0);
		FUZZ_CHECK(s->last != TLS_MORE || bytes.n == 0);
		FUZZ_CHECK(s->last != TLS_FAILED || tls_why(s->tls)[0]);
		buf_add_str(&s->got, plain);
	} while (s->last == TLS_OPENED || s->last == TLS_READY);
}

static void carry(struct side *from, struct side *to)
{
	struct buf bytes = from->out;

	buf_init(&from->out);
	take(to, buf_str(&bytes));
	buf_free(&bytes);
}

static void side_close(struct side *s)
{
	tls_free(s->tls);
	buf_free(&s->out);
	buf_free(&s->got);
}

/* What `to` is to take: the input alone or, as changes, in what the true peer has for it. */
static void spoil(struct side *from, struct str input)
{
	if (!(how & CHANGES)) {
		buf_clear(&from->out);
		buf_add_str(&from->out, input);
		return;
	}
	for (size_t i = 0; i + 2 < input.n && from->out.n; i += 3) {
		size_t at = ((size_t)(unsigned char)input.p[i] << 8 | (unsigned char)input.p[i + 1]) % from->out.n;

		from->out.p[at] = (char)(from->out.p[at] ^ input.p[i + 2]);
	}
}

/* How it ended: the last answer, and whether the handshake is over. */
static int play(struct str input, size_t cut)
{
	struct side client = { 0 }, server = { 0 }, *victim = how & SERVER ? &server : &client;
	struct side *peer = how & SERVER ? &client : &server;
	struct buf bytes;
	int end;

	server.tls = tls_server(servers, &server.out);
	client.tls = tls_client(clients, STR("localhost"), NULL, &client.out);
	if (!(how & SERVER) || how & LATE)
		carry(&client, &server);
	while (how & LATE && client.out.n + server.out.n) {
		carry(&server, &client);
		carry(&client, &server);
	}
	if (how & LATE)
		FUZZ_CHECK(tls_is_ready(client.tls) && tls_is_ready(server.tls) && tls_seal(peer->tls, STR("secret")));
	spoil(peer, input);
	bytes = peer->out;
	buf_init(&peer->out);
	for (size_t at = 0; at < bytes.n; at += cut)
		take(victim, str_of(bytes.p + at, bytes.n - at < cut ? bytes.n - at : cut));
	buf_free(&bytes);
	/* with nothing changed, what was sealed comes through; nothing else ever does */
	FUZZ_CHECK(victim->got.n == 0 || (how & LATE && how & CHANGES && str_eq(buf_str(&victim->got), STR("secret"))));
	FUZZ_CHECK(how & (LATE | CHANGES) || !tls_is_ready(victim->tls));
	end = (int)victim->last * 4 + tls_is_ready(victim->tls) * 2 + (victim->got.n > 0);
	side_close(&client);
	side_close(&server);
	return end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str input;
	int whole;

	if (!cert)
		prepare();
	if (size < 2)
		return 0;
	how = data[0];
	input = str_of((const char *)data + 2, size - 2);
	whole = play(input, (size_t)1 << 20);
	/* what is changed differs from one handshake to the next, since their keys do */
	FUZZ_CHECK(play(input, 1 + data[1] % 32) == whole || how & CHANGES);
	return 0;
}
