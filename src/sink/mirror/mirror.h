/*
 * A directory that mirrors sources: for each run of a source a file, named after the source (name.h), and an index of
 * them all (index.h). A source's outputs appear when it is over, never in part.
 *
 * What a crash leaves. Outputs are written in MIRROR_UNFINISHED and renamed into place, then a line for each is
 * appended to the journal there; nothing is synced on the way, for syncs of single files are most of the time that a
 * job over many small ones takes. At the end one syncfs brings everything to the disk, and only then the index is
 * replaced, with a sync of its own, and the journal removed. So:
 * - an index is always true: what it lists is on the disk;
 * - after a kill the journal is true too, because the system still has every byte that was written. It holds whole
 *   sources only, each named in it after its files were renamed;
 * - after a power cut the journal may name files whose bytes never came to the disk. It begins with the id of the boot
 *   that it was written in, and is not believed in another one: that part of the job is done again.
 *
 * syncfs and not a sync of each file at the end, because it is one call whatever the number of files, and covers the
 * directories and the renames in them. It may wait for what others wrote to the same file system.
 */
#ifndef SINK_MIRROR_MIRROR_H
#define SINK_MIRROR_MIRROR_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#define MIRROR_INDEX "index.jsonl"

struct mirror_options {
	struct str dir;    /* is there; terminated */
	struct str format; /* that is written: a target's name (dialect/target.h) */
	struct str suffix; /* of its files */
	struct str maker;  /* stands for whatever else decides the bytes; another one makes all outputs old */
	bool update;       /* what is there and unchanged is not wanted */
	/* A source is over, and this is one of its outputs, below the directory. May be NULL. */
	void (*wrote)(void *context, struct str source, struct str output);
	/* An output that its source no longer has: removed, or left because it was changed since. May be NULL. */
	void (*stale)(void *context, struct str source, struct str output, bool is_removed);
	/* A source of the index that is gone, or gave no run this time; its outputs stay. May be NULL. */
	void (*stayed)(void *context, struct str source);
	void *context;
};

/* A source before it is read. */
struct mirror_source {
	struct str name, below;
	uint64_t size, stamp;
	bool is_known; /* the stamp tells whether it changed */
};

struct mirror_sums {
	uint64_t sources, files;  /* that were written */
	uint64_t unchanged;       /* sources that were not wanted */
	uint64_t stayed;          /* sources of the index that are gone or gave no run; told by mirror_finish */
};

struct mirror;

/*
 * Locks the directory and reads its index and what a killed job left there. NULL with *err: ERR_IO, or ERR_DATA when
 * another job is at work in it or its index.jsonl is somebody else's. Lives in the arena; mirror_close must follow.
 */
struct mirror *mirror_open(struct arena *a, const struct mirror_options *o, struct err *err);

/* Whether a source is to be read; asked of each before that, in any order. Not when it was asked for before. */
bool mirror_wants(struct mirror *m, const struct mirror_source *s);

/*
 * A run of a source that was wanted: begin, bytes, end. Runs of one source follow each other. The index has the run_id
 * that stands on the first line of the output; where there is none, the id that was set in between, or null.
 */
bool mirror_begin_run(struct mirror *m, struct str source, struct err *err);
bool mirror_put(struct mirror *m, struct str bytes, struct err *err);
void mirror_set_id(struct mirror *m, struct str id);
bool mirror_end_run(struct mirror *m, struct err *err);

/*
 * The source is over, and its outputs take their places. `more`: others of the same name may follow, and they do so
 * when that is known. Without a run nothing happens. False, with *err, when that cannot be done: the source has no new
 * outputs then, and the job may go on.
 */
bool mirror_end_source(struct mirror *m, struct str source, struct str source_format, bool complete, bool more,
		       struct err *err);

/*
 * The job is over: everything is brought to the disk, and the index replaced. `whole`: it came to its end; otherwise a
 * source that is not over is dropped. False, with *err, leaves the journal, so that another job can go on.
 */
bool mirror_finish(struct mirror *m, bool whole, struct err *err);

const struct mirror_sums *mirror_sums(const struct mirror *m);

/* Closes everything; what is not finished goes, but for the journal of finished sources. NULL is allowed. */
void mirror_close(struct mirror *m);

#endif
