/*
 * Streams of the Responses API, in order. A stream tells everything two or three times: in deltas, when an item is
 * done, when the response is complete. An item counts once: as it was when it was done; else as the complete
 * response has it; else, when the stream was cut, as its deltas joined. Items are known by their place in the
 * output, not by their ids, which some servers change from event to event; so is the response.
 *
 * The reader says in the hint (exchange_hint.h) what an event of a stream is; the hint is taken off here. Numbers
 * that do not count up, ids that are not the item's and items that are told in other words are gathered for the step
 * (exchange_gather.h), as is what the pieces have of their own.
 */
#ifndef DIALECT_OPENAI_RESPONSES_STREAM_H
#define DIALECT_OPENAI_RESPONSES_STREAM_H

#include "base/err.h"
#include "model/event.h"

struct responses_stream;

/* What passes goes to `put`; it lasts for the call. */
struct responses_stream *responses_stream_open(void);
void responses_stream_close(struct responses_stream *s);

struct responses_sink {
	bool (*put)(void *context, const struct event *e, struct err *err);
	void *context;
};

/* The next event of the log, of a stream or not. */
bool responses_stream_add(struct responses_stream *s, const struct event *e, struct responses_sink to, struct err *err);

/* The log is over: what was cut is given as far as it came. */
bool responses_stream_end(struct responses_stream *s, struct responses_sink to, struct err *err);

#endif
