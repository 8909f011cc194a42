/*
 * Formats as tables. A record type lists the members of one kind of object; a field says what a member
 * may be, and where a struct holds it. The same rows are read by the checker (record.h), which turns a broken
 * row into a finding, by the writer of JSON Schemas (schema.h), and by what writes and reads a record
 * (record/io.h), so that they cannot drift apart.
 *
 * A field that is not required may be absent or null; the tables do not say T_NULL for that. T_NULL in
 * a required field means that the member must be there and may be null.
 */
#ifndef DIALECT_RECORD_FIELD_H
#define DIALECT_RECORD_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "base/str.h"
#include "json/json.h"
#include "model/event.h"

/* What a value may be: bits. */
enum field_types {
	T_NULL = 1 << JSON_NULL,
	T_BOOL = 1 << JSON_FALSE | 1 << JSON_TRUE,
	T_NUMBER = 1 << JSON_NUMBER,
	T_STRING = 1 << JSON_STRING,
	T_ARRAY = 1 << JSON_ARRAY,
	T_OBJECT = 1 << JSON_OBJECT,
	T_ANY = T_NULL | T_BOOL | T_NUMBER | T_STRING | T_ARRAY | T_OBJECT,
	T_WHOLE = 1 << 15,             /* with T_NUMBER: only with an integral value, however it is spelled */
	T_INTEGER = T_NUMBER | T_WHOLE,
};

enum field_need {
	FIELD_OPTIONAL, /* may be absent or null; a strict format wants it there */
	FIELD_REQUIRED,
	FIELD_EXTRA, /* may be absent or null in every mode */
};

/* What else must hold of a value of the right type. The finding is that of `rule`. */
enum field_check {
	CHECK_NONE,
	CHECK_NOT_EMPTY,    /* string: has a byte */
	CHECK_NOT_BLANK,    /* string: has something but white space */
	CHECK_WORD,         /* string: one of `words` */
	CHECK_NOT_NEGATIVE, /* number */
	CHECK_RANGE,        /* number: from `min` to `max` */
	CHECK_STAMP,        /* string: RFC 3339 with Z or an offset */
};

/*
 * What the struct of a record has for a field: record/io.h writes and reads it. Each kind has a value that stands for
 * "not known".
 */
enum field_kind {
	KIND_NO_MEMBER, /* the field is neither written nor read by its row */
	KIND_CONST,  /* no member: the first of `words` is written */
	KIND_TEXT,   /* struct str; not known: p NULL */
	KIND_TEXTS,  /* const struct str *, and a size_t with their number right behind it: an array */
	KIND_LENGTH, /* size_t, the number of those; written, and not read */
	KIND_JSON,   /* struct str, a value that is JSON already; not known: n 0 */
	KIND_JSONS,  /* const struct str * and size_t: an array of such values */
	KIND_BOOL,   /* bool; not known: false, where that is left out */
	KIND_TRUTH,  /* an enum: 0 not known, 1 true, 2 false */
	KIND_WORD,   /* an enum, the place in `words`; not known: any place behind them */
	KIND_I64,    /* int64_t; not known: negative */
	KIND_U64,    /* uint64_t; not known: 0 */
	KIND_DOUBLE, /* double; not known: negative or not finite */
	KIND_OBJECT, /* a struct of the type `inside`; not known: its first member, a text, is not */
	KIND_LIST,   /* a pointer to such structs, and a size_t with their number right behind it: an array */
	KIND_PAIRS,  /* pointer and size_t as well, to pairs of struct str: an object of texts with free names */
	/* written, and not read */
	KIND_NAME,   /* const char *; not known: NULL */
	KIND_FIGURE, /* struct figure */
	KIND_SOURCE, /* struct figure: the first of `words` when it is known from the API, else the second */
	KIND_MICROS, /* int64_t of microseconds: seconds with all six digits */
	KIND_ID,     /* struct id, as a UUID */
	KIND_IDS,    /* const struct id *, and a size_t with their number right behind it: an array */
};

/* How "not known" is written. A required field that may not be null is the first of its words, 0 or "" then. */
enum field_unknown {
	UNKNOWN_NULL,
	UNKNOWN_ABSENT,
	UNKNOWN_AS_BEFORE, /* the field, known or not, stands where the one before it does */
};

struct words {
	const struct str *items;
	size_t count;
};

/* WORDS(WORD("auto"), WORD("none")): a constant, which STR() cannot be part of. */
#define WORD(literal) { (literal), sizeof(literal) - 1 }
#define WORDS(...) \
	(&(const struct words){ (const struct str[]){ __VA_ARGS__ }, \
				sizeof((const struct str[]){ __VA_ARGS__ }) / sizeof(struct str) })

struct record_type;

struct field {
	const char *name;
	uint16_t types; /* enum field_types */
	uint8_t need;   /* enum field_need */
	uint8_t check;  /* enum field_check */
	uint16_t rule;  /* of the check: its place in the format's rules */
	uint8_t kind;    /* enum field_kind */
	uint8_t unknown; /* enum field_unknown */
	uint16_t at;     /* offset of the member in the struct of the record */
	const struct words *words;
	const struct record_type *object; /* what an object must be; NULL for any */
	const struct record_type *inside; /* of a KIND_OBJECT or KIND_LIST: the type of its struct */
	const struct field *each; /* what every element, or every value of an object with free names, must be */
	double min, max;
	bool by_hand;      /* the check, and what is inside, are left to the format; the schema has them as always */
	const char *about; /* one line for the schema; may be NULL */
};

/* The member of a struct that a row is about, and its kind, by the member's type or by name. */
#define FIELD_AT(struct_, member_)                                                                                \
	FIELD_AS(_Generic(((struct_ *)0)->member_, struct str: KIND_TEXT, bool: KIND_BOOL, unsigned: KIND_WORD, \
			  int64_t: KIND_I64, uint64_t: KIND_U64, double: KIND_DOUBLE, const char *: KIND_NAME,    \
			  struct figure: KIND_FIGURE, struct id: KIND_ID),                                        \
		 struct_, member_)
#define FIELD_AS(kind_, struct_, member_) .kind = (kind_), .at = offsetof(struct_, member_)

/* A list and the number of its elements, which must be neighbours. */
#define FIELD_LIST(kind_, struct_, list_, count_)                                                              \
	.kind = (kind_),                                                                                       \
	.at = offsetof(struct_, list_) +                                                                       \
	      0 * sizeof(char[offsetof(struct_, count_) == offsetof(struct_, list_) + sizeof(void *) ? 1 : -1])

#define RECORD_FIELDS 64 /* at most, in a record type */

struct record_type {
	const char *name; /* "model_call" */
	const struct field *fields;
	size_t count;
	bool closed;        /* other names are findings in every mode, not only in the strict one */
	uint16_t on_missing; /* the rule of a member that is missing, where it is not the format's; else 0 */
	/* The fields of a line in their order, by their places in the table; NULL where that is the table's order. */
	const uint8_t *order;
	size_t order_count;
	size_t size; /* of its struct, where that is in lists */
	const char *schema; /* members to add to its JSON Schema, for rules no row can say: `"allOf":[...]` */
	const char *about;
};

#define RECORD_TYPE(table) .fields = (table), .count = COUNT(table)
#define RECORD_ORDER(list) .order = (list), .order_count = COUNT(list)

#endif
