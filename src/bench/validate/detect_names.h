/* What the detectors share: names found so far, and the five patterns' idea of a name. */
#ifndef BENCH_VALIDATE_DETECT_NAMES_H
#define BENCH_VALIDATE_DETECT_NAMES_H

#include "base/map.h"
#include "bench/validate/detect.h"

struct detect_names {
	struct arena *arena;
	struct str *list;
	size_t count, cap;
	struct map seen;
	const struct str *expected; /* tools that the prompt expects */
	size_t expected_count;
};

/* Adds a copy of a name, in lower case, unless it is there. `seen` must have been initialised. */
void detect_names_add(struct detect_names *n, struct str name);

/*
 * The end of the run of [a-z0-9-_.] from `at` on, `at` itself when there is none; with `any_case` as Python's
 * re.IGNORECASE takes it.
 */
size_t detect_name_end(struct str text, size_t at, bool any_case);

/* The last two of the five, which need no context: <tool>name</tool> and [tool: name]. */
void detect_tags(struct detect_names *n, struct str text);
void detect_brackets(struct detect_names *n, struct str text);

void detect_by_context(struct detect_names *n, struct str text); /* the default detector */

#endif
