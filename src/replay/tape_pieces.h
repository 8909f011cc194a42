/*
 * A recorded answer cut into pieces, each with the time it is due after the request. Where it is cut is the player's
 * choice (recorded, by events, whole, by bytes); the bytes are the same however it is cut. A piece is due when the last
 * of its bytes came in the recording. The answer may have another length than the recorded one, since values in it were
 * replaced: then what was recorded of places is scaled to it. Nothing here looks at a clock.
 */
#ifndef REPLAY_TAPE_PIECES_H
#define REPLAY_TAPE_PIECES_H

#include "replay/player.h"

/* What an event is in a body. */
enum tape_form {
	TAPE_WHOLE,    /* it has none: one document */
	TAPE_EVENTS,   /* server-sent events */
	TAPE_LINES,    /* JSON on lines */
	TAPE_FRAMES,   /* application/vnd.amazon.eventstream: each begins with its length */
	TAPE_MESSAGES, /* of a WebSocket: as capture/socket.h joins them, each with an LF behind it */
};

/* By a Content-Type, p NULL for none. Anything but TAPE_WHOLE is a stream. */
enum tape_form tape_form_of(struct str content_type);

struct tape_pieces {
	struct str body;
	enum tape_form form;
	struct player_pace pace;
	uint64_t recorded;   /* bytes of the recorded body */
	uint64_t elapsed_us; /* when the chunk at hand came */
	uint64_t whole_us;   /* when the exchange ended */
	const struct tape_chunk *chunks;
	size_t chunk_count, chunk;
	size_t at;
};

struct tape_cut {
	struct str bytes;
	uint64_t due_ns; /* after the request; 0 where nothing is to be waited for */
};

/* `line` is of TAPE_MODEL or TAPE_MCP_HTTP; `body` is its answer as it is to be given. Both must live as long. */
void tape_pieces_begin(struct tape_pieces *p, const struct tape_line *line, struct str body, enum tape_form form,
		       const struct player_pace *pace);

/* The next piece, never empty and a part of the body; false at the end. Times do not go back. */
bool tape_pieces_next(struct tape_pieces *p, struct tape_cut *out);

/* After the last piece: when the answer ended. */
uint64_t tape_pieces_end_ns(const struct tape_pieces *p);

/* The message of a piece of TAPE_MESSAGES: without the LF that was put behind it. */
struct str tape_message_of(struct str piece);

#endif
