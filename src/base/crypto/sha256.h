/*
 * SHA-256 through OpenSSL's EVP. The digest is fetched once per context and the context reused,
 * because fetching costs more than hashing a short record.
 */
#ifndef BASE_CRYPTO_SHA256_H
#define BASE_CRYPTO_SHA256_H

#include <stdint.h>

#include "base/str.h"

#define SHA256_SIZE 32
#define SHA256_HEX 64

struct sha256 {
	void *md, *ctx, *peek_ctx; /* EVP_MD, EVP_MD_CTX twice */
};

struct digest {
	uint8_t b[SHA256_SIZE];
};

/*
 * One running digest: add, then end or peek. sha256_end closes it until sha256_restart; sha256_of does all three. What
 * the library cannot do ends the process (fatal.h). sha256_free gives the contexts back.
 */
void sha256_init(struct sha256 *s); /* ready to add */
void sha256_free(struct sha256 *s);
void sha256_restart(struct sha256 *s);
void sha256_add(struct sha256 *s, struct str bytes);
struct digest sha256_end(struct sha256 *s);  /* then sha256_restart to use it again */
struct digest sha256_peek(struct sha256 *s); /* the digest so far; adding may go on */
struct digest sha256_of(struct sha256 *s, struct str bytes);

static inline bool digest_eq(struct digest a, struct digest b)
{
	return memcmp(a.b, b.b, sizeof(a.b)) == 0;
}

void digest_hex(char out[SHA256_HEX], struct digest d); /* lower case, no terminator */
bool digest_parse(struct str hex, struct digest *out);  /* 64 digits of either case */

#endif
