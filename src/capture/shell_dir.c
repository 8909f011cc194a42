/* Links are relative, so that one look at a link tells that it is ours, wherever the directory is. */
#include "capture/shell_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "capture/shell_names.h"

/* The small program: its bytes are built into us (Makefile). */
extern const char shell_shim_begin[];
extern const uint64_t shell_shim_size;

/* One that makes its user somebody else must see who started it, and nobody in between. */
static bool shell_dir_may_stand_before(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !(st.st_mode & (S_ISUID | S_ISGID));
}

/* Programs cannot be run from some places: there the link leads to us, who are slower to start. */
static bool shell_dir_put_shim(int dir, struct str program, struct err *err)
{
	struct statvfs at;
	struct str bytes = str_of(shell_shim_begin, (size_t)shell_shim_size);

	if (fstatvfs(dir, &at) == 0 && (at.f_flag & ST_NOEXEC)) {
		if (!program.n)
			return err_set(err, ERR_IO, "no program can be run from there");
		return symlinkat(program.p, dir, SHELL_SHIM) == 0 || err_system(err, errno, SHELL_SHIM);
	}
	return file_place(dir, STR(SHELL_SHIM), bytes, 0700, err);
}

static bool shell_dir_link(struct arena *a, int dir, const char *search, struct err *err)
{
	struct str all = search ? str_from(search) : STR("");

	for (const struct shell_name *n = shell_names; n->name; n++) {
		bool refused;
		struct str real = shell_find_program(a, all, str_from(n->name), &refused);

		if (!real.p || !shell_dir_may_stand_before(real.p))
			continue;
		if (symlinkat(SHELL_SHIM, dir, n->name) != 0)
			return err_system(err, errno, "%s", n->name);
	}
	return true;
}

/* A shell of another name is left as it is: its name would be told. */
static bool shell_dir_link_shell(struct arena *a, int dir, const char *shell, struct shell_dir *d, struct err *err)
{
	struct str name = str_basename(str_from(shell ? shell : ""));
	const struct shell_name *n = name.n ? shell_name_find(name.p) : NULL;
	struct str link;

	if (!n || !n->is_shell || shell[0] != '/' || access(shell, X_OK) != 0)
		return true;
	link = ARENA_JOIN(a, STR(SHELL_OWN "/"), name);
	if (mkdirat(dir, SHELL_OWN, 0700) != 0 || symlinkat("../" SHELL_SHIM, dir, link.p) != 0)
		return err_system(err, errno, "%s", link.p);
	d->shell = ARENA_JOIN(a, d->path, STR("/"), link);
	return true;
}

static const char *shell_dir_env(const char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; *env; env++)
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
			return (*env)[n + 1] ? *env + n + 1 : NULL;
	return NULL;
}

/* In a run inside another SHELL is a shim of that one. */
static const char *shell_dir_shell(const char *const *env)
{
	const char *own = shell_dir_env(env, "TRACKWAY_SHELL_PATH");

	return own && shell_dir_env(env, "TRACKWAY_SHELL_DIR") ? own : shell_dir_env(env, "SHELL");
}

bool shell_dir_make(struct arena *a, struct str path, const char *const *env, struct str program, struct shell_dir *d,
		    struct err *err)
{
	char root[PATH_MAX];
	bool made;
	int dir;

	*d = (struct shell_dir){ .path = arena_copy(a, path) };
	if (mkdir(d->path.p, 0700) != 0) {
		err_system(err, errno, "cannot make %s", d->path.p);
		*d = (struct shell_dir){ .path.p = NULL };
		return false;
	}
	dir = open(d->path.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	made = (dir >= 0 || err_system(err, errno, "%s", d->path.p)) && shell_dir_put_shim(dir, program, err) &&
	       shell_dir_link(a, dir, shell_dir_env(env, "PATH"), err) &&
	       shell_dir_link_shell(a, dir, shell_dir_shell(env), d, err);
	if (dir >= 0)
		close(dir);
	d->root = arena_copy(a, str_from(getcwd(root, sizeof(root)) ? root : ""));
	if (made)
		return true;
	shell_dir_remove(d);
	*d = (struct shell_dir){ .path.p = NULL };
	return false;
}

bool shell_dir_add(const struct shell_dir *d, struct str name)
{
	int dir = d->path.p ? open(d->path.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
	const struct shell_name *n = shell_names;
	bool good;

	while (n->name && !str_eq(str_from(n->name), name))
		n++;
	good = dir >= 0 && n->name && (symlinkat(SHELL_SHIM, dir, n->name) == 0 || errno == EEXIST);
	if (dir >= 0)
		close(dir);
	return good;
}

const char *shell_dir_pass(struct arena *a, const char *const **argv, const char *const *env)
{
	const struct shell_name *n = shell_name_find((*argv)[0]);
	const char *search = n ? shell_dir_env(env, "PATH") : NULL;
	struct str path = { NULL, 0 };
	const char **own;
	size_t count = 0;
	bool refused;

	if (search)
		path = shell_find_program(a, str_from(search), str_from((*argv)[0]), &refused);
	if (!path.p || !n->seeks_itself)
		return path.p;
	while ((*argv)[count])
		count++;
	own = arena_array(a, const char *, count + 1);
	memcpy(own, *argv, (count + 1) * sizeof(*own));
	own[0] = path.p;
	*argv = own;
	return path.p;
}

/* The names of one directory; it has none below it but SHELL_OWN. */
static void shell_dir_empty(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;

	while (dir && (e = readdir(dir)))
		unlinkat(fd, e->d_name, 0);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

void shell_dir_remove(const struct shell_dir *d)
{
	int dir = d->path.p ? open(d->path.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;

	if (dir < 0)
		return;
	shell_dir_empty(dir, SHELL_OWN);
	unlinkat(dir, SHELL_OWN, AT_REMOVEDIR);
	shell_dir_empty(dir, ".");
	close(dir);
	rmdir(d->path.p);
}
