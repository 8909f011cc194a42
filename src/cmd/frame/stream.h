/* The standard streams at the start and at the end of the process. */
#ifndef CMD_FRAME_STREAM_H
#define CMD_FRAME_STREAM_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "sink/spool.h"

/*
 * Descriptors 0 to 2 that are closed are opened on the null device, so that no file gets their number.
 * They are opened the wrong way round: reading such a standard input or writing such a standard output
 * fails as it should, instead of finding nothing or losing the answer.
 */
void stream_open_missing(void);

/* A write to a pipe nobody reads gives EPIPE, one beyond the limit of a file EFBIG. What we start gets both signals. */
void stream_catch_signals(void);

/* Writes text through stdio. A failure stays with the stream: stream_finish_output tells it for standard output. */
void stream_write(FILE *to, struct str text);

/*
 * Replaces a file by what a spool holds, all or nothing. False with *err; the file is as it was then. The spool stays
 * the caller's.
 */
bool stream_replace(struct str path, struct spool *s, struct err *err);
/* The same without a sync (file_replace_later_by): file_sync_all is the caller's to call. */
bool stream_replace_later(struct str path, struct spool *s, struct err *err);

enum stream_end {
	STREAM_WRITTEN,
	STREAM_READER_LEFT, /* the other end of a pipe was closed: nothing to say about it */
	STREAM_FAILED,      /* *err says why */
};

/*
 * Flushes and closes standard output, also for writes that failed before. Only then is it known that everything was
 * written. ERR_IO after STREAM_FAILED. Nothing may be printed afterwards.
 */
enum stream_end stream_finish_output(struct err *err);

/* True when standard output is a pipe or socket whose reader has gone. */
bool stream_reader_left(void);

#endif
