/* What a validation came to: the inside of a struct tw_report, made once and never changed. */
#ifndef LIB_OUTCOME_H
#define LIB_OUTCOME_H

#include "flow/validate.h"
#include "trackway.h"

struct tw_report {
	struct arena arena; /* holds all that is below */
	struct str name;
	const struct dialect *dialect; /* NULL: no format that we know */
	const char *looks_like; /* a guess in words where the format is not known; NULL for none */
	const char *error; /* NULL when it was read */
	enum check_mode mode;
	struct check_tally tally;
	uint64_t bytes, errors, warnings, infos;
	struct tw_finding *findings;
	size_t finding_count;
	struct finding_count *counts; /* how many of each code, listed or not */
	size_t counts_count;
};

/* A report about nothing yet, whose verdict would be valid. `name` is copied. Never NULL. tw_report_free frees it. */
struct tw_report *outcome_new(struct str name, enum check_mode mode);

/*
 * Copies everything about the one input: format, counts, findings, and its failure if it had one. `part` may go
 * afterwards. To be called at most once.
 */
void outcome_take(struct tw_report *r, const struct validate_input *part);

/* Makes the verdict TW_UNREADABLE, with the text of `why` as the reason. What was taken before stays. */
void outcome_fail(struct tw_report *r, const struct err *why);

#endif
