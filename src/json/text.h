/* The text of JSON strings both ways: escapes to bytes and bytes to minimal escapes. */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include "base/buf.h"

/* The value of four hexadecimal digits in either case, or above 0xffff when one is not. Reads up to four bytes. */
uint32_t text_hex4(const uint8_t *p);

/*
 * Writes the value of a string whose escapes have been checked; never longer than `raw`. A lone
 * surrogate becomes U+FFFD. Returns the length.
 */
size_t text_unescape(char *out, struct str raw);

/*
 * Writes bytes with the escapes RFC 8785 asks for and no others: \" \\ \b \t \n \f \r and \u00xx for
 * the other control characters. At most six times as long. Returns the length.
 */
size_t text_escape(char *out, struct str value);

/* Adds the canonical JSON string of a text that is UTF-8, quotes included. What is not UTF-8 is passed through. */
void text_quote(struct buf *out, struct str value);

/* From checked escapes straight to minimal ones; at most as long as `raw`. Returns the length. */
size_t text_minimal(char *out, struct str raw);

#endif
