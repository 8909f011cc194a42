/* The inside of the table checker: what a scanner remembers, and what its two files share. */
#ifndef DIALECT_RECORD_SCAN_H
#define DIALECT_RECORD_SCAN_H

#include "base/crypto/secret.h"
#include "dialect/record/record.h"
#include "json/shape.h"

#define LAYOUT_UNKNOWN UINT8_MAX
#define LAYOUTS 256
#define RECORD_CLEAN 512

/*
 * How a member is looked at first: is it like the last one that was right? The same type, neither empty nor
 * negative, an integer where it must be one, and of words the same one. If not, it is looked at in full. So
 * the first look may be too strict, never too lax.
 */
struct layout_member {
	uint64_t seen;       /* the half of the last one's token with type and flags, masked; all ones: none yet */
	uint64_t mask;       /* what matters of it: not the spelling of a number, nor which bool it was */
	uint64_t head, tail; /* of a word its ends, see text_ends in record.c */
	uint32_t length;
	uint8_t field;     /* or LAYOUT_UNKNOWN */
	bool is_word;      /* the text counts as well */
	bool is_whole;     /* a number must be an integer */
	bool always_full;
	bool may_be_null;  /* and counts as absent then */
	uint16_t left;     /* types of a container that is left to the format: only its type counts here */
};

/* What the members of a shape are to a record type. */
struct layout {
	const struct record_type *type; /* NULL: free */
	uint64_t missing;               /* a bit for each field */
	uint16_t shape, count;
	struct layout_member members[SHAPE_MEMBERS_MAX];
};

struct record_scanner {
	const struct dialect *dialect;
	struct check_options options;
	struct json_parser *parser;
	struct json_parser *spare; /* for values that share a line; opened when needed, */
	struct buf glued;          /* and the line they are read from */
	struct arena arena; /* of the record at hand */
	struct buf later;   /* values whose insides are still to be checked */
	uint32_t epoch;     /* of the parser's shapes when the layouts were made */
	struct layout layouts[LAYOUTS];
	struct secret_scanner *secrets; /* opened when needed */
	bool no_secrets;                /* it could not be */
	struct buf texts, ends, gathered; /* strings to be searched for keys when the chunk is done */
	uint64_t clean[RECORD_CLEAN];     /* hashes of strings that were found free of everything */
	void *own;                        /* the format's */
};

/* Whether a member must be there in the mode at hand. */
static inline bool record_needs(const struct record_scan *s, const struct field *f)
{
	if (f->need == FIELD_OPTIONAL)
		return s->mode == MODE_STRICT && s->format->strict_wants_optional;
	return f->need == FIELD_REQUIRED;
}

/*
 * Works out which member is which field, for an object that has a shape. The layout stays in the scanner until
 * another takes its place or the parser's shapes begin anew.
 */
struct layout *layout_make(struct record_scan *s, struct val object, const struct record_type *type);

/* Where one may be: those in use at a time must not share a place, or they would be worked out for every record. */
static inline struct layout *layout_slot(struct record_scanner *t, uint16_t shape, const struct record_type *type)
{
	uint32_t mixed = (shape * 0x9e3779b1u) ^ ((uint32_t)(uintptr_t)type * 0x85ebca6bu);

	return &t->layouts[mixed >> 24];
}

/* The same, kept or worked out. It lasts as long. */
static inline struct layout *layout_of(struct record_scan *s, struct val object, const struct record_type *type)
{
	struct record_scanner *t = s->tools;
	uint16_t shape = val_tok(object)->shape;
	struct layout *l = layout_slot(t, shape, type);

	if (l->type == type && l->shape == shape && t->epoch == object.tape->shapes->epoch)
		return l;
	return layout_make(s, object, type);
}

/*
 * Puts off what is inside a value until the object at hand is done (check_later in record.c), so that no depth costs
 * stack.
 */
void record_put_off(struct record_scan *s, struct val v, const struct field *f);

/* All strings of the record at hand, names included, are to be searched for keys. */
void record_gather_all(struct record_scan *s);

/*
 * Searches what was gathered and forgets it; hits are findings of the batch. The chunk must still be there. Where
 * the machine cannot search for keys, the batch says so (blind).
 */
void record_search(struct record_scan *s);

/* Frees what a scanner has for the search. */
void record_secret_free(struct record_scanner *t);

/* A finding about a line or document that is not JSON, by the rule of the format for such an issue. */
void record_note_json(struct record_scan *s, const struct json_issue *issue);

/* A finding about the bytes `at` to `at + length` of the record's text. */
__attribute__((format(printf, 6, 7))) void record_note_at(struct record_scan *s, unsigned rule, size_t at,
							  size_t length, struct str pointer, const char *format, ...);

#endif
