#include "base/crypto/ed25519.h"

#include <openssl/err.h>
#include <openssl/evp.h>

/* OpenSSL's own reasons are for its developers; a queue left full would show them at the next TLS error. */
static bool refused(struct err *err, const char *what)
{
	ERR_clear_error();
	return err_set(err, ERR_IO, "OpenSSL %s", what);
}

static EVP_PKEY *private_key(const uint8_t seed[ED25519_SEED])
{
	return EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, ED25519_SEED);
}

bool ed25519_public(const uint8_t seed[ED25519_SEED], uint8_t out[ED25519_PUBLIC], struct err *err)
{
	EVP_PKEY *key = private_key(seed);
	size_t n = ED25519_PUBLIC;
	bool done = key && EVP_PKEY_get_raw_public_key(key, out, &n) == 1 && n == ED25519_PUBLIC;

	EVP_PKEY_free(key);
	return done || refused(err, "gives no Ed25519 key");
}

bool ed25519_sign(const uint8_t seed[ED25519_SEED], struct str text, uint8_t out[ED25519_SIGNATURE], struct err *err)
{
	EVP_PKEY *key = private_key(seed);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	size_t n = ED25519_SIGNATURE;
	bool done = key && ctx && EVP_DigestSignInit(ctx, NULL, NULL, NULL, key) == 1 &&
		    EVP_DigestSign(ctx, out, &n, (const uint8_t *)text.p, text.n) == 1 && n == ED25519_SIGNATURE;

	EVP_MD_CTX_free(ctx);
	EVP_PKEY_free(key);
	return done || refused(err, "cannot sign with Ed25519");
}

bool ed25519_is_signed(const uint8_t key[ED25519_PUBLIC], struct str text, const uint8_t signature[ED25519_SIGNATURE])
{
	EVP_PKEY *public = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key, ED25519_PUBLIC);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool is = public && ctx && EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, public) == 1 &&
		  EVP_DigestVerify(ctx, signature, ED25519_SIGNATURE, (const uint8_t *)text.p, text.n) == 1;

	EVP_MD_CTX_free(ctx);
	EVP_PKEY_free(public);
	if (!is)
		ERR_clear_error();
	return is;
}
