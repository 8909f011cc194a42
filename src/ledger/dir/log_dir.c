/*
 * The table of functions of a directory log, and how one is opened: the key is chosen first, then a reader takes the
 * checkpoint as it is, and a writer takes the lock and recovers.
 */
#include "ledger/dir/log_dir.h"

#include <errno.h>
#include <inttypes.h>

#include "ledger/dir/put.h"

#define VKEY_MAX 4096
#define WAL_LIMIT ((uint64_t)1 << 20)

struct str dir_path(struct log_dir *d, struct arena *a, const char *name)
{
	return ARENA_JOIN(a, d->dir, STR("/"), str_from(name));
}

bool dir_may_write(const struct log_dir *d, struct err *err)
{
	return !d->read_only || err_set(err, ERR_USAGE, "%.*s was opened for reading only", STR_ARG(d->dir));
}

/* ---- what a reader needs ---- */

static bool log_dir_read_checkpoint(struct log *l, struct arena *a, struct str *note, struct err *err)
{
	struct log_dir *d = dir_of(l);

	return io_read_file(d->io, a, d->checkpoint_path, NOTE_MAX, note, NULL, err);
}

/* The published size, for a handle that only reads. */
static bool read_published_size(struct log_dir *d, struct err *err)
{
	struct checkpoint c;
	struct arena a;
	bool done;

	arena_init(&a);
	done = log_read_checkpoint(&d->log, &a, &c, NULL, err);
	if (done) {
		d->published.count = d->committed.count = c.size;
		d->published_root = c.root;
	}
	arena_free(&a);
	return done;
}

/* A handle that may no longer write still knows what it has committed. */
static bool log_dir_read_head(struct log *l, struct log_head *out, struct err *err)
{
	struct log_dir *d = dir_of(l);

	if (d->read_only) {
		if (!read_published_size(d, err))
			return false;
		*out = (struct log_head){ .size = d->published.count, .root = d->published_root };
		return true;
	}
	if (!d->dead) {
		if (!dir_enter(d, err))
			return false;
		dir_unlock(d);
	}
	*out = (struct log_head){ .size = d->committed.count, .root = merkle_root(&d->committed, &d->sha) };
	return true;
}

/* The first `width` hashes or entries; false when there are less, or (exact) more. */
static bool tile_cut(const struct tile *t, bool exact, struct str *bytes)
{
	size_t n = (size_t)t->width * SHA256_SIZE;
	struct str rest = *bytes, entry;
	bool broken;

	if (t->level == TILE_ENTRIES) {
		for (unsigned i = 0; i < t->width; i++)
			if (!bundle_next(&rest, &entry, &broken))
				return false;
		n = bytes->n - rest.n;
	}
	if (bytes->n < n || (exact && bytes->n != n))
		return false;
	bytes->n = n;
	return true;
}

/* The file of this tile that is `width` wide, cut to t->width. A file that is there and too short is ERR_DATA. */
static bool read_tile_of(struct log_dir *d, struct arena *a, const struct tile *t, unsigned width, struct str *bytes,
			 bool *found, struct err *err)
{
	struct tile wider = { .level = t->level, .n = t->n, .width = width };
	char name[TILE_PATH_MAX];
	struct str path;

	tile_path(name, &wider);
	path = dir_path(d, a, name);
	if (!io_read_file(d->io, a, path.p, LOG_DIR_BUNDLE_MAX, bytes, found, err))
		return false;
	if (*found && !tile_cut(t, t->width == width, bytes))
		return err_set(err, ERR_DATA, "%s is damaged: it does not have the %u %s it should have"
			       ERR_HELP "put back a good copy of it", path.p, t->width,
			       t->level == TILE_ENTRIES ? "entries" : "hashes");
	return true;
}

/* A partial tile that is gone has become a full one, or a wider one is there that no checkpoint in between needed. */
static bool read_tile(struct log *l, struct arena *a, const struct tile *t, struct str *bytes, struct err *err)
{
	struct log_dir *d = dir_of(l);
	char name[TILE_PATH_MAX];
	bool found;

	if (!read_tile_of(d, a, t, t->width, bytes, &found, err))
		return false;
	if (!found && t->width < TILE_WIDTH && !read_tile_of(d, a, t, TILE_WIDTH, bytes, &found, err))
		return false;
	for (unsigned width = t->width + 1; !found && width < TILE_WIDTH; width++)
		if (!read_tile_of(d, a, t, width, bytes, &found, err))
			return false;
	if (found)
		return true;
	tile_path(name, t);
	return err_set(err, ERR_DATA, "%.*s/%s is missing"
		       ERR_HELP "put back a copy of it: others who have the log have the same", STR_ARG(d->dir),
		       name);
}

/* ---- what a writer does ---- */

static bool publish(struct log *l, struct err *err)
{
	struct log_dir *d = dir_of(l);
	bool done;

	if (!dir_may_write(d, err) || !dir_enter(d, err))
		return false;
	done = dir_take_checkpoint(d, err) && dir_publish(d, err);
	dir_unlock(d);
	return done;
}

/* The log's own line stays; of others the newest. */
static bool merge(struct log_dir *d, const struct note *old, struct str lines, struct arena *a, struct buf *out,
		  struct err *err)
{
	struct note *whole = arena_new(a, struct note);
	const char *why;

	if (!note_replace_lines(a, old, lines, &d->log.key, out, &why))
		return err_set(err, ERR_DATA, "%.*s: the lines given are not signatures: %s", STR_ARG(d->dir), why);
	return note_parse(buf_str(out), whole, &why) ||
	       err_set(err, ERR_LIMIT, "%.*s: the checkpoint cannot take these signatures: %s", STR_ARG(d->dir), why);
}

/* Under the lock, so that nobody publishes between the comparison and the replacement. */
static bool cosign_locked(struct log_dir *d, struct str text, struct str lines, struct err *err)
{
	struct checkpoint c;
	struct note *note;
	struct arena a;
	struct buf out;
	bool done;

	arena_init(&a);
	buf_init(&out);
	done = log_read_checkpoint(&d->log, &a, &c, &note, err);
	if (done && !str_eq(note->text, text))
		done = err_set(err, ERR_DATA, "%.*s: the log has another checkpoint by now; it has %" PRIu64 " entries"
			       ERR_HELP "have the new one signed", STR_ARG(d->dir), c.size);
	done = done && merge(d, note, lines, &a, &out, err) && dir_put_checkpoint(d, buf_str(&out), c.size, err);
	buf_free(&out);
	arena_free(&a);
	return done;
}

static bool cosign(struct log *l, struct str text, struct str lines, struct err *err)
{
	struct log_dir *d = dir_of(l);
	bool done;

	if (!dir_may_write(d, err) || !dir_enter(d, err))
		return false;
	done = cosign_locked(d, text, lines, err);
	dir_unlock(d);
	return done;
}

/* Closes files, wipes secrets and frees. Nothing is published: what is committed waits for the next writer. */
static void log_dir_close_log(struct log *l)
{
	struct log_dir *d = dir_of(l);

	dir_save_ids(d, true);
	if (d->wal_fd >= 0)
		io_close(d->io, d->wal_fd);
	if (d->lock_fd >= 0)
		io_close(d->io, d->lock_fd);
	if (d->edge)
		buf_free(&d->edge->bundle);
	mem_free(d->edge);
	mem_free(d->waiting);
	buf_free(&d->bytes);
	buf_free(&d->note);
	buf_free(&d->frame);
	buf_free(&d->bundle);
	ids_close(d->ids);
	if (d->parser)
		json_parser_close(d->parser);
	sha256_free(&d->sha);
	explicit_bzero(d->own_signer.seed, sizeof(d->own_signer.seed));
	explicit_bzero(&d->wal_key, sizeof(d->wal_key));
	arena_free(&d->arena);
	mem_free(d);
}

static const struct log_ops ops = {
	.append = dir_append,
	.publish = publish,
	.head = log_dir_read_head,
	.checkpoint = log_dir_read_checkpoint,
	.cosign = cosign,
	.tile = read_tile,
	.find = dir_find,
	.entry = dir_entry,
	.put_objects = dir_put_objects,
	.object = dir_object,
	.erase_object = dir_erase_object,
	.close = log_dir_close_log,
};

/* ---- opening ---- */

struct log_dir *dir_new(const struct log_dir_options *o)
{
	struct log_dir *d = mem_alloc(sizeof(*d));
	struct str dir = o->dir;

	memset(d, 0, sizeof(*d));
	arena_init(&d->arena);
	sha256_init(&d->sha);
	map_init(&d->durable, &d->arena);
	buf_init(&d->bytes);
	buf_init(&d->note);
	buf_init(&d->frame);
	buf_init(&d->bundle);
	while (dir.n > 1 && dir.p[dir.n - 1] == '/')
		dir.n--;
	d->io = o->io ? o->io : &io_system;
	d->dir = arena_copy(&d->arena, dir);
	d->keys = o->keys.p ? arena_copy(&d->arena, o->keys) : (struct str){ NULL, 0 };
	d->checkpoint_path = dir_path(d, &d->arena, "checkpoint").p;
	d->lock_path = dir_path(d, &d->arena, ".state/lock").p;
	d->wal_path = dir_path(d, &d->arena, ".state/wal").p;
	d->ids_path = dir_path(d, &d->arena, ".state/ids.idx").p;
	d->read_only = o->read_only;
	d->pending = o->pending;
	d->warn = o->warn;
	d->context = o->context;
	d->keep_partials = o->keep_partials;
	d->wal_limit = o->wal_limit ? o->wal_limit : WAL_LIMIT;
	if (d->wal_limit > LOG_DIR_WAL_MAX / 4)
		d->wal_limit = LOG_DIR_WAL_MAX / 4;
	d->lock_fd = d->wal_fd = -1;
	d->log = (struct log){ .ops = &ops, .where = d->dir };
	return d;
}

/* The key beside the log: good enough to check what it says of itself, and never trusted. */
static bool log_dir_read_vkey(struct log_dir *d, struct err *err)
{
	struct str path = dir_path(d, &d->arena, "vkey"), text;
	bool found;

	if (!io_read_file(d->io, &d->arena, path.p, VKEY_MAX, &text, &found, err))
		return false;
	if (!found)
		return err_set(err, ERR_DATA, "%.*s: there is no vkey, so its signature cannot be checked"
			       ERR_HELP "give the public key of the log", STR_ARG(d->dir));
	if (!key_parse(text, &d->log.key) || d->log.key.kind != KEY_LOG)
		return err_set(err, ERR_DATA, "%s is not the public key of a log"
			       ERR_HELP "put back a good copy of it", path.p);
	return true;
}

/* Whose log it is, and whether we can sign for it. */
static bool choose_key(struct log_dir *d, const struct log_dir_options *o, struct err *err)
{
	struct err none = { .kind = ERR_NONE };
	bool found;

	d->log.key_is_trusted = o->key || o->signer;
	if (o->signer || o->key)
		d->log.key = o->key ? *o->key : o->signer->key;
	else if (!log_dir_read_vkey(d, err))
		return false;
	d->log.key.name = arena_copy(&d->arena, d->log.key.name);
	d->log.origin = d->log.key.name;
	d->log.signer = o->signer;
	if (o->signer && (memcmp(o->signer->key.public, d->log.key.public, ED25519_PUBLIC) != 0 ||
			  !str_eq(o->signer->key.name, d->log.key.name)))
		return err_set(err, ERR_USAGE, "%.*s: the private key given is not that of %.*s", STR_ARG(d->dir),
			       STR_ARG(d->log.origin));
	if (o->signer || d->keys.n == 0)
		return true;
	if (keys_find(&d->arena, d->keys, &d->log.key, &d->own_signer, &found, &none)) {
		d->log.signer = &d->own_signer;
		d->log.key_is_trusted = true;
	} else if (none.kind != ERR_NONE && !d->read_only) {
		*err = none; /* it is there and cannot be used: better said now than when it is needed */
		return false;
	}
	return true;
}

bool dir_refuse_network(const struct io *io, const char *path, struct err *err)
{
	const char *name = io->ops->network(io->own, path);

	return !name || err_set(err, ERR_USAGE, "%s is on %s, where neither locks nor syncs can be relied upon"
				ERR_HELP "keep the ledger on a local disk, or share it in PostgreSQL (a "
				"postgres:// URL)", path, name) || err_advise(err, ADVICE_LEDGER_NETWORK);
}

static bool log_dir_check_version(struct log_dir *d, struct err *err)
{
	struct str path = dir_path(d, &d->arena, ".state/version"), text;
	bool found;

	if (!io_read_file(d->io, &d->arena, path.p, VKEY_MAX, &text, &found, err))
		return false;
	if (!found)
		return err_set(err, ERR_DATA, "%.*s has no .state: it is a published copy, to be read but not added to",
			       STR_ARG(d->dir));
	if (!str_eq(text, LOG_DIR_VERSION))
		return err_set(err, ERR_DATA, "%s says '%.*s': this was written by another version of the program"
			       ERR_HELP "use that version, or a newer one", path.p, STR_ARG(str_trim(text)));
	return true;
}

bool dir_open_lock(struct log_dir *d, struct err *err)
{
	d->lock_fd = io_open(d->io, d->lock_path, IO_CREATE, 0644);
	if (d->lock_fd == -EACCES || d->lock_fd == -EROFS)
		return err_set(err, ERR_IO, "%.*s can be read, but not written: %s" ERR_HELP
			       "add as the user who owns it, or let it be writable", STR_ARG(d->dir),
			       strerror(-d->lock_fd));
	return d->lock_fd >= 0 || err_system(err, -d->lock_fd, "cannot open %s", d->lock_path);
}

/* Ends without the lock: each call that writes takes it anew. */
static bool open_writer(struct log_dir *d, bool on_network, struct err *err)
{
	if (!on_network && !dir_refuse_network(d->io, d->dir.p, err))
		return false;
	if (!log_dir_check_version(d, err) || !dir_open_lock(d, err))
		return false;
	dir_know_durable(d, dir_path(d, &d->arena, "tile"));
	dir_know_durable(d, dir_path(d, &d->arena, "objects/sha256"));
	if (!dir_enter(d, err))
		return false;
	dir_unlock(d);
	return true;
}

/* Tells a directory that is no ledger from one whose checkpoint is gone; both are ERR_DATA. */
static bool check_there(struct log_dir *d, struct err *err)
{
	struct io_stat st;
	int r = d->io->ops->stat(d->io->own, d->checkpoint_path, &st);

	if (r == 0)
		return true;
	if (r != -ENOENT && r != -ENOTDIR)
		return err_system(err, -r, "cannot look at %s", d->checkpoint_path);
	if (log_dir_is_one(d->io, d->dir))
		return err_set(err, ERR_DATA, "%.*s has no checkpoint: it was not finished, or lost it"
			       ERR_HELP "make it again with 'trackway ledger init', or put back the file "
			       "'checkpoint'", STR_ARG(d->dir));
	return err_set(err, ERR_DATA, "%.*s is not a ledger: there is no checkpoint"
		       ERR_HELP "'trackway ledger init' makes one", STR_ARG(d->dir));
}

struct log *log_dir_open(const struct log_dir_options *o, struct err *err)
{
	struct log_dir *d = dir_new(o);

	if (check_there(d, err) && choose_key(d, o, err)) {
		if (d->log.signer)
			wal_key_init(&d->wal_key, d->log.signer->seed, d->log.origin);
		if (d->read_only ? read_published_size(d, err) : open_writer(d, o->on_network, err))
			return &d->log;
	}
	log_dir_close_log(&d->log);
	return NULL;
}

bool log_dir_is_one(const struct io *io, struct str dir)
{
	const struct io *by = io ? io : &io_system;
	struct io_stat st;
	struct arena a;
	bool is;

	arena_init(&a);
	is = by->ops->stat(by->own, ARENA_JOIN(&a, dir, STR("/checkpoint")).p, &st) == 0 ||
	     by->ops->stat(by->own, ARENA_JOIN(&a, dir, STR("/.state")).p, &st) == 0;
	arena_free(&a);
	return is;
}
