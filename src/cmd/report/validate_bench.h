/* The directory of a benchmark run among what is to be validated: reported, behind its files, as one of "bench-run". */
#ifndef CMD_REPORT_VALIDATE_BENCH_H
#define CMD_REPORT_VALIDATE_BENCH_H

#include "cmd/report/validate_output.h"

bool validate_is_bench(struct str path);

/* Checks it and hands the findings on; `limit` as in struct check_options. False when the process is asked to stop. */
bool validate_bench(struct validate_output *o, struct str path, size_t limit, struct err *err);

#endif
