/*
 * Places of findings. A finding about a record points into its line; one that may have to be made
 * when the line is gone keeps a spot: the place and enough of the line to be shown.
 */
#ifndef DIALECT_OTUTL_SPOT_H
#define DIALECT_OTUTL_SPOT_H

#include "base/finding.h"
#include "dialect/otutl/record.h"

#define OTUTL_SPOT 320 /* bytes of the line; more than a report shows */

struct otutl_spot {
	struct place at;
	size_t n, mark, mark_length; /* bytes of text; the piece that is meant, in it */
	char text[OTUTL_SPOT];
};

/*
 * Sets the place, pointer, excerpt and mark of a finding about a member of the record. The excerpt points into the
 * line; it is empty, and only the place is set, when the line is gone.
 */
void otutl_record_point(const struct otutl_record *r, enum otutl_place where, struct finding *f);

/*
 * Copies the place of a member and up to OTUTL_SPOT bytes of its line around it. Neither line nor record need last.
 */
void otutl_spot_keep(struct otutl_spot *s, const struct otutl_record *r, enum otutl_place where);

/* As otutl_record_point, without the pointer. The excerpt is in the spot, which must outlast the finding. */
void otutl_spot_point(const struct otutl_spot *s, struct finding *f);

/* "/seq" and so on; "" for OTUTL_AT_RECORD. */
struct str otutl_pointer(enum otutl_place where);

#endif
