/*
 * What events.jsonl knows of calls and results.jsonl does not: the tries of a row that came to nothing and were made
 * again, and which endpoint was called since when. A run of an older version, or of another harness, has less of it or
 * none, and then less is known.
 */
#ifndef BENCH_RUN_BENCH_TRIES_H
#define BENCH_RUN_BENCH_TRIES_H

#include "base/buf.h"
#include "base/map.h"

/* A try that failed and was followed by another; times in ms since 1970. */
struct bench_try {
	struct str target, prompt_id;
	int64_t repetition, attempt;
	int64_t from, to; /* from: -1 when it is not known */
	int64_t delay;    /* until the next */
	bool sent;        /* a connection was made */
	bool is_first;    /* of its row */
	bool used;        /* the caller's */
	size_t next;      /* of its row, counted from 1; 0: none */
};

struct bench_tries {
	struct arena *arena;
	struct buf tries;  /* struct bench_try, in the order of the file */
	struct buf begins; /* of targets: struct bench_begin */
	struct map rows;   /* a row to its first and its last try, counted from 1, in the halves of the value */
};

/*
 * Reads the tries of the run in a directory. One without events.jsonl, or with one that cannot be read, has none or
 * those before the fault: less is known then, and that is no error. Texts live in the arena. To be freed.
 */
void bench_tries_read(struct bench_tries *t, struct arena *a, struct str dir);

/* Gives the lists back; texts stay with the arena. */
void bench_tries_free(struct bench_tries *t);

/* How many tries there are. */
size_t bench_tries_count(const struct bench_tries *t);

/* The try at this place of the file, from 0; valid until the free. */
struct bench_try *bench_tries_at(const struct bench_tries *t, size_t i);

/* The first try of a row, and the one after another; NULL for none. `target` is provider:model@thinking. */
struct bench_try *bench_tries_find(const struct bench_tries *t, struct str target, struct str prompt_id,
				   int64_t repetition);
struct bench_try *bench_tries_next(const struct bench_tries *t, const struct bench_try *one); /* NULL at the end */

/*
 * What was called for a target at that time, by the last target_begin before it, else by the first; p NULL when nothing
 * says so. Lives in the arena.
 */
struct str bench_tries_endpoint(const struct bench_tries *t, struct str target, int64_t at_ms);

#endif
