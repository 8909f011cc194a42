/*
 * What the servers and lanes of a replay share: a question to an answer of the tape, and the notes of what differed.
 * The player owns the matcher and the list of divergences; a lane knows its protocol and nothing of verdicts. All of it
 * is on one thread, that of the loop.
 */
#ifndef REPLAY_PLAYER_H
#define REPLAY_PLAYER_H

#include "replay/match.h"
#include "replay/tape.h"

enum divergence_class {
	DIVERGENCE_REQUEST_MISMATCH,
	DIVERGENCE_EXTRA_CALL,
	DIVERGENCE_MISSING_CALL,
	DIVERGENCE_ORDER,
	DIVERGENCE_PARAM_CHANGED,
	DIVERGENCE_TOOL_ORDER,
	DIVERGENCE_VOLATILE_SUBSTITUTION,
	DIVERGENCE_OUTPUT_MISMATCH,
	DIVERGENCE_UNCONSUMED,
	DIVERGENCE_PROTOCOL,
	DIVERGENCE_EXIT_STATUS,
	DIVERGENCE_TIMEOUT,
	DIVERGENCE_TOOL_DRIFT, /* --live tools: a result is another one than was recorded */
	DIVERGENCE_CLASSES,
};

/* "request_mismatch" and so on; a constant. */
const char *divergence_class_name(enum divergence_class c);

struct divergence {
	struct divergence *next;
	enum divergence_class class;
	bool behind;           /* a fork: it says nothing of the recorded run */
	bool fatal;            /* the verdict is DIVERGED (or INCOMPLETE, of unconsumed) because of it */
	bool has_x;
	uint64_t x, group;     /* of the recorded entry it is about, or the nearest */
	int64_t seq;           /* of the OTUTL of the recorded run; -1: not known */
	struct str lane, tool; /* tool p NULL */
	struct match_difference difference; /* path p NULL: none */
	struct match_near near[MATCH_NEAR];
	size_t near_count;
	struct str sentence;   /* one, for people */
};

enum player_chunking { CHUNKS_RECORDED, CHUNKS_EVENT, CHUNKS_SINGLE, CHUNKS_BYTES };

struct player_pace {
	enum player_chunking chunking;
	uint64_t chunk_bytes; /* of CHUNKS_BYTES */
	double speed;         /* delays are multiplied by it; 0: none, 1: as recorded */
};

struct player;

struct player_options {
	const struct tape *tape;
	struct match_options match;
	struct player_pace pace;
	bool strict_params;  /* another sampling parameter is fatal */
	bool stop;           /* at the first fatal divergence nothing more is served */
	/* A fatal divergence was noted; may be NULL. */
	void (*diverged)(void *context);
	/* An entry was served; may be NULL. */
	void (*served)(void *context, const struct match_entry *e);
	void *context;
};

/* Copies the options; the tape must live longer. Lanes then add their entries, and player_seal comes before any ask. */
struct player *player_open(const struct player_options *o);
struct match *player_match(struct player *p);
void player_seal(struct player *p);
void player_close(struct player *p);

/* In order; they live as long as the player. The first fatal one is the first divergence. */
struct divergence *player_divergences(struct player *p);
uint64_t player_count(const struct player *p, enum divergence_class c);

/* Asks the matcher, notes what differs, and counts. False: a miss, and *why is a sentence with the first difference. */
bool player_ask(struct player *p, struct arena *a, const struct match_question *q, struct match_result *out,
		struct str *why);

/* "model POST /v1/messages", for sentences. */
struct str player_name_question(struct arena *a, const struct match_question *q);

/* From here on the run is another one than the recorded: what differs is noted, and is not fatal. */
void player_part(struct player *p);

/* Notes a divergence that a lane found itself (a client's answer to a server's question, a protocol broken). */
void player_note(struct player *p, const struct divergence *d);

/* The answer as this run has to see it: values of the map are live ones. In the arena when anything was replaced. */
struct str player_translate(struct player *p, struct arena *a, struct str answer);

/*
 * After the first fatal divergence with --on-divergence stop: nothing is served any more, every question is a miss.
 */
bool player_is_stopped(const struct player *p);

/* The tool of this name was stubbed (served from the tape) or ran live; for the list in the verdict. */
enum player_tool { PLAYER_STUBBED, PLAYER_LIVE, PLAYER_RAN_IN_AGENT };
void player_note_tool(struct player *p, struct str name, enum player_tool how);

struct player_tool_row {
	struct player_tool_row *next;
	struct str name;
	uint64_t stubbed, live;
};
/* Tools that lanes told of, in the order of their first calls. */
const struct player_tool_row *player_tools(const struct player *p);

/* How answers are given. Lives as long as the player. */
const struct player_pace *player_pace(const struct player *p);
const struct tape *player_tape(const struct player *p);

#endif
