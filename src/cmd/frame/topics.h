/* The pages of `trackway help <topic>`. */
#ifndef CMD_FRAME_TOPICS_H
#define CMD_FRAME_TOPICS_H

#include "base/str.h"

struct topic {
	const char *name;
	const char *summary; /* one line without capital and full stop */
	const char *text;    /* see wrap_add_paragraphs */
	const char *more;    /* goes on where that is too long for one constant; NULL for nothing */
};

extern const struct topic topics[]; /* ended by a NULL name */

/* The topic of exactly this name, a constant, or NULL. */
const struct topic *topic_find(struct str name);

#endif
