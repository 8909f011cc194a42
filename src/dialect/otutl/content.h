/*
 * The behaviour projection of `request` and `response`: what was said, without the ids and times of this one run.
 *
 * Projected are the object itself, the messages in it, and the content blocks in those; args, results and text stay
 * to the letter. There a few members are dropped (`ts`, `id`, `created`, ...), and a member that holds a call id gets
 * a hole for that call's new name. doc/formats/otutl.md lists both, and the members that lead from one level to the
 * next, so that another program can work out the same hash.
 */
#ifndef DIALECT_OTUTL_CONTENT_H
#define DIALECT_OTUTL_CONTENT_H

#include "dialect/otutl/otutl.h"

/*
 * Adds the projection of `content` to out->proj, and its holes to r. The value must have a canonical form; one that
 * is no object is kept as it is. The scanner's arena gets texts with escapes.
 */
void otutl_project_content(struct otutl_scanner *s, struct val content, struct otutl_batch *out,
			   struct otutl_record *r);

/* Adds a hole at the end of the projection as it is now, whatever hole.at says. Holes must come in order. */
void otutl_hole_add(struct otutl_batch *out, struct otutl_record *r, struct otutl_hole hole);

#endif
