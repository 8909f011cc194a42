/* Identifiers: UUIDv7 (RFC 9562) and ULID, made in time order within a process and read strictly. */
#ifndef BASE_ID_H
#define BASE_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define ID_UUID_TEXT 36
#define ID_ULID_TEXT 26

struct id {
	uint8_t b[16];
};

static inline bool id_eq(struct id a, struct id b)
{
	return memcmp(a.b, b.b, sizeof(a.b)) == 0;
}

/* A new UUIDv7 for the given milliseconds since 1970 from 74 random bits. */
struct id id_uuid7(uint64_t unix_ms, const uint8_t random[10]);

/* A new ULID for the given milliseconds (below 2^48) and 80 random bits. */
struct id id_ulid(uint64_t unix_ms, const uint8_t random[10]);

/* 8-4-4-4-12 hexadecimal digits of either case, nothing else. */
bool id_parse_uuid(struct str text, struct id *out);
bool id_is_uuid(struct str text); /* the same question, without the bytes */
void id_format_uuid(char out[ID_UUID_TEXT], struct id id); /* lower case */
unsigned id_uuid_version(struct id id);
bool id_uuid_variant_ok(struct id id); /* the RFC's own variant, 8 to b */
uint64_t id_uuid7_ms(struct id id);

/* 26 of Crockford's characters, either case, at most 7ZZZ...; no I, L, O, U. */
bool id_parse_ulid(struct str text, struct id *out);
void id_format_ulid(char out[ID_ULID_TEXT], struct id id); /* upper case */

/*
 * Identifiers of one kind, each greater than the one before, also within a millisecond and when the
 * clock is set back: then the random part of the last one is counted up. One series is for one thread.
 */
struct id_series {
	uint64_t ms;
	uint8_t random[10];
	bool begun;
};

void id_series_init(struct id_series *s);
struct id id_series_next_uuid7(struct id_series *s, uint64_t unix_ms);
struct id id_series_next_ulid(struct id_series *s, uint64_t unix_ms);

#endif
