/*
 * The directory of a recorded run as a whole: are the files there that meta.json names, are they as they were when the
 * run ended, are they of that run, and do trace, summary and exit say the same. What is inside a file is for the rules
 * of its format. Links are not followed.
 */
#ifndef CAPTURE_RUN_FILES_CHECK_H
#define CAPTURE_RUN_FILES_CHECK_H

#include "base/err.h"
#include "capture/run_files_rules.h"

/*
 * Whether a directory is that of a recorded run: it has a meta.json whose first 4096 bytes name our schema. False also
 * when it cannot be read.
 */
bool run_files_check_is_one(struct str path);

struct run_files_check {
	struct str path;
	struct arena *arena;
	struct findings *findings;
	uint64_t files, bytes; /* out: of those that were compared */
};

/*
 * Findings (RN001 and following) say what is wrong with the run. False and *err (ERR_IO) only when a file that is there
 * cannot be read; findings made until then stay.
 */
bool run_files_check(struct run_files_check *c, struct err *err);

#endif
