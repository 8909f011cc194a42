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
 * Reads a target; its texts are copied into the arena. The provider ends at the first colon, the thinking level begins
 * behind the last @: low, medium, high, xhigh, or none. False with ERR_USAGE and what would be right, the nearest
 * provider among it, for anything else, for a level where the provider has none, and for a name that makes the tag
 * longer than 200 bytes; *out is then not to be used.
 */
bool target_parse(struct arena *a, struct str text, struct target *out, struct err *err);

/* A target as rows name it: a short name of a provider becomes the long one. `text` itself, or in the arena. */
struct str target_long_name(struct arena *a, struct str text);

/* "provider:model@thinking", as it was or could have been written. */
struct str target_name(struct arena *a, struct str provider, struct str model, struct str thinking);

/*
 * The tag: parts joined by __, runs of what is not A-Z a-z 0-9 _ . - as one _ . Different targets may have the same
 * tag; the runner refuses a run with two of them. In the arena.
 */
struct str target_tag(struct arena *a, struct str provider, struct str model, struct str thinking);

#endif
