/*
 * Patterns that users write, held against text that models write: neither may hang the run. PCRE2 does the matching;
 * what is ours is the budget, and the reading of Python's syntax.
 *
 * PCRE2's own match limit counts its steps back, but not what lies between two of them (a long run of one character,
 * a long text referred back to), and it starts anew at each place where a match may begin. So every pattern is
 * compiled with a callout before each of its items, and the callout counts: one for the item, one for each byte that
 * was passed since the last one, and the lengths of what groups have taken where the pattern refers to them. When the
 * budget is used up, the match is given up. That is a figure, not a time: the same pattern and text give the same
 * answer on every machine. Who matches many patterns for one answer gives them one budget. Not taken: a clock (answers
 * would differ from run to run), a matcher in linear time (no look-ahead, no back-references, both of which Python's
 * users have).
 *
 * Python's syntax where PCRE2 reads it otherwise is rewritten: \Z, \v, \s, \uXXXX, \UXXXXXXXX, {,n}, a [ inside a
 * set, the flag u. Left as PCRE2 has it: \S inside a set, letters under (?i) beyond simple pairs, and syntax that
 * Python refuses.
 */
#ifndef BENCH_VALIDATE_REGEX_H
#define BENCH_VALIDATE_REGEX_H

#include "base/arena.h"
#include "base/str.h"

/* What may be spent on a text: a sum for patterns that are hard, and what any pattern needs to pass over it. */
#define REGEX_BUDGET 4000000u
#define REGEX_PER_BYTE 64u
#define REGEX_PATTERN_MAX 4096 /* bytes of a pattern */

enum regex_syntax {
	REGEX_PYTHON, /* re with str patterns: \d, \w and \b know all scripts */
	REGEX_ECMA,   /* as JSON Schema asks for: \d and \w are ASCII, $ is the very end */
	REGEX_TEXT,   /* no syntax at all, letters of either case */
};

struct regex;

struct regex_fault {
	size_t at; /* bytes from the start of the pattern */
	char text[160];
};

/*
 * Compiles a pattern into the arena; many threads may use it at once. NULL, and *fault unless `fault` is NULL, when it
 * is no pattern or has more than REGEX_PATTERN_MAX bytes. Nothing is to be freed.
 */
struct regex *regex_new(struct arena *a, struct str pattern, enum regex_syntax syntax, struct regex_fault *fault);

enum regex_answer { REGEX_NO, REGEX_YES, REGEX_LIMIT };

/*
 * Whether the text as a whole, or some part of it, matches. The text must be UTF-8, which is not checked. What is spent
 * is taken from *budget; with NULL it has its own. REGEX_LIMIT: budget or memory were not enough, and nothing is known
 * about the text; *budget is 0 when it was the budget.
 */
enum regex_answer regex_match(const struct regex *r, struct str text, bool whole, uint64_t *budget);

#endif
