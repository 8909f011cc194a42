/*
 * Names and shapes. Every distinct name gets a number. A shape is a sequence of names: the empty
 * object has shape SHAPE_EMPTY, and each shape remembers which shapes follow from it by which name,
 * so that the objects of a log, which repeat the same few sequences of names, walk along known paths.
 *
 * What that buys: the next name is predicted with its quotes, colon and spacing, and one comparison
 * confirms it; a name that would repeat is noticed once, when a shape is made; the canonical order of
 * the names is worked out once per shape; a look-up of a name that is not there mostly ends at the shape.
 *
 * Hostile input makes endless names and shapes, so both are bounded: an object that outgrows the
 * bounds has SHAPE_NONE, its duplicates are found when it closes by stamping its names, and the
 * tables are emptied between records once they are full.
 */
#ifndef JSON_SHAPE_H
#define JSON_SHAPE_H

#include "base/arena.h"
#include "base/str.h"

#define SHAPE_NONE 0
#define SHAPE_EMPTY 1
#define SHAPE_MEMBERS_MAX 96   /* longer objects have no shape */
#define SHAPE_MAX 8192         /* shapes kept */
#define SHAPE_KEYS_MAX 65536   /* names kept before the tables are emptied */
#define SHAPE_KEY_BYTES_MAX ((size_t)8 << 20)
#define SHAPE_GUESS 32 /* bytes of a predicted name with quotes, colon and spacing */

struct shape_key {
	struct str text;  /* the name, unescaped */
	struct str canon; /* `,"name":` in canonical form, or empty when not made yet */
	uint64_t hash;
	uint32_t stamp; /* of the last object checked for duplicates that has it */
};

/* One predicted step: the bytes from the opening quote to the value, zero padded. */
struct shape_guess {
	uint8_t bytes[SHAPE_GUESS];
	uint32_t mask; /* a bit per byte that counts; 0 when there is no guess */
	uint16_t to;   /* the shape it leads to */
	uint8_t bytes_len, name_len;
	uint32_t key;
};

struct shape {
	struct shape_guess guess[2]; /* the latest two different steps, newest first */
	uint32_t key;   /* the name that led here */
	uint16_t from;  /* the shape before it */
	uint16_t count; /* names */
	uint64_t marks; /* of its names: shape_mark */
	uint8_t *order; /* canonical order: positions of the names, or NULL when not made yet */
	bool sorted;    /* the order is the order they come in; valid when order is not NULL */
};

struct shape_step { /* a slot of the hash table of steps */
	uint32_t key;
	uint16_t from, to; /* to 0: free */
};

struct json_shapes {
	struct shape *shapes; /* moves when a step makes a new one */
	uint32_t shape_count, shape_cap;
	struct shape_step *steps;
	struct shape_key *keys;
	uint32_t key_count, key_cap;
	uint32_t *slots; /* hash table of key numbers + 1 */
	uint32_t slot_cap;
	size_t key_bytes;
	uint32_t stamp;
	uint32_t epoch; /* grows when the tables are emptied */
	bool full;      /* to be emptied before the next record */
	struct arena arena;
};

/* Empty tables. They belong to one parser, and tapes point into them: shapes_free comes after the last value. */
void shapes_init(struct json_shapes *s);
void shapes_free(struct json_shapes *s);

/* One bit of 64, by which most names that a shape does not have are known at a glance. */
static inline uint64_t shape_mark(struct str name)
{
	unsigned first = name.n ? (unsigned char)name.p[0] : 0, last = name.n ? (unsigned char)name.p[name.n - 1] : 0;

	return (uint64_t)1 << ((7 * (unsigned)name.n + 5 * first + 11 * last) & 63);
}

/* Empties the tables if they are full. Numbers given before mean nothing afterwards. */
void shapes_empty_if_full(struct json_shapes *s);

/* The number of a name; the same for equal bytes until the tables are emptied. The name is copied. */
uint32_t shapes_key(struct json_shapes *s, struct str name);

/*
 * The shape after adding `key` to `from`: SHAPE_NONE when `from` is SHAPE_NONE or bounds are reached.
 * *duplicate tells that `from` has that key already (the result is SHAPE_NONE then).
 */
uint16_t shapes_step(struct json_shapes *s, uint16_t from, uint32_t key, bool *duplicate);

/*
 * Remembers that `from` was left by the name in `bytes` (opening quote to value), for the next time. Does nothing for
 * steps from or to SHAPE_NONE, and for more than SHAPE_GUESS bytes.
 */
void shapes_guess(struct json_shapes *s, uint16_t from, uint16_t to, uint32_t key, struct str bytes, size_t name_len);

/*
 * `,"name":` in canonical form. Made once, and lives until the tables are emptied; SHAPE_GUESS bytes behind it may be
 * read.
 */
struct str shapes_key_canon(struct json_shapes *s, uint32_t key);

/*
 * Makes and gives the canonical order of a shape's names; SHAPE_NONE has none and may not be asked for. The struct
 * moves with the next new shape, its `order` does not.
 */
const struct shape *shapes_order(struct json_shapes *s, uint16_t shape);

#endif
