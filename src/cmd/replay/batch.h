/* `trackway replay --batch`: its options, and the command from the places to the exit status. */
#ifndef CMD_REPLAY_BATCH_H
#define CMD_REPLAY_BATCH_H

#include "cmd/frame/command.h"
#include "cmd/replay/report.h"

/* A member `batch` of the options struct. */
struct replay_batch_opts {
	struct opt_list places;
	unsigned jobs, limit;
	int by; /* enum batch_by */
	struct str max_age, same_as;
};

#define REPLAY_BATCH_OPTIONS(type) \
	{ OPT_LIST, 0, "batch", offsetof(type, batch.places), "DIR", \
	  "replay every run below this directory, or the runs of a name or tag:K=V; may be repeated" }, \
	{ OPT_UINT, 0, "jobs", offsetof(type, batch.jobs), "N", \
	  "with --batch: replays at once (default: 0, one for each core)" }, \
	{ OPT_UINT, 0, "limit", offsetof(type, batch.limit), "N", \
	  "with --batch: only the first N runs, by their paths" }, \
	{ OPT_CHOICE, 0, "by", offsetof(type, batch.by), "vendor|agent|model", \
	  "with --batch: the rows of the table (default: vendor, with its interface)" }, \
	{ OPT_STR, 0, "max-age", offsetof(type, batch.max_age), "AGE", \
	  "with --batch: runs recorded longer ago than this (30m, 24h, 7d, 2w) are named, and the answer is no" }, \
	{ OPT_STR, 0, "same-as", offsetof(type, batch.same_as), "FILE", \
	  "with --batch: the runs must be those of this earlier answer with --json" }

/*
 * Replays the batch and tells what came of it. `options` are the command's: what was given of them is given to each
 * replay. `keep`: a directory for their files, or p NULL. EXIT_YES when every run did the same again and the gates
 * hold, EXIT_NO when one did not, EXIT_CANNOT when one could not be replayed or run, EXIT_INTERRUPTED or
 * EXIT_TERMINATED after a signal, EXIT_FAIL with *err.
 */
int replay_batch(struct arena *a, const struct replay_batch_opts *o, const void *options, struct str keep,
		 enum replay_form form, struct opt_maybe json, struct args args, struct err *err);

/* False with *err where an option of batches was given; to be asked where there is no --batch. */
bool replay_batch_is_unasked(struct arena *a, const void *options, struct args args, struct err *err);

#endif
