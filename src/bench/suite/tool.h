/* A tool of the machine that is asked something short: what it said, or why it did not. Takes a few seconds at most. */
#ifndef BENCH_SUITE_TOOL_H
#define BENCH_SUITE_TOOL_H

#include "base/arena.h"
#include "base/str.h"

#define TOOL_MS 3000
#define TOOL_SAID ((size_t)1 << 20) /* bytes */

/*
 * Runs the tool; true, and *said its standard output, when it ends with status 0. argv is NULL-ended; the program is
 * looked for in PATH. False when it cannot be run, takes longer than TOOL_MS, says more than TOOL_SAID bytes or fails:
 * then *said is the reason in our own words, for what a tool complains of can have paths and names of people in it.
 * *said lives in the arena. Blocks meanwhile.
 */
bool tool_ask(struct arena *a, const char *const *argv, struct str *said);

#endif
