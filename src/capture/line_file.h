/*
 * A file that grows by lines while a run goes on. Lines are written when asked, several with one call; what cannot be
 * written waits and is tried again, up to a limit; beyond it lines are lost, and counted. Nothing here stops a run.
 */
#ifndef CAPTURE_LINE_FILE_H
#define CAPTURE_LINE_FILE_H

#include "base/budget.h"
#include "base/err.h"

#define LINE_FILE_WAITING ((size_t)8 << 20)

struct line_file {
	int fd;
	struct buf waiting;    /* whole lines, but for what was written of the first */
	uint64_t lines, bytes; /* written */
	uint64_t lost;         /* lines, ever */
	uint64_t torn;         /* bytes at the end of the file that are no whole line */
	bool is_torn;          /* at the end: they could not be cut off */
	bool moved;            /* at the end: its name is another file's, or nobody's */
	bool gap;              /* some were lost since the caller asked last */
	struct err failure;    /* the first one; ERR_NONE while all is well */
	int dir;               /* where it was made, and its name there */
	const char *name;
	struct budget *room;   /* NULL: LINE_FILE_WAITING; else what waits is taken from it, with that of others */
	size_t counted;        /* of the room */
	bool later;            /* the caller syncs */
	bool is_parked;        /* its descriptor is given back, */
	uint64_t device, inode; /* and this is the file */
};

/*
 * Makes the file in an open directory, with this mode. False and *err (ERR_IO) when it cannot, or something has its
 * name already. The name is not copied.
 */
bool line_file_open(struct line_file *t, int dir, const char *name, unsigned mode, struct err *err);

/* One or more whole lines, each with its LF. They are copied and wait for a flush; beyond the limit they are lost. */
void line_file_add(struct line_file *t, struct str lines);

/* Writes what waits. False when something still waits. */
bool line_file_flush(struct line_file *t);

/*
 * Writes what it can, and gives the descriptor back until line_file_unpark; lines that are left or added meanwhile
 * wait. False, and it stays open, when the system does not say which file it is.
 */
bool line_file_park(struct line_file *t);

/*
 * Opens a parked file again, in its directory, which may have been opened anew. False when it is not there, when
 * another file or a link has its name, or when there is no descriptor: it stays parked.
 */
bool line_file_unpark(struct line_file *t, int dir);

/* Whether lines were lost since the last time this was asked, and lines can be taken again. */
bool line_file_take_gap(struct line_file *t);

/* Whether its name is still that of the file that was made: the child may have put another one, or a link, there. */
bool line_file_is_in_place(const struct line_file *t);

/* Goes on in another file that has taken its name; takes the descriptor. Nothing may wait. */
void line_file_replace(struct line_file *t, int fd, uint64_t lines, uint64_t bytes);

/*
 * Writes and syncs, as far as possible; what waits then is lost and counted, and what was written of a line that is not
 * whole is cut off. A file that is no longer in its place, or something else is there, is a failure.
 */
void line_file_close(struct line_file *t);

#endif
