/*
 * A WebSocket of a tape server. Each message that holds a request is a question, as the recorder saw it
 * (capture/socket.h): a POST to the address of the socket with the request as its body. The events of the answer are
 * messages, with their delays; one answer comes after the other. A miss is an event too, and the socket stays open.
 */
#ifndef REPLAY_TAPE_SOCKET_H
#define REPLAY_TAPE_SOCKET_H

#include "replay/tape_host.h"

/* Whether a request can be answered with a socket. */
bool tape_socket_is_asked(const struct http_head *h);

/* Answers it with one, and is told of it from here on (q->own). `asked` is the question that it was; it is copied. */
void tape_socket_begin(struct tape_host *host, struct request *q, const struct match_question *asked);

#endif
