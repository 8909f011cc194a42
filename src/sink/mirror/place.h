/*
 * The directory of a mirror, open: every name is reached from it component by component and no link is followed on the
 * way, so nothing is written outside of it whatever others put there.
 */
#ifndef SINK_MIRROR_PLACE_H
#define SINK_MIRROR_PLACE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct place {
	struct arena *arena;
	struct str path;      /* for messages; terminated */
	int dir;              /* the directory */
	int unfinished;       /* MIRROR_UNFINISHED in it */
	int journal;          /* locked */
	struct str journal_text; /* what a killed job of this boot left; p NULL for nothing. Padded for JSON */
	bool has_lines;       /* the journal has lines of sources */
	int at;               /* the directory of the last output, below dir; or -1 */
	struct str at_path;
};

/* Opens and locks it. False, with *err; place_close must follow in any case. */
bool place_open(struct place *p, struct arena *a, struct str path, struct err *err);
/* Gives it back. MIRROR_UNFINISHED goes, unless `keep` and there is a journal with lines in it. */
void place_close(struct place *p, bool keep);

/* A file below the directory, followed by JSON_PAD zero bytes; p NULL when there is none. */
bool place_read(struct place *p, const char *name, struct str *out, struct err *err);

/* A new file that is not finished, by its number: a descriptor, or -1 with *err. */
int place_begin(struct place *p, uint64_t number, struct err *err);
/* It takes the place of `output`; directories are made. False, with *err, when that is not possible. */
bool place_move(struct place *p, uint64_t number, struct str output, struct err *err);
/* It is not wanted. */
void place_drop(struct place *p, uint64_t number);

/* Whether a regular file of this size is there. */
bool place_has(const struct place *p, struct str output, uint64_t size);
/* Removes an output. */
bool place_remove(struct place *p, struct str output);

/* Adds whole lines to the journal. */
bool place_note(struct place *p, struct str lines, struct err *err);

/*
 * Replaces a file of the directory by what `write` writes, all or nothing, and it is on the disk then. The file that is
 * not finished has the number 0.
 */
bool place_replace(struct place *p, struct str name, bool (*write)(void *context, int fd, struct err *err),
		   void *context, struct err *err);

/* Everything written so far is on the disk then. */
bool place_sync(struct place *p, struct err *err);

#endif
