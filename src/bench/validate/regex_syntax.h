/* Between Python's (and ECMAScript's) patterns and PCRE2's: the same pattern in the other's words. */
#ifndef BENCH_VALIDATE_REGEX_SYNTAX_H
#define BENCH_VALIDATE_REGEX_SYNTAX_H

#include "bench/validate/regex.h"

struct regex_reading {
	struct str text;
	const uint32_t *origin; /* for each byte of the text, the place in the pattern that it comes from */
	size_t length;          /* of the pattern */
};

/*
 * Rewrites the pattern into the arena. False, and *fault unless it is NULL, for what PCRE2 would take and must not, and
 * for \u and \U without their digits; *out is untouched then. What is no pattern in either syntax passes: PCRE2 refuses
 * it.
 */
bool regex_read(struct arena *a, struct str pattern, enum regex_syntax syntax, struct regex_reading *out,
		struct regex_fault *fault);

#endif
