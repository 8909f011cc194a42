/* The expressions of secret_rules.h, compiled and serialized when the program is built. */
#ifndef BASE_CRYPTO_SECRET_DB_H
#define BASE_CRYPTO_SECRET_DB_H

#include <stddef.h>
#include <stdint.h>

extern const uint64_t secret_db[];
extern const size_t secret_db_size; /* in bytes */

#endif
