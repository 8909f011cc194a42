/*
 * A log in PostgreSQL, with the same entries, roots and proofs as in a directory. One row per log is the point where
 * writers queue (FOR UPDATE): commit order is index order, and there are no gaps; a SEQUENCE would give both away. Rows
 * cannot be updated, deleted or truncated: triggers refuse it, roles do not have the right. Who can do it all the same
 * (a superuser) is found out by the checkpoint.
 *
 * Serialization failures (40001) and deadlocks (40P01) are tried again, so that clusters that speak PostgreSQL's
 * protocol can serve; so is everything after a lost connection, since whatever is done twice is as if done once.
 * Settings that would lose commits (fsync, full_page_writes, synchronous_commit off) are refused when connecting.
 */
#ifndef LEDGER_PG_LOG_PG_H
#define LEDGER_PG_LOG_PG_H

#include "ledger/io.h"
#include "ledger/log.h"

struct log_pg_options {
	struct str url;           /* postgres://... or postgresql://...; PG* of the environment fill in the rest */
	struct str origin;        /* p NULL: the name of the key or the signer, else the only one that is not a
				     diagnostic log */
	struct str keys;          /* as in log_dir_options */
	const struct signer *signer;
	const struct key *key;
	enum log_pending pending; /* LOG_PENDING_ACCEPT: what is no entry is signed too, and passed over by readers */
	bool is_second;           /* of a ledger: what is to be said of the database was said of the first */
	bool read_only;           /* then a standby is all right, and nothing is asked of the server's settings */
	const struct io *io;      /* for the signer's head; NULL: io_system */
	void (*warn)(void *context, const char *sentence); /* may be NULL */
	void *context;
};

/*
 * Makes the schema when it is absent (needs the right to), then the log: its row, its checkpoint of size 0. False
 * with *err: no signer or no name for a log (ERR_USAGE), a log of this origin already or a schema of another version
 * (ERR_DATA), the server (ERR_IO). The schema stays when only the log could not be made.
 */
bool log_pg_make(const struct log_pg_options *o, struct str origin, struct err *err);

/*
 * Connects and opens the log. NULL with *err: the server cannot be reached or would lose commits (ERR_IO), there is no
 * such log (ERR_DATA), or several and none is named (ERR_USAGE). Lives until log_close.
 */
struct log *log_pg_open(const struct log_pg_options *o, struct err *err);

/*
 * The published log as static files: objects, bundles, tiles, the checkpoint last, each durable before the next kind
 * is begun. What is there already is left alone; objects that were erased are removed. A directory that has more
 * entries than the log, or other ones, is refused (ERR_DATA), and so is one that is a log of its own (ERR_USAGE).
 * `io` NULL: io_system. After a failure the checkpoint exported before still holds, and exporting again goes on from
 * there.
 */
bool log_pg_export(struct log *l, const struct io *io, struct str dir, struct err *err);

/*
 * The URL without its password, for messages: in the arena or static. Of a doubtful one rather too little is shown.
 */
struct str log_pg_show_url(struct arena *a, struct str url);

/* The schema as SQL, for a database administrator to read or to run; and what makes one of version 0.1 into this. */
struct str log_pg_schema(struct arena *a);
struct str log_pg_upgrade_sql(struct arena *a);

/*
 * Brings the schema of a database up to this version, in one transaction; *done false: it is already. Needs its
 * owner's rights. False with *err: a version that we do not know (ERR_DATA), no right or no server (ERR_IO).
 */
bool log_pg_upgrade(const struct log_pg_options *o, bool *done, struct err *err);

#endif
