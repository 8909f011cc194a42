/*
 * Hiding keys and passwords in text that is going to be shown: messages, excerpts, pointers. Unlike
 * secret.h this does not decide whether something is a key. It hides whatever might be one or a part of
 * one, needs no scanner, no library and no state, and is for short texts: what a report shows.
 *
 * Hidden, with an ellipsis in its place: what follows the public beginning of a key of secret_rules.h, when it
 * is long enough or the text ends within it; user and password of a URL; values of query parameters and of
 * JSON members with names such as api_key or password; what follows "Bearer"; blocks of private keys. JSON
 * escapes do not hide a key from this.
 */
#ifndef BASE_MASK_H
#define BASE_MASK_H

#include "base/buf.h"
#include "base/str.h"

enum mask_flag {
	MASK_CUT = 1,     /* the text is cut from a longer one: its last bytes may be part of a key */
	MASK_BEGUN = 2,   /* so may its first bytes */
	MASK_POINTER = 4, /* an RFC 6901 pointer, with its own escapes */
};

/*
 * Adds the text to the buffer. *mark and *mark_length, when given, are a place in the text (then at most a few
 * kilobytes) and become the same place in what was added. False when nothing had to be hidden.
 */
bool mask_text(struct buf *out, struct str text, unsigned flags, size_t *mark, size_t *mark_length);

/* As mask_text, of at most the first `most` bytes, with three dots when there are more. */
void mask_show(struct buf *out, struct str text, size_t most);

#define MASK_SECRET 4 /* bytes: a shorter secret may be any word */

/*
 * What somebody else said, as one line for people: control characters become spaces, blanks at the ends go, each of the
 * secrets of MASK_SECRET bytes or more is hidden wherever it
 * stands, and of the rest it is mask_show.
 */
void mask_line(struct buf *out, struct str text, const struct str *secrets, size_t count, size_t most);

/* A byte of which keys are made: a letter, a digit, or one of _ - + / = . ~ */
bool mask_is_key_byte(char c);

/*
 * A name that a credential has in a URL's query: key, api_key, token, sig, password and their like, with any
 * case and '-' for '_'.
 */
bool mask_is_credential(struct str name);

#endif
