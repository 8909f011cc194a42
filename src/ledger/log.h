/*
 * A log: entries in order, each once, under a Merkle tree with a signed head. Two engines keep one: a directory
 * (dir/log_dir.c) and a PostgreSQL database (pg/log_pg.c). Everything above (proofs, checking, the index, export) asks
 * through this door and does not know which it is.
 *
 * Appending is durable when it returns: what was acknowledged is never lost and never changes its place. Publishing
 * makes it visible to readers without our program: tiles, then a checkpoint signed by the log's key. A signer never
 * signs what does not continue what it signed before; it remembers that beside its key.
 */
#ifndef LEDGER_LOG_H
#define LEDGER_LOG_H

#include "base/arena.h"
#include "base/crypto/sha256.h"
#include "base/err.h"
#include "ledger/note.h"
#include "ledger/tile.h"
#include "ledger/tree.h"

struct log;

enum log_outcome {
	LOG_ADDED,
	LOG_SAME,     /* it is there already, with the same digest: its index is given */
	LOG_CONFLICT, /* it is there already, with another one: its index is given, nothing was written */
};

/* An entry to append. */
struct log_item {
	struct str ident;     /* what may be there once only: see entry_ident */
	struct digest digest; /* of its object */
	struct str entry;     /* the leaf, at most ENTRY_MAX bytes */
	/* Filled in: */
	enum log_outcome outcome;
	uint64_t index;
	struct digest leaf; /* of the entry that is in the log */
};

struct log_head {
	uint64_t size;
	struct digest root;
};

/* What a writer does with entries that wait to be signed and that nobody vouches for. */
enum log_pending {
	LOG_PENDING_REFUSE, /* nothing is signed, and the error says what is in the way */
	LOG_PENDING_ACCEPT, /* the owner has looked at them: those that may be the owner's are taken */
	LOG_PENDING_DROP,   /* they are left out, and each is told of */
};

/* Kinds of errors that a caller may want to tell apart; err.text begins with the word in brackets. */
#define LOG_E_ROLLBACK "[E_ROLLBACK] "
#define LOG_E_FORK "[E_FORK] "
#define LOG_E_NO_KEY "[E_NO_KEY] "

/*
 * What an engine does. Each gives false with *err when it could not: ERR_IO by the disk or the server, ERR_DATA when
 * the log is damaged, ERR_USAGE for a writer's function of a log that was opened for reading. What *out holds is
 * undefined then. A handle is for one thread at a time; other processes may write to the same log meanwhile.
 */
struct log_ops {
	/* All or nothing of those that are LOG_ADDED. In the order given; two of the same ident in a call are fine.
	 * ERR_LIMIT when an entry is longer than ENTRY_MAX. */
	bool (*append)(struct log *l, struct log_item *items, size_t count, struct err *err);
	/* Signs and publishes what is committed; nothing to do is fine. Needs the signer. */
	bool (*publish)(struct log *l, struct err *err);
	/* What is committed. For a reader without the right to recover, what is published. */
	bool (*head)(struct log *l, struct log_head *out, struct err *err);
	/* The published, signed checkpoint, verbatim. */
	bool (*checkpoint)(struct log *l, struct arena *a, struct str *note, struct err *err);
	/* Lines of witnesses, added to the checkpoint if it still has this text; else ERR_DATA. */
	bool (*cosign)(struct log *l, struct str text, struct str lines, struct err *err);
	/* Of the published part, in the arena. The bytes of a tile or bundle at least `width` wide (cut to it). */
	bool (*tile)(struct log *l, struct arena *a, const struct tile *t, struct str *bytes, struct err *err);
	/* *found false when it is not in the log; *index means nothing then. Sees what is committed. */
	bool (*find)(struct log *l, struct str ident, bool *found, uint64_t *index, struct err *err);
	/* One entry of what is committed, in the arena. ERR_DATA when there is none. */
	bool (*entry)(struct log *l, struct arena *a, uint64_t index, struct str *out, struct err *err);
	/* Durable when it returns; the same bytes twice are one object. `count` objects at once are cheaper. */
	bool (*put_objects)(struct log *l, const struct str *bytes, size_t count, struct digest *out, struct err *err);
	/* In the arena. *found false: not there (erased). The bytes are not checked against the digest here. */
	bool (*object)(struct log *l, struct arena *a, struct digest d, struct str *bytes, bool *found,
		       struct err *err);
	/* After the erase entry `by` is committed. *found false: was not there. */
	bool (*erase_object)(struct log *l, struct digest d, uint64_t by, bool *found, struct err *err);
	void (*close)(struct log *l); /* frees it; what is committed stays */
};

struct log {
	const struct log_ops *ops;
	struct str origin;
	struct key key;       /* whose signature the checkpoint has */
	bool key_is_trusted;  /* it came from the user or the directory of keys, not from the log itself */
	const struct signer *signer; /* NULL: nothing can be published */
	struct str where;     /* for messages: the directory, or the database without password */
};

/* See struct log_ops. log_close takes NULL too. */
static inline bool log_append(struct log *l, struct log_item *items, size_t count, struct err *err)
{
	return l->ops->append(l, items, count, err);
}

static inline bool log_publish(struct log *l, struct err *err)
{
	return l->ops->publish(l, err);
}

static inline void log_close(struct log *l)
{
	if (l)
		l->ops->close(l);
}

/* ---- the same for every engine ---- */

/*
 * The checkpoint, its signature checked by l->key: a note that is none, or not signed so, is an error that says what is
 * wrong. Everything points into the arena. `note` may be NULL.
 */
bool log_read_checkpoint(struct log *l, struct arena *a, struct checkpoint *out, struct note **note, struct err *err);
struct str log_note_bytes(const struct note *n); /* the whole note, as it was read; it must come from note_parse */

/*
 * The entry at `index`, read with the caller's parser; text lies in the arena. *bytes (may be NULL) gets the entry as
 * it stands in the log. ERR_DATA when there is none, or when it is damaged.
 */
struct entry;
struct json_parser;
bool log_read_entry(struct log *l, struct json_parser *p, struct arena *a, uint64_t index, struct entry *out,
		    struct str *bytes, struct err *err);

/*
 * A reader of hashes out of tiles, for tree.h: keeps the tile of each level that it was asked for last. `size` is the
 * published size, beyond which a hash is ERR_DATA. The log must outlive it; the tree_reader lives as long as it does.
 * Opening reads nothing and never fails; log_hashes_close takes NULL too.
 */
struct log_hashes;
struct log_hashes *log_hashes_open(struct log *l, uint64_t size); /* published size */
struct tree_reader log_hashes_reader(struct log_hashes *h);
void log_hashes_close(struct log_hashes *h);

/* Entries one after the other, of [from, to) of the published part, a bundle at a time. */
struct log_entries {
	struct log *log;
	uint64_t at, to, size;
	struct arena arena; /* of the bundle at hand */
	struct str rest;    /* of its bytes, from entry `at` on */
};
/* Reads nothing yet. log_entries_end frees what was read, wherever the walk stopped. */
void log_entries_begin(struct log_entries *it, struct log *l, uint64_t from, uint64_t to, uint64_t size);
/* False at the end, and with *err on failure (err->kind). The entry lives until the next call. */
bool log_entries_next(struct log_entries *it, struct str *entry, uint64_t *index, struct err *err);
void log_entries_end(struct log_entries *it);

/*
 * The proof of an entry under the published checkpoint, whose note lies in the arena. ERR_DATA when it is not
 * published yet, or the checkpoint or a tile is damaged.
 */
struct proof;
bool log_prove(struct log *l, struct arena *a, uint64_t index, struct proof *out, struct err *err);

#endif
