/* The rules of a recorded run's directory as a whole; its files have those of their formats. */
#ifndef CAPTURE_RUN_FILES_RULES_H
#define CAPTURE_RUN_FILES_RULES_H

#include "base/finding.h"

/* In the order of rundir_rules: RN001 is RUNDIR_META. */
enum rundir_rule {
	RUNDIR_META,
	RUNDIR_MISSING,
	RUNDIR_CHANGED,
	RUNDIR_LINK,
	RUNDIR_OTHER_RUN,
	RUNDIR_SUMMARY,
	RUNDIR_EXIT,
	RUNDIR_OPEN,
	RUNDIR_RULES,
};

extern const struct rule rundir_rules[RUNDIR_RULES + 1];

#endif
