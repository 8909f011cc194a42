#include "base/crypto/sha256.h"

#include <openssl/evp.h>

#include "base/crypto/hex.h"
#include "base/fatal.h"

/* OpenSSL fails here only without memory or without a provider: nothing a caller could mend. */
static void check(bool done)
{
	if (!done)
		fatal_exit("OpenSSL gives no SHA-256");
}

void sha256_init(struct sha256 *s)
{
	s->md = EVP_MD_fetch(NULL, "SHA256", NULL);
	s->ctx = EVP_MD_CTX_new();
	s->peek_ctx = EVP_MD_CTX_new();
	check(s->md && s->ctx && s->peek_ctx);
	check(EVP_DigestInit_ex2(s->ctx, s->md, NULL));
}

void sha256_free(struct sha256 *s)
{
	EVP_MD_CTX_free(s->ctx);
	EVP_MD_CTX_free(s->peek_ctx);
	EVP_MD_free(s->md);
	*s = (struct sha256){ 0 };
}

void sha256_restart(struct sha256 *s)
{
	check(EVP_DigestInit_ex2(s->ctx, NULL, NULL));
}

void sha256_add(struct sha256 *s, struct str bytes)
{
	check(EVP_DigestUpdate(s->ctx, bytes.p, bytes.n));
}

struct digest sha256_end(struct sha256 *s)
{
	struct digest d;

	check(EVP_DigestFinal_ex(s->ctx, d.b, NULL));
	return d;
}

struct digest sha256_peek(struct sha256 *s)
{
	struct digest d;

	check(EVP_MD_CTX_copy_ex(s->peek_ctx, s->ctx));
	check(EVP_DigestFinal_ex(s->peek_ctx, d.b, NULL));
	return d;
}

struct digest sha256_of(struct sha256 *s, struct str bytes)
{
	sha256_restart(s);
	sha256_add(s, bytes);
	return sha256_end(s);
}

void digest_hex(char out[SHA256_HEX], struct digest d)
{
	hex_format(out, d.b, SHA256_SIZE);
}

bool digest_parse(struct str hex, struct digest *out)
{
	struct digest d;

	if (!hex_parse(hex, d.b, SHA256_SIZE))
		return false;
	*out = d;
	return true;
}
