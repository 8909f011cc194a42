#include "net/tls/authority.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "harness/test.h"

static const struct str hosts[] = { { "api.example.com", 15 }, { "10.1.2.3", 8 }, { "2001:db8::7", 11 } };

static struct authority *open_for(const struct str *of, size_t count)
{
	struct err err;
	struct authority *a = authority_open(of, count, &err);

	CHECK(a != NULL);
	return a;
}

/* The authority's certificate, as a client reads it from the file that it is told of. */
static X509 *read_root(const struct authority *a)
{
	struct buf pem;
	BIO *text;
	X509 *cert;

	buf_init(&pem);
	authority_add_pem(a, &pem);
	CHECK(str_find(buf_str(&pem), STR("PRIVATE")) == (size_t)-1);
	text = BIO_new_mem_buf(pem.p, (int)pem.n);
	cert = PEM_read_bio_X509(text, NULL, NULL, NULL);
	CHECK(cert != NULL);
	BIO_free(text);
	buf_free(&pem);
	return cert;
}

/* What a client that trusts `root` alone says of a server with this certificate: X509_V_OK, or why not. */
static int verify(X509 *root, X509 *leaf, const char *name, const char *address)
{
	X509_STORE *store = X509_STORE_new();
	X509_STORE_CTX *ctx = X509_STORE_CTX_new();
	X509_VERIFY_PARAM *param;
	int error;

	CHECK(X509_STORE_add_cert(store, root) == 1 && X509_STORE_CTX_init(ctx, store, leaf, NULL) == 1);
	param = X509_STORE_CTX_get0_param(ctx);
	CHECK(X509_VERIFY_PARAM_set_purpose(param, X509_PURPOSE_SSL_SERVER) == 1);
	X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_X509_STRICT);
	CHECK(name ? X509_VERIFY_PARAM_set1_host(param, name, 0) == 1 : X509_VERIFY_PARAM_set1_ip_asc(param, address) == 1);
	X509_verify_cert(ctx);
	error = X509_STORE_CTX_get_error(ctx);
	X509_STORE_CTX_free(ctx);
	X509_STORE_free(store);
	return error;
}

TEST(a_client_that_has_the_file_accepts_names_and_addresses_of_its_hosts)
{
	struct authority *a = open_for(hosts, COUNT(hosts));
	X509 *root = read_root(a);

	CHECK(X509_verify(root, X509_get0_pubkey(root)) == 1);
	CHECK_INT(verify(root, authority_leaf(a, hosts[0]), "api.example.com", NULL), X509_V_OK);
	CHECK_INT(verify(root, authority_leaf(a, hosts[1]), NULL, "10.1.2.3"), X509_V_OK);
	CHECK_INT(verify(root, authority_leaf(a, hosts[2]), NULL, "2001:db8::7"), X509_V_OK);
	CHECK_INT(verify(root, authority_leaf(a, hosts[0]), "www.example.com", NULL), X509_V_ERR_HOSTNAME_MISMATCH);
	CHECK_INT(verify(root, authority_leaf(a, hosts[1]), NULL, "10.1.2.4"), X509_V_ERR_IP_ADDRESS_MISMATCH);
	X509_free(root);
	authority_close(a);
}

TEST(a_certificate_is_kept_and_all_share_one_key_that_is_not_the_authoritys)
{
	struct authority *a = open_for(hosts, COUNT(hosts));
	X509 *root = read_root(a), *leaf = authority_leaf(a, hosts[0]);

	CHECK(leaf != NULL && authority_leaf(a, STR("API.Example.com")) == leaf);
	CHECK(EVP_PKEY_eq(X509_get0_pubkey(leaf), authority_key(a)) == 1);
	CHECK(EVP_PKEY_eq(X509_get0_pubkey(authority_leaf(a, hosts[1])), authority_key(a)) == 1);
	CHECK(EVP_PKEY_eq(X509_get0_pubkey(root), authority_key(a)) == 0);
	CHECK(authority_leaf(a, STR("github.com")) == NULL && authority_leaf(a, STR("sub.api.example.com")) == NULL);
	X509_free(root);
	authority_close(a);
}

TEST(two_runs_do_not_trust_each_other)
{
	struct authority *a = open_for(hosts, COUNT(hosts)), *b = open_for(hosts, COUNT(hosts));
	X509 *root = read_root(a);

	CHECK(verify(root, authority_leaf(b, hosts[0]), "api.example.com", NULL) != X509_V_OK);
	X509_free(root);
	authority_close(a);
	authority_close(b);
}

static bool is_within(const X509 *cert, int days)
{
	int left = 0, seconds = 0;

	CHECK(ASN1_TIME_diff(&left, &seconds, NULL, X509_get0_notAfter(cert)) == 1);
	return X509_cmp_current_time(X509_get0_notBefore(cert)) < 0 && left <= days && left >= days - 1;
}

/* What constraints say of the names in a certificate. OpenSSL reads these when it is asked for a purpose. */
static int constrain(X509 *leaf, NAME_CONSTRAINTS *c)
{
	CHECK(X509_check_purpose(leaf, -1, 0) == 1);
	return NAME_CONSTRAINTS_check(leaf, c);
}

TEST(certificates_are_good_for_days_only_and_the_authority_for_nobody_elses_hosts)
{
	struct authority *a = open_for(hosts, 1);
	X509 *root = read_root(a);
	struct authority *other = open_for(&STR("api.example.org"), 1), *numbers = open_for(hosts + 1, 1);
	NAME_CONSTRAINTS *c = X509_get_ext_d2i(root, NID_name_constraints, NULL, NULL);

	CHECK(is_within(root, AUTHORITY_DAYS) && is_within(authority_leaf(a, hosts[0]), AUTHORITY_LEAF_DAYS));
	CHECK_INT(X509_get_pathlen(root), 0);
	CHECK_INT(X509_check_ca(root), 1);
	CHECK_INT(X509_check_ca(authority_leaf(a, hosts[0])), 0);
	CHECK(c != NULL);
	CHECK_INT(sk_GENERAL_SUBTREE_num(c->permittedSubtrees), 1);
	CHECK_INT(sk_GENERAL_SUBTREE_num(c->excludedSubtrees), 2);
	CHECK_INT(constrain(authority_leaf(a, hosts[0]), c), X509_V_OK);
	CHECK_INT(constrain(authority_leaf(other, STR("api.example.org")), c), X509_V_ERR_PERMITTED_VIOLATION);
	CHECK_INT(constrain(authority_leaf(numbers, hosts[1]), c), X509_V_ERR_EXCLUDED_VIOLATION);
	NAME_CONSTRAINTS_free(c);
	X509_free(root);
	authority_close(a);
	authority_close(other);
	authority_close(numbers);
}

TEST(what_is_no_host_is_refused)
{
	static const char *const bad[] = { "", "a,DNS:b", "a b", "*.example.com", "a:443", "[::1]", "a\n", "user@a", "\xC3\xA4" };
	char large[300];

	memset(large, 'a', sizeof(large));
	for (size_t i = 0; i <= COUNT(bad); i++) {
		struct str host = i < COUNT(bad) ? str_from(bad[i]) : str_of(large, sizeof(large));
		struct err err;

		test_case("%.*s", STR_ARG(host));
		CHECK(authority_open(&host, 1, &err) == NULL);
		CHECK_INT(err.kind, ERR_USAGE);
	}
}
