/*
 * What the files of this directory share: the state of a handle, and the steps between them. Nobody else includes this.
 *
 * A writer has in memory the right edge of what is published (the last tile of each level, the last bundle) and the
 * entries committed since. Appending then reads nothing, and publishing writes only what is new.
 *
 * Other processes may write between any two calls. They leave a claim in the lock file: which file the WAL is, how far
 * they have synced it, the digest of the last frame there, and the checkpoint they have synced. It is not synced
 * itself, and needs not be: it only saves work. Who takes the lock and finds the claim it left goes on at once; one
 * that covers all frames lets it read just those that are new; anything else (somebody was killed, or failed) means
 * to recover: to read everything again and to write the good frames to a new file, because a frame that can be read
 * is not thereby on the disk.
 */
#ifndef LEDGER_DIR_PRIVATE_H
#define LEDGER_DIR_PRIVATE_H

#include "base/crypto/merkle.h"
#include "base/map.h"
#include "json/json.h"
#include "ledger/dir/log_dir.h"
#include "ledger/dir/signer_head.h"
#include "ledger/dir/wal.h"
#include "ledger/entry.h"
#include "ledger/ids.h"

#define LOG_DIR_VERSION STR("1\n")
#define LOG_DIR_WAL_MAX ((size_t)1 << 30) /* bytes of a WAL that are read */
#define LOG_DIR_BUNDLE_MAX ((size_t)TILE_WIDTH * (ENTRY_MAX + 2))

/* The last tile of each level and the last bundle, as a log of some size has them. */
struct dir_edge {
	struct digest hashes[TILE_LEVELS][TILE_WIDTH];
	unsigned width[TILE_LEVELS];
	struct buf bundle; /* as many entries as width[0] */
};

/* An entry that is committed and not published: where it lies in log_dir.bytes. */
struct dir_waiting {
	size_t at; /* in bytes: its length (two bytes) and itself */
	size_t n;
	struct digest leaf;
};

/* What a writer leaves in the lock file for the next one: see above. */
struct dir_claim {
	uint64_t inode, end; /* of the WAL: which file, and how many bytes of it are synced; inode 0: no claim */
	struct digest last; /* bytes of the frame that ends there; zeros: no frame */
	uint64_t published; /* size of the last checkpoint that was synced with its name */
};

struct log_dir {
	struct log log; /* first: a struct log is all that others see */
	const struct io *io;
	struct arena arena; /* of the handle */
	struct str dir, keys;
	const char *checkpoint_path, *lock_path, *wal_path, *ids_path;
	struct signer own_signer;
	struct wal_key wal_key; /* when there is a signer */
	enum log_pending pending;
	void (*warn)(void *context, const char *sentence);
	void *context;
	bool read_only, keep_partials;
	bool dead; /* a write or sync failed: nothing may be written any more */
	uint64_t wal_limit;
	struct sha256 sha;

	int lock_fd, wal_fd;
	struct dir_claim wal;     /* as this handle knows it */
	struct dir_claim claimed; /* as it stands in the lock file, as far as we know */
	uint64_t wal_size;        /* of the file, with the zeros written ahead */
	struct buf note;          /* the checkpoint that was read or written last: good, and on the disk */

	struct merkle published; /* count: the published size */
	struct digest published_root;
	struct dir_edge *edge;   /* of the published size */
	struct merkle committed;
	uint64_t acknowledged; /* entries that this handle has seen committed: never less from then on */
	struct buf bytes;             /* of the entries between them, as in a bundle */
	struct dir_waiting *waiting;
	size_t waiting_cap;

	struct map durable; /* directories whose names are known to be on the disk */
	struct ids *ids;    /* NULL until somebody asks */
	struct json_parser *parser;
	struct buf frame, bundle; /* of the append at hand */
};

/* A log that log_dir_open made: it is the first member of its handle. */
static inline struct log_dir *dir_of(struct log *l)
{
	return (struct log_dir *)(void *)l;
}

/* Entries between the published and the committed size, which are in d->waiting. */
static inline size_t dir_waiting_count(const struct log_dir *d)
{
	return (size_t)(d->committed.count - d->published.count);
}

/* "<dir>/<name>", terminated, in the arena. */
struct str dir_path(struct log_dir *d, struct arena *a, const char *name);

/* A handle with nothing open, to be closed as any log. */
struct log_dir *dir_new(const struct log_dir_options *o);
/* Opens the lock file, made when absent, as d->lock_fd; it is not taken yet. ERR_IO when the log cannot be written. */
bool dir_open_lock(struct log_dir *d, struct err *err);
/* True on a local disk; ERR_USAGE where neither locks nor syncs can be relied upon. */
bool dir_refuse_network(const struct io *io, const char *path, struct err *err);
bool dir_may_write(const struct log_dir *d, struct err *err); /* else ERR_USAGE: it was opened for reading only */

/* ---- lock.c: the lock, and what others did ---- */

/*
 * Waits for the lock of the file that has its name now. False with ERR_IO when it cannot be had, or we are asked to
 * stop.
 */
bool dir_lock(struct log_dir *d, struct err *err);
/* Leaves a claim, unless the handle is dead, and gives the lock back. */
void dir_unlock(struct log_dir *d);
/*
 * Takes the lock and brings the handle up to date, by the claim or by a recovery. False with *err, and without the
 * lock, when that fails or the handle is dead. To be ended with dir_unlock.
 */
bool dir_enter(struct log_dir *d, struct err *err);
void dir_unclaim(struct log_dir *d); /* whoever comes next must recover, */
void dir_die(struct log_dir *d);     /* and this handle does nothing more */

/* ---- recover.c ---- */

/*
 * Under the lock: reads the checkpoint, the edge and the frames; then publishes what waits (if there is a signer) and
 * removes leftovers. False with *err when the log is damaged or was taken back ([E_ROLLBACK], [E_FORK]), when frames
 * wait for the owner's decision (ERR_DATA), or the disk fails.
 */
bool dir_recover(struct log_dir *d, struct err *err);
/*
 * Reads the checkpoint; when it is of another size than we know, moves what is published there. False with
 * [E_ROLLBACK] when it is of less entries, with [E_FORK] when its root is not ours.
 */
bool dir_take_checkpoint(struct log_dir *d, struct err *err);
/*
 * Holds the log against what its key has signed, which is *h then. False with [E_ROLLBACK], [E_FORK], or what kept us
 * from reading either.
 */
bool dir_check_head(struct log_dir *d, struct signer_head *h, struct err *err);
/*
 * Writes the good frames beyond the published size (or none), of which `last` is the digest, as a new WAL. After a
 * failure (ERR_IO) the handle is dead.
 */
bool dir_renew_wal(struct log_dir *d, struct str frames, struct digest last, struct err *err);
/* Adds the entries of a frame to those that wait. False when it does not continue the log or does not come out even. */
bool dir_take_frame(struct log_dir *d, const struct wal_frame *f);
/* One more committed entry, copied behind those that wait to be published. */
void dir_add_waiting(struct log_dir *d, struct str entry, struct digest leaf);

/* ---- pending.c ---- */

/* What frames are proven with; NULL: there is no private key here. */
const struct wal_key *dir_wal_key(const struct log_dir *d);
/*
 * Whether somebody vouches for a frame: it has the key's code, or is published, or its end is below a head that the key
 * has signed, which its entries are held against. Without the private key nothing is signed, and all pass.
 */
bool dir_is_vouched(const struct log_dir *d, const struct wal_frame *f, const struct signer_head *h);
/*
 * Decides about a frame that nobody vouches for, by d->pending: *take it, or leave it out, and `warn` is told of each
 * entry; or (false, ERR_DATA) go no further. A frame with a wrong code is never taken.
 */
bool dir_judge_frame(struct log_dir *d, const struct wal_frame *f, bool *take, struct err *err);

/* ---- names.c ---- */

/* Names for people of the entries in these frames, where they are missing. Best effort; needs the private key. */
void dir_restore_names(struct log_dir *d, struct str frames);

/* ---- publish.c ---- */

/* Reads the right edge of a log of this size; it must give d->published_root. ERR_DATA when tiles are damaged. */
bool dir_load_edge(struct log_dir *d, uint64_t size, struct err *err);
/*
 * Entries that wait become published ones up to `size`, without a byte written: somebody else did it. `size` is at
 * least the published and at most the committed size.
 */
void dir_move_edge(struct log_dir *d, uint64_t size);
/*
 * Under the lock, up to date: writes tiles, the signer's head and the checkpoint for all that waits, and does nothing
 * when nothing waits. False with [E_NO_KEY] (ERR_USAGE) without a signer, ERR_DATA when other bytes have a tile's
 * name or somebody else has signed. After ERR_IO the handle is dead.
 */
bool dir_publish(struct log_dir *d, struct err *err);
/*
 * Replaces the checkpoint, durably, and keeps it under its size too (best effort). False with ERR_IO: readers may see
 * the old or the new one.
 */
bool dir_put_checkpoint(struct log_dir *d, struct str note, uint64_t size, struct err *err);
/* The root that the log had at a size, which is at most the committed one. ERR_DATA when a tile for it is damaged. */
bool dir_root_at(struct log_dir *d, uint64_t size, struct digest *out, struct err *err);

/* ---- append.c ---- */

/* An entry as we write them, its text in the arena; false for anything else. */
bool dir_parse(struct log_dir *d, struct arena *a, struct str bytes, struct entry *out);
/* Those of struct log_ops. */
bool dir_append(struct log *l, struct log_item *items, size_t count, struct err *err);
/* Writes the table of idents, when it is worth it. It covers only what is published: that has a root to fit. */
void dir_save_ids(struct log_dir *d, bool closing);
/* Those of struct log_ops. */
bool dir_find(struct log *l, struct str ident, bool *found, uint64_t *index, struct err *err);
bool dir_entry(struct log *l, struct arena *a, uint64_t index, struct str *out, struct err *err);

/* ---- objects.c ---- */

/* Those of struct log_ops; and whether a file has the object's name, whatever its bytes. */
bool dir_put_objects(struct log *l, const struct str *bytes, size_t count, struct digest *out, struct err *err);
bool dir_object(struct log *l, struct arena *a, struct digest d, struct str *bytes, bool *found, struct err *err);
bool dir_has_object(struct log_dir *d, struct arena *a, struct digest digest);
bool dir_erase_object(struct log *l, struct digest d, uint64_t by, bool *found, struct err *err);

#endif
