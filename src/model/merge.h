/* Two canonical JSON objects made one, for what pieces of one thing say apart. */
#ifndef MODEL_MERGE_H
#define MODEL_MERGE_H

#include "base/arena.h"
#include "base/str.h"

struct merge;

/* Working memory of one thread, reused from call to call. Never NULL; merge_close takes NULL too. */
struct merge *merge_open(void);
void merge_close(struct merge *m);

/*
 * The members of both; where both have one, objects are merged in the same way and anything else is the second's.
 * When one is no object, the second. In canonical form, in the arena.
 */
struct str merge_objects(struct merge *m, struct arena *a, struct str first, struct str second);

#endif
