/* Writes the published part of a PostgreSQL log as the static files that a directory log has. */
#include <errno.h>
#include <inttypes.h>

#include "ledger/pg/private.h"

#define AT_ONCE 1000 /* digests of objects listed in one statement */
#define FILE_MODE 0644
#define WHOLE_MODE 0444 /* of what never changes: objects and whole tiles */
#define DIR_MODE 0755

/* Files that go to one directory after the other; each directory is synced when the next one is begun. */
struct exporting {
	struct log_pg *l;
	const struct io *io;
	struct str dir; /* terminated */
	struct str open; /* the directory with names that are not synced yet; p NULL: none */
	struct arena scratch, names;
	uint64_t before, size; /* entries that were exported before; that are to be */
};

static struct str export_path(struct exporting *x, struct arena *a, struct str name)
{
	return ARENA_JOIN(a, x->dir, STR("/"), name);
}

/* Makes the names in the directory at hand last. There is none at hand afterwards. */
static bool export_sync_open(struct exporting *x, struct err *err)
{
	bool good = !x->open.p || io_sync_dir(x->io, x->open.p, err);

	x->open = str_of(NULL, 0);
	arena_reset(&x->names);
	return good;
}

static struct str export_parent(struct arena *a, struct str path)
{
	return arena_copy(a, str_dirname(path));
}

static bool begin_dir(struct exporting *x, struct str dir, struct err *err)
{
	if (x->open.p && str_eq(x->open, dir))
		return true;
	if (!export_sync_open(x, err) || !io_make_dirs(x->io, x->dir.p, dir.p, DIR_MODE, err))
		return false;
	x->open = arena_copy(&x->names, dir);
	return true;
}

/* Durable with the next export_sync_open. A file that has these bytes is left alone. */
static bool put(struct exporting *x, struct str name, struct str bytes, unsigned mode, struct err *err)
{
	struct str path = export_path(x, &x->scratch, name);

	return begin_dir(x, export_parent(&x->scratch, path), err) &&
	       io_put(x->io, path.p, bytes, mode, true, err);
}

static bool export_has(struct exporting *x, const char *path)
{
	struct io_stat st;

	return x->io->ops->stat(x->io->own, path, &st) == 0;
}

/* ---- what is there ---- */

/* The directory itself; those above it must be there. */
static bool export_make_top(struct exporting *x, struct err *err)
{
	int r = x->io->ops->mkdir(x->io->own, x->dir.p, DIR_MODE);

	if (r == -EEXIST)
		return true;
	if (r < 0)
		return err_system(err, -r, "cannot make the directory %.*s", STR_ARG(x->dir));
	return io_sync_dir(x->io, export_parent(&x->scratch, x->dir).p, err);
}

/* A checkpoint that was exported before must be one that this log goes on from. */
static bool read_before(struct exporting *x, struct err *err)
{
	struct note *n = arena_new(&x->scratch, struct note);
	struct str path = export_path(x, &x->scratch, STR("checkpoint")), text;
	struct signer_head old = { .found = true };
	const char *why = "it is of another log";
	struct checkpoint c;
	struct digest root;
	bool found;

	if (!io_read_file(x->io, &x->scratch, path.p, NOTE_MAX, &text, &found, err))
		return false;
	if (!found)
		return true;
	if (!note_parse(text, n, &why) || !checkpoint_parse(n->text, &c, &why) || !str_eq(c.origin, x->l->log.origin) ||
	    note_check(n, &x->l->log.key, NULL) != NOTE_GOOD)
		return err_set(err, ERR_DATA, "%.*s: the checkpoint there is not this log's: %s"
			       ERR_HELP "export to an empty directory", STR_ARG(x->dir), why);
	old.size = c.size;
	old.root = c.root;
	if (c.size > x->size)
		return signer_head_check(&old, x->size, &c.root, x->l->log.where, err);
	if (!pg_root_at(x->l, c.size, &root, err) || !signer_head_check(&old, x->size, &root, x->l->log.where, err))
		return false;
	x->before = c.size;
	return true;
}

/* ---- objects ---- */

/* One that is there is not read again. Bytes that do not have the digest are never written. */
static bool export_object(struct exporting *x, struct digest d, struct err *err)
{
	char name[OBJECT_PATH_MAX];
	struct str bytes;
	struct digest is;
	bool found;

	arena_reset(&x->scratch);
	object_path(name, d);
	if (export_has(x, export_path(x, &x->scratch, str_from(name)).p))
		return true;
	if (!x->l->log.ops->object(&x->l->log, &x->scratch, d, &bytes, &found, err))
		return false;
	if (!found) /* erased a moment ago */
		return true;
	is = sha256_of(&x->l->sha, bytes);
	if (!digest_eq(is, d))
		return err_set(err, ERR_DATA, "%.*s: %s: the object in the database has another digest",
			       STR_ARG(x->l->log.where), name);
	return put(x, str_from(name), bytes, WHOLE_MODE, err);
}

/* An object that was erased since the last export. Not there is fine. */
static bool remove_object(struct exporting *x, struct digest d, struct err *err)
{
	char name[OBJECT_PATH_MAX];
	struct str path;
	int r;

	arena_reset(&x->scratch);
	object_path(name, d);
	path = export_path(x, &x->scratch, str_from(name));
	r = x->io->ops->unlink(x->io->own, path.p);
	if (r == -ENOENT || r == -ENOTDIR)
		return true;
	if (r < 0)
		return err_system(err, -r, "cannot remove the erased object %.*s", STR_ARG(path));
	return io_sync_dir(x->io, export_parent(&x->scratch, path).p, err);
}

/* Digests that a statement lists page by page, in order: $2 is the last one before the page. */
static bool each_digest(struct exporting *x, const char *sql,
			bool (*one)(struct exporting *x, struct digest d, struct err *err), struct err *err)
{
	struct digest d;
	struct str after = { (const char *)d.b, 0 };
	int count = AT_ONCE;

	while (count == AT_ONCE) {
		const struct pg_query q = { sql, { PG_TEXT(x->l->log.origin), PG_BYTES(after), PG_NUMBER(AT_ONCE) } };
		bool good = true;
		PGresult *r;

		if (!pg_run(&x->l->pg, &q, &r, err))
			return false;
		count = PQntuples(r);
		for (int i = 0; good && i < count; i++) {
			good = pg_digest(r, i, 0, &d) ? one(x, d, err) :
							err_set(err, ERR_DATA, "%.*s: a digest in the database is not "
								"32 bytes long", STR_ARG(x->l->log.where));
			after.n = SHA256_SIZE;
		}
		PQclear(r);
		if (!good)
			return false;
	}
	return true;
}

static bool export_objects(struct exporting *x, struct err *err)
{
	return each_digest(x,
			   "SELECT sha256 FROM ledger.object WHERE origin = $1 AND sha256 > $2 "
			   "ORDER BY sha256 LIMIT $3",
			   export_object, err) &&
	       export_sync_open(x, err) &&
	       each_digest(
		       x,
		       "SELECT DISTINCT e.sha256 FROM ledger.erased e WHERE e.origin = $1 AND e.sha256 > $2 AND "
		       "NOT EXISTS (SELECT FROM ledger.object o WHERE o.origin = $1 AND o.sha256 = e.sha256) "
		       "ORDER BY e.sha256 LIMIT $3",
		       remove_object, err);
}

/* ---- tiles and bundles ---- */

static bool export_tile(struct exporting *x, const struct tile *t, struct err *err)
{
	char path[TILE_PATH_MAX];
	struct str bytes;

	arena_reset(&x->scratch);
	tile_path(path, t);
	return x->l->log.ops->tile(&x->l->log, &x->scratch, t, &bytes, err) &&
	       put(x, str_from(path), bytes, t->width == TILE_WIDTH ? WHOLE_MODE : FILE_MODE, err);
}

/* Whole tiles never change: those that were published by an export before need not be read again. */
static bool is_exported(struct exporting *x, const struct tile *t)
{
	char path[TILE_PATH_MAX];

	if (t->n >= tile_full_count(t->level, x->before))
		return false;
	arena_reset(&x->scratch);
	tile_path(path, t);
	return export_has(x, export_path(x, &x->scratch, str_from(path)).p);
}

/* All of one level is durable when it returns, since the next kind of file relies on it. */
static bool export_level(struct exporting *x, unsigned level, struct err *err)
{
	uint64_t full = tile_full_count(level, x->size);
	unsigned width = tile_partial_width(level, x->size);

	for (uint64_t n = 0; n < full; n++) {
		const struct tile t = { .level = level, .n = n, .width = TILE_WIDTH };

		if (!is_exported(x, &t) && !export_tile(x, &t, err))
			return false;
	}
	if (width == 0)
		return export_sync_open(x, err);
	const struct tile t = { .level = level, .n = full, .width = width };

	return export_tile(x, &t, err) && export_sync_open(x, err);
}

static bool export_tiles(struct exporting *x, struct err *err)
{
	if (!export_level(x, TILE_ENTRIES, err))
		return false;
	for (unsigned level = 0; level < TILE_LEVELS && x->size >> (8 * level); level++)
		if (!export_level(x, level, err))
			return false;
	return true;
}

struct removing {
	struct exporting *x;
	struct str dir;
};

static bool remove_partial(void *context, const char *name)
{
	struct removing *r = context;
	struct str path = ARENA_JOIN(&r->x->scratch, r->dir, STR("/"), str_from(name));

	r->x->io->ops->unlink(r->x->io->own, path.p);
	return true;
}

/* Partial tiles of what is whole now are of no use to anybody who reads the new checkpoint. Best effort. */
static void remove_partials(struct exporting *x, unsigned level)
{
	uint64_t n = tile_full_count(level, x->before);
	const struct tile whole = { .level = level, .n = n, .width = TILE_WIDTH };
	struct removing r = { .x = x };
	char path[TILE_PATH_MAX];

	if (n >= tile_full_count(level, x->size))
		return;
	arena_reset(&x->scratch);
	tile_path(path, &whole);
	r.dir = export_path(x, &x->scratch, ARENA_JOIN(&x->scratch, str_from(path), STR(".p")));
	if (!export_has(x, r.dir.p))
		return;
	x->io->ops->list(x->io->own, r.dir.p, remove_partial, &r);
	x->io->ops->rmdir(x->io->own, r.dir.p);
}

/* ---- the whole ---- */

/* The checkpoint comes last of all, when everything that it promises is on the disk. */
static bool export_head(struct exporting *x, struct str note, struct err *err)
{
	struct str vkey;

	arena_reset(&x->scratch);
	vkey = ARENA_JOIN(&x->scratch, key_text(&x->scratch, &x->l->log.key), STR("\n"));
	return put(x, arena_printf(&x->scratch, "checkpoints/%" PRIu64, x->size), note, FILE_MODE, err) &&
	       put(x, STR("vkey"), vkey, FILE_MODE, err) && export_sync_open(x, err) &&
	       put(x, STR("checkpoint"), note, FILE_MODE, err) && export_sync_open(x, err);
}

static bool export_all(struct exporting *x, struct str note, struct err *err)
{
	if (export_has(x, export_path(x, &x->scratch, STR(".state")).p))
		return err_set(err, ERR_USAGE, "%.*s is a log of its own, and nothing can be exported into it",
			       STR_ARG(x->dir));
	if (!export_make_top(x, err) || !read_before(x, err) || !export_objects(x, err) ||
	    !export_tiles(x, err) || !export_head(x, note, err))
		return false;
	remove_partials(x, TILE_ENTRIES);
	for (unsigned level = 0; level < TILE_LEVELS; level++)
		remove_partials(x, level);
	return true;
}

bool log_pg_export(struct log *log, const struct io *io, struct str dir, struct err *err)
{
	struct exporting x = { .l = pg_of(log), .io = io ? io : &io_system };
	struct checkpoint c;
	struct arena keep;
	struct note *n;
	bool good;

	arena_init(&keep);
	arena_init(&x.scratch);
	arena_init(&x.names);
	x.dir = arena_copy(&keep, dir);
	good = log_read_checkpoint(log, &keep, &c, &n, err);
	if (good) {
		x.size = c.size;
		good = export_all(&x, log_note_bytes(n), err);
	}
	arena_free(&x.names);
	arena_free(&x.scratch);
	arena_free(&keep);
	return good;
}
