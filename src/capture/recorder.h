/*
 * The recorder's side of a recording: takes what the tap hands over, reads it, makes nodes of it, and writes them. Runs
 * on the feed's thread; before that is started and after it has ended, on the caller's.
 */
#ifndef CAPTURE_RECORDER_H
#define CAPTURE_RECORDER_H

#include "capture/graph/run_graph.h"
#include "capture/handoff.h"
#include "capture/line_file.h"

struct recorder_options {
	struct run_graph_options run_graph; /* line and context are the recorder's own */
	bool (*measured)(void *context, int64_t from_ns, int64_t to_ns); /* see run_graph.h; NULL: never */
	void *measured_context;
	struct line_file *trace;
	struct line_file *cassette; /* NULL: no content is kept */
	struct str run_id;
	int64_t begun_ns;
	struct budget *room; /* what is held of open exchanges is taken from it */
};

struct recorder;

/* Begins the trace and, where there is one, the cassette. Never NULL; the struct lives in the arena. */
struct recorder *recorder_open(struct arena *a, const struct recorder_options *o);

/* The work of a feed. */
struct feed_work recorder_work(struct recorder *d);

/* The run is over and the feed closed: writes what is left and the summary; *summary as run_graph_finish has it. */
void recorder_finish(struct recorder *d, const char *exit_status, struct str error, int64_t ended_ns,
		     struct str *summary);

/*
 * What came of the exchanges so far, which models had no price, and how many exchanges were not read whole: in all, and
 * for want of room. Only on
 * the feed's thread, or when that has ended.
 */
struct run_graph_tally recorder_tally(const struct recorder *d);
const struct price_gaps *recorder_unpriced(const struct recorder *d);
uint64_t recorder_gaps(const struct recorder *d);
uint64_t recorder_crowded(const struct recorder *d);

/* Frees what it holds; exchanges that are not over are dropped. The line files are the caller's to close. */
void recorder_close(struct recorder *d);

#endif
