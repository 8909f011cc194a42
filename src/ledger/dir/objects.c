/* Objects of a directory log: puts, reads and erases them, and links them under names for people. */
#include <errno.h>

#include "ledger/dir/put.h"

#define OBJECT_MAX ((size_t)4 << 30)
#define AT_ONCE 512 /* files that wait for one sync */

/* Trusted only when its bytes are right: what a full disk or a bad copy left is replaced. */
static bool object_has_bytes(struct log_dir *d, const char *name, struct str bytes)
{
	struct err ignored = { .kind = ERR_NONE };
	struct io_stat st;
	struct arena a;
	struct str path, old;
	bool same;

	arena_init(&a);
	path = dir_path(d, &a, name);
	same = d->io->ops->stat(d->io->own, path.p, &st) == 0 && st.size == bytes.n &&
	       io_read_file(d->io, &a, path.p, bytes.n, &old, NULL, &ignored) && str_eq(old, bytes);
	arena_free(&a);
	return same;
}

/* At most AT_ONCE of them, durable together. What was put before a failure stays, and does no harm. */
static bool put_some(struct log_dir *d, const struct str *bytes, size_t count, struct digest *out, struct err *err)
{
	struct dir_puts p;
	bool done = true;

	if (!dir_puts_begin(&p, d, "objects", count, err))
		return false;
	for (size_t i = 0; done && i < count; i++) {
		char name[OBJECT_PATH_MAX];

		out[i] = sha256_of(&d->sha, bytes[i]);
		object_path(name, out[i]);
		/* There already, but perhaps not for long: whoever made it may not have synced the directory. */
		done = object_has_bytes(d, name, bytes[i]) ? dir_puts_touch(&p, str_from(name), err) :
						     dir_puts_add(&p, str_from(name), bytes[i], 0444, err);
	}
	if (done)
		return dir_puts_end(&p, err);
	dir_puts_abort(&p);
	return false;
}

bool dir_put_objects(struct log *l, const struct str *bytes, size_t count, struct digest *out, struct err *err)
{
	struct log_dir *d = dir_of(l);

	if (!dir_may_write(d, err))
		return false;
	for (size_t at = 0; at < count; at += AT_ONCE) {
		size_t n = count - at < AT_ONCE ? count - at : AT_ONCE;

		if (!put_some(d, bytes + at, n, out + at, err))
			return false;
	}
	return true;
}

bool dir_object(struct log *l, struct arena *a, struct digest digest, struct str *bytes, bool *found, struct err *err)
{
	struct log_dir *d = dir_of(l);
	char name[OBJECT_PATH_MAX];

	object_path(name, digest);
	return io_read_file(d->io, a, dir_path(d, a, name).p, OBJECT_MAX, bytes, found, err);
}

bool dir_has_object(struct log_dir *d, struct arena *a, struct digest digest)
{
	char name[OBJECT_PATH_MAX];
	struct io_stat st;

	object_path(name, digest);
	return d->io->ops->stat(d->io->own, dir_path(d, a, name).p, &st) == 0;
}

bool dir_erase_object(struct log *l, struct digest digest, uint64_t by, bool *found, struct err *err)
{
	struct log_dir *d = dir_of(l);
	char name[OBJECT_PATH_MAX];
	struct arena a;
	struct str path;
	bool done;
	int r;

	(void)by; /* a database keeps it beside the object; here the entry itself says it */
	if (!dir_may_write(d, err))
		return false;
	object_path(name, digest);
	arena_init(&a);
	path = dir_path(d, &a, name);
	r = d->io->ops->unlink(d->io->own, path.p);
	*found = r == 0;
	if (r == 0)
		done = io_sync_dir(d->io, arena_copy(&a, str_of(path.p, path.n - (SHA256_HEX - 1))).p, err);
	else
		done = r == -ENOENT || r == -ENOTDIR || err_system(err, -r, "cannot remove %s", path.p);
	arena_free(&a);
	return done;
}

/* ---- names for people ---- */

/* A relative name without ".", ".." and empty parts: nothing that could lead out of the directory. */
static bool is_below(const char *name)
{
	struct str rest = str_from(name), part;

	if (name[0] == '/' || name[0] == 0)
		return false;
	while (rest.n) {
		part = str_cut(rest, '/', &rest);
		if (part.n == 0 || str_eq(part, STR(".")) || str_eq(part, STR("..")))
			return false;
	}
	return true;
}

static bool object_is_same_file(struct log_dir *d, struct str x, struct str y)
{
	struct io_stat a, b;

	return d->io->ops->stat(d->io->own, x.p, &a) == 0 && d->io->ops->stat(d->io->own, y.p, &b) == 0 &&
	       a.inode == b.inode && a.device == b.device;
}

/* The object itself, or a copy of it: an archive that was unpacked has no links. */
static bool is_object(struct log_dir *d, struct arena *a, struct digest object, struct str path)
{
	struct err ignored = { .kind = ERR_NONE };
	char name[OBJECT_PATH_MAX];
	struct str bytes;
	struct digest is;
	bool found;

	object_path(name, object);
	if (io_is_link(d->io, path.p))
		return false;
	if (object_is_same_file(d, dir_path(d, a, name), path))
		return true;
	if (!io_read_file(d->io, a, path.p, OBJECT_MAX, &bytes, &found, &ignored) || !found)
		return false;
	is = sha256_of(&d->sha, bytes);
	return digest_eq(is, object);
}

/* The directories of a name, made where they are absent (or not); false when one of them is a link. */
static bool has_own_dirs(struct log_dir *d, struct arena *a, struct str path, bool make)
{
	for (size_t at = d->dir.n + 1; at < path.n; at++) {
		const char *dir;

		if (path.p[at] != '/')
			continue;
		dir = arena_copy(a, str_of(path.p, at)).p;
		if (make)
			d->io->ops->mkdir(d->io->own, dir, 0755);
		if (io_is_link(d->io, dir))
			return false;
	}
	return true;
}

/* A name that is taken is left alone: what another entry seals, or somebody put there, is not ours to replace. */
bool log_dir_link(struct log *l, struct digest object, const char *name)
{
	struct log_dir *d = dir_of(l);
	char from[OBJECT_PATH_MAX];
	struct arena a;
	struct str path;
	bool done;
	int r = -ELOOP;

	if (d->read_only || !is_below(name))
		return false;
	arena_init(&a);
	object_path(from, object);
	path = dir_path(d, &a, name);
	if (has_own_dirs(d, &a, path, true))
		r = d->io->ops->link(d->io->own, dir_path(d, &a, from).p, path.p);
	done = r == 0 || (r == -EEXIST && is_object(d, &a, object, path));
	arena_free(&a);
	return done;
}

bool log_dir_has_link(struct log *l, struct digest object, const char *name)
{
	struct log_dir *d = dir_of(l);
	struct arena a;
	struct str path;
	bool has;

	arena_init(&a);
	path = dir_path(d, &a, name);
	has = is_below(name) && has_own_dirs(d, &a, path, false) && is_object(d, &a, object, path);
	arena_free(&a);
	return has;
}

bool log_dir_is_taken(struct log *l, struct digest object, const char *name)
{
	struct log_dir *d = dir_of(l);
	struct io_stat st;
	struct arena a;
	struct str path;
	bool there;

	arena_init(&a);
	path = dir_path(d, &a, name);
	there = is_below(name) && (io_is_link(d->io, path.p) || !has_own_dirs(d, &a, path, false) ||
				   d->io->ops->stat(d->io->own, path.p, &st) == 0);
	arena_free(&a);
	return there && !log_dir_has_link(l, object, name);
}

bool log_dir_unlink(struct log *l, const char *name)
{
	struct log_dir *d = dir_of(l);
	struct arena a;
	struct str path;
	int r = -ELOOP;

	if (d->read_only || !is_below(name))
		return false;
	arena_init(&a);
	path = dir_path(d, &a, name);
	if (has_own_dirs(d, &a, path, false))
		r = d->io->ops->unlink(d->io->own, path.p);
	arena_free(&a);
	return r == 0;
}
