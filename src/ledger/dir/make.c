/* Makes an empty log in a directory, and counts what a log has committed without opening it for writing. */
#include <errno.h>
#include <inttypes.h>

#include "ledger/dir/private.h"
#include "ledger/dir/signer_head.h"

#define LOOKS 5 /* at a log that others write while we look */

/* ---- making one ---- */

/* True with *err: a checkpoint makes it a log, and entries without one are somebody's loss, not room for us. */
static bool is_taken(struct log_dir *d, struct err *err)
{
	struct io_stat st;
	struct arena a;
	bool taken, tiles;

	arena_init(&a);
	taken = d->io->ops->stat(d->io->own, d->checkpoint_path, &st) == 0;
	tiles = d->io->ops->stat(d->io->own, dir_path(d, &a, "tile/entries").p, &st) == 0;
	arena_free(&a);
	if (taken)
		err_set(err, ERR_USAGE, "%.*s is a ledger already" ERR_HELP "name another directory",
			STR_ARG(d->dir));
	else if (tiles)
		err_set(err, ERR_DATA, "%.*s has entries of a ledger whose checkpoint is gone" ERR_HELP
			"put back the file 'checkpoint', or name another directory", STR_ARG(d->dir));
	return taken || tiles;
}

/* The deepest directory on the way that is there. */
static const char *existing(struct log_dir *d)
{
	struct str at = d->dir;
	struct io_stat st;

	while (at.n > 0) {
		const char *path = arena_copy(&d->arena, at).p;

		if (d->io->ops->stat(d->io->own, path, &st) == 0)
			return path;
		while (at.n > 0 && at.p[at.n - 1] != '/')
			at.n--;
		while (at.n > 1 && at.p[at.n - 1] == '/')
			at.n--;
		if (at.n == 1 && at.p[0] == '/')
			return "/";
	}
	return ".";
}

/* The network is asked about before anything is made there. */
static bool make_dirs(struct log_dir *d, bool on_network, struct err *err)
{
	static const char *const dirs[] = { ".state", "tile", "objects", "objects/sha256", "checkpoints" };
	const char *base = existing(d);
	struct str target = d->dir;

	if (!on_network && !dir_refuse_network(d->io, base, err))
		return false;
	if (strcmp(base, ".") == 0 && target.p[0] != '.') /* so that one begins with the other */
		target = ARENA_JOIN(&d->arena, STR("./"), target);
	if (!io_make_dirs(d->io, strcmp(base, "/") == 0 ? "" : base, target.p, 0755, err))
		return false;
	for (size_t i = 0; i < COUNT(dirs); i++) {
		const char *path = dir_path(d, &d->arena, dirs[i]).p;
		int r = d->io->ops->mkdir(d->io->own, path, 0755);

		if (r < 0 && r != -EEXIST)
			return err_system(err, -r, "cannot make the directory %s", path);
	}
	return io_sync_dir(d->io, dir_path(d, &d->arena, "objects").p, err);
}

/* All that a writer looks for, durable before the checkpoint that makes it a log. */
static bool put_state(struct log_dir *d, struct err *err)
{
	struct str vkey = ARENA_JOIN(&d->arena, key_text(&d->arena, &d->log.key), STR("\n"));

	return io_put(d->io, d->wal_path, STR(""), 0644, false, err) &&
	       io_put(d->io, dir_path(d, &d->arena, ".state/version").p, LOG_DIR_VERSION, 0644, false, err) &&
	       io_sync_dir(d->io, dir_path(d, &d->arena, ".state").p, err) &&
	       io_put(d->io, dir_path(d, &d->arena, "vkey").p, vkey, 0644, false, err) &&
	       io_sync_dir(d->io, d->dir.p, err);
}

/* A key that has signed entries under this name may not begin a second history of it. */
static bool put_first_checkpoint(struct log_dir *d, struct err *err)
{
	struct checkpoint c = { .origin = d->log.origin, .root = sha256_of(&d->sha, STR("")) };
	struct signer_head h;
	struct buf note;
	bool done;

	if (!signer_head_read(d->io, d->keys, &d->log.key, d->log.origin, &h, err) ||
	    !signer_head_check(&h, 0, &c.root, d->dir, err))
		return false;
	buf_init(&note);
	done = checkpoint_sign(&note, &c, d->log.signer, err) &&
	       signer_head_write(d->io, d->keys, &d->log.key, &h, buf_str(&note), err) &&
	       dir_put_checkpoint(d, buf_str(&note), 0, err);
	buf_free(&note);
	return done;
}

/* What a crash left of an earlier try is made again: as long as there is no checkpoint, there is no log. */
static bool make(struct log_dir *d, bool on_network, struct err *err)
{
	bool done;

	if (is_taken(d, err) || !make_dirs(d, on_network, err) || !dir_open_lock(d, err) || !dir_lock(d, err))
		return false;
	done = !is_taken(d, err) && put_state(d, err) && put_first_checkpoint(d, err);
	d->io->ops->unlock(d->io->own, d->lock_fd);
	return done;
}

bool log_dir_make(const struct log_dir_options *o, struct str origin, struct err *err)
{
	struct log_dir *d;
	bool done;

	if (!o->signer)
		return err_set(err, ERR_USAGE, LOG_E_NO_KEY "a log cannot be made without a private key");
	if (!str_eq(o->signer->key.name, origin))
		return err_set(err, ERR_USAGE, "the key is that of %.*s, and the log would be %.*s",
			       STR_ARG(o->signer->key.name), STR_ARG(origin));
	d = dir_new(o);
	d->log.signer = o->signer;
	d->log.key = o->signer->key;
	d->log.origin = origin;
	done = make(d, o->on_network, err);
	log_close(&d->log);
	return done;
}

/* ---- looking at one ---- */

/* False when the frames begin beyond what is published: somebody published and replaced them since we looked. */
static bool count_frames(struct log_dir *d, struct str bytes, const struct signer_head *h, struct log_dir_state *out)
{
	struct str rest = bytes;
	struct wal_frame f;
	uint64_t next = 0;
	bool first = true;

	out->committed = out->published;
	while (wal_next(&rest, &d->sha, dir_wal_key(d), &f) && dir_is_vouched(d, &f, h)) {
		if (first && f.first > out->published)
			return false;
		if (!first && f.first != next)
			break;
		first = false;
		next = f.first + f.count;
		out->wal_bytes += f.size;
	}
	out->committed = next > out->committed ? next : out->committed;
	rest = str_of(bytes.p + out->wal_bytes, bytes.n - (size_t)out->wal_bytes);
	while (rest.n && rest.p[rest.n - 1] == 0)
		rest.n--;
	out->wal_torn = rest.n;
	return true;
}

/* One look. *fits false when checkpoint and frames are not of the same moment: look again. */
static bool state_read(struct log_dir *d, const struct signer_head *h, struct log_dir_state *out,
			      bool *fits, struct err *err)
{
	struct checkpoint c;
	struct str bytes;
	struct arena a;
	bool done, found;

	*out = (struct log_dir_state){ .published = 0 };
	arena_init(&a);
	done = log_read_checkpoint(&d->log, &a, &c, NULL, err) &&
	       io_read_file(d->io, &a, d->wal_path, LOG_DIR_WAL_MAX, &bytes, &found, err);
	if (done) {
		out->published = out->committed = c.size;
		*fits = !found || count_frames(d, bytes, h, out);
	}
	arena_free(&a);
	return done;
}

bool log_dir_state(struct log *l, struct log_dir_state *out, struct err *err)
{
	struct log_dir *d = dir_of(l);
	struct signer_head h;
	bool fits = false;

	if (!signer_head_read(d->io, d->keys, &l->key, l->origin, &h, err))
		return false;
	for (int i = 0; i < LOOKS && !fits; i++)
		if (!state_read(d, &h, out, &fits, err))
			return false;
	out->has_head = h.found;
	out->head_size = h.size;
	return true;
}
