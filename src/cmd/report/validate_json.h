/* The document of `trackway validate --json`, a file at a time. doc/json.md says what is in it. */
#ifndef CMD_REPORT_VALIDATE_JSON_H
#define CMD_REPORT_VALIDATE_JSON_H

#include "cmd/report/validate_output.h"

/* The fields of a file that --json=... may name; ended by NULL. */
extern const char *const validate_fields[];

/* Begins the document in o->text; validate_json_end ends it. */
void validate_json_begin(struct validate_output *o);
/*
 * Adds one file, with the members that o->json selects. `verdict` is valid, invalid or unreadable; an unreadable one
 * has "error", too. Findings that were not kept are counted in findings_not_listed.
 */
void validate_json_add(struct validate_output *o, const struct validate_input *part, const char *verdict);
/* Names a file that was skipped; these stand at the end of the document. */
void validate_json_add_skipped(struct validate_output *o, const struct validate_input *part);
/* Ends the document in o->text with the totals of all files and the list of those that were skipped. */
void validate_json_end(struct validate_output *o);

/* Reports a named log in a format without rules: its verdict is "unchecked". */
void validate_json_add_unchecked(struct validate_output *o, const struct validate_input *part);

#endif
