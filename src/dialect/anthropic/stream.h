/*
 * Anthropic's server-sent events. A chunk says little on its own; message_start opens a step, the others belong to the
 * latest. What is between chunks is done in order: a message_delta overwrites figures one by one, and a message
 * without its message_stop is partial.
 */
#ifndef DIALECT_ANTHROPIC_STREAM_H
#define DIALECT_ANTHROPIC_STREAM_H

#include "dialect/anthropic/blocks.h"
#include "dialect/exchange/exchange.h"
#include "dialect/reading/reading.h"

/*
 * How well a value fits as an event of a stream, 0 to 100 as in struct dialect; 0 when it is none, or of another
 * program that uses the same words.
 */
int anthropic_stream_fits(struct val v);

/*
 * The events of one chunk; false when it is none. The origin has branch and parent, and the flags for every event
 * (EVENT_FALLBACK). A chunk that says nothing (a ping) may add no event.
 */
bool anthropic_stream_read(struct reading *r, const struct blocks_origin *o, struct val v);

/* {"type":"error","error":{...}}, in a stream or as a body: an ERROR, with what is left of v. */
void anthropic_stream_read_error(struct reading *r, const struct blocks_origin *o, struct val v);

/* Figures that a later piece leaves out are those of an earlier one. Input counts what was cached, as it is then. */
void anthropic_stream_fill_usage(struct usage *newer, const struct usage *older);

/* The message being streamed, of which more may come. */
struct anthropic_stream {
	bool open;
	bool marker; /* nothing has come that would make it a step */
	struct usage usage;
	struct buf step; /* its id */
};

/* A stream with no message open. It lives until anthropic_stream_free, which may be called once on it. */
void anthropic_stream_init(struct anthropic_stream *s);
void anthropic_stream_free(struct anthropic_stream *s);

/*
 * Whether the message being streamed breaks off before this event (NULL: the log is over). Then *cut is the event that
 * says so, to be given first; it lasts until the next call.
 */
bool anthropic_stream_cut(struct anthropic_stream *s, const struct event *e, struct event *cut);

/*
 * Follows an event of the log, in order; figures that its usage leaves out are filled in. Pieces of a message that
 * began as a marker are flagged EVENT_MARKER until something makes it a step. Events of no stream are left alone.
 */
void anthropic_stream_follow(struct anthropic_stream *s, struct event *e);

/* All of it, for whoever has streams whose pieces do not say which message they are of. */
extern const struct exchange_order anthropic_order;

#endif
