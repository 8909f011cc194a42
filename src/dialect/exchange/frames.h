/*
 * Messages of a WebSocket as programs that watch one log them: each on a line of its own, with its direction beside it,
 * or as the list of a HAR entry. A message is a request or one event of a stream, as the API has them on HTTP.
 */
#ifndef DIALECT_EXCHANGE_FRAMES_H
#define DIALECT_EXCHANGE_FRAMES_H

#include "dialect/exchange/exchange.h"

/* How well a logged message fits an API, as in struct dialect; 0 for anything else, and for APIs without sockets. */
int exchange_frame_fits(struct val v, const struct exchange_api *api);

/* Reads one that fits: the message by the API, with the time of its record; what is left of both stays. */
void exchange_frame_read(struct reading *r, struct val v, const struct exchange_api *api);

/* The messages of a HAR entry; VAL_NONE when it is of no socket. */
struct val exchange_frames_of(struct val entry);

/* The API of a list of messages, by the first that fits one; NULL when none does. */
const struct exchange_api *exchange_frames_api(struct val messages);

#endif
