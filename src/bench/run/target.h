/* Who is asked: PROVIDER:MODEL[@THINKING]. */
#ifndef BENCH_RUN_TARGET_H
#define BENCH_RUN_TARGET_H

#include "base/arena.h"
#include "base/err.h"
#include "provider/provider.h"

struct target {
	const struct provider *provider;
	struct str model;
	struct str thinking; /* p NULL for null */
	struct str tag;      /* provider__model__thinking|none, for names of files */
};

/*
 * The provider ends at the first colon, the thinking level begins behind the last @: low, medium, high, xhigh, or none.
 * ERR_USAGE with what is right, the nearest provider among it.
 */
bool target_parse(struct arena *a, struct str text, struct target *out, struct err *err);

/* "provider:model@thinking", as it was or could have been written. */
struct str target_name(struct arena *a, struct str provider, struct str model, struct str thinking);

/* The tag: parts joined by __, runs of what is not A-Z a-z 0-9 _ . - as one _ . */
struct str target_tag(struct arena *a, struct str provider, struct str model, struct str thinking);

#endif
