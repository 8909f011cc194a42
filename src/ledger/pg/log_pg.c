/*
 * The table of functions of a log in PostgreSQL: reading is one statement each, outside of transactions. Opening asks
 * the server, the schema, the origin and the key, in this order.
 */
#include <inttypes.h>

#include "ledger/pg/private.h"

#define VERSION 3 /* of the schema: what ledger.version() says */
#define VERSION_WITHOUT_RUNS 2
#define OLD_VERSION 1 /* made by version 0.1: its append takes anything */
#define SHOWN 5   /* origins named in a message */
#define MAKING 0x74726b77 /* the lock of those who make a schema: one at a time */

bool pg_refuse_write(struct log_pg *l, struct err *err)
{
	if (!l->pg.read_only)
		return true;
	return err_set(err, ERR_USAGE, "%.*s: the log is open for reading only", STR_ARG(l->log.where));
}

/* ---- reading ---- */

static bool no_such_log(const struct log_pg *l, struct err *err)
{
	return err_set(err, ERR_DATA, "%.*s: there is no log of the origin '%.*s'"
		       ERR_HELP "'trackway ledger init' makes one", STR_ARG(l->pg.where), STR_ARG(l->log.origin));
}

/* What is committed; one row says it, so that size and root always belong together. */
static bool head(struct log *log, struct log_head *out, struct err *err)
{
	const struct pg_query q = { "SELECT size, root FROM ledger.head WHERE origin = $1", { PG_TEXT(log->origin) } };
	struct log_pg *l = pg_of(log);
	PGresult *r;
	bool good;

	if (!pg_run(&l->pg, &q, &r, err))
		return false;
	good = PQntuples(r) == 1 || no_such_log(l, err);
	if (good) {
		out->size = pg_number(r, 0, 0);
		good = pg_digest(r, 0, 1, &out->root) ||
		       err_set(err, ERR_DATA, "%.*s: the root in ledger.head is not a digest", STR_ARG(log->where));
	}
	PQclear(r);
	return good;
}

static bool checkpoint(struct log *log, struct arena *a, struct str *note, struct err *err)
{
	const struct pg_query q = { "SELECT checkpoint FROM ledger.head WHERE origin = $1", { PG_TEXT(log->origin) } };
	struct log_pg *l = pg_of(log);
	bool found;

	return pg_ask_bytes(&l->pg, &q, a, note, &found, err) && (found || no_such_log(l, err));
}

/* Rows of one tile: hashes and entries by their number. */
static const char *tile_sql(const struct tile *t)
{
	if (t->level == TILE_ENTRIES)
		return "SELECT idx, entry FROM ledger.entry WHERE origin = $1 AND idx >= $2 AND idx < $3 ORDER BY idx";
	if (t->level == 0)
		return "SELECT idx, leaf FROM ledger.entry WHERE origin = $1 AND idx >= $2 AND idx < $3 ORDER BY idx";
	return "SELECT n, hash FROM ledger.node WHERE origin = $1 AND n >= $2 AND n < $3 AND level = $4 ORDER BY n";
}

static bool lacks_row(const struct log *l, const struct tile *t, uint64_t n, struct err *err)
{
	char path[TILE_PATH_MAX];

	tile_path(path, t);
	return err_set(err, ERR_DATA, "%.*s: %s: the %s number %" PRIu64 " is missing from the database, or damaged",
		       STR_ARG(l->where), path, t->level == TILE_ENTRIES ? "entry" : "hash", n);
}

static bool add_rows(const struct log *l, const struct tile *t, const PGresult *r, struct buf *out, struct err *err)
{
	for (unsigned i = 0; i < t->width; i++) {
		uint64_t n = t->n * TILE_WIDTH + i;
		struct str bytes;

		if ((int)i >= PQntuples(r) || pg_number(r, (int)i, 0) != n)
			return lacks_row(l, t, n, err);
		bytes = pg_bytes(r, (int)i, 1);
		if (t->level == TILE_ENTRIES ? bytes.n > ENTRY_MAX : bytes.n != SHA256_SIZE)
			return lacks_row(l, t, n, err);
		if (t->level == TILE_ENTRIES)
			bundle_add(out, bytes);
		else
			buf_add_str(out, bytes);
	}
	return true;
}

/* Rows must have the numbers of the tile without a gap: one that is missing or of a wrong length is ERR_DATA. */
static bool tile(struct log *log, struct arena *a, const struct tile *t, struct str *bytes, struct err *err)
{
	const uint64_t from = t->n * TILE_WIDTH;
	struct pg_query q = { tile_sql(t), { PG_TEXT(log->origin), PG_NUMBER(from), PG_NUMBER(from + t->width) } };
	struct log_pg *l = pg_of(log);
	struct buf out;
	PGresult *r;
	bool good;

	if (t->level != TILE_ENTRIES && t->level > 0)
		q.values[3] = (struct pg_value)PG_NUMBER(8 * (uint64_t)t->level);
	if (!pg_run(&l->pg, &q, &r, err))
		return false;
	buf_init(&out);
	good = add_rows(log, t, r, &out, err);
	if (good)
		*bytes = arena_copy(a, buf_str(&out));
	buf_free(&out);
	PQclear(r);
	return good;
}

static bool log_pg_find(struct log *log, struct str ident, bool *found, uint64_t *index, struct err *err)
{
	struct log_pg *l = pg_of(log);
	const struct digest d = sha256_of(&l->sha, ident);
	const struct pg_query q = { "SELECT ledger.find($1, $2)", { PG_TEXT(log->origin), PG_DIGEST(d) } };

	return pg_ask_number(&l->pg, &q, index, found, err);
}

static bool entry(struct log *log, struct arena *a, uint64_t index, struct str *out, struct err *err)
{
	const struct pg_query q = { "SELECT entry FROM ledger.entry WHERE origin = $1 AND idx = $2",
				    { PG_TEXT(log->origin), PG_NUMBER(index) } };
	bool found;

	if (!pg_ask_bytes(&pg_of(log)->pg, &q, a, out, &found, err))
		return false;
	return found || err_set(err, ERR_DATA, "%.*s: there is no entry %" PRIu64, STR_ARG(log->where), index);
}

static bool object(struct log *log, struct arena *a, struct digest d, struct str *bytes, bool *found, struct err *err)
{
	const struct pg_query q = { "SELECT data FROM ledger.object WHERE origin = $1 AND sha256 = $2",
				    { PG_TEXT(log->origin), PG_DIGEST(d) } };

	return pg_ask_bytes(&pg_of(log)->pg, &q, a, bytes, found, err);
}

static void log_pg_close_log(struct log *log)
{
	struct log_pg *l = pg_of(log);

	pg_close(&l->pg);
	if (l->parser)
		json_parser_close(l->parser);
	sha256_free(&l->sha);
	explicit_bzero(l->found.seed, sizeof(l->found.seed));
	if (l->pg.url.p)
		explicit_bzero((void *)(uintptr_t)l->pg.url.p, l->pg.url.n); /* our copy, with the password */
	arena_free(&l->arena);
	mem_free(l);
}

static const struct log_ops pg_ops = {
	.append = pg_append,
	.publish = pg_publish,
	.head = head,
	.checkpoint = checkpoint,
	.cosign = pg_cosign,
	.tile = tile,
	.find = log_pg_find,
	.entry = entry,
	.put_objects = pg_put_objects,
	.object = object,
	.erase_object = pg_erase_object,
	.close = log_pg_close_log,
};

/* ---- opening ---- */

/* Not connected yet. The URL is copied with its password, which log_pg_close_log wipes. */
static struct log_pg *new_log(const struct log_pg_options *o)
{
	struct log_pg *l = mem_alloc(sizeof(*l));

	*l = (struct log_pg){ .log = { .ops = &pg_ops }, .io = o->io ? o->io : &io_system };
	arena_init(&l->arena);
	sha256_init(&l->sha);
	l->keys = o->keys.p ? arena_copy(&l->arena, o->keys) : o->keys;
	l->log.where = log_pg_show_url(&l->arena, o->url);
	l->pg = (struct pg){
		.url = arena_copy(&l->arena, o->url), .where = l->log.where, .read_only = o->read_only, .warn = o->warn,
		.context = o->context, .warned = o->is_second,
	};
	l->accepts_pending = o->pending == LOG_PENDING_ACCEPT;
	return l;
}

/* *version is 0 when the server does not say. */
static bool ask_version(struct log_pg *l, uint64_t *version, struct err *err)
{
	const struct pg_query q = { .sql = "SELECT ledger.version()" };
	bool found;

	*version = 0;
	return pg_ask_number(&l->pg, &q, version, &found, err);
}

/* An older one is read and written as before; who writes to one of version 0.1 is told what it lacks. */
static bool log_pg_check_version(struct log_pg *l, bool is_second, struct err *err)
{
	uint64_t version;

	if (!ask_version(l, &version, err))
		return false;
	l->knows_runs = version != VERSION_WITHOUT_RUNS;
	if (version == OLD_VERSION && !l->pg.read_only && !is_second && l->pg.warn)
		l->pg.warn(l->pg.context, "the database has the schema of version 0.1, which takes from a writer what "
			   "is no entry: let its administrator upgrade it with 'trackway ledger init'");
	return (version >= OLD_VERSION && version <= VERSION) ||
	       err_set(err, ERR_DATA, "%.*s: its ledger has version %" PRIu64 " of the schema, not %d as this program",
		       STR_ARG(l->pg.where), version, VERSION);
}

static bool is_ambiguous(const struct log_pg *l, const PGresult *r, struct err *err)
{
	struct buf names;

	buf_init(&names);
	for (int i = 0; i < PQntuples(r) && i < SHOWN; i++) {
		buf_add_str(&names, i ? STR(", ") : STR(""));
		buf_add_str(&names, pg_bytes(r, i, 0));
	}
	err_set(err, ERR_USAGE, "%.*s: there are several logs in this database: %.*s%s"
		ERR_HELP "say which by its public key (its vkey)", STR_ARG(l->pg.where), STR_ARG(buf_str(&names)),
		PQntuples(r) > SHOWN ? ", ..." : "");
	buf_free(&names);
	return false;
}

/* The only log of the database, diagnostic ones aside. */
static bool find_origin(struct log_pg *l, struct err *err)
{
	const struct pg_query q = { .sql = "SELECT origin FROM ledger.head WHERE right(origin, 11) <> '/diagnostic' "
					   "ORDER BY origin LIMIT 6" };
	PGresult *r;
	bool good;

	if (!pg_run(&l->pg, &q, &r, err))
		return false;
	if (PQntuples(r) == 1) {
		l->log.origin = arena_copy(&l->arena, pg_bytes(r, 0, 0));
		good = true;
	} else if (PQntuples(r) == 0) {
		good = err_set(err, ERR_DATA, "%.*s: there is no log in this database"
			       ERR_HELP "'trackway ledger init' makes one", STR_ARG(l->pg.where));
	} else {
		good = is_ambiguous(l, r, err);
	}
	PQclear(r);
	return good;
}

static bool choose_origin(struct log_pg *l, const struct log_pg_options *o, struct err *err)
{
	struct str origin = o->origin;

	if (!origin.p && o->key)
		origin = o->key->name;
	if (!origin.p && o->signer)
		origin = o->signer->key.name;
	if (!origin.p)
		return find_origin(l, err);
	l->log.origin = arena_copy(&l->arena, origin);
	return true;
}

/* The key that the log itself names. */
static bool log_pg_read_vkey(struct log_pg *l, struct key *out, struct err *err)
{
	const struct pg_query q = { "SELECT vkey FROM ledger.head WHERE origin = $1", { PG_TEXT(l->log.origin) } };
	struct str vkey;
	bool found;

	if (!pg_ask_bytes(&l->pg, &q, &l->arena, &vkey, &found, err))
		return false;
	if (!found)
		return no_such_log(l, err);
	return (key_parse(vkey, out) && out->kind == KEY_LOG) ||
	       err_set(err, ERR_DATA, "%.*s: the vkey in ledger.head is not a public key", STR_ARG(l->pg.where));
}

/* Whose signature it has to be, and who can give it. */
static bool choose_keys(struct log_pg *l, const struct log_pg_options *o, struct err *err)
{
	const struct key *given = o->key ? o->key : o->signer ? &o->signer->key : NULL;
	struct key named;
	bool found = false;

	if (!log_pg_read_vkey(l, &named, err))
		return false;
	if (given && !o->read_only && !key_eq(given, &named))
		return err_set(err, ERR_DATA, "%.*s: the log '%.*s' has another key than the one given",
			       STR_ARG(l->pg.where), STR_ARG(l->log.origin));
	l->log.key = given ? *given : named;
	l->log.key.name = arena_copy(&l->arena, l->log.key.name);
	l->log.key_is_trusted = given != NULL;
	l->log.signer = o->signer;
	if (o->signer || l->keys.n == 0)
		return true;
	if (!keys_find(&l->arena, l->keys, &l->log.key, &l->found, &found, err))
		return !found; /* without one, nothing can be published, and that is all */
	l->log.signer = &l->found;
	l->log.key_is_trusted = true;
	return true;
}

struct log *log_pg_open(const struct log_pg_options *o, struct err *err)
{
	struct log_pg *l = new_log(o);

	if (pg_open(&l->pg, err) && log_pg_check_version(l, o->is_second, err) && choose_origin(l, o, err) &&
	    choose_keys(l, o, err) && (o->read_only || pg_check_signed(l, err)))
		return &l->log;
	log_pg_close_log(&l->log);
	return NULL;
}

/* ---- making ---- */

static bool has_schema(struct log_pg *l, bool *has, struct err *err)
{
	const struct pg_query q = { .sql = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'ledger'" };
	uint64_t one;

	return pg_ask_number(&l->pg, &q, &one, has, err);
}

/* All of it or nothing: the lock keeps two makers apart, and the second then finds what the first has made. */
static bool make_schema(struct log_pg *l, struct err *err)
{
	bool has = false;
	struct str sql, lock;

	if (!has_schema(l, &has, err) || has)
		return has;
	sql = log_pg_schema(&l->arena);
	lock = arena_printf(&l->arena, "BEGIN; SELECT pg_catalog.pg_advisory_xact_lock(%d)", MAKING);
	if (pg_script(&l->pg, lock.p, err) != PG_DONE)
		return false;
	if (has_schema(l, &has, err) && !has && pg_script(&l->pg, sql.p, err) == PG_DONE)
		return pg_script(&l->pg, "COMMIT", err) == PG_DONE || err_context(err, "making the ledger's schema");
	pg_script(&l->pg, "ROLLBACK", &(struct err){ .kind = ERR_NONE });
	return has || err_context(err, "making the ledger's schema");
}

/* A row of this origin is a log, whoever made it. The check is for the message: the key of the table decides. */
static bool refuse_existing(struct log_pg *l, struct err *err)
{
	const struct pg_query q = { "SELECT 1 FROM ledger.head WHERE origin = $1", { PG_TEXT(l->log.origin) } };
	uint64_t one;
	bool found;

	if (!pg_ask_number(&l->pg, &q, &one, &found, err))
		return false;
	return !found || err_set(err, ERR_DATA, "%.*s: there is a log of the origin '%.*s' already",
				 STR_ARG(l->pg.where), STR_ARG(l->log.origin));
}

/* The signer's head first: should we not come to the row, a log of size 0 is what it continues anyway. */
static bool make_log(struct log_pg *l, const struct signer *s, struct buf *text, struct err *err)
{
	struct checkpoint c = { .origin = l->log.origin, .size = 0, .root = sha256_of(&l->sha, STR("")) };
	struct pg_query q = { "SELECT ledger.make_log($1, $2, $3)",
			      { PG_TEXT(c.origin), PG_TEXT(key_text(&l->arena, &s->key)) } };
	struct signer_head old;
	PGresult *r;

	if (!signer_head_read(l->io, l->keys, &s->key, c.origin, &old, err) ||
	    !signer_head_check(&old, 0, &c.root, l->pg.where, err) || !checkpoint_sign(text, &c, s, err) ||
	    !signer_head_write(l->io, l->keys, &s->key, &old, buf_str(text), err))
		return false;
	q.values[2] = (struct pg_value)PG_TEXT(buf_str(text));
	if (pg_try(&l->pg, &q, &r, err) != PG_DONE)
		return false;
	PQclear(r);
	return true;
}

bool log_pg_make(const struct log_pg_options *o, struct str origin, struct err *err)
{
	struct log_pg *l;
	struct buf text;
	bool good;

	if (!o->signer)
		return err_set(err, ERR_USAGE, LOG_E_NO_KEY "a log cannot be made without a key to sign it");
	if (!key_is_name(origin))
		return err_set(err, ERR_USAGE, "'%.*s' cannot be an origin", STR_ARG(origin));
	l = new_log(o);
	l->log.origin = arena_copy(&l->arena, origin);
	buf_init(&text);
	good = pg_open(&l->pg, err) && make_schema(l, err) && log_pg_check_version(l, o->is_second, err) &&
	       refuse_existing(l, err) && make_log(l, o->signer, &text, err);
	buf_free(&text);
	log_pg_close_log(&l->log);
	return good;
}

/* ---- from an earlier version ---- */

/* All of it or nothing. */
static bool run_upgrade(struct log_pg *l, struct err *err)
{
	struct str sql = log_pg_upgrade_sql(&l->arena);

	if (pg_script(&l->pg, "BEGIN", err) == PG_DONE && pg_script(&l->pg, sql.p, err) == PG_DONE)
		return pg_script(&l->pg, "COMMIT", err) == PG_DONE || err_context(err, "upgrading the ledger's schema");
	pg_script(&l->pg, "ROLLBACK", &(struct err){ .kind = ERR_NONE });
	return err_context(err, "upgrading the ledger's schema");
}

bool log_pg_upgrade(const struct log_pg_options *o, bool *done, struct err *err)
{
	struct log_pg *l = new_log(o);
	uint64_t version = 0;
	bool good = pg_open(&l->pg, err) && ask_version(l, &version, err);

	*done = good && version >= OLD_VERSION && version < VERSION;
	if (*done)
		good = run_upgrade(l, err);
	else if (good && version != VERSION)
		good = err_set(err, ERR_DATA, "%.*s: its ledger has version %" PRIu64 " of the schema, which this "
			       "program does not know", STR_ARG(l->pg.where), version);
	log_pg_close_log(&l->log);
	return good;
}
