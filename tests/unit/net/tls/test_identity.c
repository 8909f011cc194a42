#include "net/tls/identity.h"

#include "unit/net/tls_identity.h"

/* Writes the certificate, the key, or both of them into a file. */
static const char *put(const char *name, const struct identity *cert, const struct identity *key, bool locked)
{
	char *path = test_alloc(300);
	FILE *f;

	snprintf(path, 300, "%s/%s", test_dir(), name);
	f = fopen(path, "w");
	CHECK(f != NULL);
	if (cert)
		CHECK(PEM_write_X509(f, cert->cert) == 1);
	if (key)
		CHECK(PEM_write_PrivateKey(f, key->key, locked ? EVP_aes_128_cbc() : NULL, NULL, 0, NULL,
					   locked ? (void *)(uintptr_t)"secret" : NULL) == 1);
	fclose(f);
	return path;
}

TEST(a_certificate_and_its_key_are_read_and_others_refused_with_their_file)
{
	struct identity one = make_identity("one", "DNS:one.example", NULL, -10, 1000);
	struct identity two = make_identity("two", "DNS:two.example", NULL, -10, 1000);
	const char *cert = put("cert.pem", &one, NULL, false), *key = put("key.pem", NULL, &one, false);
	const char *other = put("other.pem", NULL, &two, false), *locked = put("locked.pem", NULL, &one, true);
	const struct { const char *cert, *key, *why; } cases[] = {
		{ key, key, "no certificate" },
		{ cert, cert, "no key" },
		{ cert, other, "not the key of the certificate" },
		{ cert, locked, "without a password" },
		{ "/nowhere/cert.pem", key, "cannot open" },
		{ cert, "/nowhere/key.pem", "cannot open" },
	};
	struct tls_identity *i;
	struct err err;

	i = tls_identity_open(cert, key, &err);
	CHECK(i != NULL && tls_identity_context(i) != NULL);
	tls_identity_close(i);
	for (size_t n = 0; n < COUNT(cases); n++) {
		test_case("%s", cases[n].why);
		CHECK(tls_identity_open(cases[n].cert, cases[n].key, &err) == NULL);
		CHECK(str_has(str_from(err.text), str_from(cases[n].why)));
	}
	tls_identity_close(NULL);
	free_identity(&one);
	free_identity(&two);
}
