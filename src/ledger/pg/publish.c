/*
 * Signs what a PostgreSQL log has committed: reads it in one snapshot, works the tree out again, publishes a
 * checkpoint.
 */
#include <inttypes.h>

#include "base/clock.h"
#include "ledger/be.h"
#include "ledger/pg/private.h"

#define AT_ONCE 1024 /* entries read in one statement */
#define LOCK_WAIT_NS (UINT64_C(60) * 1000000000)
#define COSIGN_TRIES 8

/*
 * Publishing is signing. One publisher at a time has the lock of the log (an advisory one, which goes with its session
 * when it dies). It reads in one snapshot: what the head says, and every entry since what the key signed last. The hash
 * tree over them is its own work, begun at the edge whose root it has signed before; so a row that somebody changed
 * leads to another root than the head's, and is not signed. Then, in this order: the signer's head beside the key, the
 * checkpoint in the database if nobody else has put one there.
 *
 * With synchronous standbys nothing more is needed: a commit becomes visible to others only when its session has
 * stopped waiting for them, so what a snapshot shows is what a failover keeps. Where that is not so (a wait that was
 * cancelled, a standby that lags and is promoted all the same), the signer's head finds out: E_ROLLBACK, not a fork.
 */
struct publishing {
	struct log_pg *l;
	struct signer_head signed_last;
	uint64_t size, published;
	struct digest root;
	struct str note;    /* the published one */
	struct checkpoint old;
	struct err bad; /* the first entry that must not be signed, told when nothing worse is */
	struct arena scratch;
};

static enum pg_next publish_verdict(bool good)
{
	return good ? PG_DONE : PG_GIVE_UP;
}

/* ---- reading rows ---- */

enum pg_next pg_edge(struct log_pg *l, uint64_t size, struct merkle *out, struct err *err)
{
	unsigned want = (unsigned)__builtin_popcountll(size);
	const struct pg_query q = {
		"SELECT CASE WHEN lv = 0 THEN ("
		"SELECT e.leaf FROM ledger.entry e WHERE e.origin = $1 AND e.idx = $2 - 1) ELSE ("
		"SELECT o.hash FROM ledger.node o WHERE o.origin = $1 AND o.level = lv AND o.n = ($2 >> lv) - 1) END "
		"FROM pg_catalog.generate_series(0, 62) AS lv WHERE ($2 >> lv) & 1 = 1 ORDER BY lv DESC",
		{ PG_TEXT(l->log.origin), PG_NUMBER(size) },
	};
	enum pg_next next;
	PGresult *r;

	merkle_init(out);
	next = pg_try(&l->pg, &q, &r, err);
	if (next != PG_DONE)
		return next;
	for (int i = 0; i < PQntuples(r) && i < 63 && pg_digest(r, i, 0, &out->stack[i]); i++)
		out->depth++;
	out->count = size;
	if (out->depth != want)
		next = publish_verdict(
			err_set(err, ERR_DATA, "%.*s: hashes of the first %" PRIu64 " entries are not in the database",
				STR_ARG(l->log.where), size));
	PQclear(r);
	return next;
}

/* Fills size, root, published and note; inside the transaction, if there is one. */
static enum pg_next publish_read_head(struct publishing *p, struct err *err)
{
	struct log_pg *l = p->l;
	const struct pg_query q = { "SELECT size, root, published, checkpoint FROM ledger.head WHERE origin = $1",
				    { PG_TEXT(l->log.origin) } };
	enum pg_next next;
	PGresult *r;

	next = pg_try(&l->pg, &q, &r, err);
	if (next != PG_DONE)
		return next;
	if (PQntuples(r) != 1 || !pg_digest(r, 0, 1, &p->root)) {
		next = publish_verdict(err_set(err, ERR_DATA, "%.*s: the log's row in ledger.head is gone",
					       STR_ARG(l->log.where)));
	} else {
		p->size = pg_number(r, 0, 0);
		p->published = pg_number(r, 0, 2);
		p->note = arena_copy(&p->scratch, pg_bytes(r, 0, 3));
	}
	PQclear(r);
	return next;
}

/* ---- checks ---- */

/* What is published must be ours, and of the size that the row says. */
static bool publish_read_checkpoint(struct publishing *p, struct err *err)
{
	struct note *n = arena_new(&p->scratch, struct note);
	const char *why = "";

	if (!note_parse(p->note, n, &why) || !checkpoint_parse(n->text, &p->old, &why))
		return err_set(err, ERR_DATA, "%.*s: what the database has as checkpoint is not one: %s",
			       STR_ARG(p->l->log.where), why);
	if (!str_eq(p->old.origin, p->l->log.origin) || p->old.size != p->published ||
	    note_check(n, &p->l->log.signer->key, NULL) != NOTE_GOOD)
		return err_set(err, ERR_DATA, "%.*s: the checkpoint in the database is not signed by the log's key",
			       STR_ARG(p->l->log.where));
	return true;
}

/* The published checkpoint, when the way leads past it. */
static bool fits_published(struct publishing *p, const struct merkle *m, struct err *err)
{
	const struct signer_head published = { .found = true, .size = p->old.size, .root = p->old.root };
	struct digest root;

	if (m->count != p->old.size)
		return true;
	root = merkle_root(m, &p->l->sha);
	return signer_head_check(&published, p->size, &root, p->l->log.where, err);
}

/* ---- what is signed must be entries, each once ---- */

static bool refuse_entry(struct publishing *p, uint64_t index, struct str why, struct err *err)
{
	return err_set(err, ERR_DATA, "%.*s: entry %" PRIu64 " is not signed, nor what follows it: %.*s" ERR_HELP
		       "a writer has appended it past this program; if you sign it all the same, readers pass over it",
		       STR_ARG(p->l->log.where), index, STR_ARG(why)) || err_advise(err, ADVICE_ACCEPT_PENDING);
}

/* Its ident, by SHA-256; false with *err when it is none. */
static bool read_ident(struct publishing *p, uint64_t index, struct str bytes, struct digest *out, struct err *err)
{
	struct log_pg *l = p->l;
	struct arena a;
	struct entry e;
	struct str why;
	bool good;

	if (!l->parser)
		l->parser = json_parser_open((struct json_options){ .max_depth = ENTRY_DEPTH + 1 });
	arena_init(&a);
	good = entry_parse(l->parser, &a, bytes, &e, &why);
	if (good)
		*out = sha256_of(&l->sha, entry_ident(&a, &e));
	else
		refuse_entry(p, index, why, err);
	arena_free(&a);
	return good;
}

/* The place that the database has for each ident must be the entry's own: otherwise it is there twice. */
static enum pg_next check_places(struct publishing *p, uint64_t from, const struct buf *idents, struct err *err)
{
	const struct pg_query q = { "SELECT ledger.find($1, u.ident) FROM pg_catalog.unnest($2::bytea[]) "
				    "WITH ORDINALITY AS u(ident, n) ORDER BY u.n",
				    { PG_TEXT(p->l->log.origin), PG_ARRAY(idents) } };
	enum pg_next next;
	PGresult *r;

	next = pg_try(&p->l->pg, &q, &r, err);
	if (next != PG_DONE)
		return next;
	for (int i = 0; i < PQntuples(r); i++)
		if (p->bad.kind == ERR_NONE && (PQgetisnull(r, i, 0) || pg_number(r, i, 0) != from + (uint64_t)i))
			refuse_entry(p, from + (uint64_t)i,
				     STR("an earlier entry has the same kind, experiment and id"), &p->bad);
	PQclear(r);
	return next;
}

/* The first entry that must not be signed is kept in p->bad: a wrong root, found later, is worse. */
static enum pg_next check_entries(struct publishing *p, const PGresult *r, uint64_t from, struct err *err)
{
	enum pg_next next = PG_DONE;
	struct buf idents;
	struct digest d;

	if (p->l->accepts_pending || p->bad.kind != ERR_NONE || PQntuples(r) == 0)
		return PG_DONE;
	buf_init(&idents);
	pg_array_begin(&idents, (size_t)PQntuples(r));
	for (int i = 0; p->bad.kind == ERR_NONE && i < PQntuples(r); i++)
		if (read_ident(p, from + (uint64_t)i, pg_bytes(r, i, 1), &d, &p->bad))
			pg_array_add(&idents, str_of(d.b, SHA256_SIZE));
	if (p->bad.kind == ERR_NONE)
		next = check_places(p, from, &idents, err);
	buf_free(&idents);
	return next;
}

static bool lacks_entry(const struct publishing *p, uint64_t index, struct err *err)
{
	return err_set(err, ERR_DATA, "%.*s: entry %" PRIu64 " is not in the database", STR_ARG(p->l->log.where),
		       index);
}

/* Leaves are hashed from the entries here; those in the rows are not believed. */
static bool take_leaves(struct publishing *p, struct merkle *m, const PGresult *r, struct err *err)
{
	for (int i = 0; i < PQntuples(r); i++) {
		if (pg_number(r, i, 0) != m->count)
			return lacks_entry(p, m->count, err);
		merkle_add(m, &p->l->sha, merkle_leaf(&p->l->sha, pg_bytes(r, i, 1)));
		if (!fits_published(p, m, err))
			return false;
	}
	return true;
}

/* Adds the entries up to p->size to the tree, in order and without a gap. */
static enum pg_next read_entries(struct publishing *p, struct merkle *m, struct err *err)
{
	enum pg_next next = PG_DONE;

	while (next == PG_DONE && m->count < p->size) {
		uint64_t from = m->count, to = p->size - from < AT_ONCE ? p->size : from + AT_ONCE;
		const struct pg_query q = { "SELECT idx, entry FROM ledger.entry WHERE origin = $1 AND idx >= $2 AND "
					    "idx < $3 ORDER BY idx",
					    { PG_TEXT(p->l->log.origin), PG_NUMBER(from), PG_NUMBER(to) } };
		PGresult *r;

		next = pg_try(&p->l->pg, &q, &r, err);
		if (next != PG_DONE)
			return next;
		next = publish_verdict(take_leaves(p, m, r, err));
		if (next == PG_DONE)
			next = check_entries(p, r, from, err);
		PQclear(r);
		if (next == PG_DONE && m->count != to)
			return publish_verdict(lacks_entry(p, m->count, err));
	}
	return next;
}

/* From what was signed last, or else from what is published, to all that is committed. */
static enum pg_next walk(struct publishing *p, struct err *err)
{
	struct signer_head base = { .found = true, .size = p->old.size, .root = p->old.root };
	enum pg_next next;
	struct digest root;
	struct merkle m;

	if (p->signed_last.found)
		base = p->signed_last;
	if (base.size > p->size)
		return publish_verdict(signer_head_check(&base, p->size, &p->root, p->l->log.where, err));
	next = pg_edge(p->l, base.size, &m, err);
	if (next != PG_DONE)
		return next;
	root = merkle_root(&m, &p->l->sha);
	if (!signer_head_check(&base, p->size, &root, p->l->log.where, err) || !fits_published(p, &m, err))
		return PG_GIVE_UP;
	next = read_entries(p, &m, err);
	if (next != PG_DONE)
		return next;
	if (digest_eq(merkle_root(&m, &p->l->sha), p->root)) {
		if (p->bad.kind == ERR_NONE)
			return PG_DONE;
		*err = p->bad;
		return PG_GIVE_UP;
	}
	return publish_verdict(err_set(err, ERR_DATA, "%.*s: the entries do not give the root in ledger.head, so it is "
				       "not signed" ERR_HELP "rows were changed behind the ledger's back: 'trackway "
				       "ledger verify' tells where", STR_ARG(p->l->log.where)));
}

/* ---- signing ---- */

/* Everything that is signed is read in one transaction, which ends before signing. */
static enum pg_next publish_read_snapshot(struct publishing *p, struct err *err)
{
	enum pg_next next = pg_script(&p->l->pg, "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", err);

	if (next == PG_DONE)
		next = publish_read_head(p, err);
	if (next == PG_DONE)
		next = publish_verdict(publish_read_checkpoint(p, err));
	if (next == PG_DONE)
		next = walk(p, err);
	if (!p->l->pg.conn)
		return next;
	/* Nothing was written; but if the connection is gone, so is our lock, and we do not sign. */
	enum pg_next end = pg_script(&p->l->pg, "ROLLBACK", next == PG_DONE ? err : &(struct err){ .kind = ERR_NONE });

	return next == PG_DONE ? end : next;
}

/* Puts the note there if the published size is still the one that was read; else PG_RETRY. */
static enum pg_next swap(struct publishing *p, struct str note, struct err *err)
{
	const struct pg_query q = {
		"SELECT ledger.publish($1, $2, $3, $4)",
		{ PG_TEXT(p->l->log.origin), PG_NUMBER(p->published), PG_NUMBER(p->size), PG_TEXT(note) },
	};
	enum pg_next next;
	PGresult *r;

	next = pg_try(&p->l->pg, &q, &r, err);
	if (next != PG_DONE)
		return next;
	if (!pg_number(r, 0, 0)) { /* without our lock, then; whoever it was, look again */
		err_set(err, ERR_IO, "%.*s: others publish at the same time", STR_ARG(p->l->log.where));
		next = PG_RETRY;
	}
	PQclear(r);
	return next;
}

/* The signer's head first: from then on nothing else can be signed at this size. */
static enum pg_next publish_sign_snapshot(struct publishing *p, struct err *err)
{
	struct log_pg *l = p->l;
	const struct signer *s = l->log.signer;
	struct checkpoint c = { .origin = l->log.origin, .size = p->size, .root = p->root };
	enum pg_next next = PG_GIVE_UP;
	struct buf note;

	buf_init(&note);
	if (checkpoint_sign(&note, &c, s, err)) {
		if (signer_head_write(l->io, l->keys, &s->key, &p->signed_last, buf_str(&note), err))
			next = swap(p, buf_str(&note), err);
		else if (err->kind == ERR_DATA) /* by somebody else meanwhile: look again */
			next = PG_RETRY;
	}
	buf_free(&note);
	return next;
}

static enum pg_next publish_locked(struct publishing *p, struct err *err)
{
	struct log_pg *l = p->l;
	enum pg_next next;

	/* Before the snapshot: then whatever was signed is in it. */
	if (!signer_head_read(l->io, l->keys, &l->log.signer->key, l->log.origin, &p->signed_last, err))
		return PG_GIVE_UP;
	next = publish_read_snapshot(p, err);
	if (next != PG_DONE || p->published == p->size)
		return next;
	return publish_sign_snapshot(p, err);
}

/* ---- one at a time ---- */

static uint64_t lock_number(struct log_pg *l)
{
	struct arena scratch;
	struct digest d;

	arena_init(&scratch);
	d = sha256_of(&l->sha, ARENA_JOIN(&scratch, STR("trackway ledger publish\n"), l->log.origin));
	arena_free(&scratch);
	return be_get(d.b, 8) >> 1; /* the same on every machine, and not negative */
}

static enum pg_next ask_lock(struct log_pg *l, const char *sql, bool *yes, struct err *err)
{
	const struct pg_query q = { sql, { PG_NUMBER(lock_number(l)) } };
	enum pg_next next;
	PGresult *r;

	next = pg_try(&l->pg, &q, &r, err);
	if (next != PG_DONE)
		return next;
	*yes = PQntuples(r) == 1 && pg_number(r, 0, 0);
	PQclear(r);
	return next;
}

/* *goal is the size at the first look: whoever publishes that much, we are done. PG_DONE without *done: wait. */
static enum pg_next publish_once(struct log_pg *l, uint64_t *goal, bool *done, struct err *err)
{
	struct err ignored = { .kind = ERR_NONE };
	struct publishing p = { .l = l };
	bool locked = false, unlocked;
	enum pg_next next;

	arena_init(&p.scratch);
	next = publish_read_head(&p, err);
	if (next == PG_DONE && *goal == UINT64_MAX)
		*goal = p.size;
	*done = next == PG_DONE && p.published >= *goal; /* by whoever had the lock */
	if (next == PG_DONE && !*done)
		next = ask_lock(l, "SELECT pg_catalog.pg_try_advisory_lock($1)", &locked, err);
	if (next == PG_DONE && locked) {
		next = publish_locked(&p, err);
		*done = next == PG_DONE;
		if (l->pg.conn)
			ask_lock(l, "SELECT pg_catalog.pg_advisory_unlock($1)", &unlocked, &ignored);
	}
	arena_free(&p.scratch);
	return next;
}

/* Waiting for somebody else is no failure, but it ends too. */
static bool waits_on(struct log_pg *l, uint64_t begun, unsigned *waits, struct err *err)
{
	if (clock_mono_ns() - begun < LOCK_WAIT_NS && pg_pause(*waits < 3 ? (*waits)++ : 3))
		return true;
	return err_set(err, ERR_IO, "%.*s: somebody else was publishing for too long"
		       ERR_HELP "the entries are committed, and are published with the next ones",
		       STR_ARG(l->log.where));
}

bool pg_publish(struct log *log, struct err *err)
{
	struct log_pg *l = pg_of(log);
	uint64_t goal = UINT64_MAX, begun = clock_mono_ns();
	struct pg_patience patience = { .tries = 0 };
	struct err why = { .kind = ERR_NONE };
	unsigned waits = 0;
	bool done = false;

	if (!pg_refuse_write(l, err))
		return false;
	if (!log->signer)
		return err_set(err, ERR_USAGE, LOG_E_NO_KEY "%.*s: the private key of '%.*s' is not here, and "
			       "nothing can be signed", STR_ARG(log->where), STR_ARG(log->origin));
	for (;;) {
		enum pg_next next = publish_once(l, &goal, &done, &why);

		if (done)
			return true;
		if (next == PG_DONE ? !waits_on(l, begun, &waits, &why) : !pg_goes_on(&patience, next))
			break;
	}
	*err = why;
	return false;
}

bool pg_root_at(struct log_pg *l, uint64_t size, struct digest *out, struct err *err)
{
	struct pg_patience patience = { .tries = 0 };
	struct err why = { .kind = ERR_NONE };
	enum pg_next next;
	struct merkle m;

	do {
		next = pg_edge(l, size, &m, &why);
	} while (pg_goes_on(&patience, next));
	if (next != PG_DONE) {
		*err = why;
		return false;
	}
	*out = merkle_root(&m, &l->sha);
	return true;
}

/* The signer's head first: what it says was committed before, so the log's head has at least that. */
bool pg_check_signed(struct log_pg *l, struct err *err)
{
	struct signer_head last;
	struct log_head now;
	struct digest root;

	if (!l->log.signer || l->keys.n == 0)
		return true;
	if (!signer_head_read(l->io, l->keys, &l->log.signer->key, l->log.origin, &last, err) ||
	    !l->log.ops->head(&l->log, &now, err))
		return false;
	if (!last.found || last.size > now.size)
		return signer_head_check(&last, now.size, &now.root, l->log.where, err);
	return pg_root_at(l, last.size, &root, err) && signer_head_check(&last, now.size, &root, l->log.where, err);
}

/* ---- witnesses ---- */

/* The old note with the new lines. False when the note has another text by now, or they are not lines for it. */
static bool add_lines(struct log_pg *l, struct arena *a, struct str note, struct str text, struct str lines,
		      struct buf *out)
{
	struct note *old = arena_new(a, struct note);
	const char *why;

	return note_parse(note, old, &why) && str_eq(old->text, text) &&
	       note_replace_lines(a, old, lines, &l->log.key, out, &why);
}

/* Replaces the note if it is still the old one; *done tells. */
static bool swap_note(struct log_pg *l, struct str old, struct str new, bool *done, struct err *err)
{
	const struct pg_query q = { "SELECT ledger.cosign($1, $2, $3)",
				    { PG_TEXT(l->log.origin), PG_TEXT(old), PG_TEXT(new) } };
	uint64_t yes = 0;
	bool found;

	if (!pg_ask_number(&l->pg, &q, &yes, &found, err))
		return false;
	*done = yes;
	return true;
}

bool pg_cosign(struct log *log, struct str text, struct str lines, struct err *err)
{
	struct log_pg *l = pg_of(log);
	bool good = pg_refuse_write(l, err), done = false;
	struct arena scratch;
	struct buf out;

	arena_init(&scratch);
	buf_init(&out);
	for (unsigned tries = 0; good && !done; tries++) {
		struct str note;

		buf_clear(&out);
		good = log->ops->checkpoint(log, &scratch, &note, err);
		if (good && (tries >= COSIGN_TRIES || !add_lines(l, &scratch, note, text, lines, &out)))
			good = err_set(err, ERR_DATA, "%.*s: the checkpoint has changed since the witness saw it",
				       STR_ARG(log->where));
		else if (good)
			good = swap_note(l, note, buf_str(&out), &done, err);
	}
	arena_free(&scratch);
	buf_free(&out);
	return good;
}
