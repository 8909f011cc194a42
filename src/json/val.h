/*
 * Looking at parsed values: what they are, their text, members and elements. A struct val is a handle into a tape,
 * which json.h describes; it is passed by value and never freed. Whatever a look-up does not find is VAL_NONE, and
 * every look-up may be asked of VAL_NONE, so that a path can be followed without asking at each step.
 */
#ifndef JSON_VAL_H
#define JSON_VAL_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum json_type { JSON_NULL = 1, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT, JSON_KEY };

enum json_flag {
	JSON_ESCAPED = 1,    /* string or key: has escapes, so its text is not its value */
	JSON_REWRITE = 2,    /* string, key or number: its text is (or may be) not its canonical form */
	JSON_LONE = 4,       /* string or key: has a lone surrogate */
	JSON_INTEGER = 8,    /* number: neither fraction nor exponent */
	JSON_DUPLICATE = 16, /* key: an earlier key of the same object has the same value */
	JSON_ODD = 32,       /* lenient only: NaN or Infinity, kept as a number; text with ill-formed UTF-8 */
};

struct json_tok {
	uint32_t off;  /* of the first byte: after the quote, or at the bracket */
	uint32_t len;  /* bytes, without quotes, brackets included */
	uint32_t link; /* container: index of the token after it; key: its number in the parser's keys */
	uint8_t type, flags;
	uint16_t shape; /* object: its shape, 0 when it has none */
};

struct json_shapes;

struct json_tape {
	const char *text;
	struct json_tok *toks;
	uint32_t count;
	struct json_shapes *shapes; /* the parser's keys and shapes */
};

/* A value: a place on a tape. Valid until its parser parses again or is freed. */
struct val {
	const struct json_tape *tape;
	uint32_t at;
};

/* The token of a value that is there; it moves when the parser parses again. */
static inline const struct json_tok *val_tok(struct val v)
{
	assert(v.tape && v.at < v.tape->count);
	return v.tape->toks + v.at;
}

/* The absent value: what a look-up that finds nothing gives. Its type is 0. */
#define VAL_NONE ((struct val){ NULL, 0 })

static inline bool val_is_none(struct val v)
{
	return v.tape == NULL;
}

static inline int val_type(struct val v)
{
	return v.tape ? val_tok(v)->type : 0;
}

static inline bool val_is(struct val v, enum json_type type)
{
	return val_type(v) == (int)type;
}

/* Absent, or null: most formats mean the same by both. */
static inline bool val_is_unset(struct val v)
{
	return !v.tape || val_tok(v)->type == JSON_NULL;
}

static inline bool val_is_bool(struct val v)
{
	return val_is(v, JSON_TRUE) || val_is(v, JSON_FALSE);
}

/* The span of the text the value was read from: quotes and brackets included. Of VAL_NONE it may not be asked. */
struct str val_source(struct val v);

/* A string's, key's or number's text as it stands in the input, without quotes, escapes as they are. */
static inline struct str val_raw(struct val v)
{
	const struct json_tok *t = val_tok(v);

	return str_of(v.tape->text + t->off, t->len);
}

/*
 * A string's or key's value; v must be one of them. Points into the input when there is no escape, else into the arena.
 * Half a surrogate pair becomes U+FFFD, and so does what is no UTF-8 (lenient reading lets both pass).
 */
struct str val_text(struct val v, struct arena *a);

/* A string's value as val_text gives it; p is NULL when v is no string, or none. */
static inline struct str val_text_or_none(struct val v, struct arena *a)
{
	return val_is(v, JSON_STRING) ? val_text(v, a) : str_of(NULL, 0);
}

/* The same, copied and terminated: it lives as long as the arena, whatever becomes of the input. */
struct str val_text_copy(struct val v, struct arena *a);

/* Whether v is a string or key whose value equals `s`; needs no arena. */
bool val_text_is(struct val v, struct str s);

/* A number's value; false when v is no number or does not fit (or is not integral, for the last). */
bool val_double(struct val v, double *out);
bool val_i64(struct val v, int64_t *out);

/* The token index just after v. */
static inline uint32_t val_end(struct val v)
{
	const struct json_tok *t = val_tok(v);

	return t->type == JSON_ARRAY || t->type == JSON_OBJECT ? t->link : v.at + 1;
}

struct val_iter {
	struct val container;
	uint32_t at, end;
};

/*
 * Over the elements of an array or the members of an object; over nothing for anything else. next gives false at the
 * end, and when it is the wrong one of the two.
 */
struct val_iter val_begin(struct val container);
bool val_next(struct val_iter *it, struct val *value);                     /* arrays */
bool val_next_member(struct val_iter *it, struct val *key, struct val *value); /* objects */

/* How many elements or members; 0 for anything else. Counts by walking, but for an object with a shape. */
size_t val_count(struct val container);

/*
 * The member with this name (the last one, when duplicates were allowed), or VAL_NONE. Walks the members: a loop over
 * one object's names is better done with val_next_member.
 */
struct val val_get(struct val object, struct str name);

/* Whether v is an object with a member of this name, be it null. */
static inline bool val_has(struct val v, struct str name)
{
	return !val_is_none(val_get(v, name));
}

/* A member's text, as val_text_or_none gives it. */
static inline struct str val_get_text(struct val object, struct str name, struct arena *a)
{
	return val_text_or_none(val_get(object, name), a);
}

/* The member with the first name, else the one with the other, for formats that spell a name in two ways. */
struct val val_get_either(struct val object, struct str name, struct str other);

/* RFC 6901: the value the pointer leads to, or VAL_NONE (also for a malformed pointer). */
struct val val_at(struct val root, struct str pointer);

/*
 * The RFC 6901 pointer of a value below root, in the arena; both must be of one tape. Walks from the root, counting
 * elements.
 */
struct str val_pointer(struct val root, struct val v, struct arena *a);

/* For many values of one tape: the hint, zero at first, is the last place in a long container, to count on from. */
struct val_hint {
	uint32_t container, at;
	uint64_t index;
};

/* As val_pointer, counted on from the hint, which is moved along; a value before it is counted to from the start. */
struct str val_pointer_near(struct val root, struct val v, struct arena *a, struct val_hint *hint);

#define VAL_DEPTH_MAX 64

/* Whether containers are nested deeper than `most` in it, itself counted; `most` is at most VAL_DEPTH_MAX. */
bool val_is_deeper(struct val root, size_t most);

#endif
