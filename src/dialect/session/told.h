/*
 * What the sessions of coding agents tell alike, each under names of its own: tokens beside a message, times in
 * milliseconds, the arguments of a call as an object or as a text of JSON, and lines that only say that something
 * happened. Reading only: marks.h is for checking.
 */
#ifndef DIALECT_SESSION_TOLD_H
#define DIALECT_SESSION_TOLD_H

#include "dialect/reading/reading.h"

/*
 * How a format names the tokens of one answer; an empty name is a figure that it does not have. A name with a slash
 * is a path: "/cache/read".
 */
struct told_names {
	struct str input, output, cache_read, cache_write, reasoning, total;
	bool cache_apart;     /* what the cache gave and took is not in the input */
	bool reasoning_apart; /* reasoning is not in the output */
};

/*
 * The tokens of an answer, normalised. Where parts are larger than what should hold them, they are taken to be apart
 * whatever the table says; a total that counts reasoning beside the output decides for it. The total itself says
 * nothing new when it is the sum. All absent when usage is no object.
 */
struct usage told_usage(struct reading *r, struct val usage, const struct told_names *names);

/*
 * A time. A whole number of milliseconds is taken, since its text has the same digits; others are as reading_time has
 * them.
 */
struct moment told_time(struct reading *r, struct val object, struct str name);

/* From one time to another, in milliseconds; absent when either is missing or they stand the wrong way round. */
struct amount told_span(struct moment from, struct moment to);

/* The arguments of a call: an object or list as it stands, a text for the assembler to parse. */
void told_args(struct reading *r, struct event *call, struct val args);

/* A NOTE of this name whose content is all of v that is not taken yet; null when v is none. */
struct event *told_note(struct reading *r, struct str role, struct moment ts, struct val v);

/* Takes these members: what they say is told elsewhere. */
void told_again(struct reading *r, struct val object, const struct str *names, size_t count);

#endif
