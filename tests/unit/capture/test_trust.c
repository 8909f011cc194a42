#include "capture/trust.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "harness/test.h"

#define CERT(text) "-----BEGIN CERTIFICATE-----\n" text "\n-----END CERTIFICATE-----\n"
#define KEY "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"

static struct str write_file(struct arena *a, const char *dir, const char *name, const char *text)
{
	struct str path = ARENA_JOIN(a, str_from(dir), STR("/"), str_from(name));
	struct err err;

	CHECK(file_replace(path, str_from(text), 0600, &err));
	return path;
}

static const char *set(struct arena *a, const char *name, struct str value)
{
	return ARENA_JOIN(a, str_from(name), STR("="), value).p;
}

static size_t count(struct str text, struct str word)
{
	size_t n = 0, at;

	while ((at = str_find(text, word)) != (size_t)-1) {
		n++;
		text = str_skip(text, at + word.n);
	}
	return n;
}

TEST(only_certificates_are_taken_and_each_once)
{
	static const struct { const char *pem, *want; } cases[] = {
		{ "", "" },
		{ "no certificate at all", "" },
		{ CERT("YQ=="), CERT("YQ==") },
		{ "# a name\n" CERT("YQ==") "# another\n" CERT("Yg=="), CERT("YQ==") CERT("Yg==") },
		{ CERT("YQ==") CERT("Yg==") CERT("YQ=="), CERT("YQ==") CERT("Yg==") },
		{ KEY CERT("YQ==") KEY, CERT("YQ==") },
		{ CERT("YQ==") "-----BEGIN CERTIFICATE-----\nYg==", CERT("YQ==") },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf out;

		buf_init(&out);
		test_case("%s", cases[i].pem);
		trust_add(&a, str_from(cases[i].pem), &out);
		CHECK_STR(buf_str(&out), str_from(cases[i].want));
		buf_free(&out);
	}
	arena_free(&a);
}

TEST(what_any_variable_names_is_trusted_and_keys_beside_it_are_left_out)
{
	struct arena a;
	struct buf out;
	const char *dir = test_dir(), *env[6];
	struct str certs = { NULL, 0 };

	arena_init(&a);
	buf_init(&out);
	certs = ARENA_JOIN(&a, str_from(dir), STR("/certs"));
	CHECK(mkdir(certs.p, 0700) == 0);
	write_file(&a, certs.p, "one.pem", CERT("b25l"));
	write_file(&a, certs.p, "two.0", CERT("dHdv") CERT("b25l"));
	env[0] = set(&a, "SSL_CERT_FILE", write_file(&a, dir, "roots.pem", KEY CERT("cm9vdA==")));
	env[1] = set(&a, "NODE_EXTRA_CA_CERTS", write_file(&a, dir, "node.pem", CERT("bm9kZQ==")));
	env[2] = set(&a, "REQUESTS_CA_BUNDLE", certs);
	env[3] = set(&a, "SSL_CERT_DIR", ARENA_JOIN(&a, certs, STR(":/nowhere")));
	env[4] = "CURL_CA_BUNDLE=/nowhere/at/all.pem";
	env[5] = NULL;
	trust_gather(&a, env, &out);
	CHECK(str_find(buf_str(&out), STR("PRIVATE")) == (size_t)-1);
	CHECK_INT(count(buf_str(&out), STR("-----BEGIN CERTIFICATE-----")), 4);
	CHECK_INT(count(buf_str(&out), STR("cm9vdA==")), 1);
	CHECK_INT(count(buf_str(&out), STR("bm9kZQ==")), 1);
	buf_free(&out);
	arena_free(&a);
}

TEST(without_variables_the_systems_roots_are_taken)
{
	const char *none[] = { "PATH=/bin", "SSL_CERT_FILE=", NULL };
	struct arena a;
	struct buf out;

	if (!fopen("/etc/ssl/certs/ca-certificates.crt", "r") && !fopen("/etc/pki/tls/certs/ca-bundle.crt", "r"))
		SKIP("this system has no file of roots");
	arena_init(&a);
	buf_init(&out);
	trust_gather(&a, none, &out);
	CHECK(count(buf_str(&out), STR("-----BEGIN CERTIFICATE-----")) > 10);
	buf_free(&out);
	arena_free(&a);
}
