/*
 * Directories that are checked as a whole wherever they lie beneath what is to be validated: ledgers instead of their
 * files, runs (recorded ones and benchmarks) behind them. They are met while a directory is walked for its files.
 */
#ifndef CMD_REPORT_VALIDATE_WHOLES_H
#define CMD_REPORT_VALIDATE_WHOLES_H

#include "base/map.h"
#include "cmd/report/validate_output.h"

struct whole;

struct validate_wholes {
	struct arena *arena; /* the command's */
	struct map seen;     /* paths */
	struct whole *list;
	size_t count, cap;
};

/* Begins an empty list. The arena must live as long as it, and frees it. */
void validate_wholes_init(struct validate_wholes *w, struct arena *a);

/*
 * For source_options.enter: remembers what the directory is, once. False for a ledger, whose files are not checked for
 * themselves; true for everything else.
 */
bool validate_wholes_enter(void *wholes, struct str path);

/*
 * Checks the directories met since the last call, in the order of their paths, reports each as one file and forgets
 * them; `limit` as in struct check_options. One that cannot be read is reported as such. False with *err only when the
 * process is asked to stop.
 */
bool validate_wholes_check(struct validate_wholes *w, struct validate_output *o, size_t limit, struct err *err);

#endif
