/*
 * A record's canonical form and behaviour projection, made together: the members are brought into
 * canonical order once, each value is written once, and what the projection keeps is copied.
 */
#ifndef DIALECT_OTUTL_PROJECT_H
#define DIALECT_OTUTL_PROJECT_H

#include "dialect/otutl/field.h"
#include "dialect/otutl/otutl.h"

/*
 * Lists the members of `object` in `members`, whose old content goes, and puts those with a meaning into `fields`;
 * those that are not there are VAL_NONE. Values point into the parsed line.
 */
void otutl_members_read(struct buf *members, struct val object, struct val fields[OTUTL_MEMBERS]);

/*
 * Adds the bytes of the record to `out` and notes in `r` where they are; s->members must be those of
 * the record. False, with `out` as it was, when a number has no canonical form.
 */
bool otutl_project(struct otutl_scanner *s, struct val object, struct otutl_batch *out, struct otutl_record *r);

#endif
