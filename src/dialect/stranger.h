/*
 * Files that are in no format of ours: what they are instead, so that their owner knows we saw it. Some are so much
 * like a format of ours that they would be taken for it; those are known before any format is tried.
 */
#ifndef DIALECT_STRANGER_H
#define DIALECT_STRANGER_H

#include "json/json.h"

struct stranger {
	const char *what; /* "a Qwen Code chat log"; lives always */
	bool is_log;      /* nothing else looks so; otherwise many a file does that is no log of an agent */
	bool is_damaged;  /* it was JSON once */
	const char *help; /* what its owner can do; NULL for the usual. It was no JSON ever then */
};

/* What the value, or the first of a list, is part of. False when nobody knows, and then *out is untouched. */
bool stranger_find(struct val v, struct stranger *out);

/*
 * What the text of a file was that is no JSON any more, or not yet: by names that must all stand in it. False, with
 * *out untouched, when it has none of them.
 */
bool stranger_find_damaged(struct str text, struct stranger *out);

#endif
