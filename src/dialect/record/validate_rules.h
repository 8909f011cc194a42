/* Rules of no format: what can be wrong with any file, and what a check could not do. */
#ifndef DIALECT_RECORD_VALIDATE_RULES_H
#define DIALECT_RECORD_VALIDATE_RULES_H

#include "base/finding.h"

enum validate_rule {
	V_FORMAT, /* V001 */
	V_EMPTY,  /* V002 */
	V_SECRET, /* V003 */
	V_BLIND,  /* V004 */
	V_RULES,
};

/* Ended by a row whose code is NULL. */
extern const struct rule validate_rules[V_RULES + 1];

#endif
