/*
 * Streams of the Responses API, in order. A stream tells everything two or three times: in deltas, when an item is
 * done, when the response is complete. An item counts once: as it was when it was done; else as the complete
 * response has it; else, when the stream was cut, as its deltas joined. Items are known by their place in the
 * output, not by their ids, which some servers change from event to event; so is the response.
 *
 * The reader says in the hint (exchange/hint.h) what an event of a stream is; the hint is taken off here. Numbers
 * that do not count up, ids that are not the item's and items that are told in other words are gathered for the step
 * (exchange/gather.h), as is what the pieces have of their own.
 */
#ifndef DIALECT_OPENAI_RESPONSES_STREAM_H
#define DIALECT_OPENAI_RESPONSES_STREAM_H

#include "dialect/exchange/exchange.h"

/* These four are an exchange_order, which says what they promise. An opened stream lives until it is closed. */
void *responses_stream_open(void);
void responses_stream_close(void *stream); /* NULL is allowed */

/*
 * The next event of the log, of a stream or not. What passes goes to `to`, and lasts for that call. False when `to`
 * refused an event, and then *err is what that said. Deltas are held up to 64 items and 8 MB; beyond that they pass as
 * they are.
 */
bool responses_stream_add(void *stream, const struct event *e, struct exchange_sink to, struct err *err);

/* The log is over: what was cut is given as far as it came. False as above. */
bool responses_stream_end(void *stream, struct exchange_sink to, struct err *err);

#endif
