/*
 * An answer that is all there, as a log of exchanges keeps the body of a stream: each JSON value of a text of
 * server-sent events (base/sse.h), of lines, or of a list that breaks off, one after the other. answer_stream.h reads
 * those that still come.
 */
#ifndef DIALECT_EXCHANGE_ANSWER_TEXT_H
#define DIALECT_EXCHANGE_ANSWER_TEXT_H

#include "dialect/reading/reading.h"

/* Zero but for `left` at first. */
struct answer_text {
	struct str left;
	struct str event;  /* of the value just given; p NULL when there is none */
	size_t end;        /* with so many bytes of `left`, as it was at first, that value was whole */
	bool done;         /* [DONE] was seen */
	size_t unread;     /* how many events and lines were no JSON, or no part of a stream */
	struct str odd;    /* the data of the first of them; p NULL when it stands in lines that are of no event */
	/* the rest is answer_text.c's */
	size_t used;       /* bytes that are no longer in `left` */
	bool is_list;      /* it begins as one */
	struct str lines;  /* data that is no one value: what is left of its lines */
	struct val value;
};

/*
 * The next value; false when there is none left. It is released when the next is asked for, and at the end, so walk
 * until false, or release it. What is no JSON is counted in `unread` and passed over.
 */
bool answer_text_next(struct reading *r, struct answer_text *t, struct val *v);

#endif
