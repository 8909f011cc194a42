/*
 * Runs that a recorder left open when it was killed: the line that was not finished is cut off, and what the run has is
 * summed up as that of one that was interrupted. No node that was written is lost, and none is added.
 */
#ifndef CAPTURE_LISTEN_LISTEN_RECOVER_H
#define CAPTURE_LISTEN_LISTEN_RECOVER_H

#include "capture/run_files.h"

/* What meta.json says of a run that a recorder which listens wrote. */
struct listen_meta {
	struct run_files files; /* as it was begun; dir is open */
	bool is_over;
	int64_t ended_ns; /* when it is over */
};

/*
 * Reads it from the open directory, which *out takes over only when this is true: a run of ours, whose id is the name
 * of the directory. No link is followed. Texts are in the arena.
 */
bool listen_meta_read(struct arena *a, int dir, struct str path, struct listen_meta *out);

struct listen_recover_options {
	bool plain, dot;
	struct str rig, engine;
	void (*trouble)(void *context, struct str text);
	void *context;
};

/* Completes it: false and *err when meta.json cannot be written. Nodes that are there are counted in *nodes. */
bool listen_recover(struct arena *a, struct listen_meta *m, const struct listen_recover_options *o, uint64_t *nodes,
		    struct err *err);

#endif
