/*
 * The directory of a recorded run or of a benchmark, as a ledger takes it: every file by its digest and size, and the
 * bytes of those that hold nothing of what was said. What holds prompts, answers or arguments (a cassette, an OTUTL
 * log, the rows of a benchmark) stays where it is, unless it is asked for: a ledger is made to be given away.
 */
#ifndef TRIAL_SEAL_DIR_H
#define TRIAL_SEAL_DIR_H

#include "trial/seal.h"

#define SEAL_DIR_RECORD "summary.json" /* the file that is the record of the entry */
#define SEAL_DIR_LOG "run.otutl.jsonl"

struct seal_dir {
	struct str path;      /* in: the directory */
	enum entry_kind kind; /* in: ENTRY_RUN or ENTRY_BENCH */
	bool with_content;    /* in: also the bytes of what holds content */
	struct seal_source source; /* out: for seal_add_run, which takes the mappings; its `run` is the caller's */
	bool has_log;         /* out: there is an OTUTL log */
	uint64_t withheld;    /* out: files of which only the digest is sealed */
};

/*
 * Reads the directory, which is expected to be checked: its id, its files in the order of their names, their digests.
 * False with *err, and nothing mapped, when it has no id or no summary, or a file is not what the run says it is
 * (ERR_DATA), or cannot be read (ERR_IO). What it gives lives in the arena; bytes are mapped.
 */
bool seal_dir_read(struct arena *a, struct seal_dir *d, struct err *err);

/* Gives back the mappings of a directory that was read and not handed to seal_add_run. */
void seal_dir_free(struct seal_dir *d);

#endif
