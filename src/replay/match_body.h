/*
 * A question made ready to be compared: its normal form, its keys, and the volatile texts in it. Recorded and live
 * questions go through the same code; only the clock and the side of the ties differ.
 */
#ifndef REPLAY_MATCH_BODY_H
#define REPLAY_MATCH_BODY_H

#include "base/crypto/sha256.h"
#include "replay/match.h"
#include "replay/normal.h"
#include "replay/ties.h"
#include "replay/volatile.h"

struct match_text {
	struct volatile_text where; /* in the normal form */
	size_t value;               /* of the ties */
};

struct match_body {
	struct normal normal;
	struct digest k0;
	struct match_text *texts; /* that look volatile, times only when they are near the clock */
	size_t text_count;
};

/* What is needed to make one. */
struct match_maker {
	struct normalizer *normalizer;
	struct sha256 sha;
	struct ties *ties;
};

/* All of it is in the arena, or is the question's. New values are added to the ties. */
void match_body_make(struct match_maker *m, struct arena *a, enum ties_side side, int64_t clock_us,
		     const struct match_question *q, struct match_body *out);

/* Leaves only texts whose values are not foreign, and gives the masked key. False, and no key: none is left. */
bool match_body_mask(struct match_maker *m, enum ties_side side, const struct match_question *q, struct match_body *b,
		     struct digest *k1);

#endif
