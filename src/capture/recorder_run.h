/*
 * One run of a recorder: its graph, its files, its numbers. A recorder has one run for the life of a child, or many at
 * once for clients that come and go. Only on the recorder's thread; before that is started and after it has ended, on
 * the caller's.
 */
#ifndef CAPTURE_RECORDER_RUN_H
#define CAPTURE_RECORDER_RUN_H

#include "capture/cassette.h"
#include "capture/graph/run_graph.h"
#include "capture/line_file.h"

struct recorder_run_options {
	struct run_graph_options run_graph; /* line and context are the run's own */
	bool (*measured)(void *context, int64_t from_ns, int64_t to_ns); /* see run_graph.h; NULL: never */
	void *measured_context;
	struct line_file *trace;
	struct line_file *cassette; /* NULL: no content is kept */
	struct str run_id;
	struct str forked_from; /* the run that it goes on from, JSON; p NULL: none */
	int64_t begun_ns;
};

struct recorder_run {
	struct recorder_run_options o;
	struct run_graph *graph;
	uint64_t number, group; /* of exchanges, and of steps in which they were on their way together */
	size_t open_count;      /* exchanges that are being answered */
	size_t slot_count;      /* and all that are not over: an open socket only waits */
	uint64_t gaps, crowded;
	int64_t last_ns;        /* when something happened last */
	bool last_failed;       /* the latest model call did */
	bool dirty;             /* lines wait to be written */
	struct recorder_run *next_dirty;
};

/* Begins the graph and, where there is one, the cassette; lines that it adds make it dirty. */
void recorder_run_init(struct recorder_run *r, const struct recorder_run_options *o);

/* A line for the trace or the cassette. They wait for recorder_run_flush. */
void recorder_run_add(struct recorder_run *r, struct line_file *file, struct str line);

/* Writes what waits, and marks a gap where lines were lost before. False when something still waits. */
bool recorder_run_flush(struct recorder_run *r);

/* The run is over: writes what is left and the summary; *summary as run_graph_finish has it. */
void recorder_run_finish(struct recorder_run *r, const struct cassette_end *end, struct str *summary);

/*
 * What came of its exchanges so far, which models had no price, and how many exchanges were not read whole: in all, and
 * for want of room.
 */
struct run_graph_tally recorder_run_tally(const struct recorder_run *r);
const struct price_gaps *recorder_run_unpriced(const struct recorder_run *r);
uint64_t recorder_run_gaps(const struct recorder_run *r);
uint64_t recorder_run_crowded(const struct recorder_run *r);

/* Frees the graph. The line files are the caller's to close. */
void recorder_run_free(struct recorder_run *r);

#endif
