/*
 * A run is over: its last lines and its summary, and the files that follow from trace and cassette. For the one run of
 * a child, and for each of the many of a recorder that listens. meta.json is written by the caller, as the last file.
 */
#ifndef CAPTURE_RUN_END_H
#define CAPTURE_RUN_END_H

#include "capture/recorder_run.h"
#include "capture/run_files.h"

struct run_end {
	struct arena *arena;
	struct run_files *files;
	struct recorder_run *run; /* its line files, too: they are closed here */
	bool dot;
	struct str budget, retrieval_set; /* as declared, JSON; p NULL: not declared */
	/* What went wrong, a sentence; the other files are still written. */
	void (*trouble)(void *context, struct str text);
	void *context;
	bool exchanged;         /* requests passed: what only telemetry told of has no content to convert */
	const struct output_tally *output; /* of the child; NULL: not kept */
	bool has_output;        /* and the file is there */
	const char *content[4]; /* of what was said: the files that were written */
	size_t content_count;
};

/* Ends the trace and the cassette, and writes summary.json. Adds to the tally and the lost lines of *end. */
void run_end_lines(struct run_end *e, const char *exit_status, struct str error, struct run_files_end *end);

/*
 * Of the cassette the tool-use log and the trajectory; of the trace, with `dot`, the drawing. Both files are closed and
 * in their places, where they are said to be there. `run` is not looked at.
 */
void run_end_others(struct run_end *e, const struct run_files_end *end, bool has_trace, bool has_cassette);

#endif
