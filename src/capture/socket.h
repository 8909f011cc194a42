/*
 * Exchanges inside a WebSocket. A client of the Responses API may open one and send each request as a message; the
 * events of the answer come as messages, too. Both are read here and told on as the tap tells of plain HTTP, so that
 * nothing behind it knows the difference: a POST to the socket's address with the message as its body, answered by
 * lines of JSON. What is no request, what belongs to no answer, and control frames are not told on.
 *
 * Runs on the recorder's thread. What it holds is taken from the room; a message for which there is none, or which is
 * larger than any that is looked at, is told as lost. When frames cannot be read any more, nor can what follows: what
 * was open ends there, and socket_is_torn.
 */
#ifndef CAPTURE_SOCKET_H
#define CAPTURE_SOCKET_H

#include "capture/handoff.h"
#include "dialect/exchange/answer_stream.h"
#include "net/websocket/websocket.h"

#define SOCKET_OPEN 16 /* requests that wait for their answers, at once; of more the oldest is given up */

/* Whether a request asks for a WebSocket of which messages can be read. */
bool socket_is_read(const struct http_head *h, struct str target);

/* The request that a client's message holds: itself, or its member "response"; VAL_NONE when it holds none. */
struct val socket_find_request(struct val message);

/* Where exchanges go. */
struct socket_sink {
	/* Takes the handoff. A request comes first, its end last; the end frees the exchange. */
	void (*take)(void *context, struct handoff *w);
	/* Whether the answer is complete with what was taken. */
	bool (*is_over)(void *context, const struct handoff_exchange *x);
	void *context;
};

struct socket;

/*
 * `request` asked for it and is `number`; its head is copied. Parser and room are shared with others and must live
 * longer. Never NULL; lives until socket_close, which takes NULL too and tells nobody anything.
 */
struct socket *socket_open(const struct handoff *request, uint64_t number, struct answer_parser *parser,
			   struct budget *room, struct socket_sink sink);
void socket_close(struct socket *s);

/* The head of the answer. Only after 101 there is anything to read; false: it is no socket then. */
bool socket_begin(struct socket *s, const struct http_head *answer);

/* Bytes of one direction. `lost`: some are missing before these, and nothing more can be read. */
void socket_push(struct socket *s, struct str bytes, bool from_client, bool lost, int64_t ns);

/* The connection is over; answers that were not complete end with it. */
void socket_end(struct socket *s, enum proxy_end how, int64_t ns);

/* How many requests came as messages; whether some of it could not be read; whether for want of room. */
uint64_t socket_count(const struct socket *s);
bool socket_is_torn(const struct socket *s);
bool socket_is_crowded(const struct socket *s);

#endif
