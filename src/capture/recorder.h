/*
 * The recorder's side of a recording: takes what the tap hands over, reads it, makes nodes of it, and writes them. Runs
 * on the feed's thread; before that is started and after it has ended, on the caller's.
 */
#ifndef CAPTURE_RECORDER_H
#define CAPTURE_RECORDER_H

#include "capture/handoff.h"
#include "capture/line_file.h"
#include "capture/run_graph.h"

struct recorder_options {
	struct run_graph_options run_graph; /* line and context are the recorder's own */
	bool (*measured)(void *context, int64_t from_ns, int64_t to_ns); /* see run graph.h; NULL: never */
	void *measured_context;
	struct line_file *trace;
	struct line_file *cassette; /* NULL: no content is kept */
	struct str run_id;
	int64_t begun_ns;
	struct budget *room; /* what is held of open exchanges is taken from it */
};

struct recorder;

struct recorder *recorder_open(struct arena *a, const struct recorder_options *o);

/* The work of a feed. */
struct feed_work recorder_work(struct recorder *d);

/* The run is over and the feed closed: writes what is left and the summary; *summary as run_graph_finish has it. */
void recorder_finish(struct recorder *d, const char *exit_status, struct str error, int64_t ended_ns,
		     struct str *summary);

struct run_graph_tally recorder_tally(const struct recorder *d);
uint64_t recorder_gaps(const struct recorder *d); /* exchanges of which something could not be looked at */
uint64_t recorder_crowded(const struct recorder *d); /* those of them for which there was no room */

void recorder_close(struct recorder *d);

#endif
