/*
 * The lines of Codex in order. What the model said between two token counts is one step; the rest of what a step
 * needs comes before it or after it, depending on the age of the file:
 *
 *   2025-09   token_count, items, outputs          the count is of what follows
 *   later     items, token_count, outputs, ends    the count is of what was said before
 *
 * So everything of a step is held until the next one begins, and a count goes to the step beside it that has none:
 * to the one at hand, unless that has its count or the turn has gone on since; else to the one to come.
 * Counts are totals that repeat and start again; only one that differs from the count before is a call of the model.
 */
#ifndef DIALECT_CODEX_FOLD_H
#define DIALECT_CODEX_FOLD_H

#include "model/assemble.h"

/*
 * As in struct read_ops: close takes NULL too. False only when the assembler refused an event, and then *err is its
 * word. At most 512 events and some 8 MB are held; then those go out, and a count that comes late is a COST of the
 * step. codex_fold_end leaves the fold as new, whatever it returns.
 */
void *codex_fold_open(void);
void codex_fold_close(void *fold);
bool codex_fold(void *fold, const struct event *e, struct assemble *as, struct err *err);
bool codex_fold_end(void *fold, struct assemble *as, struct err *err);

#endif
