/* Certificates of files by OpenSSL. Whoever asks gets the same one, by whatever name. */
#include "net/tls/identity.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdio.h>

#include "base/arena.h"

struct tls_identity {
	X509 *cert;
	STACK_OF(X509) *chain;
	EVP_PKEY *key;
	struct tls_context *context;
};

static bool identity_choose(void *own, SSL *ssl, struct str name)
{
	struct tls_identity *i = own;

	(void)name;
	return SSL_use_cert_and_key(ssl, i->cert, i->key, i->chain, 1) == 1;
}

/* Nobody is asked for a password: a server starts where nobody sits. */
static int no_password(char *to, int size, int writing, void *own)
{
	(void)to;
	(void)size;
	(void)writing;
	(void)own;
	return -1;
}

static FILE *identity_file(const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");

	if (!f)
		err_system(err, errno, "%s: cannot open", path);
	return f;
}

static bool read_cert(struct tls_identity *i, const char *path, struct err *err)
{
	FILE *f = identity_file(path, err);
	X509 *next;

	if (!f)
		return false;
	i->cert = PEM_read_X509(f, NULL, no_password, NULL);
	while (i->cert && (next = PEM_read_X509(f, NULL, no_password, NULL)))
		sk_X509_push(i->chain, next);
	fclose(f);
	return i->cert || err_set(err, ERR_DATA, "%s: there is no certificate in it, in PEM", path);
}

static bool identity_read_key(struct tls_identity *i, const char *path, struct err *err)
{
	FILE *f = identity_file(path, err);

	if (!f)
		return false;
	i->key = PEM_read_PrivateKey(f, NULL, no_password, NULL);
	fclose(f);
	if (!i->key)
		return err_set(err, ERR_DATA, "%s: there is no key in it, in PEM and without a password", path);
	return X509_check_private_key(i->cert, i->key) == 1 ||
	       err_set(err, ERR_DATA, "%s: this is not the key of the certificate", path);
}

struct tls_identity *tls_identity_open(const char *cert, const char *key, struct err *err)
{
	struct tls_identity *i = mem_alloc(sizeof(*i));
	bool done;

	*i = (struct tls_identity){ .chain = sk_X509_new_null() };
	i->context = tls_context_server(identity_choose, i);
	done = read_cert(i, cert, err) && identity_read_key(i, key, err);
	ERR_clear_error(); /* the end of a file is an error to OpenSSL */
	if (done)
		return i;
	tls_identity_close(i);
	return NULL;
}

struct tls_context *tls_identity_context(struct tls_identity *i)
{
	return i->context;
}

void tls_identity_close(struct tls_identity *i)
{
	if (!i)
		return;
	tls_context_close(i->context);
	X509_free(i->cert);
	sk_X509_pop_free(i->chain, X509_free);
	EVP_PKEY_free(i->key);
	mem_free(i);
}
