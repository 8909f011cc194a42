/*
 * Many replays: each is a process of its own, so that its network namespace and its recorder are its own too. The
 * documents that they print (`trackway.replay/1`) become rows; batch_tally.h adds them up.
 *
 * A replay that was ended from outside says nothing about its run: it is no divergence.
 */
#ifndef REPLAY_BATCH_H
#define REPLAY_BATCH_H

#include "replay/replaying.h"

enum batch_end {
	BATCH_NOT_BEGUN,   /* we were to stop before its turn */
	BATCH_JUDGED,      /* there is a verdict, be it NOT_REPLAYABLE */
	BATCH_UNABLE,      /* it could not be run, or was killed */
	BATCH_INTERRUPTED, /* we were to stop while it ran */
};

/* Texts are in the arena; p NULL: not known. */
struct batch_row {
	/* the run, by batch_find */
	struct str dir, name, run_id; /* name: the directory's */
	struct str agent, model;
	bool has_started;
	int64_t started_us;           /* since 1970 */
	struct str listed_sha256;     /* of the cassette, as meta.json has it */
	/* what came of it */
	enum batch_end end;
	enum verdict verdict;         /* of BATCH_JUDGED */
	struct str provider, api, sha256;
	double coverage;              /* of the run's values in a tool-use log; NaN: not known */
	uint64_t served, exact, masked, lenient, missed, unconsumed;
	bool isolated;                /* it had no network */
	struct str class, sentence;   /* the first divergence; p NULL: none */
	struct str why;               /* not replayable, or not run */
	double seconds;
};

/* Whether the run did the same again. */
bool batch_is_replayed(const struct batch_row *r);

/*
 * The runs of all places, by their paths, each once: a directory's are all below it (links are not followed), a name is
 * what runs_find takes, tag:K[=V] stands for every run with this tag. False and *err when a place is nothing, or holds
 * no run at all.
 */
bool batch_find(struct arena *a, const struct str *places, size_t count, struct batch_row **out, size_t *found,
		struct err *err);

struct batch_options {
	const char *program;     /* this one's path */
	const struct str *words; /* the command line up to the run, of a replay that prints a JSON document */
	size_t word_count;
	const char *const *argv; /* the command, where {dir}, {name} and {run} stand for each run's; NULL-ended */
	struct str keep;         /* one more word, which ends in the run's path with '_' for each '/'; p NULL: none */
	unsigned jobs;           /* at once; 0: one for each core */
	void (*tick)(void *own, const struct batch_row *rows, size_t count); /* ten times a second */
	void *own;
};

/*
 * Replays every row. True when all have an end, also when it is another one than BATCH_JUDGED: the signal to stop
 * (base/stop.h) ends those that run and leaves the others. False and *err when no process can be started at all.
 */
bool batch_play(struct arena *a, const struct batch_options *o, struct batch_row *rows, size_t count, struct err *err);

/*
 * Fills in what the process of a replay left: its document, its exit status or signal, and its standard error. For
 * batch_play and its tests. `stopping`: we ended it ourselves.
 */
struct batch_left {
	struct str document, complaint;
	int status, signal;
	bool stopping;
};
void batch_read(struct arena *a, const struct batch_left *left, struct batch_row *r);

#endif
