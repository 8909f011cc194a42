/*
 * RFC 8785, the canonical form of JSON: names in UTF-16 order, ECMAScript numbers, minimal escapes,
 * no white space. CANON_JCS is that and nothing else: an integer beyond 2^53 is the double nearest to
 * it, 1e-400 is 0. CANON_OTUTL is the profile on top, which refuses what would change a number
 * silently. The two are kept apart because mixing them breaks the RFC.
 *
 * Both refuse what RFC 8785 must refuse: a number beyond the largest double, lone surrogates and
 * duplicate names (when the parser was told to let those pass).
 */
#ifndef JSON_CANON_H
#define JSON_CANON_H

#include "base/buf.h"
#include "json/json.h"

enum canon_profile {
	CANON_JCS,
	CANON_OTUTL, /* also E_NUM_UNDERFLOW, E_NUM_UNSAFE_INT */
};

/* Working memory of one thread; reused from value to value. Never NULL; canon_close takes NULL too. */
struct canon;
struct canon *canon_open(enum canon_profile profile);
void canon_close(struct canon *c);

/*
 * Adds the canonical bytes of v to `out`. On failure false, `out` as it was, and *bad_at is the token
 * at fault and *code the reason (the first in the order of the output).
 */
bool canon_value(struct canon *c, struct val v, struct buf *out, uint32_t *bad_at, enum json_code *code);

/*
 * What canon_value refused, as an issue: its offset counts from the start of the tape's text, its
 * pointer is in the arena, its line and column are left 0.
 */
void canon_issue(struct val root, uint32_t bad_at, enum json_code code, struct arena *a, struct json_issue *out);

#endif
