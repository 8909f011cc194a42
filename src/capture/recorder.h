/*
 * The recorder's side of a recording: takes what the tap hands over, reads it, makes nodes of it, and writes them. Runs
 * on the feed's thread; before that is started and after it has ended, on the caller's.
 */
#ifndef CAPTURE_RECORDER_H
#define CAPTURE_RECORDER_H

#include "base/clock.h"
#include "capture/handoff.h"
#include "capture/observe/block_chain.h"
#include "capture/recorder_run.h"

/* Whose an exchange is, and what another layer saw. On the feed's thread. NULL: nobody's, and nothing of it is kept. */
struct recorder_chooser {
	/* A request was read: all of the observation that concerns it is there. */
	struct recorder_run *(*exchange)(void *context, const struct observation *s, const struct http_head *h);
	struct recorder_run *(*sighting)(void *context, const struct sighting *s);
	/* An exchange of the run is over: the whole observation. May be NULL. */
	void (*ended)(void *context, struct recorder_run *r, const struct observation *s);
	/* Before lines of the run are written, and after: `done` is whether all of them are. May be NULL. */
	void (*wake)(void *context, struct recorder_run *r);
	void (*flushed)(void *context, struct recorder_run *r, bool done);
	void *context;
};

struct recorder_options {
	struct budget *room; /* what is held of open exchanges is taken from it */
	struct recorder_run *run; /* the only one; NULL: there are many, and `choose` says which */
	struct recorder_chooser choose;
	const struct clock_line *clock; /* by which exchanges have their times; NULL: the system's */
	struct block_options blocks; /* record --hash-blocks */
};

struct recorder;

/* Never NULL; the struct lives in the arena. */
struct recorder *recorder_open(struct arena *a, const struct recorder_options *o);

/* The work of a feed. */
struct feed_work recorder_work(struct recorder *d);

/* What another layer saw. Only on the feed's thread: from a job of a handoff. Nothing of it is kept by reference. */
void recorder_see(struct recorder *d, const struct sighting *s);

/* Who chooses between runs, for jobs that are theirs. */
void *recorder_context(const struct recorder *d);

/* The run ends, and what is open in it is dropped: its own files and numbers are the caller's to finish and to free. */
void recorder_drop(struct recorder *d, struct recorder_run *r);

/* Writes what waits to be written, of all runs. */
void recorder_flush(struct recorder *d);

/* Frees what it holds; exchanges that are not over are dropped. The runs are the caller's. */
void recorder_close(struct recorder *d);

#endif
