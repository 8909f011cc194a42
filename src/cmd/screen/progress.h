/*
 * The one line that says how far we are. On a terminal it appears after half a second, is redrawn at
 * most ten times a second and erased at the end; elsewhere a plain line is written every 30 seconds.
 * With -q there is nothing. Callers ask progress_is_due before they spend time on making the text.
 */
#ifndef CMD_SCREEN_PROGRESS_H
#define CMD_SCREEN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "cmd/frame/command.h"

struct progress {
	int fd;
	bool is_live; /* a terminal whose line can be redrawn */
	bool is_off; /* -q: nothing is ever due */
	bool is_drawn; /* a line is on the screen now */
	size_t width; /* columns of standard error */
	uint64_t began_ns, due_ns; /* when it was made, and when the next line may be shown */
};

/* For descriptor `fd`, usually standard error. `now_ns` is clock_mono_ns() here and below. */
void progress_init(struct progress *p, const struct frame *f, int fd, uint64_t now_ns);

/* Whether it is time for the next line; false always where progress is not shown. */
bool progress_is_due(const struct progress *p, uint64_t now_ns);

/*
 * Shows the text, cut to one line and made safe, if it is due; else nothing. On a terminal it replaces the line before.
 */
void progress_show(struct progress *p, struct str text, uint64_t now_ns);

/* Takes the line away, if one is drawn: at the end, and before anything else is written to the terminal. */
void progress_erase(struct progress *p);

#endif
