/* Ed25519 (RFC 8032, pure) through OpenSSL. Signatures are deterministic: the same text has the same one, always. */
#ifndef BASE_CRYPTO_ED25519_H
#define BASE_CRYPTO_ED25519_H

#include "base/err.h"
#include "base/str.h"

#define ED25519_SEED 32
#define ED25519_PUBLIC 32
#define ED25519_SIGNATURE 64

/* The public half of a seed. False when OpenSSL has no Ed25519 (a build without it). */
bool ed25519_public(const uint8_t seed[ED25519_SEED], uint8_t out[ED25519_PUBLIC], struct err *err);

/* Signs a text with the seed's private half. False, and *out untouched, where OpenSSL refuses. */
bool ed25519_sign(const uint8_t seed[ED25519_SEED], struct str text, uint8_t out[ED25519_SIGNATURE], struct err *err);

/* Whether the signature of the text is by this key. False also when the key is not a point of the curve. */
bool ed25519_is_signed(const uint8_t key[ED25519_PUBLIC], struct str text, const uint8_t signature[ED25519_SIGNATURE]);

#endif
