/* Trace signals for people and for programs: `trial signals` and `show --signals` print the same. */
#ifndef CMD_TRIAL_SIGNALS_OUTPUT_H
#define CMD_TRIAL_SIGNALS_OUTPUT_H

#include "cmd/frame/command.h"

extern const char *const signals_fields[]; /* of the JSON; ended by NULL */

/*
 * Reads the signals of what `path` names (trial/signals.h) and prints them, as trackway.signals/1 with `json`. Says on
 * standard error when there is no transcript. EXIT_YES, or EXIT_FAIL with *err.
 */
int signals_output_show(struct arena *a, struct str path, struct args args, struct opt_maybe json, unsigned jobs,
			struct err *err);

#endif
