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

/*
 * A question without its volatile texts. There are two of each: one where times are marks like all others, and one
 * where they are literal, because a date in a task may by chance be near the clock of one run and far from the other's.
 */
enum match_form { MATCH_ALL_MARKS, MATCH_NO_TIMES, MATCH_FORMS };

struct match_masked {
	struct digest key;
	struct match_text *texts; /* behind the marks, none of them foreign */
	size_t count;             /* 0: there is no such form, and no key */
};

/* The texts are in the arena. The second form is there only when it is another one than the first. */
void match_body_mask(struct match_maker *m, struct arena *a, enum ties_side side, const struct match_question *q,
		     const struct match_body *b, struct match_masked out[MATCH_FORMS]);

#endif
