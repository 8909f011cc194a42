/*
 * The trace files below a directory, followed. A pass looks at every file once and reads what is new in it. No file
 * stays open and no notice of the kernel is needed, so it works on network drives too.
 *
 * A file is known by its device and inode, not by its name: one that is renamed is read on. It is read again from its
 * begin when it has become shorter, or when the bytes before the place where we stopped are no longer those we read;
 * the window tells events that come twice. So whatever is done to a file (appended to, rotated, cut off, replaced,
 * deleted), an event counts once. The state is only in the files: after a restart the same files give the same figures.
 *
 * Old runs cost little. A file that nobody wrote for two windows is only looked at, never opened. Of a large file the
 * part is found, from its end backwards in steps that double, where a MiB of lines holds no event of the window;
 * reading begins there. An event of the window that stands before so many older lines would be missed: traces are
 * written in the order in which events end.
 */
#ifndef WATCH_TAIL_H
#define WATCH_TAIL_H

#include "base/err.h"
#include "watch/lines.h"
#include "watch/scan.h"

#define TAIL_FILES 16384 /* written within the last two windows; more are left out */

struct tail {
	/* after the last whole pass: */
	uint64_t passes;
	size_t followed; /* traces */
	size_t refused;  /* files that could not be opened or read */
	size_t left_out; /* files and directories beyond our limits */
	struct err failure; /* of the directory itself, or of a refused file; kind ERR_NONE: none */
	/* tail.c's own, for the pass under way */
	struct lines lines;
	struct scan scan;
	struct table files;
	struct buf block;
	struct hash reading; /* the file that is being read */
	bool is_under_way, is_reading;
	size_t over; /* files beyond the limit */
	struct err why;
};

/* `dir` is terminated; it and the window must live as long. `files` is usually TAIL_FILES. */
void tail_init(struct tail *t, const char *dir, struct window *w, size_t files);
void tail_free(struct tail *t);

/*
 * Goes on with the pass, or begins one: looks at some thousand entries or reads some MiB. True when the pass is over,
 * and everything is read that was there when the pass came to it.
 */
bool tail_step(struct tail *t, int64_t now_us);

#endif
