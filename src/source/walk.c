#include "source/walk.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "source/raw.h"

/* A directory still to be listed. */
struct dir {
	struct dir *next;
	struct str path;
};

struct walk {
	struct arena *arena;
	const struct source_io *io;
	enum source_shape shape;
	bool file_groups;
	struct source_look except; /* number 0: nothing */
	const struct source_options *how;
	size_t given;    /* bytes of a path below the directory given that are not below it */
	struct str root; /* the directory given, without links; p NULL when nobody asks */
	bool passed;     /* over a directory of it */
	struct dir *todo;
	struct walk_item *found; /* below the given directory, in the order met */
	size_t found_count;
	struct walk_item **end; /* of the list */
	uint64_t index;
};

static struct str without(struct str name, struct str suffix)
{
	return str_ends(name, suffix) ? str_of(name.p, name.n - suffix.n) : name;
}

static struct str without_packing(struct str name)
{
	struct str bare = without(name, STR(".gz"));

	return bare.n < name.n ? bare : without(name, STR(".zst"));
}

static bool walk_ends(struct str name, const char *const *ends, size_t count)
{
	struct str bare = without_packing(name);

	for (size_t i = 0; i < count; i++)
		if (str_ends(bare, str_from(ends[i])))
			return true;
	return false;
}

/* A log that begins with a line of text has records behind it. */
bool walk_is_lines(struct str name)
{
	static const char *const ends[] = { ".jsonl", ".ndjson", ".log", ".txt" };

	return walk_ends(name, ends, COUNT(ends));
}

bool walk_is_wanted(struct str name)
{
	static const char *const ends[] = { ".jsonl", ".ndjson", ".json" };

	return walk_ends(name, ends, COUNT(ends));
}

static bool is_wanted(const struct walk *w, struct str name)
{
	static const char *const logs[] = { ".eval", ".sse", ".traj", ".log" };

	return walk_is_wanted(name) || (w->file_groups && walk_ends(name, logs, COUNT(logs)));
}

struct walk_item *walk_item_new(struct arena *a, enum source_shape shape, struct str path)
{
	struct walk_item *item = arena_new(a, struct walk_item);

	item->input.name = path;
	item->input.below = str_basename(path);
	item->input.lines = shape == SOURCE_AUTO ? walk_is_lines(path) : shape == SOURCE_LINES;
	return item;
}

static struct walk_item *item_new(struct walk *w, struct str path, struct source_look look, int refused)
{
	struct walk_item *item = walk_item_new(w->arena, w->shape, path);

	item->look = look;
	item->refused = refused;
	return item;
}

static void item_append(struct walk *w, struct walk_item *item)
{
	item->input.index = item->input.file_group = w->index++;
	item->next = NULL;
	*w->end = item;
	w->end = &item->next;
}

static void item_find(struct walk *w, struct str path, struct source_look look, int refused)
{
	struct walk_item *item = item_new(w, path, look, refused);

	if (path.n > w->given) /* the directory itself is an item when it cannot be listed */
		item->input.below = str_skip(path, w->given);
	item->next = w->found;
	w->found = item;
	w->found_count++;
}

static struct str join(struct arena *a, struct str dir, const char *name)
{
	bool slash = dir.n > 0 && dir.p[dir.n - 1] == '/';

	return arena_printf(a, "%.*s%s%s", (int)dir.n, dir.p, slash ? "" : "/", name);
}

static void dir_push(struct walk *w, struct str path)
{
	struct dir *d = arena_new(w->arena, struct dir);

	d->path = path;
	d->next = w->todo;
	w->todo = d;
}

static bool is_link(const struct dirent *entry, const char *path)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_LNK;
	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static bool is_excepted(const struct walk *w, const struct source_look *look)
{
	return w->except.number && look->number == w->except.number && look->device == w->except.device;
}

/* Whether a link leads out of the directory given. A dangling one leads nowhere. */
static bool leads_out(const struct walk *w, const char *path)
{
	char whole[PATH_MAX];
	struct str to;

	if (!w->root.p || !realpath(path, whole))
		return false;
	to = str_from(whole);
	return !str_starts(to, w->root) || (w->root.n > 1 && to.p[w->root.n] != '/');
}

/* A directory is put on the list of those to do; a file is found when its name is wanted. */
static void entry_visit(struct walk *w, struct str dir, const struct dirent *entry)
{
	struct str name = str_from(entry->d_name);
	bool may_be_dir = entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN;
	struct source_look look = { .dir = false };
	struct str path;

	if (str_eq(name, STR(".")) || str_eq(name, STR("..")) || (!may_be_dir && !is_wanted(w, name)))
		return;
	path = join(w->arena, dir, entry->d_name);
	/* What cannot be looked at, a dangling link say, stays in the list: opening it will tell why. */
	if (w->io->look(w->io->context, path.p, &look) < 0)
		look.regular = true;
	if (is_excepted(w, &look))
		return;
	if (look.dir && !is_link(entry, path.p))
		dir_push(w, path);
	else if (look.regular && is_wanted(w, name)) {
		item_find(w, path, look, 0);
		w->found->outside = is_link(entry, path.p) && leads_out(w, path.p);
	}
}

/* A directory that cannot be listed, or breaks off, becomes an item that tells so when it is opened. */
static void dir_list(struct walk *w, struct str path)
{
	DIR *dir = opendir(path.p);
	const struct dirent *entry;
	int why;

	if (w->how->enter && !w->how->enter(w->how->enter_context, path)) {
		w->passed = true;
		if (dir)
			closedir(dir);
		return;
	}
	if (!dir) {
		item_find(w, path, (struct source_look){ .dir = true }, errno);
		return;
	}
	while (errno = 0, (entry = readdir(dir)))
		entry_visit(w, path, entry);
	why = errno;
	closedir(dir);
	if (why)
		item_find(w, path, (struct source_look){ .dir = true }, why);
}

static int item_cmp(const void *a, const void *b)
{
	const struct walk_item *const *x = a, *const *y = b;

	return str_cmp((*x)->input.name, (*y)->input.name);
}

/* All files below a directory, in the byte order of their paths. None is an error, unless `enter` passed some. */
static bool tree_append(struct walk *w, struct str path, struct err *err)
{
	struct walk_item **sorted, *item;
	char whole[PATH_MAX];

	w->root = w->how->inside && realpath(path.p, whole) ? arena_copy(w->arena, str_from(whole)) : str_of(NULL, 0);
	w->given = path.n + (str_ends(path, STR("/")) ? 0 : 1);
	w->passed = false;
	w->found = NULL;
	w->found_count = 0;
	dir_push(w, path);
	while (w->todo) {
		struct dir *d = w->todo;

		w->todo = d->next;
		dir_list(w, d->path);
	}
	if (w->found_count == 0 && w->passed)
		return true;
	if (w->found_count == 0)
		return err_set(err, ERR_DATA, "%.*s: nothing in this directory is named .json, .jsonl%s", STR_ARG(path),
			       w->file_groups ? ", .ndjson, .eval, .sse, .traj or .log" : " or .ndjson");
	item = w->found;
	sorted = arena_array(w->arena, struct walk_item *, w->found_count);
	for (size_t i = 0; i < w->found_count; i++, item = item->next)
		sorted[i] = item;
	qsort(sorted, w->found_count, sizeof(struct walk_item *), item_cmp);
	for (size_t i = 0; i < w->found_count; i++)
		item_append(w, sorted[i]);
	return true;
}

bool walk_paths(struct arena *a, const struct source_io *io, const struct str *paths, size_t count,
		const struct source_options *how, struct walk_item **out, struct err *err)
{
	struct walk_item *list = NULL;
	struct walk w = { .arena = a,
			  .io = io,
			  .shape = how->shape,
			  .file_groups = how->file_groups,
			  .how = how,
			  .end = &list };

	if (how->except.p && io->look(io->context, arena_copy(a, how->except).p, &w.except) < 0)
		w.except.number = 0; /* not there yet */
	for (size_t i = 0; i < count; i++) {
		struct str path = arena_copy(a, paths[i]);
		struct source_look look = { .dir = false };
		int why = io->look(io->context, path.p, &look);

		if (why < 0)
			return err_system(err, -why, "%.*s: cannot open", STR_ARG(raw_title(path)));
		if (!look.dir)
			item_append(&w, item_new(&w, path, look, 0));
		else if (!tree_append(&w, path, err))
			return false;
	}
	*out = list;
	return true;
}
