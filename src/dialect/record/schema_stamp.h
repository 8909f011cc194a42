/* RFC 3339 as patterns: what stamp_parse takes, said so that any validator can check it. */
#ifndef DIALECT_RECORD_SCHEMA_STAMP_H
#define DIALECT_RECORD_SCHEMA_STAMP_H

#include "json/write.h"

/*
 * Adds a schema that holds for the strings that are times, and for everything that is no string: the type is the
 * caller's to ask for.
 */
void schema_stamp_add(struct json_writer *w);

#endif
