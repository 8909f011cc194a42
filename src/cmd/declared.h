/* Files in which users declare budgets and retrieval sets, for the commands that take them. */
#ifndef CMD_DECLARED_H
#define CMD_DECLARED_H

#include "capture/recording.h"
#include "transform/audit_policy.h"

enum declared_kind { DECLARED_POLICY, DECLARED_BUDGET, DECLARED_SET };

/*
 * Reads and checks a file, whose text goes to *text (may be NULL). False and *err: ERR_USAGE with the file's name and
 * the place when it declares something wrong, ERR_IO when it cannot be read.
 */
bool declared_read(struct arena *a, struct str path, enum declared_kind kind, struct audit_policy *out,
		   struct str *text, struct err *err);

/* Reads the files (p NULL: none) into what a recording declares. Fails as above. */
bool declared_for_run(struct arena *a, struct str budget, struct str set, struct recording_options *o, struct err *err);

#endif
