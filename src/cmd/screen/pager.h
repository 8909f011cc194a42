/*
 * Long text for people. It goes through a pager when standard output is a terminal it does not fit
 * on: TRACKWAY_PAGER, else PAGER, else "less -FRX". An empty value or "cat" means none.
 */
#ifndef CMD_SCREEN_PAGER_H
#define CMD_SCREEN_PAGER_H

#include "cmd/frame/command.h"

/*
 * Shows the text on standard output, through the pager or, when none is wanted or it cannot be started, directly.
 * Returns when the pager has ended; leaving it early is no error. SIGPIPE must be caught (stream.h).
 */
void pager_show(struct arena *a, const struct frame *f, struct str text);

#endif
