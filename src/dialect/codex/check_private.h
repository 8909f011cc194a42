/* The marks that the two halves of Codex' check share: check_line.c makes them, check.c folds them. */
#ifndef DIALECT_CODEX_CHECK_PRIVATE_H
#define DIALECT_CODEX_CHECK_PRIVATE_H

#include "dialect/session/marks.h"

enum codex_mark {
	CODEX_MARK_FIRST,      /* a line of a rollout; n 1 for one that a rollout may begin with */
	CODEX_MARK_META,       /* the id of a thread; n 1 when it goes on from another one's history */
	CODEX_MARK_ORIGIN,     /* the thread was copied or started from another one */
	CODEX_MARK_ORDINAL,    /* n */
	CODEX_MARK_NO_ORDINAL,
	CODEX_MARK_TIME,       /* n in milliseconds */
	CODEX_MARK_TOKENS,     /* n, the total so far */
	CODEX_MARK_LINE,       /* all of a line that has a time and no ordinal */
	CODEX_MARK_MESSAGE,
	CODEX_MARK_CALL,       /* n 1: its output need not come */
	CODEX_MARK_OUTPUT,
	CODEX_MARK_TURN,       /* a turn begins */
	CODEX_MARK_TURN_END,   /* n 1: it was aborted */
	CODEX_MARK_TYPE,       /* text is the name of a type nobody knows */
	CODEX_MARK_COMPACTED,  /* n -1: all results are out of sight */
	CODEX_MARK_EXEC,       /* a line of `exec --json` */
};

/* Leaves the marks of a line of either log; `fact` is a struct marks. */
void codex_check_line(struct record_scan *s, struct val root, void *fact);

#endif
