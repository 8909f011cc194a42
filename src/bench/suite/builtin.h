/*
 * The suites that come with the program: src/bench/suites/NAME.json, put into it when it is built. Wherever a suite is
 * expected, "builtin:NAME" is one of them. tests/data/bench/answers has an answer to each of their prompts that must
 * pass and one that must not.
 */
#ifndef BENCH_SUITE_BUILTIN_H
#define BENCH_SUITE_BUILTIN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#define SUITE_BUILTIN "builtin:"

struct suite_builtin {
	const char *name; /* "sanity" */
	const char *text;
	size_t size;
};

/* By tools/gen-suites; ended by a NULL name. */
extern const struct suite_builtin suite_builtins[];

/* The name of each, without "builtin:", in the order of the table; NULL for the one behind the last, no further. */
const char *suite_builtin_name(size_t i);

/*
 * The whole name of a shipped suite, "builtin:sanity", from a name with or without "builtin:"; p NULL when none has it.
 * In the arena, or `name` itself.
 */
struct str suite_builtin_find(struct arena *a, struct str name);

/* Whether a path is the name of a shipped suite, or meant to be. */
bool suite_is_builtin(struct str path);

/*
 * The text of a shipped suite, a constant; "builtin:" before its name may be left out. False and ERR_USAGE, with the
 * names that there are, and *out untouched, for another name.
 */
bool suite_builtin_text(struct str path, struct str *out, struct err *err);

#endif
