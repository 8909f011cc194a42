/*
 * What a lane of tools (MCP, commands) needs of whoever replays: answers of the tape, a place for notes, and how to
 * give answers. It is a table of functions and not the player itself, so that a lane can be tested with another one.
 * All of it is on the thread of the loop.
 */
#ifndef REPLAY_LANE_H
#define REPLAY_LANE_H

#include "replay/player.h"

struct lane_ops {
	/* player_ask: false is a miss, which is noted already; *why is a sentence. */
	bool (*ask)(void *context, struct arena *a, const struct match_question *q, struct match_result *out,
		    struct str *why);
	void (*note)(void *context, const struct divergence *d);                       /* player_note */
	struct str (*translate)(void *context, struct arena *a, struct str answer);    /* player_translate */
	bool (*stopped)(void *context);                                                /* player_is_stopped */
	void (*tool)(void *context, struct str name, enum player_tool how);            /* player_note_tool */
	void (*consume)(void *context, uint64_t x); /* match_consume: it happened inside of what was served */
	/* Whether a tool that the tape has not runs: behind a fork. NULL: it is refused */
	bool (*runs)(void *context);
	const struct player_pace *pace;
	struct redact *redact; /* of a tape that is redacted: what is live goes through it first. NULL: none */
	bool live; /* tools run, and are compared with the tape */
	void *context;
};

/* Entries of a lane, in the order of x; those of all lanes are to be given to the matcher in that order. */
struct lane_entries {
	struct match_entry *items;
	size_t count, cap;
};

/*
 * The first place where two texts differ: as JSON when both are, else as bytes. False: they say the same. Texts of *out
 * are in the arena.
 */
bool lane_differ(struct arena *a, struct str recorded, struct str live, struct match_difference *out);

/* A live text as it is compared with the tape: redacted where that is. In the arena then. */
struct str lane_redact(const struct lane_ops *ops, struct arena *a, struct str text);

/* A recorded delay as it is to be waited for now, in nanoseconds. */
uint64_t lane_delay_ns(const struct lane_ops *ops, uint64_t us);

/* The class of a miss, by its result: "extra_call" or "request_mismatch". A constant. */
const char *lane_miss_class(const struct match_result *r);

#endif
