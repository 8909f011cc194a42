/* Bytes as hexadecimal digits, two for each. */
#ifndef BASE_CRYPTO_HEX_H
#define BASE_CRYPTO_HEX_H

#include "base/str.h"

/* What a digit of either case stands for, 0 to 15, or -1. */
int hex_value(char digit);

/* Writes 2 n lower-case digits, no terminator. */
void hex_format(char *out, const void *bytes, size_t n);

/* Reads exactly 2 n digits of either case into n bytes; false, with *bytes half done, on anything else. */
bool hex_parse(struct str digits, void *bytes, size_t n);

#endif
