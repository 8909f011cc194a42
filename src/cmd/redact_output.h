/* The scrub report of `trackway redact`: how much went, never what. */
#ifndef CMD_REDACT_OUTPUT_H
#define CMD_REDACT_OUTPUT_H

#include "base/buf.h"
#include "cmd/frame/command.h"
#include "flow/scrub.h"

struct redact_report {
	const char *mode;  /* "trace", "structure", "secrets" */
	struct str output;
	const struct redact_sum *classes; /* REDACT_CLASSES of them */
	const struct redact_sum *cleaned; /* of a trace, SCRUB_NAMES; else NULL */
	const struct redact_sum *secrets; /* by rule; of a trace none */
	size_t secret_count;
	struct str key_id; /* p NULL: no tokens were made */
	uint64_t tokens;   /* different ones */
	bool tokens_known;
};

/* The members that --json=FIELDS may name, ended by NULL. */
extern const char *const redact_report_fields[];

void redact_report_add_text(struct buf *out, const struct redact_report *r);
void redact_report_add_json(struct buf *out, struct opt_maybe fields, const struct redact_report *r);

#endif
