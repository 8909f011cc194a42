/* The rules of Claude Code's logs, by their place in the table that 'explain' and the reports print. */
#ifndef DIALECT_CLAUDE_CODE_RULES_H
#define DIALECT_CLAUDE_CODE_RULES_H

#include "base/finding.h"

/* A rule's code is its place here plus one, CC001 being the first. */
enum claude_code_rule {
	CLAUDE_UTF8,
	CLAUDE_SYNTAX,
	CLAUDE_GLUED,
	CLAUDE_TORN,
	CLAUDE_NOT_LINE,
	CLAUDE_EMPTY,
	CLAUDE_TYPE,
	CLAUDE_TWICE,
	CLAUDE_LOST,
	CLAUDE_ORDER,
	CLAUDE_INSIDE,
	CLAUDE_SESSION,
	CLAUDE_NO_RESULT,
	CLAUDE_NO_CALL,
	CLAUDE_STOPPED,
	CLAUDE_USAGE,
	CLAUDE_TIME_BACK,
	CLAUDE_LIMIT,
	CLAUDE_COMPACTED,
	CLAUDE_RULES,
};

/* Ended by a row whose code is NULL. */
extern const struct rule claude_code_rules[CLAUDE_RULES + 1];

#endif
