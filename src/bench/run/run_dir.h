/*
 * The directory of a benchmark run, runs/<run_id>/, and how it stays whole whatever happens: results.jsonl and
 * events.jsonl grow by whole lines, each written by one call; everything else is replaced atomically. A run that was
 * killed leaves a last line that may be torn: opening it again cuts that line off, says so in events.jsonl, and tells
 * which rows are there. Only one process has it open (flock).
 */
#ifndef BENCH_RUN_RUN_DIR_H
#define BENCH_RUN_RUN_DIR_H

#include "base/map.h"
#include "bench/run/result.h"

struct run_dir;

/*
 * Whether an id can be the name of a run's directory: letters, digits, '_', '-' and '.', which is not first and not
 * twice in a row; 200 of them at most.
 */
bool run_dir_is_id(struct str id);

/*
 * Makes the directory of a new run, and those above it, and locks it. NULL and *err when the id cannot be a name or the
 * directory has results already (ERR_USAGE), or when another process has it open or it cannot be made (ERR_IO). Lives
 * until run_dir_close.
 */
struct run_dir *run_dir_make(struct str parent, struct str run_id, struct err *err);

/*
 * Opens a stopped run: locks it, cuts off a torn last line, reads which rows exist. NULL and *err when `path` is
 * not a run (ERR_USAGE), or is absent, locked or unreadable (ERR_IO). Lives until run_dir_close.
 */
struct run_dir *run_dir_resume(struct str path, struct err *err);

/* Unlocks and closes the run, with its rows on the disk (fdatasync); its files stay. Nothing for NULL. */
void run_dir_close(struct run_dir *d);

/* The path of the directory; lives as long as d. */
struct str run_dir_path(const struct run_dir *d);

/* The run's id, by its rows, else by the name of the directory; lives as long as d. */
struct str run_dir_id(const struct run_dir *d);

/* Rows that were there when the run was opened: result_key to 1. Failed ones are among them. */
const struct map *run_dir_rows(const struct run_dir *d);
uint64_t run_dir_torn(const struct run_dir *d); /* bytes of a torn line that were cut off */
struct results_lost run_dir_lost(const struct run_dir *d); /* lines that were there and do not count */

/* Adds a row to results.jsonl, as a whole line or not at all. False and *err when the disk does not take it. */
bool run_dir_add_result(struct run_dir *d, const struct result *r, struct err *err);

/*
 * Adds {"record_type":"event","event":...} to events.jsonl, as a whole line or not at all. `members` are further JSON
 * members without braces, or empty. False and *err when the disk does not take it.
 */
bool run_dir_add_event(struct run_dir *d, const char *event, struct str members, struct err *err);

/* Replaces a file of the run, or makes it: whole or not at all. False and *err when that fails. */
bool run_dir_write(struct run_dir *d, const char *name, struct str bytes, struct err *err);

/* ---- a run that is read ---- */

/* Lines of a results.jsonl that do not count. */
struct results_lost {
	uint64_t skipped;  /* they are no results */
	uint64_t repeated; /* an earlier row of the same target, prompt and repetition, or the same line, counts */
};

/* The directory of a run, from itself or the path of a file in it; without a slash at its end. Lives in the arena. */
struct str results_dir(struct arena *a, struct str path);

/*
 * Walks over the rows of a results.jsonl (a directory, or the file itself), in order, each once; memory grows by some
 * bytes a row. `take` gives false to stop, which is no failure; row and line live until it returns. What does not count
 * is left out and counted. False and *err when there is no such file or it cannot be read to its end (ERR_IO), or has a
 * line that is too long.
 */
bool results_walk(struct str path, bool (*take)(void *own, const struct result *r, struct str line), void *own,
		  struct results_lost *lost, struct err *err);

#endif
