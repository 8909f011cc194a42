/*
 * Text that an answer streams in pieces: the events of server-sent events, or lines of JSON. A word may be cut
 * anywhere, so pieces of the same text (by the names on the way to it, and the indexes that events have) are put
 * together as they stand, escapes and all, and every piece knows where in the answer it is.
 */
#ifndef REPLAY_PIECES_H
#define REPLAY_PIECES_H

#include "base/arena.h"
#include "base/str.h"

struct json_parser;

struct piece {
	size_t from, n; /* in the answer, without quotes */
	size_t at;      /* in the joined text */
};

struct pieces_text {
	struct str joined;
	struct piece *list;
	size_t count;
};

/* All texts of more than one piece, in the order of their beginnings; none when the answer is no stream. */
size_t pieces_join(struct arena *a, struct json_parser *p, struct str answer, struct pieces_text **out);

#endif
