/* Keys and certificates by OpenSSL: EC P-256, signed with SHA-256. */
#include "net/tls/authority.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <time.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/seed.h"

enum { HOST_MOST = 253, SERIAL_BYTES = 16, DAY = 24 * 60 * 60 };

#define EARLY (DAY) /* certificates are good from before now: clocks differ */

struct authority_host {
	char name[HOST_MOST + 1]; /* in lower case */
	unsigned char address[16];
	int address_size; /* 4 or 16; 0: a name */
	X509 *leaf;       /* NULL: not asked for yet */
	time_t made;
};

struct authority {
	EVP_PKEY *own, *shared; /* of the authority; of all leaves */
	X509 *cert;
	struct authority_host *hosts;
	size_t count;
};

/* OpenSSL's own reasons are for its developers; a queue left full would show them at the next TLS error. */
static bool authority_refused(struct err *err, const char *what)
{
	ERR_clear_error();
	return err_set(err, ERR_IO, "OpenSSL %s", what);
}

/* Names are used in texts that OpenSSL parses, so only what a host can have may stand in them. */
static bool host_init(struct authority_host *h, struct str host)
{
	if (host.n == 0 || host.n > HOST_MOST)
		return false;
	for (size_t i = 0; i < host.n; i++) {
		h->name[i] = (char)ascii_lower(host.p[i]);
		if (!ascii_is_alnum(host.p[i]) && !ascii_is_one_of(host.p[i], "-._:"))
			return false;
	}
	h->name[host.n] = '\0';
	if (inet_pton(AF_INET, h->name, h->address) == 1)
		h->address_size = 4;
	else if (inet_pton(AF_INET6, h->name, h->address) == 1)
		h->address_size = 16;
	return h->address_size || !memchr(host.p, ':', host.n);
}

/* "permitted;DNS:host" or "permitted;IP:address/mask"; where no address is permitted, all are excluded. */
static void add_constraints(const struct authority *a, struct buf *out)
{
	static const char v4[] = "/255.255.255.255", v6[] = "/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
	bool any4 = false, any6 = false;

	for (size_t i = 0; i < a->count; i++) {
		const struct authority_host *h = &a->hosts[i];

		any4 = any4 || h->address_size == 4;
		any6 = any6 || h->address_size == 16;
		buf_printf(out, ",permitted;%s:%s%s", h->address_size ? "IP" : "DNS", h->name,
			   h->address_size == 4 ? v4 : h->address_size ? v6 : "");
	}
	if (!any4)
		buf_add_str(out, STR(",excluded;IP:0.0.0.0/0.0.0.0"));
	if (!any6)
		buf_add_str(out, STR(",excluded;IP:::/::"));
	buf_add_byte(out, '\0');
}

static bool authority_add_extension(X509 *to, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX ctx;
	X509_EXTENSION *e;
	bool added;

	X509V3_set_ctx(&ctx, issuer, to, NULL, NULL, 0);
	e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	added = e && X509_add_ext(to, e, -1) == 1;
	X509_EXTENSION_free(e);
	return added;
}

/* A random serial number: clients may know two runs' certificates, which are by the same name. */
static bool set_serial(X509 *cert)
{
	unsigned char random[SERIAL_BYTES];
	BIGNUM *n;
	bool set;

	seed_random(random, sizeof(random));
	random[0] &= 0x7f; /* positive */
	n = BN_bin2bn(random, sizeof(random), NULL);
	set = n && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(cert));
	BN_free(n);
	return set;
}

/* Everything that the authority's own certificate and a leaf have in common, but the extensions. NULL on failure. */
static X509 *cert_begin(EVP_PKEY *key, const char *name, int days, const X509 *issuer)
{
	X509 *cert = X509_new();
	X509_NAME *subject = cert ? X509_get_subject_name(cert) : NULL;
	bool done = cert && X509_set_version(cert, 2) == 1 && set_serial(cert) &&
		    X509_gmtime_adj(X509_getm_notBefore(cert), -EARLY) &&
		    X509_gmtime_adj(X509_getm_notAfter(cert), (long)days * DAY) && X509_set_pubkey(cert, key) == 1 &&
		    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1,
					       0) == 1 &&
		    X509_set_issuer_name(cert, issuer ? X509_get_subject_name(issuer) : subject) == 1;

	if (done)
		return cert;
	X509_free(cert);
	return NULL;
}

static bool make_cert(struct authority *a)
{
	struct buf constraints;
	bool done;

	buf_init(&constraints);
	add_constraints(a, &constraints);
	a->cert = cert_begin(a->own, "Trackway, for one recorded run", AUTHORITY_DAYS, NULL);
	done = a->cert &&
	       authority_add_extension(a->cert, a->cert, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
	       authority_add_extension(a->cert, a->cert, NID_key_usage, "critical,keyCertSign") &&
	       authority_add_extension(a->cert, a->cert, NID_subject_key_identifier, "hash") &&
	       authority_add_extension(a->cert, a->cert, NID_name_constraints, constraints.p + 1) &&
	       X509_sign(a->cert, a->own, EVP_sha256()) > 0;
	buf_free(&constraints);
	return done;
}

static bool leaf_make(struct authority *a, struct authority_host *h)
{
	X509 *leaf = cert_begin(a->shared, "Trackway, recording", AUTHORITY_LEAF_DAYS, a->cert);
	struct buf names;
	bool done;

	buf_init(&names);
	buf_printf(&names, "%s:%s%c", h->address_size ? "IP" : "DNS", h->name, '\0');
	done = leaf && authority_add_extension(leaf, a->cert, NID_basic_constraints, "critical,CA:FALSE") &&
	       authority_add_extension(leaf, a->cert, NID_key_usage, "critical,digitalSignature") &&
	       authority_add_extension(leaf, a->cert, NID_ext_key_usage, "serverAuth") &&
	       authority_add_extension(leaf, a->cert, NID_subject_key_identifier, "hash") &&
	       authority_add_extension(leaf, a->cert, NID_authority_key_identifier, "keyid") &&
	       authority_add_extension(leaf, a->cert, NID_subject_alt_name, names.p) &&
	       X509_sign(leaf, a->own, EVP_sha256()) > 0;
	buf_free(&names);
	if (!done) {
		X509_free(leaf);
		ERR_clear_error();
		return false;
	}
	X509_free(h->leaf);
	h->leaf = leaf;
	h->made = time(NULL);
	return true;
}

struct authority *authority_open(const struct str *hosts, size_t count, struct err *err)
{
	struct authority *a = mem_alloc(sizeof(*a));

	*a = (struct authority){ .hosts = mem_alloc((count + 1) * sizeof(*a->hosts)), .count = count };
	memset(a->hosts, 0, (count + 1) * sizeof(*a->hosts));
	for (size_t i = 0; i < count; i++)
		if (!host_init(&a->hosts[i], hosts[i])) {
			err_set(err, ERR_USAGE, "'%.*s' is neither a host's name nor an address", STR_ARG(hosts[i]));
			authority_close(a);
			return NULL;
		}
	a->own = EVP_EC_gen("P-256");
	a->shared = EVP_EC_gen("P-256");
	if (a->own && a->shared && make_cert(a))
		return a;
	authority_refused(err, "gives no certificate for interception");
	authority_close(a);
	return NULL;
}

void authority_close(struct authority *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->count; i++)
		X509_free(a->hosts[i].leaf);
	X509_free(a->cert);
	EVP_PKEY_free(a->own);
	EVP_PKEY_free(a->shared);
	mem_free(a->hosts);
	mem_free(a);
}

void authority_add_pem(const struct authority *a, struct buf *out)
{
	BIO *text = BIO_new(BIO_s_mem());
	char *p = NULL;
	long n = text && PEM_write_bio_X509(text, a->cert) == 1 ? BIO_get_mem_data(text, &p) : 0;

	buf_add(out, p, (size_t)n);
	BIO_free(text);
}

X509 *authority_leaf(struct authority *a, struct str host)
{
	for (size_t i = 0; i < a->count; i++) {
		struct authority_host *h = &a->hosts[i];

		if (!str_eq_nocase(host, str_from(h->name)))
			continue;
		if (!h->leaf || time(NULL) - h->made > AUTHORITY_LEAF_DAYS * DAY / 2)
			return leaf_make(a, h) ? h->leaf : NULL;
		return h->leaf;
	}
	return NULL;
}

EVP_PKEY *authority_key(const struct authority *a)
{
	return a->shared;
}
