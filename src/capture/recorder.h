/*
 * The recorder's side of a recording: takes what the tap hands over, looks at it, run graphs it, and writes it down. Runs
 * on the feed's thread; before that is started and after it has ended, on the caller's.
 */
#ifndef CAPTURE_RECORDER_H
#define CAPTURE_RECORDER_H

#include "capture/handoff.h"
#include "capture/line_file.h"
#include "capture/run_graph.h"

struct desk_options {
	struct run_graph_options run_graph; /* line and context are the desk's own */
	bool (*measured)(void *context, int64_t from_ns, int64_t to_ns); /* see run graph.h; NULL: never */
	void *measured_context;
	struct trail *trace;
	struct trail *cassette; /* NULL: no content is kept */
	struct str run_id;
	int64_t begun_ns;
	struct budget *room; /* what is held of open exchanges is taken from it */
};

struct desk;

struct desk *desk_open(struct arena *a, const struct desk_options *o);

/* The work of a feed. */
struct feed_work desk_work(struct desk *d);

/* The run is over and the feed closed: writes what is left and the summary; *summary as run_graph_finish has it. */
void desk_finish(struct desk *d, const char *exit_status, struct str error, int64_t ended_ns, struct str *summary);

struct run_graph_tally desk_tally(const struct desk *d);
uint64_t desk_gaps(const struct desk *d); /* exchanges of which something could not be looked at */
uint64_t desk_crowded(const struct desk *d); /* those of them for which there was no room */

void desk_close(struct desk *d);

#endif
