/* The rules of a review, by their place in the table that 'explain' and the reports print. */
#ifndef DIALECT_TRIAL_REVIEW_RULES_H
#define DIALECT_TRIAL_REVIEW_RULES_H

#include "base/finding.h"

/* In the order of the table of fields; a rule's code is its place here plus one, RV001 being the first. */
enum review_rule {
	REVIEW_UTF8,
	REVIEW_SYNTAX,
	REVIEW_DUPLICATE,
	REVIEW_NOT_OBJECT,
	REVIEW_UNKNOWN,
	REVIEW_MISSING,
	REVIEW_TYPE,
	REVIEW_BLANK,
	REVIEW_KIND,
	REVIEW_INDEX,
	REVIEW_LEAF,
	REVIEW_STAMP,
	REVIEW_JUDGMENT,
	REVIEW_TWICE,
	REVIEW_EMPTY,
	REVIEW_LIMIT,
	REVIEW_SIGNER,
	REVIEW_RULES,
};

extern const struct rule review_rules[REVIEW_RULES + 1];

#endif
