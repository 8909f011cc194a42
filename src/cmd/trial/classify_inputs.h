/* What the arguments of `trial classify` stand for: one transcript, or all trials below a directory or in a ledger. */
#ifndef CMD_TRIAL_CLASSIFY_INPUTS_H
#define CMD_TRIAL_CLASSIFY_INPUTS_H

#include "cmd/frame/command.h"

struct classify_paths {
	struct arena *arena;
	struct str *items;
	size_t count, cap;
};

/*
 * Adds what `path` stands for: itself when it is a file, or a directory with a transcript; of a ledger the records of
 * all trials that are neither superseded nor erased; of any other directory the trial records below it that lead to a
 * transcript, and each trajectory.jsonl, or conversation.jsonl without one beside it, that none of them leads to; where
 * there is nothing of this, every file that may be a log. `records`: only the records. False with *err when it cannot
 * be read.
 */
bool classify_inputs_add(struct classify_paths *out, const struct frame *f, struct str path, bool records,
			 struct err *err);

#endif
