/* Base64 as RFC 4648 has it in section 4: with padding, without line breaks. */
#ifndef BASE_CRYPTO_BASE64_H
#define BASE_CRYPTO_BASE64_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* Adds the text of the bytes to `out`; of no bytes, nothing. */
void base64_add(struct buf *out, struct str bytes);

/* Adds the bytes of a text that is base64 and nothing else; false, and nothing added, otherwise. */
bool base64_parse(struct buf *out, struct str text);

/* Likewise when it is of exactly n bytes; *out is untouched otherwise. */
bool base64_parse_bytes(void *out, size_t n, struct str text);

#endif
