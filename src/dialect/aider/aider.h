/* Lines of aider's texts, and the fold that puts them together. */
#ifndef DIALECT_AIDER_AIDER_H
#define DIALECT_AIDER_AIDER_H

#include "dialect/reading/reading.h"
#include "model/assemble.h"

#define AIDER_LINE "aider.line"               /* role of a NOTE whose hint is a line, a struct str: for the fold */
#define AIDER_CHAT "# aider chat started at " /* the first line of a session in Markdown */
#define AIDER_SENT "TO LLM "                  /* a request in the history of requests, and its time */
#define AIDER_GOT "LLM RESPONSE "             /* the answer */

/* One line, without its end. False: it is of the analytics log, and JSON. */
bool aider_read_line(struct reading *r, struct str line);

void *aider_fold_open(void);
void aider_fold_close(void *fold);
bool aider_fold(void *fold, const struct event *e, struct assemble *as, struct err *err);
bool aider_fold_end(void *fold, struct assemble *as, struct err *err);

#endif
