/*
 * What the tool-use log of a run says to a replay: the hashes by which two runs are compared, where in the log each
 * line of the cassette stands, and the tools that were called. The log is always made of the cassette itself, so both
 * sides are read by the same code, and a cassette alone is enough.
 */
#ifndef REPLAY_ORIGIN_H
#define REPLAY_ORIGIN_H

#include "base/arena.h"
#include "base/err.h"

/* A text of one run that stands for one of the other. */
struct origin_swap {
	struct str from, to;
};

struct origin_tool {
	struct origin_tool *next;
	struct str name; /* "say", of tool://agent/say */
	uint64_t calls;
};

struct origin_place {
	uint64_t x;
	int64_t seq;
};

struct origin {
	struct str run_hash, behavior_hash; /* with their labels; p NULL: the log has none */
	struct origin_tool *tools;          /* in the order of their first calls */
	struct origin_place *places;
	size_t place_count;
	uint64_t records; /* of the log: seq is below it */
	double coverage;                    /* the share of the cassette's values that are in the log, from 0 to 1 */
};

/*
 * Makes the log of a cassette in the directory `dir`, under this name, and reads it. Texts live in the arena. The swaps
 * are made in the log before it is hashed. False and *err when the cassette cannot be converted.
 */
bool origin_make(struct arena *a, struct str cassette, int dir, struct str path, struct str name,
		 const struct origin_swap *swaps, size_t count, struct origin *out, struct err *err);

/* The hashes of a log that stands in a file; the rest of *out stays. False and *err when it cannot be read. */
bool origin_hash_file(struct arena *a, struct str path, struct origin *out, struct err *err);

/* A text with all these swaps made; itself where there is nothing to swap. */
struct str origin_swap_all(struct arena *a, struct str text, const struct origin_swap *swaps, size_t count);

/* The seq of what a line of the cassette became; -1: it is not in the log. */
int64_t origin_seq(const struct origin *o, uint64_t x);

#endif
