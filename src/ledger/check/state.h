/*
 * One log while it is checked: what the parts of the check share. Entries come by bundle by bundle; only
 * the right edge of the tree is in memory, and of each entry what uniqueness, erasing and names need (72 bytes or so).
 */
#ifndef LEDGER_CHECK_STATE_H
#define LEDGER_CHECK_STATE_H

#include "base/buf.h"
#include "ledger/check/check.h"
#include "ledger/check/edge.h"
#include "ledger/check/rules.h"
#include "ledger/check/set.h"
#include "ledger/dir/wal.h"
#include "ledger/ids.h"

#define CHECK_NONE UINT64_MAX /* no index */
#define CHECK_KEPT_TILES 16  /* of leaves, for references to entries a little further back */

/* The number of a name in `links`: its state, whether it was told of, and how many more entries have the same. */
#define CHECK_LINK_GONE 0
#define CHECK_LINK_FITS 1
#define CHECK_LINK_WRONG 2
#define CHECK_LINK_STATE ((uint64_t)3)
#define CHECK_LINK_TOLD ((uint64_t)4)
#define CHECK_LINK_OWNER ((uint64_t)8)

/* A root that the tree must have had at a size, and who says so. */
enum check_witness { CHECK_KEPT, CHECK_SIGNER, CHECK_AGAINST, CHECK_IDS };

struct check_head {
	uint64_t size;
	struct digest root;
	enum check_witness by;
	struct str name; /* the file */
	bool held;       /* the tree had this root */
};

/* An object of an entry. */
struct check_thing {
	uint64_t a, b;  /* half of its digest */
	uint64_t owner; /* the trial whose erasing erases it; CHECK_NONE: none */
	uint64_t index; /* of the entry */
	bool absent, named;
	bool misnamed; /* none of its names leads to it */
	bool doubtful; /* something may be told of its names */
};

/* A bundle at hand: what its file gives, what the tile of its leaves says, and which of them is right. */
struct check_bundle {
	uint64_t n;
	unsigned width, count, told_count; /* wanted; there; in the tile */
	bool told_whole;
	struct buf bytes, tile;
	struct str entries[TILE_WIDTH];
	struct digest own[TILE_WIDTH], told[TILE_WIDTH];
	const struct digest *leaves; /* own or told, or NULL when neither is whole */
};

/* Leaves of an earlier bundle, for references. */
struct check_leaves {
	uint64_t n;
	unsigned count;
	struct digest leaves[TILE_WIDTH];
};

struct check_run {
	struct ledger_check *check;
	struct log_report *out;
	enum ledger_part part;
	const struct io *io;
	struct log *log;    /* a database's, or NULL */
	struct str dir;     /* the log's directory, when it has none */
	struct str prefix;  /* of names in findings: "" or "diagnostic/" */
	struct str keys;    /* p NULL: none */
	struct str origin;  /* p NULL: as the key is called */
	struct key key;
	bool has_key;

	struct arena arena, scratch; /* the check's; that of the bundle at hand */
	struct sha256 sha;
	struct json_parser *parser;
	struct buf path, file, far;

	struct str note_bytes; /* the checkpoint */
	struct note *note;     /* NULL: it is none */
	bool note_is_good;     /* signed by the key */
	uint64_t size;         /* of the tree that is checked */
	struct digest root;
	bool root_is_known;    /* signed */
	unsigned gone;         /* bundles in a row of which nothing is there */
	bool lost;             /* hashes that nothing gives: no root can be worked out */
	bool unread;           /* entries are lost: what they named, or erased, is not known */
	bool doubtful;         /* something of the tree is wrong: what follows from that is not told */

	struct check_edge *edge;
	struct check_bundle *bundle;
	struct check_head *heads; /* by size */
	size_t head_count, head_cap, head_at;
	struct check_leaves *kept; /* CHECK_KEPT_TILES of them */
	uint64_t far_n; /* the bundle in `far`; CHECK_NONE: none */

	int64_t sealed_ns; /* of the entry before, when sealed_index is its number */
	uint64_t sealed_index;
	struct check_set idents, links;
	struct hash names_dir; /* of the name that was looked at last, and whether a link leads there */
	bool names_linked;
	struct check_thing *things;
	size_t thing_count, thing_cap;
	uint64_t *erased; /* trials, in order when all are known */
	size_t erased_count, erased_cap;
	struct ids *ids;
	uint64_t ids_covered, ids_wrong, first_wrong;

	struct wal_key wal_key;
	bool has_wal_key;
	struct str *tail; /* entries committed, not published */
	struct digest *tail_leaves;
	size_t tail_count, tail_cap;
	uint64_t committed;
};

#endif
