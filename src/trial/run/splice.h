/* A record with some of its values replaced, and all else as it stands. */
#ifndef TRIAL_RUN_SPLICE_H
#define TRIAL_RUN_SPLICE_H

#include "base/arena.h"
#include "base/err.h"

struct splice {
	const char *pointer; /* RFC 6901; the member must be there */
	struct str json;     /* its new value */
};

/*
 * The text with these values, in the arena. False and *err (ERR_DATA) when it is not JSON, or has no such member. No
 * pointer may lead into the value of another one.
 */
bool splice_values(struct arena *a, struct str text, const struct splice *changes, size_t count, struct str *out,
		   struct err *err);

/* A text as JSON, in the arena. */
struct str splice_text(struct arena *a, struct str text);

#endif
