/*
 * Claude Code, in two parts: claude_code_line.c reads lines, one by one; claude_code_fold.c knows what stands between
 * them.
 *
 * What a line knows and only the fold can use travels in members that mean nothing for that kind of event; the fold
 * clears them before the event goes on:
 *
 *	vendor         "session" or "stream": which of the two logs the line is of
 *	run            the session
 *	agent_version  the program's
 *	mark, place    digest of the line's uuid (0: it has none); the event's place in its line
 *	price_table    digest of the line's message: a line with the uuid of another may still say something else
 *	agent          RESULT: the sub-agent whose work it is
 *	parent_run     in a side chain without a name: the uuid of the line before, p NULL at its beginning
 *	tool, text     NOTE: a call, and all that it has printed so far
 *	reason         CALL: the prompt it gives a sub-agent; MESSAGE: a text that may be such a prompt
 *
 * COST comes with scope "run" (result.usage) and "models" (one for each of modelUsage); the fold chooses.
 */
#ifndef DIALECT_CLAUDE_CODE_H
#define DIALECT_CLAUDE_CODE_H

#include "dialect/reading.h"
#include "model/assemble.h"

#define CLAUDE_CODE_STOPPED "interrupted" /* role of the note that the user interrupted the program */
#define CLAUDE_CODE_SIDECHAIN "sidechain" /* branch of a side chain without a name, until the fold gives it one */

/* How well a value fits: a line of a session or of a stream, a list of such, a capture of both directions. */
int claude_code_fits(struct val v);

void claude_code_read(struct reading *r, struct val v);

void *claude_code_fold_open(void);
void claude_code_fold_close(void *fold);
bool claude_code_fold(void *fold, const struct event *e, struct assemble *as, struct err *err);
bool claude_code_fold_end(void *fold, struct assemble *as, struct err *err);

#endif
