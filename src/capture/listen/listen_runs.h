/*
 * The runs of a recorder that listens: each is begun by the first request that belongs to no other, gets what belongs
 * to it, and is closed when nothing happened for a while. Whose a request is, by the first of these that tells it: the
 * name that the client gives (X-Trackway-Run); the session of an agent; the conversation that it goes on; the trace
 * that it is part of; the text that a tool was given. Only on the recorder's thread, or when that has ended.
 *
 * A run that nothing is written to has no descriptor. Time is what the caller says it is.
 */
#ifndef CAPTURE_LISTEN_LISTEN_RUNS_H
#define CAPTURE_LISTEN_LISTEN_RUNS_H

#include "capture/recorder.h"
#include "capture/run_files.h"

#define LISTEN_RUNS_MOST 10000 /* open at once; more close the one that was silent longest */
#define LISTEN_RUNS_CLOSED 100 /* with one tick, so that others do not wait for long */

struct listen_closed {
	struct str run_id, path;
	const char *exit_status;
	struct run_graph_tally tally;
	int64_t begun_ns, ended_ns;
	uint64_t bytes; /* of all its files */
	bool is_whole;  /* meta.json is there: else it is completed at the next start */
};

struct listen_runs_options {
	struct str dir;  /* in which each run has a directory */
	int64_t idle_ns; /* without anything on its way, until a run is closed */
	bool content, plain, dot;
	bool own_blocks; /* each run has numbers of its own for blocks of prompts */
	struct str framework, rig, engine, budget, retrieval_set, retrieval_digests; /* as recording_options has them */
	const struct run_tag *tags;
	size_t tag_count;
	const struct prices *prices;
	struct budget *room; /* for lines that cannot be written */
	int64_t (*now)(void *context); /* since 1970, in ns; of the same clock as the times of exchanges */
	/* A run is closed. Something went wrong, a sentence. The disk takes nothing (why), or does again (NULL). */
	void (*closed)(void *context, const struct listen_closed *c);
	void (*trouble)(void *context, struct str text);
	void (*full)(void *context, const char *why, uint64_t unrecorded);
	void *context;
};

struct listen_runs_tally {
	uint64_t open, closed;
	uint64_t calls, failed; /* model calls that are over */
	uint64_t unrecorded;    /* requests that no run could be begun for */
	bool more;              /* the last tick closed LISTEN_RUNS_CLOSED: the next should come soon */
};

struct listen_runs;

/* Never NULL. Copies the options, not what they point to. */
struct listen_runs *listen_runs_open(const struct listen_runs_options *o);

/* For recorder_options; the recorder is set before the first call. */
struct recorder_chooser listen_runs_chooser(struct listen_runs *l);
void listen_runs_set_recorder(struct listen_runs *l, struct recorder *d);

/* Closes runs that are idle, LISTEN_RUNS_CLOSED at most. Every second or so. */
void listen_runs_tick(struct listen_runs *l);

/* What is on its way now will be cut off: these runs end as interrupted, by this signal. */
void listen_runs_interrupt(struct listen_runs *l, int signal);

/* May be asked from any thread. */
struct listen_runs_tally listen_runs_tally(const struct listen_runs *l);

/* Closes all runs and frees it; *out, unless it is NULL, has the counts with them. */
void listen_runs_close(struct listen_runs *l, struct listen_runs_tally *out);

#endif
