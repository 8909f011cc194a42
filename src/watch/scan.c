/* Depth first, with a stack of paths: what a step finds is at most one entry of one directory. */
#include "watch/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/arena.h"

void scan_init(struct scan *s, const char *root)
{
	*s = (struct scan){ .root = root };
	buf_init(&s->path);
}

static void scan_close_dir(struct scan *s)
{
	if (s->dir)
		closedir(s->dir);
	mem_free(s->dir_path);
	s->dir = NULL;
	s->dir_path = NULL;
}

void scan_free(struct scan *s)
{
	scan_close_dir(s);
	while (s->count)
		mem_free(s->todo[--s->count]);
	mem_free(s->todo);
	buf_free(&s->path);
}

static void scan_push(struct scan *s, struct str path)
{
	char *copy;

	if (s->count == SCAN_DIRS) {
		s->left_out++;
		return;
	}
	copy = mem_alloc(path.n + 1);
	memcpy(copy, path.p, path.n);
	copy[path.n] = '\0';
	mem_grow(s->todo, s->count, s->cap, 64);
	s->todo[s->count++] = copy;
}

void scan_begin(struct scan *s)
{
	assert(!s->dir && s->count == 0); /* after scan_init, or at SCAN_END */
	s->left_out = 0;
	s->root_errno = 0;
	scan_push(s, str_from(s->root));
}

bool scan_wants(struct str name)
{
	struct str end = STR(".jsonl");

	if (str_ends(name, end))
		return true;
	if (str_ends(name, STR(".gz")) || str_ends(name, STR(".zst")))
		return false;
	return str_has(name, STR(".jsonl.")) || str_has(name, STR(".jsonl-"));
}

/* One that cannot be listed has no files; of the root that is told. */
static enum scan_next scan_open_dir(struct scan *s)
{
	s->dir_path = s->todo[--s->count];
	s->dir = opendir(s->dir_path);
	if (s->dir)
		return SCAN_OTHER;
	if (str_eq(str_from(s->dir_path), str_from(s->root)))
		s->root_errno = errno;
	scan_close_dir(s);
	return SCAN_OTHER;
}

static int64_t scan_ns(struct timespec t)
{
	int64_t ns;

	/* a time beyond the year 2262 is as far ahead as we can say */
	if (__builtin_mul_overflow((int64_t)t.tv_sec, 1000000000, &ns) || __builtin_add_overflow(ns, t.tv_nsec, &ns))
		return t.tv_sec < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}

static bool scan_is_dir(const struct scan *s, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(dirfd(s->dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* The path of an entry, in s->path with its terminator. */
static struct str scan_path(struct scan *s, struct str name)
{
	struct str dir = str_from(s->dir_path);

	buf_clear(&s->path);
	buf_add_str(&s->path, dir);
	if (!str_ends(dir, STR("/")))
		buf_add_byte(&s->path, '/');
	buf_add_str(&s->path, name);
	buf_add_byte(&s->path, '\0');
	return str_of(s->path.p, s->path.n - 1);
}

static enum scan_next scan_visit(struct scan *s, const struct dirent *entry, struct scan_file *out)
{
	struct str name = str_from(entry->d_name);
	struct stat st;

	if (str_eq(name, STR(".")) || str_eq(name, STR("..")))
		return SCAN_OTHER;
	if (scan_is_dir(s, entry)) {
		scan_push(s, scan_path(s, name));
		return SCAN_OTHER;
	}
	if (!scan_wants(name) || fstatat(dirfd(s->dir), entry->d_name, &st, 0) != 0 || !S_ISREG(st.st_mode))
		return SCAN_OTHER;
	*out = (struct scan_file){
		.path = scan_path(s, name),
		.device = (uint64_t)st.st_dev,
		.number = (uint64_t)st.st_ino,
		.size = (uint64_t)st.st_size,
		.changed_ns = scan_ns(st.st_mtim),
		.status_ns = scan_ns(st.st_ctim),
	};
	return SCAN_FILE;
}

enum scan_next scan_next(struct scan *s, struct scan_file *out)
{
	const struct dirent *entry;

	if (!s->dir)
		return s->count ? scan_open_dir(s) : SCAN_END;
	entry = readdir(s->dir);
	if (entry)
		return scan_visit(s, entry, out);
	scan_close_dir(s);
	return SCAN_OTHER;
}
