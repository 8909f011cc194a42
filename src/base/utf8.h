/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Decodes the character at p (n > 0 bytes available). Gives its length, 1 to 4, or 0 when the bytes
 * are not well-formed.
 */
size_t utf8_decode(const char *p, size_t n, uint32_t *code);

/* Writes 1 to 4 bytes; `code` must be a scalar value (or a surrogate, written as CESU would). */
size_t utf8_encode(char out[4], uint32_t code);

/* The offset of the first ill-formed byte, or s.n when there is none. */
size_t utf8_check(struct str s);

/* Whether this byte goes on with a character that another byte began. */
static inline bool utf8_is_tail(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The longest beginning of at most `max` bytes that does not end inside a character. */
struct str utf8_cut(struct str s, size_t max);

/* How many code points; an ill-formed byte counts as one. */
size_t utf8_count(struct str s);

/* Columns on a terminal: wide East Asian and emoji count 2, combining marks 0, ill-formed bytes 1. */
size_t utf8_width(struct str s);

/*
 * Text that looks like other text: line and paragraph separators, marks and overrides of direction, the byte order
 * mark, zero-width space, C1 controls and the tag characters. Joiners are none, scripts need them.
 */
bool utf8_is_deceptive(uint32_t code);

/* Order by UTF-16 code units, as RFC 8785 wants for names. Both must be well-formed. */
int utf8_cmp_utf16(struct str a, struct str b);

#endif
