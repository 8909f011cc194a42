/*
 * What a verifier said, in the order in which it is believed: its document on descriptor 3, else reward.json, else
 * reward.txt. Nothing is mended: a reward outside of 0 to 1, one that is no number, or two documents are no verdict.
 */
#ifndef TRIAL_RUN_VERDICT_H
#define TRIAL_RUN_VERDICT_H

#include "json/json.h"

#define VERDICT_MISSING "missing verifier reward artifact"
#define VERDICT_MAX ((size_t)1 << 20) /* bytes of each that are read */

enum verdict_channel { VERDICT_NOWHERE, VERDICT_FD, VERDICT_JSON, VERDICT_TEXT, VERDICT_CHANNELS };

/* "fd3", "reward.json", "reward.txt"; NULL for nowhere. A constant. */
const char *verdict_channel_name(enum verdict_channel c);

/* What it left; p NULL: nothing. */
struct verdict_given {
	struct str fd, json, text, details;
};

struct verdict {
	bool completed;       /* there is a reward */
	double reward;        /* 0 unless completed */
	enum verdict_channel channel;
	struct str breakdown; /* JSON, an object; p NULL: nothing was said beside the reward */
	struct str error;     /* why there is no reward; p NULL when there is one */
};

/* Reads it. Texts lie in the arena. Never fails: what cannot be read is a verdict without a reward. */
void verdict_read(struct arena *a, const struct verdict_given *given, struct verdict *out);

#endif
