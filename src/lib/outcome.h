/* What a validation came to: the inside of a struct tw_report, made once and never changed. */
#ifndef LIB_OUTCOME_H
#define LIB_OUTCOME_H

#include "flow/validate.h"
#include "trackway.h"

struct tw_report {
	struct arena arena; /* holds all that is below */
	struct str name;
	const struct dialect *dialect;
	const char *looks_like;
	const char *error; /* NULL when it was read */
	enum check_mode mode;
	struct check_tally tally;
	uint64_t bytes, errors, warnings, infos;
	struct tw_finding *findings;
	size_t finding_count;
	struct finding_count *counts;
	size_t counts_count;
};

/* A report about nothing yet. `name` is copied. */
struct tw_report *outcome_new(struct str name, enum check_mode mode);

/* Copies what there is to say about the one part. */
void outcome_take(struct tw_report *r, const struct validate_input *part);

/* It could not be done. */
void outcome_fail(struct tw_report *r, const struct err *why);

#endif
