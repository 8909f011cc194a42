/* HMAC-SHA-256 (RFC 2104) through OpenSSL, and keys derived with it (HKDF, RFC 5869). */
#ifndef BASE_CRYPTO_HMAC_H
#define BASE_CRYPTO_HMAC_H

#include "base/crypto/sha256.h"

/* The code of a text under a key; both may be of any length. */
struct digest hmac_of(struct str key, struct str text);

/* 32 bytes that follow from a secret: others for another label, and for another salt. */
struct digest hmac_derive(struct str secret, struct str salt, struct str label);

/* Whether two of them are equal, in a time that does not tell where they differ. */
bool hmac_is_same(struct digest a, struct digest b);

#endif
