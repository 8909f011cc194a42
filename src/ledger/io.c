/*
 * The system's calls behind the table, and above it the loops and orders of writing that every user of the ledger's
 * disk shares.
 */
#include "ledger/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define PATH_LIMIT 4096
#define TMP_TRIES 10000u

/* ---- the system's own ---- */

static int system_open(void *own, const char *path, enum io_open how, unsigned mode)
{
	/* A pipe in the place of a file must not make us wait for its other end; files do not care. */
	static const int flags[] = {
		[IO_READ] = O_RDONLY | O_NONBLOCK,
		[IO_WRITE] = O_RDWR | O_NONBLOCK,
		[IO_CREATE] = O_RDWR | O_CREAT | O_NONBLOCK,
		[IO_NEW] = O_WRONLY | O_CREAT | O_EXCL,
		[IO_DIR] = O_RDONLY | O_DIRECTORY,
	};
	/* A time of reading, noted in what is also written, would have to be journaled with it. Only owners may ask. */
	int quiet = how == IO_WRITE || how == IO_CREATE ? O_NOATIME : 0;
	int fd = open(path, flags[how] | quiet | O_CLOEXEC | O_NOCTTY, (mode_t)mode);

	(void)own;
	if (fd < 0 && errno == EPERM && quiet)
		fd = open(path, flags[how] | O_CLOEXEC | O_NOCTTY, (mode_t)mode);
	return fd < 0 ? -errno : fd;
}

static void system_close(void *own, int fd)
{
	(void)own;
	close(fd);
}

static int64_t system_read(void *own, int fd, void *p, size_t n, uint64_t at)
{
	ssize_t got = pread(fd, p, n, (off_t)at);

	(void)own;
	return got < 0 ? -errno : got;
}

static int64_t system_write(void *own, int fd, const void *p, size_t n, uint64_t at)
{
	ssize_t put = pwrite(fd, p, n, (off_t)at);

	(void)own;
	return put < 0 ? -errno : put;
}

static int system_truncate(void *own, int fd, uint64_t size)
{
	(void)own;
	return ftruncate(fd, (off_t)size) != 0 ? -errno : 0;
}

/* A file's times may be lost, so they need not cost a commit of the journal; a directory's names are what counts. */
static int system_sync(void *own, int fd)
{
	struct statx st;

	(void)own;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) != 0)
		return -errno;
	return (S_ISDIR(st.stx_mode) ? fsync(fd) : fdatasync(fd)) != 0 ? -errno : 0;
}

/* Before Linux 5.8 syncfs kept silent about what it could not write: whoever asks then has to sync file by file. */
static int system_sync_all(void *own, int fd)
{
	struct utsname name;
	char *end;
	long major, minor;

	(void)own;
	if (uname(&name) != 0)
		return -ENOTSUP;
	major = strtol(name.release, &end, 10);
	minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
	if (major < 5 || (major == 5 && minor < 8))
		return -ENOTSUP;
	return syncfs(fd) != 0 ? -errno : 0;
}

/*
 * Without the times: a file whose time of change was asked for gets a new one at its next write, which then has to be
 * journaled (Linux 6.13 and on), and an append takes half as long again.
 */
static int system_stat_fd(void *own, int fd, struct io_stat *out)
{
	struct statx st;

	(void)own;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_MODE | STATX_INO | STATX_SIZE | STATX_NLINK, &st) != 0)
		return -errno;
	*out = (struct io_stat){
		.inode = st.stx_ino,
		.size = st.stx_size,
		.links = st.stx_nlink,
		.device = (uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor,
		.mode = st.stx_mode & 07777u,
		.is_dir = S_ISDIR(st.stx_mode),
	};
	return 0;
}

static int system_stat(void *own, const char *path, struct io_stat *out)
{
	struct stat st;

	(void)own;
	if (stat(path, &st) != 0)
		return -errno;
	*out = (struct io_stat){
		.inode = st.st_ino,
		.size = (uint64_t)st.st_size,
		.links = st.st_nlink,
		.device = (uint64_t)major(st.st_dev) << 32 | minor(st.st_dev),
		.mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
		.mode = st.st_mode & 07777,
		.is_dir = S_ISDIR(st.st_mode),
	};
	return 0;
}

static int system_lock(void *own, int fd, bool wait)
{
	(void)own;
	return flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 ? -errno : 0;
}

static int system_unlock(void *own, int fd)
{
	(void)own;
	return flock(fd, LOCK_UN) != 0 ? -errno : 0;
}

static int system_rename(void *own, const char *from, const char *to)
{
	(void)own;
	return rename(from, to) != 0 ? -errno : 0;
}

static int system_link(void *own, const char *from, const char *to)
{
	(void)own;
	return link(from, to) != 0 ? -errno : 0;
}

static int system_symlink(void *own, const char *to, const char *path)
{
	(void)own;
	return symlink(to, path) != 0 ? -errno : 0;
}

static bool system_is_link(void *own, const char *path)
{
	struct stat st;

	(void)own;
	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static int system_unlink(void *own, const char *path)
{
	(void)own;
	return unlink(path) != 0 ? -errno : 0;
}

static int system_mkdir(void *own, const char *path, unsigned mode)
{
	(void)own;
	return mkdir(path, (mode_t)mode) != 0 ? -errno : 0;
}

static int system_rmdir(void *own, const char *path)
{
	(void)own;
	return rmdir(path) != 0 ? -errno : 0;
}

/* readdir tells the end from a failure by errno alone, so that is cleared before each call. */
static int system_list(void *own, const char *path, bool (*each)(void *context, const char *name), void *context)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	int why;

	(void)own;
	if (!dir)
		return -errno;
	while (errno = 0, (e = readdir(dir)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && !each(context, e->d_name))
			break;
	why = e ? 0 : errno;
	closedir(dir);
	return -why;
}

/* Numbers of linux/magic.h and of the file systems themselves. */
static const char *system_network(void *own, const char *path)
{
	static const struct {
		uint32_t magic;
		const char *name;
	} known[] = {
		{ 0x6969, "NFS" },        { 0x517B, "SMB" },       { 0xFF534D42, "CIFS" }, { 0xFE534D42, "SMB" },
		{ 0x01021997, "9p" },     { 0x65735546, "FUSE" },  { 0x5346414F, "AFS" },  { 0x6B414653, "AFS" },
		{ 0x73757245, "Coda" },   { 0x564C, "NCP" },       { 0x0BD00BD0, "Lustre" },
	};
	struct statfs fs;

	(void)own;
	if (statfs(path, &fs) != 0)
		return NULL;
	for (size_t i = 0; i < COUNT(known); i++)
		if ((uint32_t)fs.f_type == known[i].magic)
			return known[i].name;
	return NULL;
}

static int64_t system_now_ns(void *own)
{
	struct timespec now;

	(void)own;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static const struct io_ops system_ops = {
	.open = system_open,
	.close = system_close,
	.read = system_read,
	.write = system_write,
	.truncate = system_truncate,
	.sync = system_sync,
	.sync_all = system_sync_all,
	.stat_fd = system_stat_fd,
	.stat = system_stat,
	.lock = system_lock,
	.unlock = system_unlock,
	.rename = system_rename,
	.link = system_link,
	.symlink = system_symlink,
	.is_link = system_is_link,
	.unlink = system_unlink,
	.mkdir = system_mkdir,
	.rmdir = system_rmdir,
	.list = system_list,
	.network = system_network,
	.now_ns = system_now_ns,
};

const struct io io_system = { .ops = &system_ops, .own = NULL };

/* ---- what everybody needs ---- */

bool io_is_link(const struct io *io, const char *path)
{
	return io->ops->is_link && io->ops->is_link(io->own, path);
}

int io_open(const struct io *io, const char *path, enum io_open how, unsigned mode)
{
	int fd;

	do {
		fd = io->ops->open(io->own, path, how, mode);
	} while (fd == -EINTR);
	return fd;
}

void io_close(const struct io *io, int fd)
{
	io->ops->close(io->own, fd);
}

bool io_read_all(const struct io *io, int fd, void *p, size_t n, uint64_t at, const char *path, struct err *err)
{
	char *to = p;

	while (n > 0) {
		int64_t got = io->ops->read(io->own, fd, to, n, at);

		if (got == -EINTR)
			continue;
		if (got < 0)
			return err_system(err, (int)-got, "cannot read %s", path);
		if (got == 0)
			return err_set(err, ERR_DATA, "%s ends too early", path);
		to += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

/* The size that the file has now is what is read: bytes that a writer adds meanwhile are left out. */
static bool read_open_file(const struct io *io, struct arena *a, int fd, const char *path, size_t limit,
			   struct str *out, struct err *err)
{
	struct io_stat st;
	char *p;
	int r = io->ops->stat_fd(io->own, fd, &st);

	if (r < 0)
		return err_system(err, -r, "cannot read %s", path);
	if (st.is_dir)
		return err_system(err, EISDIR, "cannot read %s", path);
	if (st.size > limit)
		return err_set(err, ERR_LIMIT, "%s has %llu bytes; at most %zu are read", path,
			       (unsigned long long)st.size, limit);
	p = arena_array(a, char, (size_t)st.size + 1);
	if (!io_read_all(io, fd, p, (size_t)st.size, 0, path, err))
		return false;
	*out = str_of(p, (size_t)st.size);
	return true;
}

bool io_read_file(const struct io *io, struct arena *a, const char *path, size_t limit, struct str *out, bool *found,
		  struct err *err)
{
	int fd = io_open(io, path, IO_READ, 0);
	bool done;

	if (found)
		*found = fd >= 0;
	if (found && (fd == -ENOENT || fd == -ENOTDIR))
		return true;
	if (fd < 0)
		return err_system(err, -fd, "cannot open %s", path);
	done = read_open_file(io, a, fd, path, limit, out, err);
	io_close(io, fd);
	return done;
}

bool io_write_all(const struct io *io, int fd, struct str bytes, uint64_t at, const char *path, struct err *err)
{
	while (bytes.n > 0) {
		int64_t put = io->ops->write(io->own, fd, bytes.p, bytes.n, at);

		if (put == -EINTR)
			continue;
		if (put <= 0)
			return err_system(err, put < 0 ? (int)-put : ENOSPC, "cannot write %s", path);
		bytes = str_of(bytes.p + put, bytes.n - (size_t)put);
		at += (uint64_t)put;
	}
	return true;
}

/* An interrupted sync has not failed: it has not been tried to the end. Any other answer is final. */
bool io_sync(const struct io *io, int fd, const char *path, struct err *err)
{
	int r;

	do {
		r = io->ops->sync(io->own, fd);
	} while (r == -EINTR);
	return r == 0 || err_system(err, -r, "cannot bring %s to the disk", path);
}

bool io_sync_dir(const struct io *io, const char *dir, struct err *err)
{
	int fd = io_open(io, dir, IO_DIR, 0);
	bool done;

	if (fd < 0)
		return err_system(err, -fd, "cannot open the directory %s", dir);
	done = io_sync(io, fd, dir, err);
	io_close(io, fd);
	return done;
}

/*
 * The parent is synced also when the directory is there already: whoever made it may have been killed before it did,
 * and what we put into it now would vanish with its name.
 */
bool io_make_dirs(const struct io *io, const char *base, const char *dir, unsigned mode, struct err *err)
{
	char path[PATH_LIMIT], parent[PATH_LIMIT];
	size_t n = strlen(dir), at = strlen(base);

	if (n >= sizeof(path))
		return err_system(err, ENAMETOOLONG, "cannot make the directory %s", dir);
	if (strncmp(dir, base, at) != 0 || (dir[at] != '/' && dir[at] != 0))
		return err_set(err, ERR_USAGE, "%s is not below %s", dir, base);
	memcpy(parent, base, at + 1);
	while (dir[at]) {
		int r;

		while (dir[at] == '/')
			at++;
		if (dir[at] == 0)
			break;
		at += strcspn(dir + at, "/");
		memcpy(path, dir, at);
		path[at] = 0;
		r = io->ops->mkdir(io->own, path, mode);
		if (r < 0 && r != -EEXIST)
			return err_system(err, -r, "cannot make the directory %s", path);
		if (!io_sync_dir(io, parent, err))
			return false;
		memcpy(parent, path, at + 1);
	}
	return true;
}

bool io_new_tmp(const struct io *io, struct str dir, unsigned mode, unsigned from, char out[IO_TMP_PATH], int *fd,
		struct err *err)
{
	for (unsigned i = from; i < from + TMP_TRIES; i++) {
		int n = snprintf(out, IO_TMP_PATH, "%.*s/" IO_TMP "%ld.%u", STR_ARG(dir), (long)getpid(), i);

		if (n < 0 || n >= IO_TMP_PATH)
			return err_system(err, ENAMETOOLONG, "cannot make a file in %.*s", STR_ARG(dir));
		*fd = io_open(io, out, IO_NEW, mode);
		if (*fd >= 0)
			return true;
		if (*fd != -EEXIST)
			return err_system(err, -*fd, "cannot make a file in %.*s", STR_ARG(dir));
	}
	return err_set(err, ERR_IO, "%.*s is full of leftover temporary files", STR_ARG(dir));
}

/* Anything that keeps us from reading it counts as other bytes: then it is written anew. */
static bool has_bytes(const struct io *io, const char *path, struct str bytes)
{
	struct err ignored = { .kind = ERR_NONE };
	struct arena a;
	struct str old;
	bool found, same;

	arena_init(&a);
	same = io_read_file(io, &a, path, bytes.n, &old, &found, &ignored) && found && str_eq(old, bytes);
	arena_free(&a);
	return same;
}

bool io_put(const struct io *io, const char *path, struct str bytes, unsigned mode, bool keep_if_same, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char tmp[IO_TMP_PATH];
	bool done;
	int fd, r;

	if (keep_if_same && has_bytes(io, path, bytes))
		return true;
	if (!io_new_tmp(io, slash ? str_of(path, (size_t)(slash - path)) : STR("."), mode, 0, tmp, &fd, err))
		return false;
	done = io_write_all(io, fd, bytes, 0, path, err) && io_sync(io, fd, path, err);
	io_close(io, fd);
	if (done) {
		r = io->ops->rename(io->own, tmp, path);
		done = r == 0 || err_system(err, -r, "cannot replace %s", path);
	}
	if (!done)
		io->ops->unlink(io->own, tmp);
	return done;
}
