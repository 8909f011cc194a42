/*
 * The files that a trial record names: its trajectory, its conversation, its raw output. They are sealed with it as
 * artifacts. Names are the record's, and so anybody's: see beneath.h for what is followed.
 */
#ifndef TRIAL_SEAL_FILES_H
#define TRIAL_SEAL_FILES_H

#include "trial/beneath.h"
#include "trial/seal.h"

#define SEAL_FILES 3 /* names that a record has */

struct seal_file_missing {
	const char *field; /* "trajectory_path" */
	struct str path;   /* as the record has it */
	const char *why;   /* "is not there"; static */
};

struct seal_files {
	struct seal_artifact artifacts[SEAL_FILES]; /* mapped: give them to seal_add_with, or unmap them */
	size_t count;
	struct seal_file_missing missing[SEAL_FILES];
	size_t missing_count;
};

/*
 * Looks for the files of a record below `dir`; with p NULL nothing is looked for, and each is missing. A record that
 * is no JSON names none. Texts lie in the arena. A file's name as an artifact is its path, without what the ledger's
 * own directory puts before it (artifacts/EXPERIMENT/TRIAL/).
 */
void seal_files_find(struct arena *a, struct json_parser *p, struct str record, struct str dir,
		     struct seal_files *out);

/* Adds "trajectory_path x.jsonl is not there" for each that is missing, and `end` behind each. */
void seal_files_add_missing(struct buf *out, const struct seal_files *f, const char *end);

#endif
