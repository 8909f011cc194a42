/*
 * Which tools an answer calls. What the service itself reports as calls is taken as it is; only without such a report
 * are names looked for in the text, and then by one of two detectors.
 *
 * The reference detector is five regular expressions of the harness that this one must agree with, to the letter,
 * Python's Unicode rules included. It misfires: "it's a" calls s, a fence that begins ```bash calls bash and not what
 * is in it, "# Memory" in prose calls memory. The default detector looks for the same five things and knows what
 * stands around them; doc/bench-detection.md has its rules with examples. Both give names in lower case, each once,
 * in the order of the five: backticks, quoted commands, prompts, <tool>, [tool:].
 *
 * Both are linear in the text, keep nothing and may run on any thread.
 */
#ifndef BENCH_VALIDATE_DETECT_H
#define BENCH_VALIDATE_DETECT_H

#include "base/arena.h"
#include "base/str.h"
#include "dialect/bench/config.h"
#include "dialect/bench/results.h"

/* Reads "default" or "reference"; false, and *out untouched, for another word. */
bool detector_parse(struct str word, enum detector *out);

struct tool_use {
	enum tool_source source;
	const struct str *names;
	size_t count;
};

/* How names are looked for. `expected`: the tools that the prompt expects, which `# name` is believed of. */
struct detect_how {
	enum detector detector;
	const struct str *expected;
	size_t expected_count;
};

/*
 * The tools that an answer calls; count is 0 when there are none, and any bytes will do for a text. The names are in
 * the arena. `reported` are those that the service gave as calls, in order, repeated ones too: when there is one, they
 * are the answer, as they were spelled, and the text is not looked at.
 */
struct tool_use detect_tools(struct arena *a, struct detect_how how, struct str text, const struct str *reported,
			     size_t count);

/* tool_use_success: one of those expected is there (letters of either case); with none expected, any is. */
bool detect_is_success(const struct tool_use *use, const struct str *expected, size_t count);

#endif
