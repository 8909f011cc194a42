/*
 * A disk in memory, as much of one as reading a ledger needs: files by their paths, directories as far as files lie in
 * them. Fast enough to check a ledger ten thousand times, each time with another byte changed.
 */
#ifndef UNIT_LEDGER_DISK_H
#define UNIT_LEDGER_DISK_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "harness/test.h"
#include "ledger/io.h"

#define DISK_FILES 4096

struct disk_file {
	char path[256];
	struct buf bytes;
	uint64_t inode; /* files of one inode are one file under two names, as far as it matters here */
	uint64_t device;
	bool gone;
	bool linked;  /* a symbolic link leads to it, or (a directory) stands in its path at `link` */
	size_t link;  /* bytes of the path that are the link; 0: all of it */
	bool endless; /* after its bytes, as /dev/zero is */
};

struct disk {
	struct disk_file *files;
	size_t count;
	int deny; /* errno of every read, when not 0 */
};

static inline struct disk *disk_new(void)
{
	struct disk *d = test_alloc(sizeof(*d));

	d->files = test_alloc(DISK_FILES * sizeof(*d->files));
	return d;
}

static inline struct disk_file *disk_find(struct disk *d, const char *path)
{
	for (size_t i = 0; i < d->count; i++)
		if (!d->files[i].gone && strcmp(d->files[i].path, path) == 0)
			return d->files + i;
	return NULL;
}

/* The file, new or replaced. */
static inline struct disk_file *disk_put(struct disk *d, const char *path, struct str bytes)
{
	struct disk_file *f = disk_find(d, path);

	if (!f) {
		CHECK(d->count < DISK_FILES && strlen(path) < sizeof(f->path));
		f = d->files + d->count++;
		memcpy(f->path, path, strlen(path) + 1);
	}
	f->inode = (uint64_t)(f - d->files) + 1;
	buf_clear(&f->bytes);
	buf_add_str(&f->bytes, bytes);
	return f;
}

/* Every file below a directory of the system, under the same paths. */
static inline void disk_load(struct disk *d, const char *dir)
{
	DIR *list = opendir(dir);
	struct dirent *e;

	CHECK(list != NULL);
	while ((e = readdir(list))) {
		char path[512];
		struct stat st;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		CHECK(stat(path, &st) == 0);
		if (S_ISDIR(st.st_mode))
			disk_load(d, path);
		else
			disk_put(d, path, test_read(path))->inode = (uint64_t)st.st_ino;
	}
	closedir(list);
}

/* ---- the table ---- */

static inline bool disk_is_dir(struct disk *d, const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < d->count; i++)
		if (!d->files[i].gone && strncmp(d->files[i].path, path, n) == 0 && d->files[i].path[n] == '/')
			return true;
	return false;
}

static inline int disk_open(void *own, const char *path, enum io_open how, unsigned mode)
{
	struct disk_file *f = disk_find(own, path);

	(void)mode;
	CHECK(how == IO_READ || how == IO_DIR);
	if (f)
		return (int)(f - ((struct disk *)own)->files);
	return disk_is_dir(own, path) ? (int)DISK_FILES : -ENOENT;
}

static inline void disk_close(void *own, int fd)
{
	(void)own;
	(void)fd;
}

static inline int64_t disk_read(void *own, int fd, void *p, size_t n, uint64_t at)
{
	struct disk *d = own;
	struct str bytes;

	if (d->deny)
		return -d->deny;
	if (fd == DISK_FILES)
		return -EISDIR;
	bytes = buf_str(&d->files[fd].bytes);
	if (at >= bytes.n && d->files[fd].endless) {
		CHECK(at < (uint64_t)64 << 20); /* by now somebody should have had enough */
		memset(p, 0, n);
		return (int64_t)n;
	}
	if (at >= bytes.n)
		return 0;
	n = n < bytes.n - at ? n : bytes.n - (size_t)at;
	memcpy(p, bytes.p + at, n);
	return (int64_t)n;
}

static inline int disk_stat_fd(void *own, int fd, struct io_stat *out)
{
	struct disk *d = own;

	*out = (struct io_stat){ .is_dir = fd == DISK_FILES };
	if (out->is_dir)
		return 0;
	out->size = d->files[fd].bytes.n;
	out->inode = d->files[fd].inode;
	out->device = d->files[fd].device;
	for (size_t i = 0; i < d->count; i++)
		out->links += !d->files[i].gone && d->files[i].inode == out->inode;
	return 0;
}

static inline int disk_stat(void *own, const char *path, struct io_stat *out)
{
	int fd = disk_open(own, path, IO_READ, 0);

	return fd < 0 ? fd : disk_stat_fd(own, fd, out);
}

static inline bool disk_is_link(void *own, const char *path)
{
	const struct disk *d = own;
	bool is = false;

	for (size_t i = 0; i < d->count; i++) {
		const struct disk_file *f = d->files + i;

		if (f->linked && !f->gone && strncmp(f->path, path, strlen(path)) == 0)
			is |= strlen(path) == (f->link ? f->link : strlen(f->path));
	}
	return is;
}

static inline int disk_list(void *own, const char *path, bool (*each)(void *context, const char *name), void *context)
{
	struct disk *d = own;
	size_t n = strlen(path);
	char seen[DISK_FILES][64];
	size_t count = 0;

	while (n && path[n - 1] == '/')
		n--;
	for (size_t i = 0; i < d->count; i++) {
		const char *name = d->files[i].path;
		char part[64];
		size_t at = 0;

		if (d->files[i].gone || strncmp(name, path, n) != 0 || name[n] != '/')
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)strcspn(name + n + 1, "/"), name + n + 1);
		while (at < count && strcmp(seen[at], part) != 0)
			at++;
		if (at < count)
			continue;
		CHECK(count < sizeof(seen) / sizeof(seen[0]));
		memcpy(seen[count++], part, sizeof(part));
		if (!each(context, part))
			break;
	}
	return count ? 0 : -ENOENT;
}

static inline struct io disk_io(struct disk *d)
{
	static const struct io_ops ops = {
		.open = disk_open, .close = disk_close, .read = disk_read, .stat_fd = disk_stat_fd, .stat = disk_stat,
		.is_link = disk_is_link,
		.list = disk_list,
	};

	return (struct io){ .ops = &ops, .own = d };
}

#endif
