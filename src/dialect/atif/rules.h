/* The rules of ATIF, by their place in the table that 'explain' and the reports print. */
#ifndef DIALECT_ATIF_RULES_H
#define DIALECT_ATIF_RULES_H

#include "base/finding.h"

/* A rule's code is its place here plus one, AF001 being the first. */
enum atif_rule {
	ATIF_UTF8,
	ATIF_SYNTAX,
	ATIF_DUPLICATE,
	ATIF_NOT_OBJECT,
	ATIF_UNKNOWN,
	ATIF_MISSING,
	ATIF_TYPE,
	ATIF_VERSION,
	ATIF_STEP_ID,
	ATIF_SOURCE,
	ATIF_AGENT_ONLY,
	ATIF_CALL_TWICE,
	ATIF_NO_CALL,
	ATIF_TIME,
	ATIF_TIME_BACK,
	ATIF_NEGATIVE,
	ATIF_TOTAL_LESS,
	ATIF_TOTAL_MORE,
	ATIF_PART,
	ATIF_REF,
	ATIF_REF_NOWHERE,
	ATIF_EMBEDDED,
	ATIF_NEWER,
	ATIF_NO_MODEL,
	ATIF_STEPLESS,
	ATIF_NO_SESSION,
	ATIF_EMPTY,
	ATIF_RULES,
};

/* Ended by a row whose code is NULL. */
extern const struct rule atif_rules[ATIF_RULES + 1];

#endif
