/* The sentences of `trackway validate` for people: about one file, about several. Each ends its line. */
#ifndef CMD_REPORT_VALIDATE_TEXT_H
#define CMD_REPORT_VALIDATE_TEXT_H

#include "cmd/report/validate_output.h"

/*
 * Adds the sentence on the only file: "run.jsonl: valid agent-trace, 9 events" or "1 error in 9 events (3 ms)".
 * `spent_ns` is only told of one that is not valid.
 */
void validate_text_add_alone(struct buf *out, const struct validate_input *part, bool is_valid, uint64_t spent_ns);

/* Of one that is not valid, among others: "run.jsonl: 1 error in 9 events". */
void validate_text_add_one(struct buf *out, const struct validate_input *part);

/* Adds "12 files: 10 valid, 2 invalid; 3 errors, 1 warning (41 ms)" and the line of validate_text_add_skipped. */
void validate_text_add_all(struct buf *out, const struct validate_counts *c, uint64_t spent_ns);

/* "12 gemini logs: validate has no rules for them; ..." and "3 files of other kinds skipped", if there are any. */
void validate_text_add_skipped(struct buf *out, const struct validate_counts *c);

#endif
