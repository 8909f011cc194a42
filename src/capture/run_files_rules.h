/* The rules of a recorded run's directory as a whole; its files have those of their formats. */
#ifndef CAPTURE_RUN_FILES_RULES_H
#define CAPTURE_RUN_FILES_RULES_H

#include "base/finding.h"

/* In the order of run_files_rules: RN001 is RUN_FILES_META. */
enum run_files_rule {
	RUN_FILES_META,
	RUN_FILES_MISSING,
	RUN_FILES_CHANGED,
	RUN_FILES_LINK,
	RUN_FILES_OTHER_RUN,
	RUN_FILES_SUMMARY,
	RUN_FILES_EXIT,
	RUN_FILES_OPEN,
	RUN_FILES_DECLARED,
	RUN_FILES_LINEAGE,
	RUN_FILES_UNNAMED,
	RUN_FILES_RULES,
};

extern const struct rule run_files_rules[RUN_FILES_RULES + 1];

#endif
