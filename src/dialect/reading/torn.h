/* Lines that a writer did not finish. */
#ifndef DIALECT_READING_TORN_H
#define DIALECT_READING_TORN_H

#include <stdbool.h>

#include "base/str.h"

/*
 * Whether the text, which is not JSON, breaks off inside an object or array. It counts brackets outside
 * strings and nothing else.
 */
bool torn_is(struct str text);

#endif
