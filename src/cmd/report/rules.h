/*
 * Every rule there is, whichever format has it, for explain, reports and completion. Formats that share
 * a table are one group. A format without rules of its own (json and jsonl) has those about JSON itself,
 * wherever they stand.
 */
#ifndef CMD_REPORT_RULES_H
#define CMD_REPORT_RULES_H

#include "base/buf.h"
#include "base/finding.h"
#include "dialect/dialect.h"

/*
 * A ledger, a benchmark run and a recorded run are directories and no files of a format, but their findings are
 * reported as those of one. A suite of prompts is checked by the commands that send it.
 */
extern const struct dialect rules_ledger, rules_bench_run, rules_bench_suite, rules_run;

struct rules_group {
	const struct rule *rules;
	const struct dialect *dialect; /* the first that has them; NULL for the rules of validate itself */
};

/*
 * Gives the groups one after the other: formats, what is no file of one, validate itself. *at is 0 at first and changed
 * by each call. False at the end; *out is untouched then.
 */
bool rules_next_group(size_t *at, struct rules_group *out);

/* The formats that a rule is of: "agent-trace", "results, summary"; "any" for the rules of validate. */
void rules_add_formats(struct buf *out, const struct rules_group *g, const struct rule *r);

/* The formats of a group: the same without a look at the rule. */
void rules_add_group(struct buf *out, const struct rules_group *g);

/* Whether a rule of the group is one of the format; every rule is when the name is missing (p is NULL). */
bool rules_is_of(const struct rules_group *g, const struct rule *r, struct str format);

/* The first rule of a code, spelled exactly so, or NULL. A constant. For struct report. */
const struct rule *rules_find(const char *code);

/* The code in "error[AT041]", as reports print it; the word itself when it has no bracket. Points into `word`. */
struct str rules_cut_code(struct str word);

/* Whether a word is the rule's code, in letters of either case. */
bool rules_is_code(const struct rule *r, struct str word);

/* The severity in a mode, by its name, a constant: "error". */
const char *rules_severity(const struct rule *r, enum check_mode mode);

/*
 * Finds the format of a name, in letters of either case; ledgers and runs are among them. False with ERR_USAGE, which
 * names the nearest one; *out is NULL then.
 */
bool rules_get_format(struct str name, const struct dialect **out, struct err *err);

/* Always false: sets ERR_USAGE about a word that is no code, with the nearest code as help. */
bool rules_refuse_code(struct str word, struct err *err);

#endif
