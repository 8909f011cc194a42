/* HMAC and the keys derived with it, over one-shot calls of OpenSSL. */
#include "base/crypto/hmac.h"

#include <limits.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/buf.h"
#include "base/fatal.h"

struct digest hmac_of(struct str key, struct str text)
{
	struct digest d;
	unsigned n = sizeof(d.b);

	/* It fails only without memory or without a provider: nothing a caller could mend. */
	if (key.n > INT_MAX || !HMAC(EVP_sha256(), key.p ? key.p : "", (int)key.n,
				     (const uint8_t *)(text.p ? text.p : ""), text.n, d.b, &n) || n != sizeof(d.b))
		fatal_exit("OpenSSL gives no HMAC");
	return d;
}

/* RFC 5869 with one block of output, which is all that a key of 32 bytes needs. */
struct digest hmac_derive(struct str secret, struct str salt, struct str label)
{
	struct digest extracted = hmac_of(salt, secret), out;
	struct buf info;

	buf_init(&info);
	buf_add_str(&info, label);
	buf_add_byte(&info, 1);
	out = hmac_of(str_of(extracted.b, sizeof(extracted.b)), buf_str(&info));
	buf_free(&info);
	explicit_bzero(&extracted, sizeof(extracted));
	return out;
}

bool hmac_is_same(struct digest a, struct digest b)
{
	return CRYPTO_memcmp(a.b, b.b, sizeof(a.b)) == 0;
}
