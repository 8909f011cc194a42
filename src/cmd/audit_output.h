/* The answer of an audit, for people and as JSON. */
#ifndef CMD_AUDIT_OUTPUT_H
#define CMD_AUDIT_OUTPUT_H

#include "base/buf.h"
#include "cmd/frame/opt.h"
#include "cmd/screen/term.h"
#include "transform/audit.h"

/* Where a policy came from. */
enum audit_origin { AUDIT_BY_NOBODY, AUDIT_BY_FILE, AUDIT_BY_RUN_START, AUDIT_BY_META };

struct audit_judged {
	const struct audit_run *run;
	enum audit_origin origin;
	bool overrides; /* the run declares something itself, and it was not used */
	struct audit_answer answer;
};

struct audit_report {
	struct str path, policy; /* as the user gave them; policy.p NULL: none */
	enum audit_verdict verdict; /* the worst of all runs */
	struct audit_judged *runs;
	size_t count;
};

extern const char *const audit_fields[]; /* of --json */

/* Text in at most `width` columns; what comes from outside is made safe, and keys in it are hidden. */
void audit_add_text(struct buf *out, struct arena *a, const struct term *term, const struct audit_report *r);
void audit_add_json(struct buf *out, struct opt_maybe selected, const struct audit_report *r);

#endif
