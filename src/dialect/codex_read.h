/*
 * What one line of Codex says, by kind of file. Lines cannot be understood alone: what an event means for its run
 * is decided in order, by codex_fold.c, which these members tell what it needs to know:
 *
 *  RUN_START   scope "session" for a rollout; reason: the thread it was forked from
 *  NOTE        request_id: the turn; model: from now on; FALLBACK: only if no item says the same (mark);
 *              call: the call that it ends, with exit_code, duration_ms, is_error, server and tool for it
 *              scope "piece", "whole": what the call in request_id has printed is text, since the last one or in all
 *  COST        scope "token_count": the usage of the latest call of the model, text: the total so far, as JSON
 *  CALL        scope "item": the id is that of an item of the thread; FALLBACK: only if it was not begun before
 *  RESULT      scope "item": likewise
 *  any         status: how the turn ended
 */
#ifndef DIALECT_CODEX_READ_H
#define DIALECT_CODEX_READ_H

#include "dialect/reading.h"

#define CODEX_SESSION "session"
#define CODEX_TOKENS "token_count"
#define CODEX_ITEM "item"
#define CODEX_PIECE "piece"
#define CODEX_WHOLE "whole"

/* 0 to 100, as in struct dialect. */
int codex_rollout_fits(struct val v);
int codex_exec_fits(struct val v);

void codex_rollout_read(struct reading *r, struct val v);
void codex_exec_read(struct reading *r, struct val v);

#endif
