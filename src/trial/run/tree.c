/* Walks with a list of directories that are still to be read, so depth costs no stack. */
#include "trial/run/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

#define TREE_PIECE ((size_t)64 << 10)

struct tree_walk {
	struct arena *arena;
	struct str dir;
	int fd;
	const struct tree_limits *limits;
	struct tree *out;
	struct str *open; /* directories to be read, relative; "" is the first */
	size_t count, cap;
	struct sha256 sha;
};

static int open_beneath(int dir, const char *name, uint64_t flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
}

static int open_dir(struct str dir)
{
	char path[4096];

	if (dir.n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(path, dir.p, dir.n);
	path[dir.n] = '\0';
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int tree_open(struct str dir, struct str name)
{
	char path[4096];
	struct stat st;
	int at, fd;

	if (name.n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(path, name.p, name.n);
	path[name.n] = '\0';
	at = open_dir(dir);
	if (at < 0)
		return -1;
	fd = open_beneath(at, path, O_RDONLY | O_NONBLOCK);
	close(at);
	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

struct str tree_read_first(struct arena *a, struct str dir, struct str name, size_t limit, bool *is_longer)
{
	int fd = tree_open(dir, name);
	struct str text = { NULL, 0 };
	struct buf b;
	ssize_t n = 1;

	*is_longer = false;
	if (fd < 0)
		return text;
	buf_init(&b);
	while (n > 0 && b.n <= limit) {
		n = read(fd, buf_reserve(&b, TREE_PIECE), TREE_PIECE);
		b.n += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	*is_longer = b.n > limit;
	if (n >= 0)
		text = arena_copy(a, str_of(b.p, *is_longer ? limit : b.n));
	buf_free(&b);
	return text;
}

struct str tree_read_file(struct arena *a, struct str dir, struct str name, size_t limit)
{
	bool is_longer;
	struct str text = tree_read_first(a, dir, name, limit, &is_longer);

	return is_longer ? str_of(NULL, 0) : text;
}

struct str tree_real_path(struct arena *a, struct str path)
{
	char whole[PATH_MAX];

	return realpath(arena_copy(a, path).p, whole) ? arena_copy(a, str_from(whole)) : str_of(NULL, 0);
}

/* ---- walking ---- */

static void tree_leave(struct tree_walk *w, struct str name, const char *why)
{
	struct tree *t = w->out;

	arena_grow(w->arena, t->left, t->left_count, t->left_cap, 16);
	t->left[t->left_count++] = (struct tree_left){ .name = name, .why = why };
}

static void tree_leave_special(struct tree_walk *w, struct str name, bool is_link)
{
	tree_leave(w, name, is_link ? "is a symbolic link" : "is no plain file");
	w->out->left[w->out->left_count - 1].is_link = is_link;
}

static bool feed_fd(int fd, struct sha256 *const *to, size_t count, uint64_t *size)
{
	char piece[TREE_PIECE];
	ssize_t n;

	*size = 0;
	while ((n = read(fd, piece, sizeof(piece))) > 0) {
		*size += (uint64_t)n;
		for (size_t i = 0; i < count; i++)
			sha256_add(to[i], str_of(piece, (size_t)n));
	}
	return n == 0;
}

static void tree_add_file(struct tree_walk *w, struct str name, const struct stat *st)
{
	const struct tree_limits *l = w->limits;
	struct sha256 *const to[] = { &w->sha };
	struct tree_file f = { .name = name, .executable = st->st_mode & 0100 };
	uint64_t size = (uint64_t)st->st_size;
	struct tree *t = w->out;
	int fd;

	if (l && l->file_bytes && size > l->file_bytes) {
		tree_leave(w, name, "is longer than what is taken of one file");
		return;
	}
	if (l && ((l->files && t->count >= l->files) || (l->bytes && t->bytes + size > l->bytes))) {
		tree_leave(w, name, "is beyond what is taken of all files together");
		return;
	}
	fd = open_beneath(w->fd, name.p, O_RDONLY | O_NONBLOCK);
	sha256_restart(&w->sha);
	if (fd < 0 || !feed_fd(fd, to, 1, &f.size)) {
		tree_leave(w, name, "cannot be read");
	} else {
		f.digest = sha256_end(&w->sha);
		arena_grow(w->arena, t->files, t->count, t->cap, 32);
		t->files[t->count++] = f;
		t->bytes += f.size;
	}
	if (fd >= 0)
		close(fd);
}

static bool is_cache(struct str name)
{
	return str_eq(name, STR("__pycache__")) || str_ends(name, STR(".pyc"));
}

static void tree_add_entry(struct tree_walk *w, int dir, struct str name, const char *last)
{
	struct stat st;

	if (fstatat(dir, last, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		tree_leave(w, name, "cannot be looked at");
	} else if (S_ISDIR(st.st_mode)) {
		if (str_count(name, '/') >= TREE_DEPTH) {
			tree_leave(w, name, "lies too deep");
			return;
		}
		arena_grow(w->arena, w->open, w->count, w->cap, 32);
		w->open[w->count++] = name;
	} else if (S_ISREG(st.st_mode)) {
		tree_add_file(w, name, &st);
	} else {
		tree_leave_special(w, name, S_ISLNK(st.st_mode));
	}
}

static void tree_walk_dir(struct tree_walk *w, struct str name)
{
	int fd = open_beneath(w->fd, name.n ? name.p : ".", O_RDONLY | O_DIRECTORY);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		tree_leave(w, name, "is a directory that cannot be read");
		return;
	}
	while ((e = readdir(dir))) {
		struct str last = str_from(e->d_name);

		if (str_eq(last, STR(".")) || str_eq(last, STR("..")) || is_cache(last))
			continue;
		tree_add_entry(w, fd, ARENA_JOIN(w->arena, name, name.n ? STR("/") : STR(""), last), e->d_name);
	}
	closedir(dir);
}

bool tree_read(struct arena *a, struct str dir, const struct tree_limits *limits, struct tree *out, struct err *err)
{
	struct tree_walk w = { .arena = a, .dir = dir, .limits = limits, .out = out };

	*out = (struct tree){ .count = 0 };
	w.fd = open_dir(dir);
	if (w.fd < 0)
		return err_system(err, errno, "%.*s", STR_ARG(dir));
	sha256_init(&w.sha);
	arena_grow(a, w.open, w.count, w.cap, 32);
	w.open[w.count++] = STR("");
	while (w.count)
		tree_walk_dir(&w, w.open[--w.count]);
	sha256_free(&w.sha);
	close(w.fd);
	if (out->count)
		qsort(out->files, out->count, sizeof(*out->files), str_cmp_first);
	if (out->left_count)
		qsort(out->left, out->left_count, sizeof(*out->left), str_cmp_first);
	return true;
}

const struct tree_file *tree_find(const struct tree *t, struct str name)
{
	if (!t->count)
		return NULL;
	return bsearch(&name, t->files, t->count, sizeof(*t->files), str_cmp_first);
}

bool tree_feed(struct str dir, struct str name, struct sha256 *const *to, size_t count, struct err *err)
{
	int fd = tree_open(dir, name);
	uint64_t size;
	bool done;

	if (fd < 0)
		return err_system(err, errno, "%.*s/%.*s", STR_ARG(dir), STR_ARG(name));
	done = feed_fd(fd, to, count, &size);
	if (!done)
		err_system(err, errno, "%.*s/%.*s", STR_ARG(dir), STR_ARG(name));
	close(fd);
	return done;
}

/* ---- copying and removing ---- */

static bool copy_bytes(int from, int to, struct digest *copied, struct err *err)
{
	char piece[TREE_PIECE];
	struct sha256 sha;
	bool done = true;
	ssize_t n;

	sha256_init(&sha);
	while (done && (n = read(from, piece, sizeof(piece))) > 0) {
		done = file_write_all(to, str_of(piece, (size_t)n), err);
		if (done)
			sha256_add(&sha, str_of(piece, (size_t)n));
	}
	if (done && n < 0)
		done = err_system(err, errno, "reading");
	*copied = sha256_end(&sha);
	sha256_free(&sha);
	return done;
}

bool tree_copy(struct arena *a, struct str from, const struct tree_file *f, struct str to, struct str name,
	       struct digest *copied, struct err *err)
{
	struct str path = ARENA_JOIN(a, to, STR("/"), name);
	int in = tree_open(from, f->name), out;
	bool done;

	if (in < 0)
		return err_system(err, errno, "%.*s/%.*s", STR_ARG(from), STR_ARG(f->name));
	if (!file_make_dirs(str_dirname(path), 0777, NULL, err)) {
		close(in);
		return false;
	}
	out = open(path.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, f->executable ? 0777 : 0666);
	if (out < 0) {
		err_system(err, errno, "%.*s", STR_ARG(path));
		close(in);
		return false;
	}
	done = copy_bytes(in, out, copied, err) || err_context(err, path.p);
	close(out);
	close(in);
	return done;
}

/* ---- all that is below a directory ---- */

struct tree_below {
	struct arena arena;
	struct str *open; /* each before those in it */
	size_t count, cap;
};

/* `each` says whether the entry is a directory that is to be looked into. */
static void below_walk_dir(struct tree_below *b, struct str name, bool (*each)(int dir, const char *name))
{
	int fd = openat(AT_FDCWD, name.p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;

	while (dir && (e = readdir(dir))) {
		struct str last = str_from(e->d_name);

		if (str_eq(last, STR(".")) || str_eq(last, STR("..")) || !each(fd, e->d_name))
			continue;
		arena_grow(&b->arena, b->open, b->count, b->cap, 32);
		b->open[b->count++] = ARENA_JOIN(&b->arena, name, STR("/"), last);
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

static void below_walk(struct tree_below *b, struct str dir, bool (*each)(int dir, const char *name))
{
	*b = (struct tree_below){ .count = 0 };
	arena_init(&b->arena);
	arena_grow(&b->arena, b->open, b->count, b->cap, 32);
	b->open[b->count++] = arena_copy(&b->arena, dir);
	for (size_t i = 0; i < b->count; i++)
		below_walk_dir(b, b->open[i], each);
}

/* A link is given, too, and never followed. */
static bool own_one(int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	if (st.st_uid != geteuid())
		fchownat(dir, name, geteuid(), getegid(), AT_SYMLINK_NOFOLLOW);
	if (!S_ISLNK(st.st_mode))
		fchmodat(dir, name, (st.st_mode & 0777) | (S_ISDIR(st.st_mode) ? 0700 : 0600), 0);
	return S_ISDIR(st.st_mode);
}

bool tree_own(struct str dir)
{
	struct tree_below b;

	if (!own_one(AT_FDCWD, dir.p))
		return false;
	below_walk(&b, dir, own_one);
	arena_free(&b.arena);
	return true;
}

static bool remove_one(int dir, const char *name)
{
	return unlinkat(dir, name, 0) != 0 && own_one(dir, name);
}

/* A directory is listed once to be emptied, and removed when those in it are gone: in the opposite order. */
void tree_remove(struct str dir)
{
	struct tree_below b;

	if (!own_one(AT_FDCWD, dir.p))
		return;
	below_walk(&b, dir, remove_one);
	while (b.count)
		rmdir(b.open[--b.count].p);
	arena_free(&b.arena);
}
