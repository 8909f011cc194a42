/*
 * The calls that an answer asks for. Streams tell them in pieces (the name first, then arguments by index), as whole
 * items, and again at the end: an id tells that it is the same call, where there is none the index does. Another name
 * is another call all the same: there are services that give all calls one id, or none and one index.
 *
 * Here they are only told apart. What is kept of them is the business of whoever asks, at the same places.
 */
#ifndef DIALECT_EXCHANGE_ANSWER_CALLS_H
#define DIALECT_EXCHANGE_ANSWER_CALLS_H

#include "model/event.h"

#define ANSWER_CALLS 4096 /* in one answer */
#define ANSWER_ID 200     /* bytes of an id that count */

struct answer_calls {
	struct answer_call {
		int index;
		uint64_t branch; /* digest; calls of another choice have the same indexes */
		uint64_t id;     /* digest of it; 0: none yet */
		uint64_t tool;   /* of the name as it came; 0: none yet */
		bool answered;   /* by the service itself */
	} *marks;
	size_t count, cap;
};

/* What an event of a call says that was not known. */
enum answer_call_news {
	ANSWER_CALL_NEW = 1,
	ANSWER_CALL_ID = 2,
	ANSWER_CALL_NAME = 4,
	ANSWER_CALL_FULL = 8, /* one more than there may be: it has no place */
};

#define ANSWER_CALL_NONE ((size_t)-1)

/*
 * The place of the call that an event tells of, and in *news a set of enum answer_call_news. ANSWER_CALL_NONE when it
 * tells of none (*news is 0), or of one more than ANSWER_CALLS (ANSWER_CALL_FULL). Marks live in the arena.
 */
size_t answer_calls_add(struct answer_calls *c, struct arena *a, const struct event *e, unsigned *news);

/* The service answered this call itself: it is nobody's to wait for. An id that nobody asked for is passed over. */
void answer_calls_answer(struct answer_calls *c, struct str id);

#endif
