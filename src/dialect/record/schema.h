/*
 * JSON Schemas (draft 2020-12) from the tables of the formats, so that programs in other languages can
 * check what we check. A schema takes the records in which we find no error of a record's own: warnings
 * reject nothing, and what lies between the records of a file is beyond any schema. The codes of the
 * rules it cannot say stand in its $comment.
 *
 * What a record type says in `schema` is merged into its definition: members other than those written
 * here ("allOf", "anyOf", "if", ...). A rule said there has its code in a $comment there.
 */
#ifndef DIALECT_RECORD_SCHEMA_H
#define DIALECT_RECORD_SCHEMA_H

#include "base/buf.h"
#include "dialect/dialect.h"

/* Whether the format has tables to make a schema of. */
bool schema_has(const struct dialect *d);

/* Adds the schema of one record, indented, with a newline at its end. The format must have one. */
void schema_add(struct buf *out, const struct dialect *d, enum check_mode mode);

#endif
