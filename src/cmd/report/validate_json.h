/* The document of `trackway validate --json`, a file at a time. doc/json.md says what is in it. */
#ifndef CMD_REPORT_VALIDATE_JSON_H
#define CMD_REPORT_VALIDATE_JSON_H

#include "cmd/report/validate_output.h"

/* The fields of a file that --json=... may name; ended by NULL. */
extern const char *const validate_fields[];

void validate_json_begin(struct validate_output *o);
void validate_json_add(struct validate_output *o, const struct validate_input *part, const char *verdict);
void validate_json_add_skipped(struct validate_output *o, const struct validate_input *part);
void validate_json_end(struct validate_output *o);

#endif
