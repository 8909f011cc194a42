/*
 * The rules by which turns are classified: a table of indicators, each with the bond that it speaks for and a weight.
 * A rule counts once for a turn, however often what it looks for is there; the weights of a bond are added up, and the
 * bond with the highest sum is the turn's. doc/classify.md explains the table to people who change it.
 *
 * A line of the text form has five fields parted by tabs: bond, weight, kind, pattern, why. '#' begins a comment.
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
#define RULES_PATTERN 200 /* bytes */

enum rules_kind {
	RULE_SAYS, RULE_BEGINS, RULE_ASKS, RULE_TOOL, RULE_RUNS, RULE_ARGS, RULE_CALLS, RULE_AFTER, RULE_SHAPE,
	RULE_LENGTH, RULE_PLACE, RULE_ALWAYS, RULE_KINDS,
};
enum rules_after { AFTER_NOTHING, AFTER_ANSWER, AFTER_SUCCESS, AFTER_ERROR };
enum rules_shape { SHAPE_CODE, SHAPE_NUMBERS, SHAPE_BULLETS, SHAPE_TABLE, SHAPE_JSON, SHAPE_HEADING };

extern const char *const rules_kinds[RULE_KINDS + 1]; /* ended by NULL */

struct rules_row {
	enum bond bond;
	int weight;
	enum rules_kind kind;
	struct str pattern, why; /* as they stand */
	/* what the pattern means */
	struct str words;        /* says, begins, runs: as struct look has them */
	bool open;               /* says, begins: the last word goes on */
	unsigned choice;         /* asks: 1 last; after, shape, place (1 last): which */
	uint64_t from, below;    /* calls, length: the range, `below` not in it */
	uint64_t line;           /* of the text, from 1 */
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

#endif
