#include "net/tls/tls.h"

#include <openssl/ssl.h>

#include "base/arena.h"
#include "unit/base/scratch.h"
#include "unit/net/tls_identity.h"

#define HOUR 3600L
#define NAMES "DNS:localhost,DNS:*.example.test,IP:127.0.0.1"

/* One engine, its room, and what it has to send. */
struct side {
	struct tls *tls;
	struct buf out, got;
	bool ready, closed, failed;
};

/* An engine of each role, and certificates. Bytes go from one to the other by hand. */
struct pair {
	char dir[64];
	struct identity authority, leaf;
	struct tls_context *clients, *servers;
	struct tls_session session;
	struct side client, server;
	struct str asked;
	int shown;
};

static bool choose(void *own, SSL *ssl, struct str name)
{
	struct pair *p = own;

	p->asked = name;
	p->shown++;
	return SSL_use_certificate(ssl, p->leaf.cert) == 1 && SSL_use_PrivateKey(ssl, p->leaf.key) == 1;
}

static void pair_open(struct pair *p, const char *names, long from, long until)
{
	struct err err;

	*p = (struct pair){ .shown = 0 };
	enter_dir(p->dir);
	unsetenv("SSL_CERT_DIR");
	p->authority = make_identity("Test Authority", NULL, NULL, -HOUR, HOUR);
	p->leaf = make_identity("localhost", names, &p->authority, from, until);
	trust(&p->authority, "ca.pem");
	p->clients = tls_context_client(&err);
	CHECK(p->clients != NULL);
	p->servers = tls_context_server(choose, p);
}

static void side_close(struct side *s)
{
	tls_free(s->tls);
	buf_free(&s->out);
	buf_free(&s->got);
	*s = (struct side){ 0 };
}

static void pair_meet(struct pair *p, const char *host)
{
	side_close(&p->client);
	side_close(&p->server);
	p->server.tls = tls_server(p->servers, &p->server.out);
	p->client.tls = tls_client(p->clients, str_from(host), &p->session, &p->client.out);
}

static void pair_close(struct pair *p)
{
	side_close(&p->client);
	side_close(&p->server);
	tls_session_forget(&p->session);
	tls_context_close(p->clients);
	tls_context_close(p->servers);
	free_identity(&p->authority);
	free_identity(&p->leaf);
	leave_dir(p->dir);
}

/* Everything in these bytes. */
static void side_take(struct side *s, struct str bytes)
{
	static char room[TLS_ROOM];

	for (;;) {
		struct str plain;

		switch (tls_open(s->tls, &bytes, room, sizeof(room), &plain)) {
		case TLS_READY:
			CHECK(!s->ready);
			s->ready = true;
			continue;
		case TLS_OPENED:
			CHECK(plain.n > 0);
			buf_add_str(&s->got, plain);
			continue;
		case TLS_MORE:
			CHECK_INT(bytes.n, 0);
			return;
		case TLS_CLOSED:
			s->closed = true;
			return;
		case TLS_FAILED:
			s->failed = true;
			return;
		}
	}
}

/* What is in `from` goes to `to` in pieces of `step` bytes. */
static void carry(struct side *from, struct side *to, size_t step)
{
	struct buf bytes = from->out;

	buf_init(&from->out);
	for (size_t at = 0; at < bytes.n; at += step)
		side_take(to, str_of(bytes.p + at, bytes.n - at < step ? bytes.n - at : step));
	buf_free(&bytes);
}

static void pair_run(struct pair *p, size_t step)
{
	while (p->client.out.n + p->server.out.n) {
		carry(&p->client, &p->server, step);
		carry(&p->server, &p->client, step);
	}
}

TEST(two_engines_talk_however_their_bytes_are_cut)
{
	static const size_t steps[] = { 1, 2, 3, 5, 17, 64, 1000, 100000 };
	struct pair p;

	pair_open(&p, NAMES, -HOUR, HOUR);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		test_case("%zu bytes at a time", steps[i]);
		pair_meet(&p, "localhost");
		pair_run(&p, steps[i]);
		CHECK(p.client.ready && p.server.ready);
		CHECK(tls_is_ready(p.client.tls) && tls_is_ready(p.server.tls));
		CHECK(tls_seal(p.client.tls, STR("a question")));
		pair_run(&p, steps[i]);
		CHECK_STR(buf_str(&p.server.got), STR("a question"));
		CHECK(tls_seal(p.server.tls, STR("an ")) && tls_seal(p.server.tls, STR("answer")));
		pair_run(&p, steps[i]);
		CHECK_STR(buf_str(&p.client.got), STR("an answer"));
		tls_close(p.server.tls);
		pair_run(&p, steps[i]);
		CHECK(p.client.closed && !p.client.failed && !p.server.closed);
		CHECK(tls_seal(p.client.tls, STR("late"))); /* the other way is still open */
		pair_run(&p, steps[i]);
		CHECK_STR(buf_str(&p.server.got), STR("a questionlate"));
	}
	pair_close(&p);
}

TEST(the_server_is_told_the_name_and_chooses)
{
	struct pair p;

	pair_open(&p, NAMES, -HOUR, HOUR);
	pair_meet(&p, "api.example.test.");
	carry(&p.client, &p.server, 100000);
	CHECK_STR(p.asked, STR("api.example.test"));
	pair_run(&p, 100000);
	CHECK(p.client.ready);
	pair_meet(&p, "127.0.0.1");
	tls_session_forget(&p.session);
	side_close(&p.client);
	p.client.tls = tls_client(p.clients, STR("127.0.0.1"), NULL, &p.client.out);
	carry(&p.client, &p.server, 100000);
	CHECK(p.asked.p == NULL);
	pair_run(&p, 100000);
	CHECK(p.client.ready);
	pair_close(&p);
}

TEST(the_newest_session_shortens_the_next_handshake)
{
	struct pair p;

	pair_open(&p, NAMES, -HOUR, HOUR);
	for (int i = 0; i < 4; i++) {
		pair_meet(&p, "localhost");
		pair_run(&p, 100000);
		CHECK(p.client.ready && p.server.ready);
		CHECK_INT(tls_is_resumed(p.client.tls), i > 0);
		CHECK(p.session.newest != NULL);
	}
	pair_close(&p);
}

TEST(certificates_that_are_not_good_are_refused_with_the_reason)
{
	static const struct {
		const char *host, *names, *why;
		long from, until;
	} cases[] = {
		{ "other.test", NAMES, "it is for another host: localhost, *.example.test, 127.0.0.1", -HOUR, HOUR },
		{ "a.b.example.test", NAMES, "it is for another host: localhost, *.example.test, 127.0.0.1", -HOUR, HOUR },
		{ "127.0.0.2", NAMES, "it is for another host: localhost, *.example.test, 127.0.0.1", -HOUR, HOUR },
		{ "127.0.0.1", "DNS:127.0.0.1",
		  "it is for another host: 127.0.0.1 (ask for the service by a name that is in it)", -HOUR, HOUR },
		{ "localhost", NULL, "it names no host (alternative names count, that of the subject does not)", -HOUR, HOUR },
		{ "localhost", NAMES, "it expired on ", -HOUR, -60 },
		{ "localhost", NAMES, "it is not valid before ", 1800, HOUR },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair p;
		const char *why;

		pair_open(&p, cases[i].names, cases[i].from, cases[i].until);
		pair_meet(&p, cases[i].host);
		pair_run(&p, 100000);
		CHECK(p.client.failed && !p.client.ready && p.server.failed);
		why = tls_why(p.client.tls);
		test_case("%s: %s", cases[i].host, why);
		CHECK(str_starts(str_from(why), STR("the certificate is not trusted: ")));
		CHECK(str_starts(str_from(why + 32), str_from(cases[i].why)));
		CHECK(p.session.newest == NULL);
		pair_close(&p);
	}
}

TEST(authorities_nobody_knows_are_named_with_the_remedy)
{
	struct pair p;
	struct identity own;

	pair_open(&p, NAMES, -HOUR, HOUR);
	own = p.authority; /* who signs itself, and is trusted by nobody */
	p.authority = make_identity("Another One", NULL, NULL, -HOUR, HOUR);
	trust(&p.authority, "other.pem");
	tls_context_close(p.clients);
	p.clients = tls_context_client(&(struct err){ .kind = ERR_NONE });
	pair_meet(&p, "localhost");
	pair_run(&p, 100000);
	CHECK_STR(str_from(tls_why(p.client.tls)),
		  STR("the certificate is not trusted: its issuer is not known here: Test Authority (SSL_CERT_FILE may "
		      "name a file of authorities to trust)"));
	free_identity(&p.leaf);
	p.leaf = own;
	pair_meet(&p, "localhost");
	pair_run(&p, 100000);
	CHECK_STR(str_from(tls_why(p.client.tls)),
		  STR("the certificate is not trusted: it is signed by itself (SSL_CERT_FILE may name a file of "
		      "authorities to trust)"));
	pair_close(&p);
}

TEST(who_speaks_no_tls_is_told_apart)
{
	struct pair p;

	pair_open(&p, NAMES, -HOUR, HOUR);
	pair_meet(&p, "localhost");
	side_take(&p.client, STR("HTTP/1.1 400 Bad Request\r\n\r\n"));
	CHECK(p.client.failed);
	CHECK_STR(str_from(tls_why(p.client.tls)), STR("it does not speak TLS on this port"));
	side_take(&p.server, STR("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	CHECK(p.server.failed);
	CHECK_STR(str_from(tls_why(p.server.tls)), STR("it does not speak TLS on this port"));
	pair_close(&p);
}

TEST(a_changed_byte_is_noticed)
{
	struct pair p;

	pair_open(&p, NAMES, -HOUR, HOUR);
	pair_meet(&p, "localhost");
	pair_run(&p, 100000);
	CHECK(tls_seal(p.server.tls, STR("0123456789")));
	p.server.out.p[p.server.out.n - 1] ^= 1;
	carry(&p.server, &p.client, 100000);
	CHECK(p.client.failed && p.client.got.n == 0);
	CHECK_STR(str_from(tls_why(p.client.tls)), STR("what came was changed on its way"));
	CHECK(!tls_seal(p.client.tls, STR("more")));
	pair_close(&p);
}

TEST(a_name_too_long_for_a_certificate_fails_and_a_chooser_may_refuse)
{
	char name[300];
	struct pair p;

	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	pair_open(&p, NAMES, -HOUR, HOUR);
	pair_meet(&p, name);
	CHECK_INT(p.client.out.n, 0);
	side_take(&p.client, STR("x"));
	CHECK(p.client.failed);
	pair_meet(&p, "localhost");
	free_identity(&p.leaf);
	p.leaf = make_identity("x", NAMES, &p.authority, -HOUR, HOUR);
	EVP_PKEY_free(p.leaf.key);
	p.leaf.key = EVP_EC_gen("P-256"); /* not this certificate's */
	pair_run(&p, 100000);
	CHECK(p.server.failed && p.client.failed);
	pair_close(&p);
}

TEST(much_passes_in_pieces_of_any_room)
{
	size_t n = 300000;
	char *bytes = test_alloc(n), small[1000];
	struct pair p;
	struct str sealed, plain;

	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(i * 7 + (i >> 9));
	pair_open(&p, NAMES, -HOUR, HOUR);
	pair_meet(&p, "localhost");
	pair_run(&p, 100000);
	CHECK(tls_seal(p.server.tls, str_of(bytes, n)));
	sealed = buf_str(&p.server.out);
	while (tls_open(p.client.tls, &sealed, small, sizeof(small), &plain) == TLS_OPENED)
		buf_add_str(&p.client.got, plain);
	CHECK_INT(sealed.n, 0);
	CHECK_STR(buf_str(&p.client.got), str_of(bytes, n));
	pair_close(&p);
}
