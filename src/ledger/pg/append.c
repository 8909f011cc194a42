/* Appends entries and puts or erases objects in PostgreSQL, each batch as one statement. */
#include "ledger/pg/private.h"

#define CALL_MAX ((size_t)512 << 20)   /* bytes of a statement: the protocol ends at 1 GiB */
#define OBJECT_MAX ((size_t)256 << 20) /* of one row */
#define OBJECTS_AT_ONCE 256
#define OBJECT_BYTES_AT_ONCE ((size_t)16 << 20)

/* ---- entries ---- */

struct arrays {
	struct buf idents, digests, entries;
};

static bool pg_append_check_items(const struct log_item *items, size_t count, struct err *err)
{
	size_t total = 0;

	for (size_t i = 0; i < count; i++) {
		if (items[i].entry.n > ENTRY_MAX)
			return err_set(err, ERR_LIMIT, "an entry of %zu bytes is longer than the %d that fit a bundle",
				       items[i].entry.n, ENTRY_MAX);
		total += items[i].entry.n + 3 * SHA256_SIZE;
	}
	return total <= CALL_MAX ||
	       err_set(err, ERR_LIMIT, "%zu entries of %zu bytes are too many for one transaction", count, total);
}

static bool is_of_run(struct str ident)
{
	return str_starts(ident, STR("run\0")) || str_starts(ident, STR("bench\0"));
}

/* A schema of before there were runs would refuse them too, but not say what to do. */
static bool pg_append_check_version(const struct log_pg *l, const struct log_item *items, size_t count, struct err *err)
{
	for (size_t i = 0; i < count && !l->knows_runs; i++)
		if (is_of_run(items[i].ident))
			return err_set(err, ERR_DATA, "%.*s: its schema is of an earlier version, which takes neither "
				       "runs nor benchmarks" ERR_HELP "let its administrator upgrade it: 'trackway "
				       "ledger init' can", STR_ARG(l->log.where));
	return true;
}

/* The database knows idents by their SHA-256, so that they all have one length. */
static void fill_arrays(struct log_pg *l, struct arrays *a, const struct log_item *items, size_t count)
{
	pg_array_begin(&a->idents, count);
	pg_array_begin(&a->digests, count);
	pg_array_begin(&a->entries, count);
	for (size_t i = 0; i < count; i++) {
		struct digest ident = sha256_of(&l->sha, items[i].ident);

		pg_array_add(&a->idents, str_of(ident.b, SHA256_SIZE));
		pg_array_add(&a->digests, str_of(items[i].digest.b, SHA256_SIZE));
		pg_array_add(&a->entries, items[i].entry);
	}
}

/*
 * When a connection was lost on the way, the first try may have done it: what is there with the very bytes we brought
 * (which have the moment of sealing in them) was added by us.
 */
static bool take_outcomes(struct log_pg *l, const PGresult *r, bool unsure, struct log_item *items, size_t count,
			  struct err *err)
{
	if ((size_t)PQntuples(r) != count)
		return err_set(err, ERR_DATA, "%.*s: ledger.append gave %d answers for %zu entries",
			       STR_ARG(l->log.where), PQntuples(r), count);
	for (size_t i = 0; i < count; i++) {
		uint64_t outcome = pg_number(r, (int)i, 0);

		items[i].index = pg_number(r, (int)i, 1);
		if (outcome > LOG_CONFLICT || !pg_digest(r, (int)i, 2, &items[i].leaf))
			return err_set(err, ERR_DATA, "%.*s: ledger.append returned a malformed answer",
				       STR_ARG(l->log.where));
		items[i].outcome = (enum log_outcome)outcome;
		if (unsure && outcome == LOG_SAME && digest_eq(merkle_leaf(&l->sha, items[i].entry), items[i].leaf))
			items[i].outcome = LOG_ADDED;
	}
	return true;
}

/* One statement is one transaction: it needs no second journey for its COMMIT, and cannot be left open in between. */
bool pg_append(struct log *log, struct log_item *items, size_t count, struct err *err)
{
	struct log_pg *l = pg_of(log);
	uint64_t lost = l->pg.lost;
	struct arrays a;
	PGresult *r = NULL;
	bool good;

	if (!pg_refuse_write(l, err) || !pg_append_check_items(items, count, err) ||
	    !pg_append_check_version(l, items, count, err))
		return false;
	if (count == 0)
		return true;
	buf_init(&a.idents);
	buf_init(&a.digests);
	buf_init(&a.entries);
	fill_arrays(l, &a, items, count);
	const struct pg_query q = {
		"SELECT o_outcome, o_idx, o_leaf FROM ledger.append($1, $2, $3, $4)",
		{ PG_TEXT(log->origin), PG_ARRAY(&a.idents), PG_ARRAY(&a.digests), PG_ARRAY(&a.entries) },
	};

	good = pg_run(&l->pg, &q, &r, err) && take_outcomes(l, r, l->pg.lost != lost, items, count, err);
	PQclear(r);
	buf_free(&a.idents);
	buf_free(&a.digests);
	buf_free(&a.entries);
	return good;
}

/* ---- objects ---- */

/* How many of the next ones go in one statement: at least one. */
static size_t next_few(const struct str *bytes, size_t count)
{
	size_t n = 0, total = 0;

	while (n < count && n < OBJECTS_AT_ONCE && (n == 0 || total + bytes[n].n <= OBJECT_BYTES_AT_ONCE))
		total += bytes[n++].n;
	return n;
}

/* One statement. What is there already is found there, so it may be done twice. */
static bool put_few(struct log_pg *l, const struct str *bytes, size_t count, struct buf *array, struct err *err)
{
	bool found;
	uint64_t put;

	pg_array_begin(array, count);
	for (size_t i = 0; i < count; i++)
		pg_array_add(array, bytes[i]);
	const struct pg_query q = { "SELECT ledger.put_objects($1, $2)", { PG_TEXT(l->log.origin), PG_ARRAY(array) } };

	return pg_ask_number(&l->pg, &q, &put, &found, err);
}

bool pg_put_objects(struct log *log, const struct str *bytes, size_t count, struct digest *out, struct err *err)
{
	struct log_pg *l = pg_of(log);
	struct buf array;
	bool good = true;

	if (!pg_refuse_write(l, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (bytes[i].n > OBJECT_MAX)
			return err_set(err, ERR_LIMIT, "an object of %zu bytes is larger than the %zu that fit a row",
				       bytes[i].n, OBJECT_MAX);
		out[i] = sha256_of(&l->sha, bytes[i]);
	}
	buf_init(&array);
	for (size_t at = 0, n; good && at < count; at += n) {
		n = next_few(bytes + at, count - at);
		good = put_few(l, bytes + at, n, &array, err);
	}
	buf_free(&array);
	return good;
}

bool pg_erase_object(struct log *log, struct digest d, uint64_t by, bool *found, struct err *err)
{
	const struct pg_query q = { "SELECT ledger.erase_object($1, $2, $3)",
				    { PG_TEXT(log->origin), PG_DIGEST(d), PG_NUMBER(by) } };
	struct log_pg *l = pg_of(log);
	uint64_t erased = 0;

	if (!pg_refuse_write(l, err) || !pg_ask_number(&l->pg, &q, &erased, found, err))
		return false;
	*found = erased;
	return true;
}
