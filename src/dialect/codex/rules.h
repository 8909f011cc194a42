/* The rules of Codex' logs, by their place in the table that 'explain' and the reports print. */
#ifndef DIALECT_CODEX_RULES_H
#define DIALECT_CODEX_RULES_H

#include "base/finding.h"

/* A rule's code is its place here plus one, CX001 being the first. */
enum codex_rule {
	CODEX_UTF8,
	CODEX_SYNTAX,
	CODEX_GLUED,
	CODEX_TORN,
	CODEX_NOT_LINE,
	CODEX_EMPTY,
	CODEX_TYPE,
	CODEX_NO_META,
	CODEX_OTHER_META,
	CODEX_ORDINAL_GAP,
	CODEX_ORDINAL_TWICE,
	CODEX_ORDINAL_LATE,
	CODEX_ORDINAL_NONE,
	CODEX_NO_OUTPUT,
	CODEX_NO_CALL,
	CODEX_CALL_TWICE,
	CODEX_TURN_OPEN,
	CODEX_STOPPED,
	CODEX_TOKENS_BACK,
	CODEX_TIME_BACK,
	CODEX_REPEATED,
	CODEX_LIMIT,
	CODEX_COMPACTED,
	CODEX_RULES,
};

/* Ended by a row whose code is NULL. */
extern const struct rule codex_rules[CODEX_RULES + 1];

#endif
