/*
 * A log in a directory (c2sp.org/tlog-tiles), as any static server could offer it, and what a writer needs in .state:
 *
 *	checkpoint, tile/, checkpoints/<size>, objects/sha256/ab/cdef..., vkey
 *	.state/lock, .state/wal, .state/version, .state/ids.idx
 *
 * There is one commit point: the sync of a frame in .state/wal, under the lock. Tiles, the signer's head and the
 * checkpoint follow, in this order, each synced before the next is begun; whoever comes after a crash finds in the
 * frames what is still to be published, and publishes the very same bytes. A frame that was not synced whole is as if
 * it had never been; since nobody was told of it, nobody misses it.
 *
 * Readers take no lock: they read the checkpoint, check it, and then only what a log of that size has.
 */
#ifndef LEDGER_DIR_LOG_DIR_H
#define LEDGER_DIR_LOG_DIR_H

#include "ledger/io.h"
#include "ledger/log.h"

struct log_dir_options {
	const struct io *io;      /* NULL: io_system */
	struct str dir;
	struct str keys;          /* the directory of keys; p is NULL: no signer, no check of its head */
	const struct signer *signer; /* NULL: found in `keys` by the checkpoint's key; must outlive the log otherwise */
	const struct key *key;    /* NULL: the signer's, else that of <dir>/vkey (then not trusted) */
	bool read_only;           /* takes no lock, recovers nothing, writes nothing */
	bool on_network;          /* a network file system is all right */
	bool keep_partials;       /* of tiles and bundles that have become full; else they go when it is published */
	enum log_pending pending; /* about frames that do not prove to be the owner's */
	void (*warn)(void *context, const char *sentence); /* of what was accepted or dropped; may be NULL */
	void *context;
	unsigned wal_limit;       /* bytes after which the WAL is replaced at publishing; 0 means 1 MiB */
};

/*
 * Makes an empty log: directories, state, the checkpoint of size 0 signed by `signer`, its head in `keys`. ERR_USAGE
 * when there is a log already, no signer, a signer of another name than `origin`, or a network file system; ERR_DATA
 * when there are entries without a checkpoint, or the key has signed entries of a log of this name. What a crash left
 * of an earlier try is made again.
 */
bool log_dir_make(const struct log_dir_options *o, struct str origin, struct err *err);

/*
 * Opens a log, and recovers it under the lock unless read_only. NULL with *err when it is not a log (ERR_DATA), was
 * taken back or forked ([E_ROLLBACK], [E_FORK]), or cannot be read or locked (ERR_IO). Lives until log_close.
 */
struct log *log_dir_open(const struct log_dir_options *o, struct err *err);

/* Whether there is a log in the directory: a checkpoint or a .state. `io` NULL: io_system. */
bool log_dir_is_one(const struct io *io, struct str dir);

/* Hard-links the object under a name people read, below the directory ("records/exp/trial.json"). Not durable by
 * itself, and no harm when it cannot be made (false): it can be made again. What stands there with other bytes
 * stays. */
bool log_dir_link(struct log *l, struct digest object, const char *name);
bool log_dir_has_link(struct log *l, struct digest object, const char *name); /* a copy of the object counts */
bool log_dir_is_taken(struct log *l, struct digest object, const char *name); /* by something with other bytes */
bool log_dir_unlink(struct log *l, const char *name); /* false when nothing was removed: absent, or behind a link */

/* How far a log has got, as its frames tell; for checks. */
struct log_dir_state {
	uint64_t published, committed;
	uint64_t wal_bytes, wal_torn; /* of good frames; behind them, up to the last byte that is not zero */
	bool has_head;                /* the signer's */
	uint64_t head_size;
};
/*
 * Reads it without the lock, up to five times when a writer is at work meanwhile. False with *err when a file cannot
 * be read, or the checkpoint or the signer's head cannot be trusted.
 */
bool log_dir_state(struct log *l, struct log_dir_state *out, struct err *err);

#endif
