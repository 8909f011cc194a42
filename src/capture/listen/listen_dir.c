/* What is kept of a closed run is its id, its end and its size: a few bytes, and only where runs are to be removed. */
#include "capture/listen/listen_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

#define LOCK_NAME ".trackway-listen.lock"
#define ABANDONED 3600 /* seconds after which an empty directory is nobody's: others make theirs and fill it at once */

struct kept {
	struct id id;
	int64_t ended_ns;
	uint64_t bytes;
};

struct listen_dir {
	struct listen_dir_options o;
	struct arena arena;
	int fd, lock;
	struct kept *kept; /* by their end, the oldest at `first` */
	size_t first, count, cap;
	uint64_t bytes;
};

/* ---- runs that are there ---- */

static uint64_t sum_files(int dir)
{
	uint64_t all = 0;
	struct stat st;

	for (size_t i = 0; run_files_each(i); i++)
		if (fstatat(dir, run_files_each(i), &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
			all += (uint64_t)st.st_size;
	return all;
}

static void add_kept(struct listen_dir *d, struct str run_id, int64_t ended_ns, uint64_t bytes)
{
	struct kept k = { .ended_ns = ended_ns, .bytes = bytes };

	if ((!d->o.keep_ns && !d->o.keep_bytes) || !id_parse_uuid(run_id, &k.id))
		return;
	if (d->first > 1024 && d->first > d->count / 2) {
		memmove(d->kept, d->kept + d->first, (d->count - d->first) * sizeof(*d->kept));
		d->count -= d->first;
		d->first = 0;
	}
	mem_grow(d->kept, d->count, d->cap, 64);
	d->kept[d->count++] = k;
	d->bytes += bytes;
}

static void take_run(struct listen_dir *d, struct arena *a, int dir, struct listen_meta *m,
		     struct listen_dir_found *found)
{
	uint64_t nodes = 0;
	struct err err;

	if (!m->is_over) {
		if (faccessat(dir, "agent-trace.jsonl", F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
			unlinkat(dir, "meta.json", 0); /* killed before it began */
			unlinkat(d->fd, m->files.run_id.p, AT_REMOVEDIR);
			return;
		}
		if (!listen_recover(a, m, &d->o.recover, &nodes, &err)) {
			d->o.recover.trouble(d->o.recover.context,
					     ARENA_JOIN(a, m->files.path, STR(": "), str_from(err.text)));
			return;
		}
		found->completed++;
		found->nodes += nodes;
	}
	found->closed++;
	found->bytes += sum_files(dir);
	add_kept(d, m->files.run_id, m->ended_ns, sum_files(dir));
}

static void look_at(struct listen_dir *d, struct arena *a, const char *name, struct listen_dir_found *found)
{
	struct listen_meta m;
	struct stat st;
	int dir;

	if (!id_is_uuid(str_from(name)))
		return;
	dir = openat(d->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return;
	if (listen_meta_read(a, dir, ARENA_JOIN(a, d->o.path, STR("/"), str_from(name)), &m))
		take_run(d, a, dir, &m, found);
	else if (fstat(dir, &st) == 0 && st.st_mtime < (time_t)(clock_wall_ns() / 1000000000) - ABANDONED)
		unlinkat(d->fd, name, AT_REMOVEDIR); /* only an empty one goes: we were killed when it was made */
	close(dir);
}

static int compare_kept(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return (x->ended_ns > y->ended_ns) - (x->ended_ns < y->ended_ns);
}

static void look_around(struct listen_dir *d, struct listen_dir_found *found)
{
	int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	struct arena a;

	if (!list) {
		if (fd >= 0)
			close(fd);
		return;
	}
	arena_init(&a);
	while ((e = readdir(list))) {
		look_at(d, &a, e->d_name, found);
		arena_reset(&a);
	}
	arena_free(&a);
	closedir(list);
	if (d->count)
		qsort(d->kept, d->count, sizeof(*d->kept), compare_kept);
}

/* ---- opening ---- */

static bool take_lock(struct listen_dir *d, struct err *err)
{
	d->lock = openat(d->fd, LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (d->lock < 0)
		return err_system(err, errno, "cannot write to %s", d->o.path.p);
	if (flock(d->lock, LOCK_EX | LOCK_NB) == 0)
		return true;
	if (errno == EWOULDBLOCK)
		return err_set(err, ERR_IO, "another recorder listens and writes to %s" ERR_HELP
			       "stop it, or give this one another directory with -o", d->o.path.p);
	return true; /* a file system without locks: nobody can tell */
}

static bool listen_dir_make_place(struct str path, struct err *err)
{
	struct stat st;

	if (stat(path.p, &st) == 0 && !S_ISDIR(st.st_mode))
		return err_set(err, ERR_USAGE, "%s is a file, and runs need a directory" ERR_HELP
			       "give another name to -o", path.p);
	return file_make_dirs(path, 0777, NULL, err);
}

struct listen_dir *listen_dir_open(const struct listen_dir_options *o, struct listen_dir_found *found,
				   struct err *err)
{
	struct listen_dir *d = mem_alloc(sizeof(*d));

	*d = (struct listen_dir){ .o = *o, .fd = -1, .lock = -1 };
	*found = (struct listen_dir_found){ .completed = 0 };
	arena_init(&d->arena);
	d->o.path = arena_copy(&d->arena, o->path);
	if (!listen_dir_make_place(d->o.path, err)) {
		listen_dir_close(d);
		return NULL;
	}
	d->fd = open(d->o.path.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->fd < 0 ? !err_system(err, errno, "cannot use %s", d->o.path.p) : !take_lock(d, err)) {
		listen_dir_close(d);
		return NULL;
	}
	look_around(d, found);
	return d;
}

void listen_dir_close(struct listen_dir *d)
{
	if (!d)
		return;
	if (d->lock >= 0)
		close(d->lock);
	if (d->fd >= 0)
		close(d->fd);
	mem_free(d->kept);
	arena_free(&d->arena);
	mem_free(d);
}

/* ---- removing ---- */

void listen_dir_add(struct listen_dir *d, const struct listen_closed *c)
{
	if (c->is_whole)
		add_kept(d, c->run_id, c->ended_ns, c->bytes);
}

/*
 * meta.json goes last: without it nobody would know that the rest is ours. What others put there stays, and so does the
 * directory then.
 */
static bool remove_kept(struct listen_dir *d, const struct kept *k)
{
	char name[ID_UUID_TEXT + 1] = { 0 };
	struct listen_meta m;
	struct arena a;
	bool ours;
	int dir;

	id_format_uuid(name, k->id);
	dir = openat(d->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return false;
	arena_init(&a);
	ours = listen_meta_read(&a, dir, ARENA_JOIN(&a, d->o.path, STR("/"), str_from(name)), &m) && m.is_over;
	for (size_t i = 0; ours && run_files_each(i); i++)
		unlinkat(dir, run_files_each(i), 0);
	arena_free(&a);
	close(dir);
	if (ours)
		unlinkat(d->fd, name, AT_REMOVEDIR);
	return ours;
}

void listen_dir_keep(struct listen_dir *d)
{
	uint64_t count = 0, bytes = 0;
	int64_t now = d->o.now(d->o.recover.context);

	while (d->first < d->count) {
		const struct kept *k = &d->kept[d->first];

		if (!(d->o.keep_ns && now - k->ended_ns > d->o.keep_ns) &&
		    !(d->o.keep_bytes && d->bytes > d->o.keep_bytes))
			break;
		if (remove_kept(d, k)) {
			count++;
			bytes += k->bytes;
		}
		d->bytes -= k->bytes;
		d->first++;
	}
	if (count)
		d->o.removed(d->o.recover.context, count, bytes);
}
