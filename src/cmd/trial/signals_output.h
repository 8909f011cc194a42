/* Trace signals for people and for programs: `trial signals` and `show --signals` print the same. */
#ifndef CMD_TRIAL_SIGNALS_OUTPUT_H
#define CMD_TRIAL_SIGNALS_OUTPUT_H

#include "cmd/frame/command.h"
#include "trial/classify/glance.h"

/* A line for each signal, in so many columns; what comes from the transcript is made safe for a terminal. */
void signals_output_add_text(struct buf *out, const struct glance *g, size_t width);

extern const char *const signals_fields[]; /* of the JSON; ended by NULL */
/* The document trackway.signals/1 on one line, with the members that are selected. */
void signals_output_add_json(struct buf *out, const struct glance *g, struct opt_maybe selected);

/*
 * Reads the signals of what `path` names (trial/classify/glance.h) and prints them, as trackway.signals/1
 * with `json`. Says on standard error when there is no transcript. EXIT_YES, or EXIT_FAIL with *err.
 */
int signals_output_show(struct arena *a, struct str path, struct args args, struct opt_maybe json, unsigned jobs,
			struct err *err);

#endif
