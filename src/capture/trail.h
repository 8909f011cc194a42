/*
 * A file that grows by lines while a run goes on. Lines are written when asked, several with one call; what cannot be
 * written waits and is tried again, up to a limit; beyond it lines are lost, and counted. Nothing here stops a run.
 */
#ifndef CAPTURE_TRAIL_H
#define CAPTURE_TRAIL_H

#include "base/buf.h"
#include "base/err.h"

#define TRAIL_WAITING ((size_t)8 << 20)

struct trail {
	int fd;
	struct buf waiting;    /* whole lines, but for what was written of the first */
	uint64_t lines, bytes; /* written */
	uint64_t lost;         /* lines, ever */
	bool gap;              /* some were lost since the caller asked last */
	struct err failure;    /* the first one; ERR_NONE while all is well */
};

/* Makes the file, which must not exist, with this mode. */
bool trail_open(struct trail *t, struct str path, unsigned mode, struct err *err);

/* One or more whole lines, each with its LF. */
void trail_add(struct trail *t, struct str lines);

/* Writes what waits. False when something still waits. */
bool trail_flush(struct trail *t);

/* Whether lines were lost since the last time this was asked, and lines can be taken again. */
bool trail_take_gap(struct trail *t);

/* Writes and syncs, as far as possible; what waits then is lost and counted. */
void trail_close(struct trail *t);

#endif
