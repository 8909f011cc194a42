/*
 * The rules by which turns are classified: a table of indicators, each with the bond that it speaks for and a weight.
 * A rule counts once for a turn, however often what it looks for is there; the weights of a bond are added up, and the
 * bond with the highest sum is the turn's. doc/classify.md explains the table to people who change it.
 *
 * A line of the text form has five fields parted by tabs: bond, weight, kind, patterns, why. '#' begins a comment.
 * Patterns are parted by " | "; a rule holds when one of them does.
 *
 *	says    a phrase in what the model said or thought; "verif*" is the beginning of a word
 *	begins  the same, at the beginning of what it said
 *	asks    "any": a question in what it said; "last": it ends with one
 *	tool    the name of a tool that it called, with *
 *	runs    a program of a command line, and words behind it: "git diff", "python* pytest"
 *	args    characters in a value of a call's arguments, in any case
 *	calls   how many calls: "0", "1+", "2+"
 *	after   the turn before it: "error", "success" or "answer" (no results); "nothing" of the first
 *	shape   "code", "numbers", "bullets", "table", "json", "heading" in what it said
 *	length  characters that it said: "0+", "<200", "800+"
 *	place   "first" or "last" turn
 *	always  "-": every turn
 */
#ifndef TRIAL_CLASSIFY_RULES_H
#define TRIAL_CLASSIFY_RULES_H

#include "base/arena.h"
#include "base/err.h"
#include "transform/bonds.h"

#define RULES_MOST 1000
#define RULES_WEIGHT 100  /* the largest, of either sign */
#define RULES_PATTERN 200 /* bytes of one */

enum rules_kind {
	RULE_SAYS, RULE_BEGINS, RULE_ASKS, RULE_TOOL, RULE_RUNS, RULE_ARGS, RULE_CALLS, RULE_AFTER, RULE_SHAPE,
	RULE_LENGTH, RULE_PLACE, RULE_ALWAYS, RULE_KINDS,
};
enum rules_after { AFTER_NOTHING, AFTER_ANSWER, AFTER_SUCCESS, AFTER_ERROR };
enum rules_shape { SHAPE_CODE, SHAPE_NUMBERS, SHAPE_BULLETS, SHAPE_TABLE, SHAPE_JSON, SHAPE_HEADING };

extern const char *const rules_kinds[RULE_KINDS + 1]; /* ended by NULL */

struct rules_pattern {
	struct str text;      /* as it stands */
	struct str words;     /* says, begins: as struct look has them */
	unsigned choice;      /* asks, place: 1 last; after, shape: which */
	uint64_t from, below; /* calls, length: the range, `below` not in it */
};

struct rules_row {
	enum bond bond;
	int weight;
	enum rules_kind kind;
	struct str field, why; /* as they stand: all patterns, the reason */
	struct rules_pattern *patterns;
	size_t count;
	uint64_t line; /* of the text, from 1 */
};

struct rules {
	const struct rules_row *rows;
	size_t count;
	char digest[7 + 64 + 1]; /* "sha256:..." over the rows, in their order, without comments and reasons */
};

/*
 * Reads a table; everything lives in the arena. False with ERR_DATA and "name:line: " and the cause for a row that
 * cannot be read, a second row that says the same, no row at all, or more than RULES_MOST.
 */
bool rules_parse(struct arena *a, struct str text, struct str name, struct rules *out, struct err *err);

/* bonds.tsv, by tools/gen-bonds; and the same read. A table of our own that could not be read would be a bug. */
extern const char rules_builtin_bytes[];
extern const size_t rules_builtin_size;
struct str rules_builtin_text(void);
void rules_builtin(struct arena *a, struct rules *out);

#endif
