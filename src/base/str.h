/*
 * Borrowed text: a pointer and a length. A struct str owns nothing and is valid as long as the
 * bytes it points into. NUL is a byte like any other; nothing here needs or adds a terminator.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
	const char *p;
	size_t n;
};

/* A string literal as a struct str, without its terminator. */
#define STR(literal) ((struct str){ (literal), sizeof(literal) - 1 })

/* How many elements an array has; here, since nearly every file includes this one. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* For "%.*s". Text longer than a message could hold is shown in part. */
#define STR_ARG(s) (int)((s).n < 4096 ? (s).n : 4096), (s).p

/* The bytes of a terminated C string, without the terminator. NULL gives the empty string. */
struct str str_from(const char *terminated);

static inline struct str str_of(const void *p, size_t n)
{
	return (struct str){ (const char *)p, n };
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/*
 * The same when a letter of ASCII equals its other case; other bytes equal themselves only. The lengths, which mostly
 * differ, are compared where it is asked; the bytes have a function of their own.
 */
bool str_same_nocase(const char *a, const char *b, size_t n);
static inline bool str_eq_nocase(struct str a, struct str b)
{
	return a.n == b.n && str_same_nocase(a.p, b.p, a.n);
}

/* Whether a text of the list equals s; the second is for terminated words. Both walk it: for lists of some dozens. */
bool str_is_one_of(struct str s, const struct str *list, size_t count);
bool str_is_word_of(struct str s, const char *const *words, size_t count);

/* Byte order, as memcmp, with the shorter first among equals. */
int str_cmp(struct str a, struct str b);

/* str_cmp for qsort and bsearch: of two struct str, or of two structs that begin with one. */
int str_cmp_first(const void *a, const void *b);

/* Whether s begins or ends with these bytes. The empty text begins and ends every text. */
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);

/* Where needle first occurs in s, or (size_t)-1. */
size_t str_find(struct str s, struct str needle);

static inline bool str_has(struct str s, struct str needle)
{
	return str_find(s, needle) != (size_t)-1;
}

/* str_has, in the sense of str_eq_nocase. */
bool str_has_nocase(struct str s, struct str needle);

/* How often the byte occurs. */
size_t str_count(struct str s, char byte);

/* The part before the first `at`; *rest gets what follows it (empty when `at` is absent). */
struct str str_cut(struct str s, char at, struct str *rest);

/* What stands behind the first n bytes, of which there must be as many. No text at all (p is NULL) has nothing to
 * skip: C defines NULL + 0 no more than NULL + 1. */
static inline struct str str_skip(struct str s, size_t n)
{
	assert(n <= s.n);
	return n ? str_of(s.p + n, s.n - n) : s;
}

/* Without leading and trailing spaces, tabs, CRs and LFs. */
struct str str_trim(struct str s);

/* The last component of a path; the whole when there is no slash. */
struct str str_basename(struct str path);

/* The part before the last slash: "." when there is none, "/" when it is the first byte. */
struct str str_dirname(struct str path);

/* Whether the path is this directory, or names something below it; a slash at the end of `dir` does not count. */
bool str_is_at_or_below(struct str path, struct str dir);

/*
 * Whether the whole text is like the pattern, in which * stands for any bytes, also none. STR_LIKE_ONE: and ? for one
 * byte. STR_LIKE_ANY_CASE: ASCII letters are equal in either case. The work is at most the product of the lengths.
 */
enum { STR_LIKE_ONE = 1, STR_LIKE_ANY_CASE = 2 };
bool str_is_like(struct str text, struct str pattern, unsigned how);

/* Edit distance (insert, delete, replace, swap of neighbours), or limit + 1 when it is larger. */
size_t str_distance(struct str a, struct str b, size_t limit);

/* A seeded 64-bit hash; equal for equal bytes within one process only. */
uint64_t str_hash(struct str s);

/* The same in 128 bits, for tables that keep hashes instead of the bytes. */
struct hash {
	uint64_t a, b;
};
/* 128 bits of hash, seeded likewise: two texts with the same one are taken for equal. */
struct hash str_hash_wide(struct str s);

#endif
