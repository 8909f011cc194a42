/*
 * What only the command line can say: the options and commands that help with an error or a finding. The rooms below
 * give a code (enum err_advice, or that of a rule); the words for it stand here, in two tables.
 */
#ifndef CMD_FRAME_ADVICE_H
#define CMD_FRAME_ADVICE_H

#include "base/finding.h"
#include "cmd/frame/command.h"

/*
 * A copy of the error with its advice behind its text; kind and errnum stay. As it was when it has none, or `c` (may be
 * NULL) lacks the option that would help.
 */
struct err advice_on(const struct err *err, const struct command *c);

/* Help that names options, in place of the rule's own; ended by a NULL code. */
extern const struct advice_rule {
	const char *code, *help;
} advice_rules[];

/*
 * What to do about a finding of this rule: from the table, else the rule's own help, or NULL when neither says. A
 * constant.
 */
const char *advice_for_rule(const struct rule *r);

#endif
