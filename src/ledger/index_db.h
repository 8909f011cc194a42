/*
 * The index as a SQLite file: rows in, questions answered. index.c decides what is in it. The file is the user's own
 * (in the cache, not in the ledger): what came with a ledger from elsewhere could say anything.
 */
#ifndef LEDGER_INDEX_DB_H
#define LEDGER_INDEX_DB_H

#include "ledger/index.h"

struct index_db;

/*
 * $XDG_CACHE_HOME/trackway/<hash of where and origin>.index, in the arena; ~/.cache without that variable. Makes the
 * directory. p is NULL when there is no home: then the index is in memory.
 */
struct str index_db_path(struct arena *a, const struct ledger *l);

/*
 * Opens the file, or makes it. One that is no index of this version, or damaged, is replaced. One that cannot be
 * written: in memory. NULL with ERR_IO when not even that can be made. index_db_close takes NULL too; index_db_remove
 * takes a path without p, and a file that is not there, and gives ERR_IO when the file stays.
 */
struct index_db *index_db_open(struct str path, struct err *err);
void index_db_close(struct index_db *d);
bool index_db_remove(struct str path, struct err *err);

/*
 * A transaction: waits for other writers half a minute, then ERR_IO. After a failure, or instead of a commit, abort
 * it; aborting without a transaction does no harm.
 */
bool index_db_begin(struct index_db *d, struct err *err);
bool index_db_commit(struct index_db *d, struct err *err);
void index_db_abort(struct index_db *d);

/*
 * The log that was taken in: size 0 and an empty origin when none was, and *root untouched. The origin is copied to
 * the arena. index_db_set_head replaces it; index_db_clear drops it with all rows of the log. All three: ERR_IO on
 * failure.
 */
bool index_db_head(struct index_db *d, struct arena *a, enum ledger_part p, struct str *origin, uint64_t *size,
		   struct digest *root, struct err *err);
bool index_db_set_head(struct index_db *d, enum ledger_part p, struct str origin, uint64_t size, struct digest root,
		       struct err *err);
bool index_db_clear(struct index_db *d, enum ledger_part p, struct err *err);

/*
 * Adds a row; a review, supersession or erasure is noted in the row it refers to, and an erasure also takes away what
 * the record said. ERR_IO on failure: then abort the transaction. Text is borrowed for the call.
 */
bool index_db_add(struct index_db *d, const struct index_row *row, struct err *err);

/*
 * An entry that is passed over, and why; index_db_list_bad tells those of both logs, in order. The sentence lives
 * during the call of `each`. ERR_IO on failure.
 */
bool index_db_add_bad(struct index_db *d, enum ledger_part p, uint64_t index, struct str why, struct err *err);
bool index_db_list_bad(struct index_db *d,
		       void (*each)(void *context, enum ledger_part p, uint64_t index, struct str why), void *context,
		       struct err *err);

/* The rows, and their number, that a filter lets through: see index_list. */
bool index_db_list(struct index_db *d, const struct index_filter *f,
		   bool (*each)(void *context, const struct index_row *row), void *context, struct err *err);
bool index_db_count(struct index_db *d, const struct index_filter *f, uint64_t *out, struct err *err);
/* How many entries of a log that are not erased have this object. */
bool index_db_count_object(struct index_db *d, enum ledger_part p, struct digest of, uint64_t *out, struct err *err);

#endif
