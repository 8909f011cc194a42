/*
 * Completion. The scripts know nothing of the commands: they pass the words so far to
 * `trackway __complete`, which answers from the same tables that parse the command line.
 */
#ifndef CMD_FRAME_COMPLETION_H
#define CMD_FRAME_COMPLETION_H

#include "base/buf.h"
#include "cmd/frame/command.h"

/* The shells with a script; ended by NULL. */
extern const char *const completion_shells[];

/* The script for a shell, a constant, or an empty string (p NULL) for a shell that has none. */
struct str completion_find_script(struct str shell);

/*
 * Adds what may stand in the place of the last of the words (the program's name is not among them): a line
 * "word<TAB>sentence" each. A line ":files" or ":dirs" asks the shell for names of files as well. Adds nothing when
 * there are no words, or they begin no command. At most 100 runs are offered.
 */
void completion_add(struct buf *out, const struct command *const *table, const struct str *words, size_t count);

#endif
