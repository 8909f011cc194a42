/*
 * The files below a path that the command may write, given to the user that it is. What is not ours stays whose it is,
 * and so does a file with a second name: that may be anywhere.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/sandbox/linux.h"

struct give {
	struct arena *arena;
	const char **list; /* directories to be looked into */
	size_t count, cap;
	uid_t uid;
	gid_t gid;
};

static void give_one(struct give *g, const char *path)
{
	struct stat st;

	if (lstat(path, &st) != 0 || (!S_ISDIR(st.st_mode) && st.st_nlink > 1))
		return;
	if (st.st_uid == geteuid())
		fchownat(AT_FDCWD, path, g->uid, g->gid, AT_SYMLINK_NOFOLLOW);
	if (!S_ISDIR(st.st_mode))
		return;
	arena_grow(g->arena, g->list, g->count, g->cap, 16);
	g->list[g->count++] = path;
}

static void give_below(struct give *g, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			give_one(g, arena_printf(g->arena, "%s/%s", path, e->d_name).p);
	if (dir)
		closedir(dir);
}

void sandbox_give(const struct sandbox_options *o, uid_t uid, gid_t gid)
{
	struct give g = { .uid = uid, .gid = gid };
	struct arena a;

	arena_init(&a);
	g.arena = &a;
	for (size_t i = 0; i < o->path_count; i++)
		if (o->paths[i].writable)
			give_one(&g, arena_copy(&a, o->paths[i].outside).p);
	while (g.count)
		give_below(&g, g.list[--g.count]);
	arena_free(&a);
}
