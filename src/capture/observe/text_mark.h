/*
 * A text that may not be kept, known again when it comes back, alone or inside another: by its length, a rolling hash
 * with a key of this process, and SHA-256. A window of the other text whose rolling hash fits is digested, so what is
 * found is the text itself and no chance.
 */
#ifndef CAPTURE_OBSERVE_TEXT_MARK_H
#define CAPTURE_OBSERVE_TEXT_MARK_H

#include "base/crypto/sha256.h"

struct text_mark {
	size_t bytes, chars; /* chars: code points of UTF-8 */
	uint64_t key, rolling;
	struct digest sha;
};

/* What makes marks and looks for them; text_marker_free gives it back. */
struct text_marker {
	struct sha256 sha;
	uint64_t key;
};

/* A marker with the key of this process; and its digests given back. */
void text_marker_init(struct text_marker *m);
void text_marker_free(struct text_marker *m);

/* The mark of a text, of any length. */
struct text_mark text_mark_of(struct text_marker *m, struct str text);

/*
 * The key of a text's mark, for tables: a hash with a key of this process, at far less cost than the mark. 0 for a text
 * of fewer than `least` code points, never for others.
 */
uint64_t text_mark_key(struct str text, size_t least);

/* Whether the marks are of one text. */
bool text_mark_eq(const struct text_mark *a, const struct text_mark *b);

/* Whether the marked text stands in this one, as all of it or a part; takes time for each byte of it. */
bool text_mark_is_in(struct text_marker *m, const struct text_mark *mark, struct str text);

/*
 * A digest of a text that comes in pieces, without the white space at its ends; the same however it is cut, within one
 * process. All zero at first.
 */
struct text_run {
	uint64_t digest; /* 0: nothing but white space yet */
	uint64_t hash;   /* of the whole words of eight bytes so far */
	uint64_t word;   /* what came of the next one */
	uint64_t bytes;  /* so far */
};

/* Adds the next piece; white space around the whole does not count. */
void text_run_add(struct text_run *r, struct str piece);

#endif
