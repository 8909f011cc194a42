/*
 * Where two bodies differ: the first place, and how many leaves in all. Both are in their normal form (normal.h), so
 * the members of objects come in the same order. Texts that may stand for each other, because they are volatile on
 * both sides and of one type, are no difference as long as there is another one.
 */
#ifndef REPLAY_DIFFERENCE_H
#define REPLAY_DIFFERENCE_H

#include "replay/match.h"
#include "replay/volatile.h"

#define DIFFERENCE_SHOWN 120 /* bytes of a value that are shown */

struct difference_side {
	struct str body;
	bool is_json;
	/* Whether a text of this side is volatile; NULL: none is. */
	bool (*masks)(const void *context, const struct volatile_text *t, struct str text);
	const void *context;
};

struct difference_tool;

/* Working memory. Never NULL; difference_close takes NULL too. */
struct difference_tool *difference_open(void);
void difference_close(struct difference_tool *d);

/*
 * How many leaves differ; a leaf that only one of them has counts, and so does an empty list. 0: they are equal, but
 * for volatile texts. *first, unless NULL, gets the first difference, its texts in the arena; when there is none, and
 * yet the bytes differ, it is the first difference of volatile texts.
 */
uint64_t difference_count(struct difference_tool *d, struct arena *a, const struct difference_side *expected,
			  const struct difference_side *got, struct match_difference *first);

/* The difference of two plain texts, such as methods. `path` is shown as it is. */
void difference_of_texts(struct arena *a, struct str path, struct str expected, struct str got,
			 struct match_difference *out);

#endif
