/* A transcript that is read once for two: its signals, and what kind of act each turn was by the built-in rules. */
#ifndef TRIAL_CLASSIFY_GLANCE_H
#define TRIAL_CLASSIFY_GLANCE_H

#include "trial/classify/classify.h"
#include "trial/signals.h"

struct glance {
	struct signals signals;
	bool is_classified; /* false: there is no transcript, or none with content and a turn */
	struct classify_trial trial;
};

/*
 * Reads what `path` names (trial/transcript.h); everything lives in the arena. False and *err when it cannot be read.
 * A transcript that cannot be classified is no failure. `rules` are borrowed.
 */
bool glance_load(struct glance *out, struct arena *a, struct str path, const struct rules *rules,
		 const struct transcript_how *how, struct err *err);

#endif
