/*
 * An answer that is being given: its pieces, each when it is due. Times are counted from the request on, not from one
 * piece to the next, so that a late one makes nothing after it late.
 */
#ifndef REPLAY_TAPE_GIVE_H
#define REPLAY_TAPE_GIVE_H

#include "replay/alarm.h"
#include "replay/tape_pieces.h"

enum tape_given {
	TAPE_GIVE_LATER, /* the alarm is set, and rings when there is more */
	TAPE_GIVE_PIECE,
	TAPE_GIVE_END,   /* nothing follows, and it is time to end */
};

struct tape_give {
	struct alarm alarm; /* first; its owner sets `ring` */
	struct alarms *alarms;
	struct tape_pieces pieces;
	struct tape_cut cut; /* the piece at hand */
	bool has_cut;
	uint64_t begun_ns;
};

/* The request was complete at `begun_ns`. The rest is that of tape_pieces_begin. */
void tape_give_begin(struct tape_give *g, struct alarms *alarms, uint64_t begun_ns, const struct tape_line *line,
		     struct str body, enum tape_form form, const struct player_pace *pace);

/* What is to be done now; *piece is a part of the body. After TAPE_GIVE_END it says so again. */
enum tape_given tape_give_next(struct tape_give *g, struct str *piece);

/* No alarm will ring. */
void tape_give_stop(struct tape_give *g);

#endif
