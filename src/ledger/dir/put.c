/*
 * Temporary files are written first, synced one by one or all at once, then renamed, then their directories are
 * synced. Directories known to be on the disk are remembered, so that they are not synced again.
 */
#include <assert.h>
#include <errno.h>

#include "ledger/dir/put.h"

#define TOGETHER 8 /* files from which on one sync of the file system is cheaper than one of each */

bool dir_puts_begin(struct dir_puts *p, struct log_dir *d, const char *tmp_dir, size_t expected, struct err *err)
{
	*p = (struct dir_puts){ .log = d, .together = expected >= TOGETHER };
	arena_init(&p->arena);
	map_init(&p->dirs, &p->arena);
	p->tmp_dir = dir_path(d, &p->arena, tmp_dir).p;
	/* Opened before anything is written: only then will a sync of the file system tell of what failed since. */
	p->dir_fd = io_open(d->io, p->tmp_dir, IO_DIR, 0);
	if (p->dir_fd >= 0)
		return true;
	err_system(err, -p->dir_fd, "cannot open the directory %s", p->tmp_dir);
	arena_free(&p->arena);
	return false;
}

static void release(struct dir_puts *p)
{
	io_close(p->log->io, p->dir_fd);
	mem_free(p->list);
	arena_free(&p->arena);
}

void dir_puts_abort(struct dir_puts *p)
{
	const struct io *io = p->log->io;

	for (size_t i = p->named; i < p->count; i++)
		io->ops->unlink(io->own, p->list[i].tmp.p);
	release(p);
}

static struct str put_parent(struct str path)
{
	while (path.n && path.p[path.n - 1] != '/')
		path.n--;
	path.n -= path.n > 0;
	return path;
}

void dir_know_durable(struct log_dir *d, struct str path)
{
	bool added;

	for (; path.n > d->dir.n; path = put_parent(path))
		map_add(&d->durable, path, &added);
}

/* Its directories were synced before it was published; but a partial tile may have gone since. */
void dir_know_tile(struct log_dir *d, const struct tile *t)
{
	char name[TILE_PATH_MAX];
	struct io_stat st;
	struct arena a;
	struct str path;

	arena_init(&a);
	tile_path(name, t);
	path = dir_path(d, &a, name);
	if (d->io->ops->stat(d->io->own, path.p, &st) == 0)
		dir_know_durable(d, put_parent(path));
	arena_free(&a);
}

/* The part of the way that is known to be on the disk. */
static struct str durable_base(struct log_dir *d, struct str dir)
{
	assert(str_starts(dir, d->dir));
	while (dir.n > d->dir.n && !map_find(&d->durable, dir))
		dir = put_parent(dir);
	return dir;
}

/* Each new name on the way is synced at once: for few files, which are synced one by one too. */
static bool make_durable_dir(struct log_dir *d, struct arena *a, struct str dir, struct err *err)
{
	struct str base = durable_base(d, dir);

	if (base.n == dir.n)
		return true;
	if (!io_make_dirs(d->io, arena_copy(a, base).p, arena_copy(a, dir).p, 0755, err))
		return false;
	dir_know_durable(d, dir);
	return true;
}

/* One sync for all comes later. */
static bool put_make_dirs(struct log_dir *d, struct arena *a, struct str dir, struct err *err)
{
	struct str base = durable_base(d, dir);

	for (size_t at = base.n + 1; at <= dir.n; at++) {
		const char *path;
		int r;

		if (at < dir.n && dir.p[at] != '/')
			continue;
		path = arena_copy(a, str_of(dir.p, at)).p;
		r = d->io->ops->mkdir(d->io->own, path, 0755);
		if (r < 0 && r != -EEXIST)
			return err_system(err, -r, "cannot make the directory %s", path);
	}
	return true;
}

bool dir_puts_touch(struct dir_puts *p, struct str name, struct err *err)
{
	struct str path = ARENA_JOIN(&p->arena, p->log->dir, STR("/"), name), dir = put_parent(path);
	bool added;

	map_add(&p->dirs, dir, &added);
	if (!added)
		return true;
	return p->together ? put_make_dirs(p->log, &p->arena, dir, err)
			   : make_durable_dir(p->log, &p->arena, dir, err);
}

static struct dir_put *new_put(struct dir_puts *p)
{
	mem_grow(p->list, p->count, p->cap, 16);
	return &p->list[p->count++];
}

bool dir_puts_add(struct dir_puts *p, struct str name, struct str bytes, unsigned mode, struct err *err)
{
	const struct io *io = p->log->io;
	char tmp[IO_TMP_PATH];
	bool done;
	int fd;

	if (!dir_puts_touch(p, name, err) ||
	    !io_new_tmp(io, str_from(p->tmp_dir), mode, (unsigned)p->count, tmp, &fd, err))
		return false;
	*new_put(p) = (struct dir_put){ .tmp = arena_copy(&p->arena, str_from(tmp)),
					.path = ARENA_JOIN(&p->arena, p->log->dir, STR("/"), name) };
	done = io_write_all(io, fd, bytes, 0, tmp, err) && (p->together || io_sync(io, fd, tmp, err));
	io_close(io, fd);
	return done;
}

/* False with *can false: this system does not do it, nothing happened. */
static bool sync_everything(struct dir_puts *p, bool *can, struct err *err)
{
	const struct io *io = p->log->io;
	int r;

	do {
		r = io->ops->sync_all(io->own, p->dir_fd);
	} while (r == -EINTR);
	*can = r != -ENOTSUP;
	return r == 0 || (*can && err_system(err, -r, "cannot bring the files in %s to the disk", p->tmp_dir));
}

static bool sync_file(const struct io *io, const char *path, struct err *err)
{
	int fd = io_open(io, path, IO_READ, 0);
	bool done;

	if (fd < 0)
		return err_system(err, -fd, "cannot open %s", path);
	done = io_sync(io, fd, path, err);
	io_close(io, fd);
	return done;
}

/* By one sync of the file system, or file by file where the system cannot tell whether that worked. */
static bool sync_files(struct dir_puts *p, struct err *err)
{
	bool can, done = sync_everything(p, &can, err);

	if (can)
		return done;
	for (size_t i = 0; i < p->count; i++)
		if (!sync_file(p->log->io, p->list[i].tmp.p, err))
			return false;
	return true;
}

/* Names, and those of directories that were made on the way. */
static bool sync_dirs(struct dir_puts *p, struct err *err)
{
	bool can = false, done = p->together && sync_everything(p, &can, err);

	if (can && !done)
		return false;
	for (size_t i = 0; i < p->dirs.cap; i++) {
		struct str dir = p->dirs.slots[i].key;

		if (!dir.p)
			continue;
		if (can)
			dir_know_durable(p->log, dir);
		else if (!make_durable_dir(p->log, &p->arena, dir, err) ||
			 !io_sync_dir(p->log->io, arena_copy(&p->arena, dir).p, err))
			return false;
	}
	return true;
}

static bool name_files(struct dir_puts *p, struct err *err)
{
	const struct io *io = p->log->io;

	for (; p->named < p->count; p->named++) {
		int r = io->ops->rename(io->own, p->list[p->named].tmp.p, p->list[p->named].path.p);

		if (r < 0)
			return err_system(err, -r, "cannot make %s", p->list[p->named].path.p);
	}
	return true;
}

bool dir_puts_end(struct dir_puts *p, struct err *err)
{
	if ((p->together && p->count && !sync_files(p, err)) || !name_files(p, err) || !sync_dirs(p, err)) {
		dir_puts_abort(p);
		return false;
	}
	release(p);
	return true;
}
