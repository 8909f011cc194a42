/*
 * One chunk in canonical form (RFC 8785): a document gives its bytes and nothing else, each line that
 * is not blank its canonical line and LF. What is wrong becomes findings with places in the input.
 * Sees nothing but its arguments, so it is what workers run.
 */
#ifndef FLOW_CANONICAL_H
#define FLOW_CANONICAL_H

#include "base/finding.h"
#include "json/canon.h"
#include "source/source.h"

struct canonical {
	struct buf out;
	struct arena arena; /* what the findings point to */
	struct findings findings;
	size_t limit;     /* of findings kept whole, the rest is counted; 0 keeps all */
	uint64_t records; /* values written */
};

/* Nothing in it; canonical_free gives the memory back. */
void canonical_init(struct canonical *c, size_t limit);
void canonical_free(struct canonical *c);

/* Forgets what is in `out` and fills it. As lines or as one document, whatever the input is. */
void canonical_lines(struct canonical *out, struct json_parser *parser, struct canon *canon, const struct chunk *in);
void canonical_document(struct canonical *out, struct json_parser *parser, struct canon *canon, const struct chunk *in);

#endif
