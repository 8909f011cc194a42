/* A ledger directory among what is to be validated: reported as one file of the format "ledger". */
#ifndef CMD_REPORT_VALIDATE_LEDGER_H
#define CMD_REPORT_VALIDATE_LEDGER_H

#include "cmd/report/validate_output.h"

bool validate_is_ledger(struct str path);

/* Checks it and hands the findings on; `limit` as in struct check_options. False when the process is asked to stop. */
bool validate_ledger(struct validate_output *o, struct str path, size_t limit, struct err *err);

#endif
