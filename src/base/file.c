#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/seed.h"
#include "base/stop.h"

#define FIRST_READ ((size_t)64 << 10)

/* A path as the system wants it. */
struct path {
	char text[PATH_MAX];
};

static bool path_set(struct path *p, struct str from, struct err *err)
{
	if (from.n == 0)
		return err_system(err, ENOENT, "the path is empty");
	if (memchr(from.p, '\0', from.n))
		return err_system(err, EINVAL, "the path %.*s has a NUL byte after that", STR_ARG(from));
	if (from.n >= sizeof(p->text))
		return err_system(err, ENAMETOOLONG, "cannot use the path %.200s...", from.p);
	memcpy(p->text, from.p, from.n);
	p->text[from.n] = '\0';
	return true;
}

static int open_retry(int dir, const char *path, int flags, unsigned mode)
{
	int fd;

	do {
		fd = openat(dir, path, flags | O_CLOEXEC, mode);
	} while (fd < 0 && errno == EINTR && !stop_signal());
	return fd;
}

/* Returns the file, opened for reading, or -1 with err set. */
static int open_for_read(struct str path, struct stat *st, struct err *err)
{
	struct path p;
	int fd;

	if (!path_set(&p, path, err))
		return -1;
	fd = open_retry(AT_FDCWD, p.text, O_RDONLY, 0);
	if (fd >= 0 && fstat(fd, st) == 0)
		return fd;
	err_system(err, errno, "cannot open %.*s", STR_ARG(path));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* One read; false with errno set. */
static bool read_some(int fd, char *p, size_t n, size_t *got)
{
	ssize_t r;

	do {
		r = read(fd, p, n);
	} while (r < 0 && errno == EINTR && !stop_signal());
	*got = r < 0 ? 0 : (size_t)r;
	return r >= 0;
}

static bool too_large(struct str path, size_t limit, struct err *err)
{
	return err_set(err, ERR_LIMIT, "%.*s is larger than the %zu bytes allowed here", STR_ARG(path), limit);
}

/* `expected` is only a hint: the file may grow or, in /proc, have no size at all. */
static bool read_to_end(struct arena *a, int fd, struct str path, size_t expected, size_t limit, struct str *out,
			struct err *err)
{
	size_t most = limit < SIZE_MAX ? limit + 1 : limit; /* one more byte tells that there is more */
	size_t cap = expected < FIRST_READ ? FIRST_READ : expected + 1, n = 0, got;
	char *p;

	cap = cap < most ? cap : most;
	p = arena_array(a, char, cap);
	for (;;) {
		if (!read_some(fd, p + n, cap - n, &got))
			return err_system(err, errno, "cannot read %.*s", STR_ARG(path));
		if (got == 0)
			break;
		n += got;
		if (n > limit)
			return too_large(path, limit, err);
		if (n == cap) {
			char *larger;

			cap = cap < most / 2 ? cap * 2 : most;
			larger = arena_array(a, char, cap);
			memcpy(larger, p, n);
			p = larger;
		}
	}
	*out = str_of(p, n);
	return true;
}

bool file_read(struct arena *a, struct str path, size_t limit, struct str *out, struct err *err)
{
	struct stat st;
	size_t expected = 0;
	int fd = open_for_read(path, &st, err);
	bool done;

	if (fd < 0)
		return false;
	if (S_ISREG(st.st_mode) && st.st_size > 0)
		expected = (size_t)st.st_size;
	if (expected > limit)
		done = too_large(path, limit, err);
	else
		done = read_to_end(a, fd, path, expected, limit, out, err);
	close(fd);
	return done;
}

static bool map_fd(int fd, const struct stat *st, struct str path, struct str *out, struct err *err)
{
	void *p;

	if (S_ISDIR(st->st_mode))
		return err_system(err, EISDIR, "cannot read %.*s", STR_ARG(path));
	if (!S_ISREG(st->st_mode))
		return err_system(err, ENODEV, "%.*s is not a regular file", STR_ARG(path));
	if (st->st_size == 0) {
		*out = STR("");
		return true;
	}
	p = mmap(NULL, (size_t)st->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return err_system(err, errno, "cannot map %.*s", STR_ARG(path));
	*out = str_of(p, (size_t)st->st_size);
	return true;
}

bool file_map(struct str path, struct str *out, struct err *err)
{
	struct stat st;
	int fd = open_for_read(path, &st, err);
	bool done;

	if (fd < 0)
		return false;
	done = map_fd(fd, &st, path, out, err);
	close(fd);
	return done;
}

bool file_map_fd(int fd, struct str path, struct str *out, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return err_system(err, errno, "cannot read %.*s", STR_ARG(path));
	return map_fd(fd, &st, path, out, err);
}

void file_unmap(struct str mapped)
{
	/* a mapping is writable memory to munmap, whatever its protection: hence through an integer */
	if (mapped.n > 0)
		munmap((void *)(uintptr_t)mapped.p, mapped.n);
}

/* Whoever shares standard output with us may have made it non-blocking. */
static bool wait_writable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

/* False with errno set. */
static bool write_bytes(int fd, struct str bytes)
{
	while (bytes.n > 0) {
		ssize_t w = write(fd, bytes.p, bytes.n);

		if (w >= 0) {
			bytes = str_of(bytes.p + w, bytes.n - (size_t)w);
			continue;
		}
		if (errno == EAGAIN && wait_writable(fd))
			continue;
		if (errno != EINTR)
			return false;
	}
	return true;
}

bool file_write_all(int fd, struct str bytes, struct err *err)
{
	return write_bytes(fd, bytes) || err_system(err, errno, "cannot write");
}

static bool sync_fd(int fd)
{
	int failed;

	do {
		failed = fsync(fd);
	} while (failed && errno == EINTR);
	return !failed;
}

/* Some file systems cannot sync a directory and say so with EINVAL: there is nothing we could add. */
static bool sync_dir_fd(int fd)
{
	return sync_fd(fd) || errno == EINVAL;
}

bool file_is_dir(struct str path)
{
	struct err ignored;
	struct stat st;
	struct path p;

	return path_set(&p, path, &ignored) && stat(p.text, &st) == 0 && S_ISDIR(st.st_mode);
}

/* One directory of a path; *is_new tells whether it was made. */
static bool make_dir(const char *path, unsigned mode, bool *is_new, struct err *err)
{
	struct stat st;

	*is_new = mkdir(path, mode) == 0;
	if (*is_new)
		return true;
	if (errno == EEXIST && stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	return errno == EEXIST || err_system(err, errno, "cannot make the directory %s", path);
}

bool file_make_dirs(struct str path, unsigned mode, size_t *there, struct err *err)
{
	size_t existed = 0;
	struct path p;
	bool done = path_set(&p, path, err), is_new;

	for (size_t at = 1; done && at <= path.n; at++) {
		char next = p.text[at];

		if ((at < path.n && next != '/') || p.text[at - 1] == '/')
			continue;
		p.text[at] = '\0';
		done = make_dir(p.text, mode, &is_new, err);
		p.text[at] = next;
		if (!is_new && (done || err->errnum == ENOTDIR))
			existed = at;
	}
	if (there)
		*there = existed;
	return done;
}

static bool sync_system_fd(int fd)
{
	return syncfs(fd) == 0;
}

/* `what` is said of a directory for which `sync` fails. */
static bool sync_path(struct str path_of_dir, bool (*sync)(int fd), const char *what, struct err *err)
{
	struct path p;
	bool done;
	int fd;

	if (!path_set(&p, path_of_dir, err))
		return false;
	fd = open_retry(AT_FDCWD, p.text, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return err_system(err, errno, "cannot open the directory %.*s", STR_ARG(path_of_dir));
	done = sync(fd) || err_system(err, errno, "cannot sync the %s %.*s", what, STR_ARG(path_of_dir));
	close(fd);
	return done;
}

bool file_sync_dir(struct str path_of_dir, struct err *err)
{
	return sync_path(path_of_dir, sync_dir_fd, "directory", err);
}

bool file_sync_all(struct str path_of_dir, struct err *err)
{
	return sync_path(path_of_dir, sync_system_fd, "file system of", err);
}

/* A replacement on its way. */
struct replacement {
	struct path path; /* links followed */
	const char *name; /* the last component, in path */
	int dir;          /* the directory, open */
	bool later;       /* somebody else syncs */
	char temp[32];
};

/* A link is kept and what it points to replaced: /dev/stdout must survive being an output. */
static bool follow_link(struct path *p)
{
	struct path target;
	struct stat st;

	if (lstat(p->text, &st) != 0 || !S_ISLNK(st.st_mode))
		return true;
	if (!realpath(p->text, target.text))
		return false;
	*p = target;
	return true;
}

/* False with errno set. */
static bool open_dir(struct replacement *r)
{
	struct path dir = { "." };
	char *slash = strrchr(r->path.text, '/');
	size_t n = slash ? (size_t)(slash - r->path.text) : 0;

	r->name = slash ? slash + 1 : r->path.text;
	if (slash) {
		n = n ? n : 1; /* the root keeps its slash */
		memcpy(dir.text, r->path.text, n);
		dir.text[n] = '\0';
	}
	r->dir = open_retry(AT_FDCWD, dir.text, O_RDONLY | O_DIRECTORY, 0);
	return r->dir >= 0;
}

/* The name is short and not made from the old one, which may already be as long as names can be. */
static int open_temp(struct replacement *r, unsigned mode)
{
	int fd;

	do {
		uint64_t random;

		seed_random(&random, sizeof(random));
		snprintf(r->temp, sizeof(r->temp), ".trackway-%016llx", (unsigned long long)random);
		fd = open_retry(r->dir, r->temp, O_WRONLY | O_CREAT | O_EXCL, mode);
	} while (fd < 0 && errno == EEXIST);
	return fd;
}

/* Where the bytes come from. */
struct writer {
	bool (*write)(void *context, int fd, struct err *err);
	void *context;
	struct err *err;
	bool failed; /* the writer's own error is set */
};

static bool writer_run(struct writer *w, int fd)
{
	w->failed = !w->write(w->context, fd, w->err);
	return !w->failed;
}

/* False with errno set (or the writer's own error) and the temporary file gone. */
static bool write_and_rename(struct replacement *r, struct writer *w, unsigned mode, bool is_exact)
{
	int fd = open_temp(r, mode), saved;
	bool done;

	if (fd < 0)
		return false;
	done = (!is_exact || fchmod(fd, mode) == 0) && writer_run(w, fd) && (r->later || sync_fd(fd)) &&
	       renameat(r->dir, r->temp, r->dir, r->name) == 0;
	saved = errno;
	if (!done)
		unlinkat(r->dir, r->temp, 0);
	close(fd);
	errno = saved;
	return done;
}

static bool write_in_place(struct replacement *r, struct writer *w)
{
	int fd = open_retry(r->dir, r->name, O_WRONLY, 0), saved;
	bool done;

	if (fd < 0)
		return false;
	done = writer_run(w, fd);
	saved = errno;
	close(fd);
	errno = saved;
	return done;
}

/* Devices and pipes are written to: root could otherwise rename a file over /dev/null. */
static bool replacement_run(struct replacement *r, struct writer *w, unsigned mode)
{
	bool is_dir_name = *r->name == '\0'; /* "reports/" */
	struct stat st;
	bool exists = !is_dir_name && fstatat(r->dir, r->name, &st, AT_SYMLINK_NOFOLLOW) == 0;

	if (is_dir_name || (exists && S_ISDIR(st.st_mode))) {
		errno = EISDIR;
		return false;
	}
	if (exists && !S_ISREG(st.st_mode))
		return write_in_place(r, w);
	if (exists)
		mode = st.st_mode & 0777; /* what was private stays so */
	return write_and_rename(r, w, mode, exists) && (r->later || sync_dir_fd(r->dir));
}

/*
 * The descriptor that a name of the system's stands for, or -1. Such a file is ours already, open at
 * its place: replacing it would take away what others have written to it.
 */
static int own_descriptor(struct str path)
{
	uint64_t number;

	if (str_eq(path, STR("/dev/stdout")))
		return STDOUT_FILENO;
	if (str_eq(path, STR("/dev/stderr")))
		return STDERR_FILENO;
	if (!str_starts(path, STR("/dev/fd/")) || !num_parse_u64(str_skip(path, 8), &number))
		return -1;
	return number <= INT_MAX ? (int)number : -1;
}

static bool replace_path(struct str path, bool (*write)(void *context, int fd, struct err *err), void *context,
			 unsigned mode, bool later, struct err *err)
{
	struct replacement r = { .dir = -1, .later = later };
	struct writer w = { write, context, err, false };
	int own = own_descriptor(path);
	bool done;

	if (!path_set(&r.path, path, err))
		return false;
	if (own >= 0)
		return writer_run(&w, own);
	done = follow_link(&r.path) && open_dir(&r) && replacement_run(&r, &w, mode);
	if (!done && !w.failed)
		err_system(err, errno, "cannot write %.*s", STR_ARG(path));
	if (r.dir >= 0)
		close(r.dir);
	return done;
}

bool file_replace_by(struct str path, bool (*write)(void *context, int fd, struct err *err), void *context,
		     unsigned mode, struct err *err)
{
	return replace_path(path, write, context, mode, false, err);
}

bool file_replace_later_by(struct str path, bool (*write)(void *context, int fd, struct err *err), void *context,
			   unsigned mode, struct err *err)
{
	return replace_path(path, write, context, mode, true, err);
}

struct whole {
	struct str path, bytes;
};

static bool write_whole(void *context, int fd, struct err *err)
{
	const struct whole *w = context;

	return write_bytes(fd, w->bytes) || err_system(err, errno, "cannot write %.*s", STR_ARG(w->path));
}

bool file_replace(struct str path, struct str bytes, unsigned mode, struct err *err)
{
	struct whole w = { path, bytes };

	return file_replace_by(path, write_whole, &w, mode, err);
}

static bool place_by(int dir, struct str name, bool (*write)(void *context, int fd, struct err *err), void *context,
		     unsigned mode, bool later, struct err *err)
{
	struct replacement r = { .dir = dir, .later = later };
	struct writer w = { write, context, err, false };

	if (!path_set(&r.path, name, err))
		return false;
	r.name = r.path.text;
	if (name.n == 0 || memchr(name.p, '/', name.n))
		return err_system(err, EINVAL, "cannot write %.*s", STR_ARG(name));
	if (write_and_rename(&r, &w, mode, false) && (later || sync_dir_fd(dir)))
		return true;
	return w.failed ? false : err_system(err, errno, "cannot write %.*s", STR_ARG(name));
}

bool file_place_by(int dir, struct str name, bool (*write)(void *context, int fd, struct err *err), void *context,
		   unsigned mode, struct err *err)
{
	return place_by(dir, name, write, context, mode, false, err);
}

bool file_place_later(int dir, struct str name, struct str bytes, unsigned mode, struct err *err)
{
	struct whole w = { name, bytes };

	return place_by(dir, name, write_whole, &w, mode, true, err);
}

bool file_place(int dir, struct str name, struct str bytes, unsigned mode, struct err *err)
{
	struct whole w = { name, bytes };

	return file_place_by(dir, name, write_whole, &w, mode, err);
}

void file_claim(int fd)
{
	(void)flock(fd, LOCK_SH | LOCK_NB);
}

bool file_is_claimed(struct str path)
{
	struct path p;
	struct err ignored;
	bool claimed;
	int fd;

	if (!path_set(&p, path, &ignored))
		return false;
	fd = open(p.text, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	claimed = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	close(fd);
	return claimed;
}
