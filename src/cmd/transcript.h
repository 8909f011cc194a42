/*
 * The conversation of a run as a person reads it: who said what and when, which tools were called with what, and what
 * they gave. Written as it is read, so memory does not grow with the log; what it says cannot act on the terminal.
 */
#ifndef CMD_TRANSCRIPT_H
#define CMD_TRANSCRIPT_H

#include "cmd/frame/command.h"
#include "flow/trace_load.h"

enum transcript_form { TRANSCRIPT_TEXT, TRANSCRIPT_JSON, TRANSCRIPT_JSONL };

struct transcript_options {
	enum transcript_form form;
	bool all;     /* nothing is cut */
	uint64_t run; /* only that one, from 1; 0: all of the log */
	const struct dialect *as;
	unsigned jobs;
	const struct source_io *io; /* NULL: the system's */
};

/*
 * The log with the content of what `path` is: of a run's directory, or of the trace in it, the log beside it where
 * there is one; else the path itself. In the arena.
 */
struct str transcript_find(struct arena *a, struct str path);

/*
 * Prints the transcript of the log. False and *err when it cannot be read, has no content or no such run; something may
 * be printed then.
 */
bool transcript_show(struct arena *a, const struct frame *frame, struct str path, const struct transcript_options *o,
		     struct err *err);

#endif
