/* Rules of no format: what can be wrong with any file, and what a check could not do. */
#ifndef DIALECT_RECORD_VALIDATE_RULES_H
#define DIALECT_RECORD_VALIDATE_RULES_H

#include "base/finding.h"

enum validate_rule {
	V_FORMAT, /* V001: no format that can be checked */
	V_EMPTY,  /* V002: a file without a byte */
	V_SECRET, /* V003: a key, in a format that has no rule for it */
	V_BLIND,  /* V004: this machine cannot search for keys */
	V_RULES,
};

/* Ended by a row whose code is NULL. */
extern const struct rule validate_rules[V_RULES + 1];

#endif
