/*
 * What the files of the matcher share: match.c asks and serves, match_miss.c says what was near, match_output.c
 * holds outputs against each other.
 */
#ifndef REPLAY_MATCH_PRIVATE_H
#define REPLAY_MATCH_PRIVATE_H

#include "replay/difference.h"
#include "replay/match.h"
#include "replay/match_body.h"

/* A masked form of an entry. */
struct match_marks {
	size_t *values; /* of the ties, at the marks */
	size_t count;   /* 0: there is no such form */
	size_t next;    /* slot of the same key, plus 1 */
};

struct match_slot {
	struct match_entry e;
	struct match_body body; /* its bytes and texts are gone once it is sealed */
	struct match_marks marks[MATCH_FORMS];
	size_t next; /* of the same exact key, plus 1 */
	uint64_t epoch;
	bool used;
};

/* The latest epoch that was asked, and the latest of another group than that. */
struct match_late {
	bool any;
	uint64_t epoch, group, x;
};

struct match {
	struct match_options o;
	struct arena keep, build, work;
	struct match_slot *slots;
	size_t count, cap;
	/* of keys: the first slot that is not known to be used, plus 1; 0: all are */
	struct map exact, masked[MATCH_FORMS];
	struct ties ties;
	struct match_maker maker;
	struct json_parser *parser;
	struct difference_tool *difference;
	struct match_late late[2];
	struct match_tally tally;
	bool sealed;
};

/* Of a side of a comparison (difference.h): which of its texts are new in every run. The context is a match_masking. */
struct match_masking {
	const struct match *m;
	enum ties_side side;
	int64_t clock_us;
};
bool match_masks(const void *context, const struct volatile_text *t, struct str text);

/* Fills in what a miss has: the nearest entries, and how the first of them differs. Texts are in the arena. */
void match_miss(struct match *m, struct arena *a, const struct match_question *q, const struct match_body *b,
		struct match_result *out);

/* How a question differs from a slot that is served all the same. */
void match_differ(struct match *m, struct arena *a, struct match_slot *s, const struct match_body *b,
		  struct match_difference *out);

#endif
