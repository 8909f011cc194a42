/*
 * The directory of a recorder that listens: one recorder at a time has it (a lock that ends with the process), runs
 * that an earlier one left open are completed, and the oldest closed runs are removed when there are too many. Only
 * directories that such a recorder wrote are touched: those whose name is the run_id of their meta.json, which says so.
 * No link is ever followed.
 */
#ifndef CAPTURE_LISTEN_LISTEN_DIR_H
#define CAPTURE_LISTEN_LISTEN_DIR_H

#include "capture/listen/listen_recover.h"
#include "capture/listen/listen_runs.h"

struct listen_dir_options {
	struct str path;
	int64_t keep_ns;     /* 0: for ever */
	uint64_t keep_bytes; /* 0: all */
	int64_t (*now)(void *context);
	/* Runs were removed. */
	void (*removed)(void *context, uint64_t count, uint64_t bytes);
	struct listen_recover_options recover; /* its context serves both */
};

struct listen_dir;

/* What was found at the start. */
struct listen_dir_found {
	uint64_t completed, nodes; /* runs that were left open, and what they have */
	uint64_t closed, bytes;    /* runs that are kept, with those */
};

/*
 * Makes the directory, takes the lock, and completes what was left. NULL and *err: another recorder has it, or it
 * cannot be used.
 */
struct listen_dir *listen_dir_open(const struct listen_dir_options *o, struct listen_dir_found *found,
				   struct err *err);

/* A run was closed; it is removed when its time comes. */
void listen_dir_add(struct listen_dir *d, const struct listen_closed *c);

/* Removes what is too old or too much, the oldest first. */
void listen_dir_keep(struct listen_dir *d);

/* Lets the lock go. NULL is allowed. */
void listen_dir_close(struct listen_dir *d);

#endif
