/*
 * Finding keys of known services in text: the rows of secret_rules.h, all at once, in linear time.
 *
 * The expressions are compiled by Hyperscan when the program is built (tools/gen-secrets.c) and lie in the
 * program as bytes; opening a scanner copies them, which takes a fraction of a millisecond. Hyperscan says
 * where a shape ends; what makes it a key (its beginning, its entropy, the list of known examples) is
 * decided here by walks over the match, so that no text, however made, costs more than time in proportion to
 * its length. doc/decisions/005-secrets.md has the argument and the figures.
 *
 * A scanner belongs to one thread. Two do not share anything.
 */
#ifndef BASE_CRYPTO_SECRET_H
#define BASE_CRYPTO_SECRET_H

#include "base/crypto/secret_rules.h"
#include "base/err.h"
#include "base/str.h"

#define SECRET_TEXT_MAX 0x7fffffffu /* bytes of one scan */

struct secret_scanner;

struct secret_hit {
	size_t at, length; /* the key, in bytes of the text */
	const struct secret_rule *rule;
};

/* What one scan found, in order of place, none inside another. Valid until the next scan. */
struct secret_hits {
	const struct secret_hit *list;
	size_t count;
};

/* NULL when the library cannot run here, with the reason. */
struct secret_scanner *secret_scanner_open(struct err *err);

/*
 * The same scanner from expressions compiled now, which takes about a third of a second. Opening falls back
 * to this when the bytes in the program are of another version than the library.
 */
struct secret_scanner *secret_scanner_compile(struct err *err);

/* NULL is fine. */
void secret_scanner_close(struct secret_scanner *s);

/* One text, of at most SECRET_TEXT_MAX bytes. */
struct secret_hits secret_scan(struct secret_scanner *s, struct str text);

/*
 * Many texts in one buffer, each followed by a line feed which belongs to none: text i ends at ends[i], and
 * the next begins one byte later. The answer is the same as for each of them alone; they may contain line
 * feeds themselves.
 */
struct secret_hits secret_scan_many(struct secret_scanner *s, struct str texts, const size_t *ends, size_t count);

/* True when there is a key in the text; the first one goes to *out (which may be NULL). */
bool secret_find(struct secret_scanner *s, struct str text, struct secret_hit *out);

#endif
