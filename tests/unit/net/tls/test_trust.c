#include "net/tls/trust.h"

#include <openssl/x509.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "unit/base/scratch.h"
#include "unit/net/tls_identity.h"

static bool is_trusted(X509_STORE *store, X509 *cert)
{
	X509_STORE_CTX *x = X509_STORE_CTX_new();
	bool good;

	CHECK(X509_STORE_CTX_init(x, store, cert, NULL) == 1);
	good = X509_verify_cert(x) == 1;
	X509_STORE_CTX_free(x);
	return good;
}

/* Whether the settings of the environment make `cert` one to trust. */
static bool settings_trust(X509 *cert)
{
	X509_STORE *store = X509_STORE_new();
	struct err err;
	bool good = tls_trust_load(store, &err) && is_trusted(store, cert);

	X509_STORE_free(store);
	return good;
}

TEST(authorities_come_from_the_file_or_the_directory_that_is_named)
{
	struct identity one = make_identity("One", NULL, NULL, -60, 60), two = make_identity("Two", NULL, NULL, -60, 60);
	struct identity leaf_one = make_identity("a", "DNS:a", &one, -60, 60);
	struct identity leaf_two = make_identity("b", "DNS:b", &two, -60, 60);
	char dir[64], path[64];

	enter_dir(dir);
	CHECK(mkdir("empty", 0700) == 0 && mkdir("hashed", 0700) == 0);
	snprintf(path, sizeof(path), "hashed/%08lx.0", X509_NAME_hash_ex(X509_get_subject_name(two.cert), NULL, NULL, NULL));
	trust(&two, path);
	trust(&one, "one.pem");
	unsetenv("SSL_CERT_DIR");
	CHECK(settings_trust(leaf_one.cert) && !settings_trust(leaf_two.cert));
	setenv("SSL_CERT_DIR", "empty:hashed", 1); /* both count */
	CHECK(settings_trust(leaf_one.cert) && settings_trust(leaf_two.cert));
	unsetenv("SSL_CERT_FILE");
	CHECK(!settings_trust(leaf_one.cert) && settings_trust(leaf_two.cert));
	unsetenv("SSL_CERT_DIR"); /* the system's, which knows neither */
	CHECK(!settings_trust(leaf_one.cert) && !settings_trust(leaf_two.cert));
	free_identity(&one);
	free_identity(&two);
	free_identity(&leaf_one);
	free_identity(&leaf_two);
	CHECK(remove(path) == 0);
	leave_dir(dir);
}

TEST(what_cannot_be_read_is_named)
{
	X509_STORE *store = X509_STORE_new();
	struct err err;

	unsetenv("SSL_CERT_DIR");
	setenv("SSL_CERT_FILE", "/nowhere/ca.pem", 1);
	CHECK(!tls_trust_load(store, &err));
	CHECK_STR(str_from(err.text), STR("the authorities to trust cannot be read from /nowhere/ca.pem; look at "
					  "SSL_CERT_FILE and SSL_CERT_DIR"));
	unsetenv("SSL_CERT_FILE");
	setenv("SSL_CERT_DIR", "/nowhere/certs", 1);
	CHECK(!tls_trust_load(store, &err));
	CHECK_STR(str_from(err.text), STR("the authorities to trust cannot be read from /nowhere/certs; look at "
					  "SSL_CERT_FILE and SSL_CERT_DIR"));
	setenv("SSL_CERT_DIR", "", 1); /* as if it were not there */
	CHECK(tls_trust_load(store, &err));
	X509_STORE_free(store);
}
