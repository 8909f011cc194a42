/*
 * Records that are structs, written and read by the rows of their table (field.h): what a struct is given, the checker
 * takes and the schema names. A row says which member it is about, of which kind that is, and how "not known" is told.
 */
#ifndef DIALECT_RECORD_IO_H
#define DIALECT_RECORD_IO_H

#include "base/arena.h"
#include "dialect/record/field.h"
#include "json/json.h"
#include "json/write.h"

/*
 * Writes an object with every field of the type that has a member in the struct `from`, in the order of a line. What
 * is not known is null, left out, or the least value of its kind, as its row says. Nothing fails.
 */
void record_write(struct json_writer *w, const struct record_type *type, const void *from);

/* The same into an object that is open and stays so; fields that are FIELD_EXTRA only with `extra`. */
void record_write_members(struct json_writer *w, const struct record_type *type, const void *from, bool extra);

/* Writes microseconds as a number of seconds with six digits, as KIND_MICROS has them. */
void record_write_micros(struct json_writer *w, int64_t us);

enum record_read_how {
	RECORD_READ_LOOSE = 1 << 0, /* numbers and truths also as text: "23407", "True" */
	RECORD_READ_COPY = 1 << 1,  /* texts are copied to the arena; else they may be in what was parsed */
};

/*
 * Fills in the struct `to` from an object. A member whose field is absent, null or of a type that cannot be used stays
 * as it was, so the caller sets what it takes for not known. `how` is of enum record_read_how.
 */
void record_read(const struct record_type *type, void *to, struct val object, struct arena *a, unsigned how);

/*
 * The value of each field, VAL_NONE for what is absent or when v is no object; `out` has room for type->count. One
 * walk: writers have the same order on every line, so the next name is mostly the one that is tried first. Of a name
 * that stands twice the last counts.
 */
void record_pick(const struct record_type *type, struct val v, struct val *out);

#endif
