/*
 * Identifiers of 128 bits: UUIDs (RFC 9562), of which version 7 is made here in time order within a process, and ULIDs,
 * which are only read. Reading is strict and leaves *out as it was when the text is not one.
 */
#ifndef BASE_ID_H
#define BASE_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define ID_UUID_TEXT 36
#define ID_ULID_TEXT 26
#define ID_SERIES_DRAWN 250

struct id {
	uint8_t b[16];
};

static inline bool id_eq(struct id a, struct id b)
{
	return memcmp(a.b, b.b, sizeof(a.b)) == 0;
}

/* The UUIDv7 of these milliseconds since 1970 (below 2^48); of the 80 bits of `random` 74 are used. */
struct id id_uuid7(uint64_t unix_ms, const uint8_t random[10]);

/* 8-4-4-4-12 hexadecimal digits of either case, nothing else. */
bool id_parse_uuid(struct str text, struct id *out);
bool id_is_uuid(struct str text); /* the same question, without the bytes */
void id_format_uuid(char out[ID_UUID_TEXT], struct id id); /* lower case */
unsigned id_uuid_version(struct id id); /* 0 to 15, whatever the variant is */
bool id_uuid_variant_ok(struct id id);  /* the RFC's own variant, 8 to b */
uint64_t id_uuid7_ms(struct id id);     /* since 1970; means nothing for other versions */

/* 26 of Crockford's characters, either case, at most 7ZZZ...; no I, L, O, U. */
bool id_parse_ulid(struct str text, struct id *out);

/*
 * UUIDs of version 7, each greater than the one before, also within a millisecond and when the
 * clock is set back: then the random part of the last one is counted up. One series is for one thread.
 */
struct id_series {
	uint64_t ms;
	uint8_t random[10];
	bool begun;
	uint8_t drawn[ID_SERIES_DRAWN]; /* random bytes for those to come: the system is asked for many at once */
	size_t left;                    /* of them, at the end */
};

/* Forgets the last one: the next begins with fresh random bits. */
void id_series_init(struct id_series *s);

/* The next of the series. Its time is `unix_ms`, or later where the series is already later. */
struct id id_series_next_uuid7(struct id_series *s, uint64_t unix_ms);

#endif
