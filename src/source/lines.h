/* Counting lines, fast enough that the reading thread does not notice it. */
#ifndef SOURCE_LINES_H
#define SOURCE_LINES_H

#include <stddef.h>

#include "base/str.h"

/* How many LFs are in s. */
size_t lines_count(struct str s);

#endif
