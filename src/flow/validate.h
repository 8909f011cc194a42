/*
 * Checks every part of a source against the rules of its format: given, or seen in its content. Chunks
 * are scanned in parallel and folded in order; memory does not grow with the input, but for what a
 * format's own rules must remember (ids).
 */
#ifndef FLOW_VALIDATE_H
#define FLOW_VALIDATE_H

#include "dialect/dialect.h"
#include "dialect/validate_rules.h"
#include "source/source.h"

/* One part, when it is over. All of it lives during the callback. */
struct validate_part {
	struct str name;
	const struct dialect *dialect; /* NULL: none that we know */
	const char *looks_like;        /* then: what it may be instead, or NULL */
	struct check_tally tally;
	uint64_t bytes;
	const struct findings *findings; /* in the order of their places */
	const struct err *failure;       /* not NULL: it could not be read to its end */
};

struct validate_flow {
	struct source *from;
	unsigned jobs; /* as in struct flow */
	const struct dialect *as; /* NULL: by content */
	struct check_options options;
	bool (*part)(void *context, const struct validate_part *part, struct err *err);
	void (*tick)(void *context, const struct source *from); /* may be NULL */
	void *context;
};

/* False when `part` did not want to go on, or the process is asked to stop. */
bool validate_flow_run(struct validate_flow *f, struct err *err);

/* The finding about a file of no format that we know, or with nothing in it. */
void validate_note_unknown(struct findings *list, const char *looks_like, uint64_t bytes);

#endif
