/*
 * What the files of the PostgreSQL engine share: a connection that comes back, statements with bound values, and the
 * log itself. Nobody else includes this.
 */
#ifndef LEDGER_PG_PRIVATE_H
#define LEDGER_PG_PRIVATE_H

#include <postgresql/libpq-fe.h>

#include "base/buf.h"
#include "ledger/dir/signer_head.h"
#include "ledger/entry.h"
#include "ledger/pg/log_pg.h"

#define PG_TRIES 16          /* of a statement that others got in the way of: about ten seconds of pauses */
#define PG_PATIENCE_MS 60000 /* with a server that has gone: it may have to recover first */
#define PG_VALUES 4

/* ---- schema.c, upgrade.c: pieces of the schema that two texts have ---- */

extern const char pg_schema_version[], pg_schema_reading[], pg_schema_checking[], pg_schema_append[];

/* ---- url.c ---- */

/*
 * Whether the URL is ours to use: a known scheme, no NUL, and no '@' or '/' that would make a part of a password pass
 * for a host. ERR_USAGE otherwise, without showing it.
 */
bool pg_check_url(struct str url, struct err *err);

/* ---- connect.c ---- */

struct pg {
	PGconn *conn;
	struct str url;   /* terminated, with its password */
	struct str where; /* without it */
	bool read_only;
	bool warned;      /* of the server's settings */
	bool waited;      /* for somebody who holds the log, and said so */
	uint64_t lost;    /* connections that broke, with whatever was under way */
	void (*warn)(void *context, const char *sentence);
	void *context;
};

/* What becomes of something that was tried: again as it is, again over a new connection, or never. */
enum pg_next { PG_DONE, PG_RETRY, PG_RECONNECT, PG_GIVE_UP };

/* What to do about a failure: by its SQLSTATE (NULL: none) and whether the connection is still there. */
enum pg_next pg_after(const char *state, bool connected);

/* How long to wait at most before try number `tries` + 1: doubled each time, to a second. */
unsigned pg_pause_ms(unsigned tries);

/* Waits between half of that and all of it; false when we are asked to stop. */
bool pg_pause(unsigned tries);

/* How often something was tried in vain, and since when. Begins as zeroes. */
struct pg_patience {
	unsigned tries;
	uint64_t since_ns; /* of the monotonic clock */
};

/*
 * Whether to try once more, after having waited: PG_TRIES times for PG_RETRY, and PG_PATIENCE_MS for all. False at
 * once for PG_DONE and PG_GIVE_UP, and when we are asked to stop.
 */
bool pg_goes_on(struct pg_patience *p, enum pg_next next);

/* A setting that a writer relies on: false with *err when it would lose commits. value NULL: the server does not know
 * it, and *warning gets a sentence; so does what is only unwise. */
bool pg_check_setting(struct str where, const char *name, const char *value, const char **warning, struct err *err);

/* The types of values, as the server numbers them. */
enum { PG_OID_BYTES = 17, PG_OID_NUMBER = 20, PG_OID_TEXT = 25, PG_OID_BYTES_ARRAY = 1001 };

/* A value of a statement, sent in binary form. Its bytes are borrowed until the statement has run. */
struct pg_value {
	Oid type; /* 0: there are no more values */
	struct str bytes;
	uint64_t number; /* of PG_NUMBER, which has no bytes */
};

#define PG_TEXT(text) { .type = PG_OID_TEXT, .bytes = (text) }
#define PG_BYTES(of) { .type = PG_OID_BYTES, .bytes = (of) }
#define PG_DIGEST(d) PG_BYTES(str_of((d).b, SHA256_SIZE))
#define PG_NUMBER(n) { .type = PG_OID_NUMBER, .number = (n) }
#define PG_ARRAY(array) { .type = PG_OID_BYTES_ARRAY, .bytes = buf_str(array) }

/* A statement, and what its $1, $2, ... stand for: { "SELECT $1", { PG_TEXT(name) } }. */
struct pg_query {
	const char *sql;
	struct pg_value values[PG_VALUES];
};

/* The values as libpq wants them. They point into the query and into this, so both must stay where they are. */
struct pg_bound {
	int count;
	Oid types[PG_VALUES];
	const char *values[PG_VALUES];
	int sizes[PG_VALUES];
	uint8_t numbers[PG_VALUES][8];
};

/* Fills `out`. Bytes longer than INT_MAX are a mistake of the caller (asserted). */
void pg_bind(const struct pg_query *q, struct pg_bound *out);

/* An array of bytes for PG_ARRAY: pg_array_begin clears the buffer, then exactly `count` elements are added. */
void pg_array_begin(struct buf *array, size_t count);
void pg_array_add(struct buf *array, struct str bytes);

/*
 * Connects; url, where, read_only, warn and context are set. A writer's server must keep its commits: see
 * pg_check_setting. False with *err, closed: ERR_USAGE for a URL that is none, ERR_IO otherwise, never with the
 * password.
 */
bool pg_open(struct pg *g, struct err *err);
void pg_close(struct pg *g); /* closing twice does no harm */

/*
 * Once: PG_DONE with a result to be cleared with PQclear, or what to do next, with *err and *out NULL. Connects first
 * when the connection was lost. ERR_DATA for a constraint that does not hold (SQLSTATE 23...), ERR_IO otherwise.
 */
enum pg_next pg_try(struct pg *g, const struct pg_query *q, PGresult **out, struct err *err);
/*
 * As often as makes sense (pg_goes_on). For what may be done twice, outside of a transaction. False with the last
 * *err; *out is NULL then.
 */
bool pg_run(struct pg *g, const struct pg_query *q, PGresult **out, struct err *err);

/*
 * As pg_run, for one value: the first column of the only row. *found is false, and *out untouched, when there is not
 * exactly one row or the value is NULL. False with *err when the statement failed. Bytes are copied to the arena.
 */
bool pg_ask_number(struct pg *g, const struct pg_query *q, uint64_t *out, bool *found, struct err *err);
bool pg_ask_bytes(struct pg *g, const struct pg_query *q, struct arena *a, struct str *out, bool *found,
		  struct err *err);

/* A text of several statements, once, without values or results. Gives what pg_try gives. */
enum pg_next pg_script(struct pg *g, const char *sql, struct err *err);

uint64_t pg_number(const PGresult *r, int row, int column); /* whole numbers of any width, and truth values */
struct str pg_bytes(const PGresult *r, int row, int column); /* until the result is cleared */
bool pg_digest(const PGresult *r, int row, int column, struct digest *out); /* false when it is none */

/* ---- the log ---- */

struct log_pg {
	struct log log;
	struct pg pg;
	struct arena arena;
	struct sha256 sha;
	struct signer found; /* what log.signer points to, when it came from the directory of keys */
	struct str keys;
	const struct io *io;
	bool accepts_pending; /* the owner signs also what is no entry */
	bool knows_runs;      /* the schema takes runs and benchmarks */
	struct json_parser *parser;
};

/* A log that log_pg_open made. */
static inline struct log_pg *pg_of(struct log *l)
{
	return (struct log_pg *)l; /* its first member */
}

bool pg_refuse_write(struct log_pg *l, struct err *err); /* sets *err when the log is open for reading; then false */

/* ---- append.c ---- */
/* Those of struct log_ops. ERR_LIMIT beyond 512 MiB in a call of pg_append, or 256 MiB in an object. */
bool pg_append(struct log *l, struct log_item *items, size_t count, struct err *err);
bool pg_put_objects(struct log *l, const struct str *bytes, size_t count, struct digest *out, struct err *err);
bool pg_erase_object(struct log *l, struct digest d, uint64_t by, bool *found, struct err *err);

/* ---- publish.c ---- */
/*
 * Those of struct log_ops. pg_publish waits a minute for another publisher (then ERR_IO); ERR_DATA when rows do not
 * give the root, or an entry must not be signed; pg_cosign gives ERR_DATA when the text has changed or lines are none.
 */
bool pg_publish(struct log *l, struct err *err);
bool pg_cosign(struct log *l, struct str text, struct str lines, struct err *err);

/*
 * The tree of the first `size` entries, to be gone on with; from the rows, which nobody has checked. PG_GIVE_UP with
 * ERR_DATA when hashes are missing. pg_root_at gives its root, tried as often as makes sense.
 */
enum pg_next pg_edge(struct log_pg *l, uint64_t size, struct merkle *out, struct err *err);
bool pg_root_at(struct log_pg *l, uint64_t size, struct digest *out, struct err *err);

/*
 * Whether the log goes on from what its key has signed: for a writer who opens it. True without a signer or a
 * directory of keys. False with [E_ROLLBACK], [E_FORK] or what kept us from looking.
 */
bool pg_check_signed(struct log_pg *l, struct err *err);

#endif
