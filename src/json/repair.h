/* Ill-formed UTF-8 made well-formed, for text that must be shown or written whatever it holds. */
#ifndef JSON_REPAIR_H
#define JSON_REPAIR_H

#include "base/str.h"

/*
 * Copies s with U+FFFD for every byte that belongs to no character; at most three times as long.
 * Returns the length.
 */
size_t repair_utf8(char *out, struct str s);

#endif
