/*
 * Symbolic links that an agent left for the verifier to follow. The tests are not there while the agent lives, but
 * their place can be guessed: a link "answer -> ../tests/expected.txt" would be right whatever the task asks for. So no
 * link may lead out of the workspace, but for those to the system's own files, which are the same for everybody.
 */
#ifndef TRIAL_RUN_LINKS_H
#define TRIAL_RUN_LINKS_H

#include "trial/run/tree.h"

/*
 * Whether the link leads out of the directory, which is seen at `seen` by whoever follows it; other links on its way
 * are followed. A link to something that is not there counts by where it would be.
 */
bool links_lead_out(struct arena *a, struct str dir, struct str name, struct str seen);

/*
 * Removes those links among what was left of a directory (tree.h) that lead out of it. How many they were; *first names
 * one and where it leads. False and *err (ERR_IO) when one cannot be removed.
 */
bool links_cut(struct arena *a, struct str dir, const struct tree *t, struct str seen, size_t *count,
	       struct str *first, struct err *err);

#endif
