/* Runs and benchmarks for `ledger add`: which directories are some, whether they are whole, and what is sealed. */
#ifndef CMD_LEDGER_ADD_RUN_H
#define CMD_LEDGER_ADD_RUN_H

#include "trial/seal_dir.h"

#define ADD_E_RUN "E_RUN" /* the code of a run that is not whole, or not over */

/* Whether a path is the directory of a recorded run or of a benchmark; *kind tells which. */
bool add_run_is_one(struct str path, enum entry_kind *kind);

/*
 * The directories that an argument means: the run itself, by path or name (store/runs.h), or those directly below a
 * directory, in the order of their names. *count 0: it is something else, to be read as records; *path is its path.
 * False with *err when a name fits no run, or several. All in the arena.
 */
bool add_run_find(struct arena *a, struct str argument, struct str *path, struct str **runs, size_t *count,
		  struct err *err);

/*
 * Checks the run as `validate` does and reads what is sealed of it; out->path and out->with_content must be set. False
 * with *err: ERR_DATA with the first finding when it is not whole or not over, else a file cannot be read. The hashes
 * of its log lie in *hashes.
 */
bool add_run_read(struct arena *a, struct seal_dir *out, struct seal_run *hashes, struct err *err);

/*
 * The hashes of an OTUTL log of one run, in the arena. ERR_DATA when it is something else, or breaks the rules of its
 * format.
 */
bool add_run_hash(struct arena *a, struct str path, struct seal_run *out, struct err *err);

#endif
