/* The directory of a load test: requests.jsonl grows while it runs, load.json and load.md come at its end. */
#ifndef BENCH_LOAD_DIR_H
#define BENCH_LOAD_DIR_H

#include "bench/load/report.h"

struct load_dir {
	struct arena *arena;
	struct str path;
	int fd; /* of requests.jsonl */
};

/*
 * Makes PARENT/RUN_ID, the directories above it too, and its requests.jsonl. False with ERR_USAGE when there is such a
 * run, with ERR_IO when something cannot be made. Until load_dir_close; the path lives in the arena.
 */
bool load_dir_make(struct load_dir *d, struct arena *a, struct str parent, struct str run_id, struct err *err);

/*
 * Adds whole lines to requests.jsonl. False and *err when the disk does not take them; a piece of them may then be in
 * the file.
 */
bool load_dir_add(struct load_dir *d, struct str lines, struct err *err);

/*
 * Writes load.json, whose bytes are added to `json` in any case, and load.md. False with *err when one cannot be
 * written; each is whole or as it was.
 */
bool load_dir_report(struct load_dir *d, const struct load_report *r, struct buf *json, struct err *err);

/* Closes requests.jsonl; the files stay. Only after a load_dir_make that succeeded. */
void load_dir_close(struct load_dir *d);

#endif
