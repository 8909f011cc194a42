/*
 * The server's side of a WebSocket, once a request for one is there: the handshake, frames in and out, pings and closes
 * answered, and messages that wait for their turn. What the messages mean is their owner's business, and so is when one
 * of them is at work.
 *
 * Any call that sends may come back as the request's `gone`: the owner sets `q` to NULL there.
 */
#ifndef NET_SERVER_SOCKET_H
#define NET_SERVER_SOCKET_H

#include "net/server/server.h"
#include "net/websocket/websocket.h"

#define SERVER_SOCKET_WAITING 64 /* messages that wait; a client that sends more at once is hung up on */

struct server_socket {
	struct request *q; /* NULL when it is gone */
	struct websocket_reader *reader;
	struct websocket_writer *writer;
	struct buf waiting[SERVER_SOCKET_WAITING];
	size_t waiting_count;
	struct buf out; /* frames that were not flushed */
	bool is_slow;    /* the client is: cleared by its owner, in `drain` */
	bool is_closing; /* a close was sent, and nothing is heard any more */
};

/* Answers 101, with what is packed as the client offered; it must have sent a key. `most`: bytes of a message. */
void server_socket_accept(struct server_socket *s, size_t most);

/* The bytes of a body. False: the client broke the rules and was hung up on; *why is a constant. */
bool server_socket_hear(struct server_socket *s, struct str bytes, const char **why);

/* The message that waited longest goes to *out, whose bytes are freed. False: none waits. */
bool server_socket_next(struct server_socket *s, struct buf *out);

/* A text, which is sent by the next flush. */
void server_socket_say(struct server_socket *s, struct str text);

/* False: the client is slow, or gone. */
bool server_socket_flush(struct server_socket *s);

/* A close, and no more. */
void server_socket_hang_up(struct server_socket *s, unsigned code, struct str reason);

void server_socket_free(struct server_socket *s);

#endif
