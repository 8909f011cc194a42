/*
 * Files are written below DIR.tmp<pid> without syncs of their own; one sync of the file system and one rename make it
 * the directory. In place, each file is synced and renamed by itself.
 */
#include "sink/export/dir.h"

#include <errno.h>
#include <stdio.h>

#include <unistd.h>

#define DIR_MODE 0777
#define FILE_MODE 0666
#define PATH_LIMIT 4096

struct export_dir {
	const struct io *io;
	struct arena arena; /* of names that last */
	struct arena piece; /* of one file */
	struct str dir;     /* what was asked for */
	struct str root;    /* where files go: beside it, or it */
	bool in_place;
	struct buf last;    /* the directory that was made last */
	/* the file that is open */
	int fd; /* -1: none */
	struct str path, temporary;
	uint64_t at;
};

static bool dir_note_name(void *context, const char *name)
{
	(void)name;
	*(bool *)context = true;
	return false; /* one is enough */
}

/* Whether there is something at the name, and whether something is in it. ERR_DATA when it is not a directory. */
static bool dir_look(const struct io *io, const char *path, bool *there, bool *empty, struct err *err)
{
	struct io_stat st;
	bool any = false;
	int r = io->ops->stat(io->own, path, &st);

	*there = r == 0;
	*empty = true;
	if (r == -ENOENT)
		return true;
	if (r < 0)
		return err_system(err, -r, "cannot look at %s", path);
	if (!st.is_dir)
		return err_set(err, ERR_DATA, "%s: this is not a directory" ERR_HELP
			       "name one that is not there yet", path);
	r = io->ops->list(io->own, path, dir_note_name, &any);
	*empty = !any;
	return r >= 0 || err_system(err, -r, "cannot look into %s", path);
}

struct export_dir *export_dir_open(const struct io *io, struct str dir, bool force, struct err *err)
{
	struct export_dir *d = mem_alloc(sizeof(*d));
	bool there, empty;
	int r;

	while (dir.n > 1 && dir.p[dir.n - 1] == '/')
		dir.n--;
	*d = (struct export_dir){ .io = io ? io : &io_system, .fd = -1 };
	arena_init(&d->arena);
	arena_init(&d->piece);
	buf_init(&d->last);
	d->dir = arena_copy(&d->arena, dir);
	if (!dir_look(d->io, d->dir.p, &there, &empty, err))
		goto refused;
	if (!empty && !force) {
		err_set(err, ERR_DATA, "%s: the directory is not empty" ERR_HELP
			"name another one", d->dir.p);
		err_advise(err, ADVICE_REPLACE_FILES);
		goto refused;
	}
	d->in_place = !empty;
	d->root = d->in_place ? d->dir : arena_printf(&d->arena, "%s" IO_TMP "%ld", d->dir.p, (long)getpid());
	r = d->in_place ? 0 : d->io->ops->mkdir(d->io->own, d->root.p, DIR_MODE);
	if (r == 0)
		return d;
	err_system(err, -r, "cannot make the directory %s", d->root.p);
refused:
	d->in_place = true; /* nothing to remove */
	export_dir_abort(d);
	return NULL;
}

/* The directories of a path below the root. */
static bool dir_make_dirs(struct export_dir *d, struct str path, struct err *err)
{
	size_t n = path.n;

	while (n > 0 && path.p[n - 1] != '/')
		n--;
	if (n == 0 || str_eq(str_of(path.p, n), buf_str(&d->last)))
		return true;
	for (size_t at = 1; at < n; at++) {
		struct str one;
		int r;

		if (path.p[at] != '/')
			continue;
		one = ARENA_JOIN(&d->piece, d->root, STR("/"), str_of(path.p, at));
		r = d->io->ops->mkdir(d->io->own, one.p, DIR_MODE);
		if (r < 0 && r != -EEXIST)
			return err_system(err, -r, "cannot make the directory %s", one.p);
		if (r == -EEXIST && d->in_place && io_is_link(d->io, one.p))
			return err_set(err, ERR_DATA, "%s: this is a link, and nothing is written through it" ERR_HELP
				       "remove it, or name a directory that is not there yet", one.p);
	}
	buf_clear(&d->last);
	buf_add(&d->last, path.p, n);
	return true;
}

bool export_dir_begin(struct export_dir *d, struct str path, struct err *err)
{
	arena_reset(&d->piece);
	d->path = ARENA_JOIN(&d->piece, d->root, STR("/"), path);
	if (d->path.n >= PATH_LIMIT)
		return err_set(err, ERR_LIMIT, "the path of a file would be too long: %.200s...", d->path.p);
	if (!dir_make_dirs(d, path, err))
		return false;
	d->temporary = d->in_place ? arena_printf(&d->piece, "%s" IO_TMP "%ld", d->path.p, (long)getpid()) : d->path;
	d->fd = d->io->ops->open(d->io->own, d->temporary.p, IO_NEW, FILE_MODE);
	d->at = 0;
	return d->fd >= 0 || err_system(err, -d->fd, "cannot make %s", d->temporary.p);
}

bool export_dir_add(struct export_dir *d, struct str bytes, struct err *err)
{
	if (!io_write_all(d->io, d->fd, bytes, d->at, d->temporary.p, err))
		return false;
	d->at += bytes.n;
	return true;
}

static void dir_close_file(struct export_dir *d)
{
	if (d->fd >= 0)
		d->io->ops->close(d->io->own, d->fd);
	d->fd = -1;
}

/* One in a place of its own is synced with all the others, at the end. */
bool export_dir_end(struct export_dir *d, struct err *err)
{
	int r;

	if (!d->in_place) {
		dir_close_file(d);
		return true;
	}
	if (!io_sync(d->io, d->fd, d->temporary.p, err))
		return false;
	dir_close_file(d);
	r = d->io->ops->rename(d->io->own, d->temporary.p, d->path.p);
	return r == 0 || err_system(err, -r, "cannot name %s", d->path.p);
}

bool export_dir_put(struct export_dir *d, struct str path, struct str bytes, struct err *err)
{
	return export_dir_begin(d, path, err) && export_dir_add(d, bytes, err) && export_dir_end(d, err);
}

bool export_dir_link(struct export_dir *d, struct str path, struct str target, struct err *err)
{
	struct str full;
	int r;

	arena_reset(&d->piece);
	full = ARENA_JOIN(&d->piece, d->root, STR("/"), path);
	if (!dir_make_dirs(d, path, err))
		return false;
	d->temporary = d->in_place ? arena_printf(&d->piece, "%s" IO_TMP "%ld", full.p, (long)getpid()) : full;
	r = d->io->ops->symlink(d->io->own, arena_copy(&d->piece, target).p, d->temporary.p);
	if (r == 0 && d->in_place) {
		r = d->io->ops->rename(d->io->own, d->temporary.p, full.p);
		if (r < 0)
			d->io->ops->unlink(d->io->own, d->temporary.p);
	}
	return r == 0 || err_system(err, -r, "cannot make the link %s", full.p);
}

/* ---- the end ---- */

struct first {
	char name[256];
	bool found;
};

static bool dir_note_first(void *context, const char *name)
{
	struct first *f = context;

	f->found = snprintf(f->name, sizeof(f->name), "%s", name) < (int)sizeof(f->name);
	return false;
}

/* Removes what is in the directory and it too: always the first name, down and up again, without keeping a list. */
static void dir_remove_all(struct export_dir *d)
{
	struct buf path;

	buf_init(&path);
	buf_add_str(&path, d->root);
	buf_add_byte(&path, '\0');
	while (path.n > d->root.n) {
		struct first f = { .found = false };
		struct io_stat st;
		size_t n = path.n;

		if (d->io->ops->list(d->io->own, path.p, dir_note_first, &f) < 0)
			break;
		if (!f.found) {
			if (d->io->ops->rmdir(d->io->own, path.p) < 0)
				break;
			while (path.n > d->root.n && path.p[path.n - 1] != '/')
				path.n--;
			if (path.n <= d->root.n)
				break; /* that was the root */
			path.p[path.n - 1] = '\0';
			continue;
		}
		path.p[n - 1] = '/';
		buf_add(&path, f.name, strlen(f.name) + 1);
		/* a link is removed, whatever it leads to */
		if (d->io->ops->unlink(d->io->own, path.p) == 0) {
			path.n = n;
			path.p[n - 1] = '\0';
		} else if (d->io->ops->stat(d->io->own, path.p, &st) < 0 || !st.is_dir) {
			break;
		}
	}
	buf_free(&path);
}

/* Frees the handle, and touches nothing on the disk. */
static void dir_release(struct export_dir *d)
{
	buf_free(&d->last);
	arena_free(&d->piece);
	arena_free(&d->arena);
	mem_free(d);
}

void export_dir_abort(struct export_dir *d)
{
	bool was_open = d->fd >= 0;

	dir_close_file(d);
	if (!d->in_place)
		dir_remove_all(d);
	else if (was_open)
		d->io->ops->unlink(d->io->own, d->temporary.p);
	dir_release(d);
}

/* Everything to the disk at once, whatever the number of files. */
static bool dir_sync_all(struct export_dir *d, struct err *err)
{
	int fd = d->io->ops->open(d->io->own, d->root.p, IO_DIR, 0);
	int r = fd < 0 ? fd : d->io->ops->sync_all(d->io->own, fd);

	if (fd >= 0)
		d->io->ops->close(d->io->own, fd);
	return r == 0 || err_system(err, -r, "cannot bring %s to the disk", d->root.p);
}

static const char *dir_parent_of(struct export_dir *d)
{
	size_t n = d->dir.n;

	while (n > 0 && d->dir.p[n - 1] != '/')
		n--;
	return n == 0 ? "." : arena_copy(&d->arena, str_of(d->dir.p, n)).p;
}

bool export_dir_commit(struct export_dir *d, struct err *err)
{
	int r;

	if (!dir_sync_all(d, err)) {
		export_dir_abort(d);
		return false;
	}
	if (!d->in_place) {
		r = d->io->ops->rename(d->io->own, d->root.p, d->dir.p); /* over an empty directory is fine */
		if (r < 0) {
			err_system(err, -r, "cannot name %s", d->dir.p);
			export_dir_abort(d);
			return false;
		}
		d->in_place = true;
		if (!io_sync_dir(d->io, dir_parent_of(d), err)) {
			dir_release(d);
			return false;
		}
	}
	dir_release(d);
	return true;
}
