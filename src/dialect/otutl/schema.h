/*
 * The seven records of OTUTL as tables, for its JSON Schema alone: the scanner has its own way through a
 * record, because it hashes at the same time. The schema's tests hold the two against each other.
 */
#ifndef DIALECT_OTUTL_SCHEMA_H
#define DIALECT_OTUTL_SCHEMA_H

#include "dialect/record/field.h"

/* Ended by NULL; rules are those of otutl_rules. */
extern const struct record_type *const otutl_roots[];

#endif
