/* UTF-16 code units as \u escapes spell them. */
#ifndef JSON_UNIT_H
#define JSON_UNIT_H

#include "json/text.h"

#define UNIT_NONE UINT32_MAX

/* The first and the second half of a surrogate pair. UNIT_NONE is neither. */
static inline bool unit_is_high(uint32_t unit)
{
	return unit - 0xd800 < 0x400;
}

static inline bool unit_is_low(uint32_t unit)
{
	return unit - 0xdc00 < 0x400;
}

/* The code unit of the \u escape at `at`, or UNIT_NONE when there is no whole one. */
static inline uint32_t unit_find(struct str text, size_t at)
{
	uint32_t unit;

	if (text.n < 6 || at > text.n - 6 || text.p[at] != '\\' || text.p[at + 1] != 'u')
		return UNIT_NONE;
	unit = text_hex4((const uint8_t *)text.p + at + 2);
	return unit > 0xffff ? UNIT_NONE : unit;
}

/* Whether the escapes at `at` and after it are the two halves of one character. */
static inline bool unit_is_pair(struct str text, size_t at)
{
	return unit_is_high(unit_find(text, at)) && unit_is_low(unit_find(text, at + 6));
}

#endif
