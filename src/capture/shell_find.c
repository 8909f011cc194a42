/* A shim is known by its link, so no program is opened to find out. */
#include "capture/shell_find.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

bool shell_find_is_shim(const char *path)
{
	char text[sizeof("../" SHELL_SHIM)];
	ssize_t n = readlink(path, text, sizeof(text));
	struct str link = str_of(text, n > 0 ? (size_t)n : 0);

	return str_eq(link, STR(SHELL_SHIM)) || str_eq(link, STR("../" SHELL_SHIM));
}

struct str shell_find_without(struct arena *a, struct str search, struct str dir)
{
	struct buf out;
	struct str left;
	bool last, any = false;

	buf_init(&out);
	do {
		struct str one;

		last = !memchr(search.p, ':', search.n);
		one = str_cut(search, ':', &search);
		if (str_eq(one, dir))
			continue;
		if (any)
			buf_add_byte(&out, ':');
		buf_add_str(&out, one);
		any = true;
	} while (!last);
	left = arena_copy(a, out.n ? buf_str(&out) : STR(""));
	buf_free(&out);
	return left;
}

struct str shell_find_program(struct arena *a, struct str search, struct str name, bool *refused)
{
	bool last;

	*refused = false;
	do {
		struct str dir, path;
		struct stat st;

		last = !memchr(search.p, ':', search.n);
		dir = str_cut(search, ':', &search);
		path = ARENA_JOIN(a, dir.n ? dir : STR("."), STR("/"), name);
		if (stat(path.p, &st) != 0 || S_ISDIR(st.st_mode) || shell_find_is_shim(path.p))
			continue;
		if (faccessat(AT_FDCWD, path.p, X_OK, AT_EACCESS) == 0)
			return path;
		*refused = true;
	} while (!last);
	return str_of(NULL, 0);
}
