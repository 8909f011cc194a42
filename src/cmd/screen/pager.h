/*
 * Long text for people. It goes through a pager when standard output is a terminal it does not fit
 * on: TRACKWAY_PAGER, else PAGER, else "less -FRX". An empty value or "cat" means none.
 */
#ifndef CMD_SCREEN_PAGER_H
#define CMD_SCREEN_PAGER_H

#include <signal.h>

#include "cmd/frame/command.h"

/*
 * Shows the text on standard output, through the pager or, when none is wanted or it cannot be started, directly.
 * Returns when the pager has ended; leaving it early is no error. SIGPIPE must be caught (stream.h).
 */
void pager_show(struct arena *a, const struct frame *f, struct str text);

/* Text that comes piece by piece and may be long: whoever wants a pager gets it at once. */
struct pager {
	int pid, pipe; /* pid 0: there is none, and the text goes to standard output */
	struct sigaction *old;
};

/* Starts the pager where pager_show would for long text. To be closed. */
void pager_open(struct pager *p, struct arena *a, const struct frame *f);

/* False when nobody reads on: the pager was left, or standard output is closed. */
bool pager_write(struct pager *p, struct str text);

/* Returns when the pager has ended. */
void pager_close(struct pager *p);

#endif
