/*
 * Columns of one character on a terminal, from the properties General_Category and East_Asian_Width
 * of the Unicode Character Database, version 14. wcwidth is not used: its answer is the locale's.
 */
#ifndef BASE_UTF8_WIDTH_H
#define BASE_UTF8_WIDTH_H

#include <stdint.h>

/* 0, 1 or 2. Control characters count 1, since whoever shows them shows something in their place. */
unsigned utf8_width_of(uint32_t code);

#endif
